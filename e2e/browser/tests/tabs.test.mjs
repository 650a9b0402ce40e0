// Several tabs of one browser, and several browsers of one person.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../kit/program.mjs';
import { says, slideOf, slowly, spoken, variantOf } from '../kit/provider.mjs';
import { Scene } from '../kit/scene.mjs';

let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

/** What a conversation looks like to its reader, without what differs by the moment. */
const told = async (visitor) =>
	(await visitor.turns.allInnerTexts()).map((t) => t.replace(/\s+/g, ' ').replace(/\b\d+(\.\d+)? m?s\b/g, ''));

/** Waits until both tell the same, and gives it. */
async function alike(a, b) {
	return until('both tabs tell the same', async () => {
		const [one, other] = [await told(a), await told(b)];
		return JSON.stringify(one) === JSON.stringify(other) && one;
	});
}

/** Two pages on one conversation: tabs of one browser, or two browsers. */
async function pair(apart) {
	await scene.provider.play(says('Hello.', 'Hello to you.'));
	const context = await scene.context();
	const a = await scene.visit('pay', { context });
	await a.say('Hello.');
	await a.rests(1);
	let other = context;
	if (apart) other = await scene.context({ storageState: await context.storageState() });
	const b = await scene.visit('', { context: other });
	await b.reads('Hello to you.');
	return [a, b];
}

for (const apart of [false, true]) {
	const where = apart ? 'in two browsers' : 'in two tabs';

	test(`${where}, an answer that only one asked for is told in both, word for word`, async () => {
		const [a, b] = await pair(apart);
		await scene.provider.play(says('Count.', undefined, slowly(50)), says('And you?', 'I count too.'));
		await a.say('Count.');
		await b.reads('w5');
		await b.button('Stop').waitFor();
		await a.rests(2);
		await b.rests(2);
		assert.deepEqual(await a.words(), spoken(50));
		assert.deepEqual(await b.words(), spoken(50));
		await b.say('And you?');
		await a.reads('I count too.');
		const all = await alike(a, b);
		assert.equal(all.length, 3);
		assert.equal((await scene.provider.requests()).length, 3, 'nothing was asked twice');
	});

	test(`${where}, what is accepted in one is answered in the other`, async () => {
		const [a, b] = await pair(apart);
		await scene.provider.play(variantOf(`A variant ${where}.`, '02', slideOf(`Seen ${where}`)));
		await a.say(`A variant ${where}.`);
		await a.asked();
		await b.asked();
		await a.accept();
		await b.preview.getByText('Applied.', { exact: true }).waitFor();
		assert.equal(await b.button('Accept', b.preview).count(), 0, 'it cannot be answered again');
		await b.rests(2);
		const [, last] = await alike(a, b);
		assert.match(last, /Applied\..*That is settled\./);
		await b.stageShows(`Seen ${where}`);
	});
}

test('of two answers at the same moment one counts, both tabs tell that one, and the other answer is told to be lost', async () => {
	const [a, b] = await pair(true);
	await scene.provider.play(variantOf('A variant for two.', '03', slideOf('For two')));
	b.expect(/status of 409/);
	await a.say('A variant for two.');
	await a.asked();
	await b.asked();
	const repo = scene.repo('paying-client');
	const merges = repo.merges.length;
	let release;
	const held = new Promise((done) => (release = done));
	await b.page.route('**/api/agent/confirm', async (route) => {
		await held;
		await route.continue();
	});
	await b.discard();
	await b.preview.getByText('Discarding…').waitFor();
	await a.accept();
	await a.preview.getByText('Applied.', { exact: true }).waitFor();
	const late = b.page.waitForResponse('**/api/agent/confirm');
	release();
	assert.equal((await late).status(), 409);
	await b.preview.getByText('Applied.', { exact: true }).waitFor();
	await b.preview.getByText('Your “Discard” was not taken.').waitFor();
	assert.equal(repo.merges.length, merges + 1);
	await b.page.reload(); // what was said to one person at one moment is not kept
	await b.preview.getByText('Applied.', { exact: true }).waitFor();
	await alike(a, b);
});

test('a message while the other tab is being answered waits for its turn and is sent', async () => {
	const [a, b] = await pair(true);
	await scene.provider.play(says('Count.', undefined, slowly(40)), says('My turn?', 'Your turn.'));
	await a.say('Count.');
	await b.reads('w3');
	await b.say('My turn?');
	await b.reads('Your turn.');
	const all = await alike(a, b);
	assert.equal(all.length, 3);
	assert.deepEqual(await a.words(a.turns.nth(1)), spoken(40));
});

test('a conversation that is renamed and deleted in one tab is so in the other', async () => {
	const [a, b] = await pair(true);
	await a.panel.getByRole('button', { name: /^Switch conversation/ }).click();
	const list = a.panel.getByRole('dialog', { name: 'Conversations' });
	await list.getByRole('button', { name: 'Actions for Hello.' }).first().click();
	await a.button('Rename', list).click();
	await list.getByRole('textbox', { name: 'Rename' }).fill('Greetings');
	await a.button('Save', list).click();
	await b.panel.getByRole('button', { name: 'Switch conversation: Greetings' }).waitFor();
	await list.getByRole('button', { name: 'Actions for Greetings' }).click();
	await a.button('Delete', list).click();
	await list.getByText('Really delete?').waitFor();
	await a.button('Delete', list).click();
	await b.panel.getByRole('heading', { name: /What shall we do/ }).waitFor();
	assert.equal(await b.turns.count(), 0);
});

/** Says to a page that it is hidden or seen, as a browser does when tabs change. */
const show = (visitor, state) =>
	visitor.page.evaluate((to) => {
		Object.defineProperty(document, 'visibilityState', { value: to, configurable: true });
		Object.defineProperty(document, 'hidden', { value: to === 'hidden', configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	}, state);

test('eight tabs with changes that wait: each can still send, although a browser has six connections', async () => {
	const context = await scene.context();
	const tabs = [];
	for (let i = 0; i < 8; i++) {
		await scene.provider.play(variantOf(`Variant ${i}.`, `0${i + 1}`, slideOf(`Number ${i}`)));
		const tab = await scene.visit(i === 0 ? 'pay' : '', { context });
		await tab.button('New conversation').click();
		await tab.say(`Variant ${i}.`);
		await tab.asked();
		await show(tab, 'hidden');
		tabs.push(tab);
	}
	for (const [i, tab] of tabs.entries()) {
		await scene.provider.play(says(`Message ${i}.`, `Answer ${i}.`));
		await show(tab, 'visible');
		await tab.say(`Message ${i}.`);
		await tab.reads(`Answer ${i}.`);
		await tab.turns.first().getByText('Discarded by a newer message.').waitFor();
		await show(tab, 'hidden');
	}
	const repo = scene.repo('paying-client');
	await until('no side branch is left', () => repo.sides.length === 0);
});

test('eight windows that are all seen, on one conversation: one connection serves them', async () => {
	const context = await scene.context();
	await scene.provider.play(says('Hello.', 'Hello to you.'));
	const first = await scene.visit('pay', { context });
	await first.say('Hello.');
	await first.rests(1);
	const windows = [first];
	for (let i = 1; i < 8; i++) {
		const window = await scene.visit('', { context });
		await window.reads('Hello to you.');
		windows.push(window);
	}
	await scene.provider.play(says('To all.', undefined, slowly(20)));
	await windows[7].say('To all.');
	for (const window of windows) {
		await window.rests(2);
		assert.deepEqual(await window.words(), spoken(20));
	}
});
