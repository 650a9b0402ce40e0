// Barriers that axe-core knows of, in each state of the page, light and dark.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, test } from 'node:test';
import { after as afterResult, call, calls, says, slideOf, slowly, writes } from '../kit/provider.mjs';
import { PHONE, Scene } from '../kit/scene.mjs';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

/** What stands in the opaque frames is the deck's own. */
async function clean(visitor, state) {
	await visitor.page.evaluate(source);
	const found = await visitor.page.evaluate(() => window.axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'] }));
	const wrong = found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`);
	assert.deepEqual(wrong, [], state);
}

for (const colorScheme of ['light', 'dark']) {
	test(`no barriers in any state, ${colorScheme}`, async () => {
		await scene.provider.play(
			says('Count.', undefined, slowly(400)),
			says('Show me everything.', '## Title\n\n#### Deep\n\n# High\n\nSome **bold** words, `code`, [a link](https://example.com) and ![a picture](https://example.com/i.png).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```js\nconst x = 1;\n```\n\n> # said\n\n1. one\n2. two'),
			calls('A variant of slide 4.', call('corpus.search', { query: 'Chroma deck aesthetic' })),
			afterResult('corpus.search', { text: 'The notes help.', calls: [call('slide.variant', { slide_id: '04', style: 'chroma' })] }),
			afterResult('slide.variant', { text: 'The variant is in the deck now.' }),
			writes(slideOf(`Looked at by axe, ${colorScheme}`))
		);
		const pay = (await scene.visit('pay', { colorScheme })).expect(/status of 40[29]/);
		await pay.box.waitFor();
		await pay.stageShows('Tidepost');
		await clean(pay, 'empty');
		await pay.say('Show me everything.');
		await pay.rests(1);
		await pay.button('Details').click();
		await clean(pay, 'an answer with everything, and its details');
		await pay.say('Count.');
		await pay.reads('w5');
		await clean(pay, 'an answer that is being written');
		await pay.button('Stop').click();
		await pay.rests(2);
		await pay.say('A variant of slide 4.');
		await pay.asked();
		await pay.lastTurn.locator('details').filter({ hasText: 'corpus.search' }).locator('summary').first().click();
		await clean(pay, 'a preview, and a call that is opened');
		await pay.button('Before and after', pay.preview).click();
		await pay.box.fill('something else');
		await clean(pay, 'a preview side by side, and a message that would discard it');
		await pay.box.fill('');
		await pay.accept();
		await pay.preview.getByText('Applied.', { exact: true }).waitFor();
		await pay.rests(3);
		await clean(pay, 'applied');
		await pay.button('Settings').click();
		await pay.settings.getByText('Your model keys').waitFor();
		await clean(pay, 'settings');
		await pay.button('Back', pay.settings).click();
		await pay.panel.getByRole('button', { name: /^Switch conversation/ }).click();
		await pay.panel.getByRole('dialog', { name: 'Conversations' }).getByRole('button', { name: /^Actions for/ }).first().click();
		await clean(pay, 'conversations');
		// The actions of a conversation close first, then the list.
		await pay.page.keyboard.press('Escape');
		await pay.page.keyboard.press('Escape');
		await scene.provider.break({ kind: 'status', status: 400 });
		await pay.say('Break.');
		await pay.lastTurn.getByRole('alert').waitFor();
		await clean(pay, 'an error');
	});

	test(`no barriers where a key is needed, and on a phone, ${colorScheme}`, async () => {
		const lin = (await scene.visit('lin', { colorScheme, viewport: PHONE })).expect(/status of 402/);
		await lin.page.locator('main iframe').first().waitFor();
		await clean(lin, 'the deck on a phone');
		await lin.chat();
		await lin.panel.getByText('No model key yet').waitFor();
		await clean(lin, 'the chat on a phone, without a key');
		await lin.say('Hello.');
		await lin.settings.getByText(/Add your own to go on/).waitFor();
		await clean(lin, 'the nudge of a missing key');
		await lin.settings.getByLabel('Key', { exact: true }).fill('sk-ant-this-is-invalid-0001');
		await lin.button('Test and store', lin.settings).click();
		await lin.settings.getByRole('alert').waitFor();
		await clean(lin, 'a key that was refused');
	});
}
