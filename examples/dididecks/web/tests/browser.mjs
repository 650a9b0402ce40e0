// The page in a real browser, served by the real program.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { manySlides, startServer, temporary } from './server.mjs';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
let server;
let complaints = [];
const contexts = [];

before(async () => {
	server = await startServer();
	browser = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
	});
});

after(async () => {
	await browser?.close();
	await server?.stop();
});

afterEach(async () => {
	await Promise.all(contexts.splice(0).map((c) => c.close()));
	const had = complaints;
	complaints = [];
	assert.deepEqual(had, [], 'the page complained, or asked for something from elsewhere');
});

/** Opens the page as a new visitor. */
async function visit(path = '/', { from = server, quiet = () => false, prepare, ...options } = {}) {
	const context = await browser.newContext({ viewport: WIDE, ...options });
	contexts.push(context);
	const page = await context.newPage();
	page.on('console', (m) => {
		// Who has no session is found out by asking: browsers note that answer in red.
		if (!['error', 'warning'].includes(m.type()) || m.text().includes('status of 401')) return;
		if (!quiet(m.text())) complaints.push(m.text());
	});
	page.on('pageerror', (e) => complaints.push(String(e)));
	page.on('request', (r) => {
		const url = r.url();
		if (!url.startsWith(from.url) && !/^(data|blob|about):/.test(url)) complaints.push(`asked for ${url}`);
	});
	await prepare?.(page);
	await page.goto(from.url + path);
	return page;
}

const stage = (page) => page.locator('main iframe');
const place = (page) => page.locator('main .place').first();
const at = (page, text) => page.locator('main .bar .place', { hasText: text }).waitFor();
const chatButton = (page) => page.getByRole('button', { name: 'Chat', exact: true });
const chatBox = (page) => page.locator('#chat textarea');
const who = (page) => page.locator('button.who');

/** Writes to the chat and sends it, once it is ready. */
async function say(page, text) {
	await page.locator('#chat').getByRole('heading', { name: /What shall we do/ }).waitFor();
	await chatBox(page).fill(text);
	await chatBox(page).press('Enter');
}

async function signedInAs(page, name) {
	await page.getByRole('button', { name: `${name}: switch user` }).waitFor();
}

describe('signing in', () => {
	test('a newcomer lands in the deck as Demo, with the chat beside it', async () => {
		const page = await visit();
		await signedInAs(page, 'Demo');
		await stage(page).waitFor();
		await chatBox(page).waitFor();
		assert.equal(await page.title(), 'Tidepost · Dididecks');
		assert.match(page.url(), /\/$/);
	});

	test('the address chooses a person, who is remembered', async () => {
		const page = await visit('/?user=lin#/slides/03');
		await signedInAs(page, 'Lin');
		await at(page, '3 / 8');
		assert.ok(!page.url().includes('user='), page.url());
		await page.context().clearCookies();
		await page.goto(server.url);
		await signedInAs(page, 'Lin');
	});

	test('the menu switches to a viewer, who is offered no changes', async () => {
		const page = await visit();
		const offer = page.getByRole('button', { name: 'Give me a Chroma-style variant of slide 4' });
		await offer.waitFor();
		await who(page).click();
		await page.getByRole('dialog', { name: 'Who are you today?' }).getByRole('button', { name: /^View/ }).click();
		await signedInAs(page, 'View');
		await chatBox(page).waitFor();
		await offer.waitFor({ state: 'detached' });
	});

	test('an unknown person is asked who they are', async () => {
		const page = await visit('/?user=nobody');
		await page.getByRole('heading', { name: 'Who are you today?' }).waitFor();
		assert.equal(await page.getByRole('listitem').count(), 5);
		await page.getByRole('button', { name: /^Pay/ }).click();
		await signedInAs(page, 'Pay');
	});

	test('an ended session is said, and gone on from at the same slide', async () => {
		const page = await visit('/#/slides/05');
		await at(page, '5 / 8');
		await page.context().clearCookies();
		await page.evaluate(() => dispatchEvent(new Event('online')));
		await page.getByText('Your session has ended.').waitFor();
		await page.getByRole('button', { name: 'Go on as Demo' }).click();
		await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
		await at(page, '5 / 8');
	});
});

