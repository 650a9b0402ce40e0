// A hostile model, a hostile document, a hostile name: nothing runs, nothing is asked for.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { markdown, markup, slide, unclosed } from '../kit/payloads.mjs';
import { until } from '../kit/program.mjs';
import { after as afterResult, call, calls, says, slideOf, variantOf } from '../kit/provider.mjs';
import { Scene, temporary } from '../kit/scene.mjs';

let scene;
let ran = [];

/** A deck with slides that try everything, and with names that try the rest. */
function hostileDeck() {
	const dir = temporary();
	const put = (path, text) => writeFileSync(join(dir, path), text);
	mkdirSync(join(dir, 'slides'));
	put('deck.yaml', `title: "<img src=x onerror=pwned(1)> \\u202Edeck"\n`);
	put('slides/01-first.html', slideOf('A quiet first slide'));
	put('slides/02-hostile.html', slide('A hostile slide'));
	put('slides/03-title.html', slideOf('&lt;img src=x onerror=pwned(1)&gt; &#8238;title'));
	put('slides/04-<img src=x onerror=pwned(1)>.html', slideOf('A hostile name'));
	put('slides/05-words.md', `# Words\n\n${[...markup, ...markdown].join('\n\n')}\n`);
	return dir;
}

before(async () => {
	scene = await Scene.start({ deck: hostileDeck() });
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	const complaints = await scene.leave(t.name);
	assert.deepEqual(ran.splice(0), [], 'something ran');
	assert.deepEqual(complaints, [], 'the page complained, or asked for something from elsewhere');
});

/** Opens the page with a trap in every frame. */
async function visit() {
	const context = await scene.context();
	await context.exposeBinding('pwned', ({ frame }) => ran.push(frame.url()));
	await context.addInitScript(() => {
		document.addEventListener('securitypolicyviolation', (e) => window.pwned?.(e.violatedDirective));
	});
	context.on('page', (page) => ran.push(`a window opened: ${page.url()}`));
	const visitor = await scene.visit('pay', { context });
	ran = ran.filter((what) => !what.startsWith('a window opened'));
	return visitor;
}

/** Looks for elements and attributes that have no place in an answer. */
const unwelcome = (visitor) =>
	visitor.turns.evaluateAll((turns) =>
		turns.flatMap((turn) =>
			[...turn.querySelectorAll('*')].flatMap((e) => {
				const at = [...e.attributes].filter((a) => /^on/i.test(a.name) || (/^(href|src|action|formaction|xlink:href|srcset|data|poster)$/i.test(a.name) && !/^(https?:\/\/|mailto:)/.test(a.value)));
				const bad = /^(script|iframe|object|embed|base|link|meta|style|form|input|template|math|img|video|audio|image|foreignobject)$/i.test(e.localName);
				return bad || at.length > 0 ? [e.outerHTML.slice(0, 200)] : [];
			})
		)
	);

test('the traps of this file catch what runs and what is asked for', async () => {
	const pay = await visit();
	await pay.box.waitFor();
	await pay.page.evaluate(() => {
		document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=pwned(1)>');
		window.pwned('called');
		document.body.append(Object.assign(new Image(), { src: 'https://evil.example/leak' }));
	});
	await until('three traps have sprung', () => ran.length >= 2 && pay.complaints.some((c) => c.includes('evil.example')));
	await pay.page.close(); // then nothing more comes
	ran = [];
	pay.complaints.length = 0;
});

test(`${markup.length + markdown.length} payloads in the model's words run nothing, load nothing and are still readable`, async () => {
	assert.ok(markup.length + markdown.length >= 60);
	const all = [...markup, ...markdown];
	const groups = Array.from({ length: 6 }, (_, i) => all.filter((_, k) => k % 6 === i));
	await scene.provider.play(groups.map((group, i) => says(`Group ${i}.`, `${group.join('\n\n')}\n\nEnd of group ${i}.`)));
	const pay = await visit();
	for (const i of groups.keys()) {
		await pay.say(`Group ${i}.`);
		await pay.reads(`End of group ${i}.`);
		await pay.rests(i + 1);
	}
	assert.deepEqual(await unwelcome(pay), []);
	await pay.page.reload();
	await pay.reads('End of group 5.');
	assert.deepEqual(await unwelcome(pay), [], 'also from the history');
	for (const link of await pay.turns.getByRole('link').all()) {
		assert.match(await link.getAttribute('rel'), /noopener/);
		assert.equal(await link.getAttribute('target'), '_blank');
	}
	// Whatever can be pressed in an answer is harmless, but for pictures and links that say where they lead.
	for (const refused of await pay.turns.getByText('click', { exact: true }).all()) await refused.click({ noWaitAfter: true });
});