describe('turning pages', () => {
	test('keys, buttons and pictures go to slides, and the address follows', async () => {
		const page = await visit();
		await stage(page).waitFor();
		await page.locator('h1').click();
		await page.keyboard.press('ArrowRight');
		await at(page, '2 / 8');
		assert.match(page.url(), /#\/slides\/02$/);
		await page.keyboard.press('End');
		await at(page, '8 / 8');
		assert.ok(await page.getByRole('button', { name: 'Next slide' }).isDisabled());
		await page.getByRole('button', { name: 'Previous slide' }).click();
		await at(page, '7 / 8');
		await page.getByRole('button', { name: /^Slide 4:/ }).click();
		await at(page, '4 / 8');
		assert.match(await stage(page).last().getAttribute('title'), /^Slide 4: /);
		await page.keyboard.press('ArrowDown');
		await at(page, '5 / 8');
		assert.match(await page.evaluate(() => document.activeElement.ariaLabel), /^Slide 5:/);
	});

	test('keys belong to the text while one is writing', async () => {
		const page = await visit('/#/slides/03');
		await chatBox(page).fill('one two');
		await chatBox(page).press('ArrowLeft');
		await chatBox(page).press('Home');
		assert.equal(await place(page).innerText(), '3 / 8');
	});

	test('a link opens its slide, and one to nowhere the first', async () => {
		const page = await visit('/#/slides/06');
		await at(page, '6 / 8');
		await page.evaluate(() => (location.hash = '#/slides/02'));
		await at(page, '2 / 8');
		const lost = await visit('/#/slides/99');
		await at(lost, '1 / 8');
	});

	test('slides are drawn in frames that can do nothing', async () => {
		const page = await visit();
		await stage(page).waitFor();
		await page.locator('nav iframe').first().waitFor();
		const frames = await page.$$eval('iframe', (all) => all.map((f) => [f.getAttribute('sandbox'), f.tabIndex]));
		assert.ok(frames.length > 3);
		for (const [sandbox, tab] of frames) assert.deepEqual([sandbox, tab], ['', -1]);
	});

	test('a slide grows and fits again', async () => {
		const page = await visit();
		await stage(page).waitFor();
		const fit = (await page.locator('.sheet').boundingBox()).width;
		await page.getByRole('button', { name: 'Larger' }).click();
		await page.getByRole('button', { name: 'Larger' }).click();
		await page.getByText('100 %').waitFor();
		assert.equal((await page.locator('.sheet').boundingBox()).width, 1280);
		await page.getByRole('button', { name: 'Fit to the window' }).click();
		await page.waitForFunction((w) => document.querySelector('.sheet').getBoundingClientRect().width === w, fit);
	});

	test('a presentation turns by key and click, and gives the focus back', async () => {
		const page = await visit('/#/slides/02');
		await at(page, '2 / 8');
		await page.getByRole('button', { name: 'Present' }).click();
		const show = page.getByRole('dialog', { name: 'Presentation' });
		await show.waitFor();
		await page.keyboard.press(' ');
		await show.getByText('3 / 8').waitFor();
		await page.mouse.click(1200, 300);
		await show.getByText('4 / 8').waitFor();
		await page.mouse.click(60, 300);
		await show.getByText('3 / 8', { exact: true }).waitFor();
		await page.keyboard.press('Escape');
		await show.waitFor({ state: 'detached' });
		await at(page, '3 / 8');
		assert.match(await page.evaluate(() => document.activeElement.ariaLabel), /^Slide 3:/);
	});
});

describe('the chat', () => {
	test('opens and closes by button and key, and stays as it was left', async () => {
		const page = await visit();
		await chatBox(page).waitFor();
		await chatButton(page).click();
		await chatBox(page).waitFor({ state: 'hidden' });
		assert.equal(await chatButton(page).getAttribute('aria-expanded'), 'false');
		await page.reload();
		await stage(page).waitFor();
		assert.ok(await page.locator('#chat').isHidden());
		await page.keyboard.press('Control+j');
		await chatBox(page).waitFor();
		await page.keyboard.press('Control+j');
		await page.locator('#chat').waitFor({ state: 'hidden' });
		assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Chat');
		await chatButton(page).click();
		await page.waitForFunction(() => document.activeElement?.matches('#chat textarea'));
	});

	test('is made wider within its bounds, and keeps its width', async () => {
		const page = await visit();
		await chatBox(page).waitFor();
		const edge = page.getByRole('separator', { name: 'Width of the chat' });
		const width = async () => (await page.locator('#chat').boundingBox()).width;
		await edge.focus();
		await page.keyboard.press('Home');
		assert.equal(await width(), 360);
		await page.keyboard.press('ArrowRight');
		assert.equal(await width(), 360);
		await page.keyboard.press('End');
		assert.equal(await width(), 560);
		await page.keyboard.press('ArrowRight');
		assert.equal(await width(), 544);
		const box = await edge.boundingBox();
		await page.mouse.move(box.x + 4, 400);
		await page.mouse.down();
		await page.mouse.move(1440 - 480, 420, { steps: 4 });
		await page.mouse.up();
		assert.equal(await width(), 480);
		await page.reload();
		await chatBox(page).waitFor();
		assert.equal(await width(), 480);
	});

	test('an accepted change is gone to, drawn anew and kept in the history', async () => {
		const page = await visit();
		await chatBox(page).waitFor();
		const commit = page.getByRole('button', { name: /^draft [0-9a-f]{7}: show/ });
		const before = await commit.getAttribute('aria-label');
		await page.getByRole('button', { name: 'Give me a Chroma-style variant of slide 4' }).click();
		await chatBox(page).press('Enter');
		const accept = page.locator('#chat').getByRole('button', { name: 'Accept' });
		await accept.waitFor();
		// The slide as it is, beside the slide as it would be.
		await at(page, '4 / 8');
		assert.equal(await page.locator('main iframe[srcdoc*="data-look=\\"chroma\\""]').count(), 0);
		await page.getByRole('button', { name: /^Slide 1:/ }).click();
		await accept.click();
		await page.getByText('Slide 4 was changed').waitFor();
		await at(page, '4 / 8');
		await page.locator('main iframe[srcdoc*="data-look=\\"chroma\\""]').waitFor();
		await page.locator('li[data-slide="04"] iframe[srcdoc*="data-look=\\"chroma\\""]').waitFor();
		assert.notEqual(await commit.getAttribute('aria-label'), before);
		await page.getByRole('button', { name: 'History', exact: true }).click();
		const first = page.locator('#history li').first();
		await first.getByText('by the agent').waitFor();
		assert.match(await first.innerText(), /slide 04 in the chroma look/i);
	});

	test('a slide that is asked for is opened', async () => {
		const page = await visit();
		await say(page, 'Show slide 6');
		await at(page, '6 / 8');
	});

	test('an export can be downloaded', async () => {
		const page = await visit();
		await say(page, 'Export the deck as HTML');
		const link = page.getByRole('link', { name: 'Download', exact: true });
		await link.waitFor();
		const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
		assert.match(download.suggestedFilename(), /\.html$/);
		assert.match(readFileSync(await download.path(), 'utf8'), /Tidepost/);
	});

	test('an export can also be fetched from its card and from the answer, after a reload as well', async () => {
		const page = await visit();
		await say(page, 'Export the deck as HTML');
		const chat = page.locator('#chat');
		const card = chat.getByRole('link', { name: /^Download .*\.html$/ });
		await card.waitFor();
		await chat.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
		await page.reload();
		await card.waitFor();
		const [file] = await Promise.all([page.waitForEvent('download'), card.click()]);
		assert.match(readFileSync(await file.path(), 'utf8'), /Tidepost/);
		const link = chat.locator('.markdown a[href^="/api/decks/"]').first();
		const asked = page.context().waitForEvent('response', (r) => r.url().includes('/exports/'));
		await link.click();
		assert.match((await asked).headers()['content-disposition'], /^attachment/);
		assert.equal(await chat.locator('.markdown .refused').count(), 0);
	});

	test('says that one is signed out, signs in again and goes on with what was sent', async () => {
		const page = await visit('/#/slides/05', { quiet: (t) => t.includes('401') });
		await at(page, '5 / 8');
		const chat = page.locator('#chat');
		await chat.getByRole('heading', { name: /What shall we do/ }).waitFor();
		await page.context().clearCookies();
		await say(page, 'Show slide 6');
		await chat.getByText('You are signed out').waitFor();
		await chatBox(page).fill('my next thought');
		await chat.getByRole('button', { name: 'Sign in' }).click();
		await at(page, '6 / 8');
		await chat.getByText('You are signed out').waitFor({ state: 'detached' });
		assert.equal(await chatBox(page).inputValue(), 'my next thought');
		assert.equal(await chat.locator('.bubble').count(), 1);
		assert.equal(await page.getByText('Your session has ended.').count(), 0);
	});

	test('on a phone, Escape closes what lies over the chat before the chat', async () => {
		const page = await visit('/', { viewport: PHONE, isMobile: true, hasTouch: true });
		await stage(page).waitFor();
		await chatButton(page).tap();
		await say(page, 'Give me a Chroma-style variant of slide 5');
		const chat = page.locator('#chat');
		await chat.getByRole('button', { name: 'Accept', exact: true }).waitFor();
		await chat.getByRole('button', { name: 'Enlarge' }).click();
		await page.locator('dialog[open]').waitFor();
		await page.keyboard.press('Escape');
		await page.locator('dialog[open]').waitFor({ state: 'detached' });
		await chat.getByRole('button', { name: 'Edit', exact: true }).last().click();
		await chat.getByRole('form').waitFor();
		await page.keyboard.press('Escape');
		await chat.getByRole('form').waitFor({ state: 'detached' });
		await chat.getByRole('button', { name: 'Settings' }).click();
		await page.keyboard.press('Escape');
		await chat.getByRole('dialog', { name: 'Settings' }).waitFor({ state: 'detached' });
		assert.ok(await chatBox(page).isVisible());
		await page.keyboard.press('Escape');
		await chat.waitFor({ state: 'hidden' });
	});

	test('covers a phone as a sheet, and goes by Escape', async () => {
		for (const viewport of [PHONE, { width: 320, height: 568 }]) {
			const page = await visit('/', { viewport, isMobile: true, hasTouch: true });
			await stage(page).waitFor();
			assert.ok(await page.locator('#chat').isHidden(), 'it does not open by itself');
			await chatButton(page).tap();
			await chatBox(page).waitFor();
			assert.equal(Math.round((await page.locator('#chat').boundingBox()).width), viewport.width);
			assert.ok(await page.evaluate(() => document.querySelector('.desk').inert));
			await page.keyboard.press('Escape');
			await page.locator('#chat').waitFor({ state: 'hidden' });
			assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Chat');
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
		}
	});
});

describe('what may go wrong', () => {
	test('a server that is gone is said, and found again', async () => {
		const data = temporary();
		let own = await startServer({ data });
		const { url } = own;
		const page = await visit('/#/slides/02', { from: own, quiet: (t) => /ERR_|Failed to load/.test(t) });
		await at(page, '2 / 8');
		await own.stop();
		await page.evaluate(() => dispatchEvent(new Event('online')));
		await page.getByText('The server does not answer.').waitFor();
		await stage(page).first().waitFor();
		own = await startServer({ data, listen: new URL(url).host });
		try {
			await page.getByText('The server does not answer.').waitFor({ state: 'detached' });
			await page.keyboard.press('ArrowRight');
			await at(page, '3 / 8');
		} finally {
			await page.context().close();
			await own.stop();
			rmSync(data, { recursive: true, force: true });
		}
	});

	test('a slide that cannot be drawn says why, and is tried again', async () => {
		let broken = true;
		const page = await visit('/', {
			quiet: (t) => t.includes('503'),
			prepare: (p) =>
				p.route('**/slides/07/render', (route) =>
					broken
						? route.fulfill({ status: 503, json: { message: 'Seven is out of order.', hint: 'Wait a moment.' } })
						: route.continue()
				)
		});
		await stage(page).waitFor();
		await page.evaluate(() => (location.hash = '#/slides/07'));
		await page.getByText('Seven is out of order. Wait a moment.').waitFor();
		broken = false;
		await page.getByRole('button', { name: 'Try again' }).click();
		await page.locator('main iframe[title^="Slide 7"]').waitFor();
	});

	test('someone without a deck is told so', async () => {
		const page = await visit('/?user=nobody');
		await page.route('**/api/decks', (route) => route.fulfill({ json: { decks: [] } }));
		await page.getByRole('button', { name: /^Demo/ }).click();
		await page.getByText('No deck is open to you here').waitFor();
		await who(page).waitFor();
	});
});

describe('a deck of sixty slides', () => {
	test('draws what is in sight only, and the end when one gets there', async () => {
		const deck = manySlides(60);
		const own = await startServer({ deck });
		try {
			const page = await visit('/', { from: own });
			await stage(page).waitFor();
			await page.locator('nav iframe').nth(5).waitFor();
			assert.equal(await page.locator('nav li').count(), 60);
			assert.ok((await page.locator('nav iframe').count()) <= 20);
			const shift = page.evaluate(
				() =>
					new Promise((done) => {
						let sum = 0;
						new PerformanceObserver((l) => l.getEntries().forEach((e) => (sum += e.value))).observe({
							type: 'layout-shift',
							buffered: true
						});
						requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
					})
			);
			assert.ok((await shift) < 0.01, `layout moved by ${await shift}`);
			await page.keyboard.press('End');
			await at(page, '60 / 60');
			await page.locator('li[data-slide="60"] iframe').waitFor();
			await page.locator('li[data-slide="01"] iframe').waitFor({ state: 'detached' });
			assert.ok((await page.locator('nav iframe').count()) <= 20);
			await page.context().close();
		} finally {
			await own.stop();
			rmSync(deck, { recursive: true, force: true });
		}
	});
});

describe('for everyone', () => {
	// The panel's own tests look after what is inside it.
	async function axe(page, state) {
		await page.evaluate(axeSource);
		const found = await page.evaluate(() => window.axe.run({ exclude: ['.iaa', 'iframe'] }));
		const wrong = found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(', ')}`);
		assert.deepEqual(wrong, [], `axe in ${state}`);
	}

	for (const colorScheme of ['light', 'dark']) {
		test(`no barriers that axe knows of, ${colorScheme}`, async () => {
			const look = { colorScheme, reducedMotion: 'reduce' };
			const page = await visit('/', look);
			await chatBox(page).waitFor();
			await page.locator('nav iframe').nth(5).waitFor();
			await axe(page, 'the deck');
			await page.getByRole('button', { name: 'History', exact: true }).click();
			await page.locator('#history li').first().waitFor();
			await who(page).click();
			await axe(page, 'history and menu');
			await page.keyboard.press('Escape');
			await page.getByRole('button', { name: 'Larger' }).click();
			await axe(page, 'an enlarged slide');
			await page.getByRole('button', { name: 'Present' }).click();
			await page.getByRole('dialog', { name: 'Presentation' }).waitFor();
			await axe(page, 'a presentation');
			const phone = await visit('/', { ...look, viewport: PHONE });
			await stage(phone).waitFor();
			await axe(phone, 'a phone');
			await chatButton(phone).click();
			await chatBox(phone).waitFor();
			await axe(phone, 'the sheet');
			const chooser = await visit('/?user=nobody', look);
			await chooser.getByRole('heading', { name: 'Who are you today?' }).waitFor();
			await axe(chooser, 'the chooser');
		});
	}

	test('the look is chosen, kept, and the system’s again when it is the same', async () => {
		const page = await visit('/', { colorScheme: 'light' });
		await page.getByRole('button', { name: 'Turn dark' }).click();
		const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
		assert.equal(await ground(), 'rgb(14, 16, 20)');
		await page.reload();
		await page.getByRole('button', { name: 'Turn light' }).waitFor();
		assert.equal(await ground(), 'rgb(14, 16, 20)');
		await page.getByRole('button', { name: 'Turn light' }).click();
		await page.emulateMedia({ colorScheme: 'dark' });
		await page.getByRole('button', { name: 'Turn light' }).waitFor();
		assert.equal(await ground(), 'rgb(14, 16, 20)');
	});
});