test('the same payloads in pieces of three letters, and with tags that never close', async () => {
	const text = [...markup, ...markdown].join('\n\n');
	const pieces = [...text].map((_, i, all) => (i % 3 ? '' : all.slice(i, i + 3).join(''))).filter(Boolean);
	await scene.provider.play(
		says('In pieces.', [...pieces, '\n\nEnd of pieces.']),
		unclosed.map((u, i) => says(`Open ${i}.`, [`before ${u}`, u, markup[3], markup[0]]))
	);
	const pay = await visit();
	await pay.say('In pieces.');
	await pay.rests(1);
	await pay.reads('End of pieces.');
	assert.deepEqual(await unwelcome(pay), []);
	for (const i of unclosed.keys()) {
		await pay.say(`Open ${i}.`);
		await pay.rests(i + 2);
	}
	assert.deepEqual(await unwelcome(pay), []);
	assert.ok(await pay.box.isEditable(), 'nothing of it reached beyond its answer');
});

test('payloads in what a person writes, in titles, arguments, names and results', async () => {
	const [script, , , image] = markup;
	await scene.provider.play(
		calls(image, call('corpus.search', { query: image }), call(script.slice(0, 40), { x: image }), call('slide.read', { slide_id: script })),
		{ when: { purpose: 'step', step: 2 }, text: `Found ${image}` }
	);
	const pay = await visit();
	await pay.say(image);
	await pay.reads(/^Found/);
	await pay.rests(1);
	for (const card of await pay.lastTurn.locator('details').all()) await card.locator('summary').first().click();
	assert.deepEqual(await unwelcome(pay), []);
	await pay.panel.getByRole('button', { name: /^Switch conversation/ }).click();
	await pay.panel.getByRole('dialog', { name: 'Conversations' }).getByText(image).first().waitFor();
	await pay.page.reload();
	await pay.reads(/^Found/);
	assert.deepEqual(await unwelcome(pay), []);
});

test('a hostile deck is shown, in the rail and on the stage, and does nothing', async () => {
	const pay = await visit();
	const { page } = pay;
	await page.getByRole('heading', { level: 1 }).filter({ hasText: '<img' }).waitFor();
	const slides = page.getByRole('navigation', { name: 'Slides' }).getByRole('button');
	assert.ok((await slides.count()) >= 4);
	for (const thumb of await slides.all()) {
		await thumb.click();
		await page.locator('main iframe').last().waitFor();
	}
	await page.getByRole('button', { name: /^Slide 2:/ }).click();
	await pay.stageShows('A hostile slide');
	const frames = await page.locator('iframe').evaluateAll((all) => all.map((f) => f.getAttribute('sandbox')));
	assert.ok(frames.every((sandbox) => sandbox === ''), `every frame is opaque: ${frames}`);
	const inside = page.frames().filter((f) => f !== page.mainFrame());
	assert.ok(inside.length > 1);
	for (const frame of inside) {
		const left = await frame.evaluate(() => [...document.querySelectorAll('script,iframe,object,embed,base,[onerror],[onload],form[action]')].map((e) => e.outerHTML)).catch(() => []);
		assert.deepEqual(left, []);
	}
});

test('a model that writes a hostile slide is refused, and the deck stays', async () => {
	const repo = scene.repo('paying-client');
	const tip = repo.tip();
	await scene.provider.play(variantOf('Poison slide 1.', '01', slide('Poison')).map((r) => (r.when.resultOf ? afterResult('slide.variant', { text: 'It was refused.' }) : r)));
	const pay = await visit();
	await pay.say('Poison slide 1.');
	await pay.reads('It was refused.');
	const card = pay.lastTurn.locator('details').filter({ hasText: 'slide.variant' });
	await card.getByText('failed').waitFor();
	await card.locator('summary').click();
	await card.getByText(/would run or load something/).first().waitFor();
	assert.equal(await pay.panel.getByRole('button', { name: 'Accept' }).count(), 0);
	assert.equal(repo.tip(), tip);
	assert.deepEqual(repo.sides, []);
});

test('a change of a slide that was hostile before: its preview and its page run nothing', async () => {
	await scene.provider.play(variantOf('Restyle slide 2.', '02', slide('Hostile, restyled')));
	const pay = await visit();
	await pay.say('Restyle slide 2.');
	await pay.asked();
	await pay.preview.frameLocator('iframe').getByRole('heading', { name: 'Hostile, restyled' }).waitFor();
	assert.equal(await pay.preview.locator('iframe').getAttribute('sandbox'), '');
	await pay.button('Enlarge', pay.preview).click();
	const large = pay.page.getByRole('dialog', { name: /^Rendered page/ });
	await large.frameLocator('iframe').getByRole('heading', { name: 'Hostile, restyled' }).waitFor();
	await pay.button('Close', large).click();
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.stageShows('Hostile, restyled');
	await pay.page.reload();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
});
