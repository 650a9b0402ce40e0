// What people had remembered: proposed, accepted, read again, and changed by hand.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rows } from '../kit/rows.mjs';
import { Scene } from '../kit/scene.mjs';

let scene;
before(async () => (scene = await Scene.start()));
after(() => scene?.end());

test('a reminder is proposed, kept only by an accept, known later, and edited in the settings', async () => {
	const demo = await scene.visit('demo');
	await demo.chat();
	await demo.say('Remember that we never use stock photos');
	await demo.asked();
	const before = rows(scene.data, "SELECT version FROM reminder_versions WHERE org_id = 'org_demo' AND file = 'our_decisions'");
	assert.ok((await demo.preview.innerText()).includes('we never use stock photos'));
	await demo.accept();
	await demo.rests(1);
	await demo.reads('I’ll remember that.'.replace('’', "'"));
	const after = rows(scene.data, "SELECT via, text FROM reminder_versions WHERE org_id = 'org_demo' AND file = 'our_decisions' ORDER BY version");
	assert.equal(after.length, before.length + 1, 'one version more');
	assert.equal(after.at(-1).via, 'suggestion');

	await demo.say('What do you know about us?');
	await demo.rests(2);
	await demo.reads(/we never use stock photos/, demo.lastTurn.locator('.markdown'));

	await demo.button('Settings').click();
	await demo.settings.getByRole('heading', { name: 'Reminders', exact: true }).click();
	await demo.button('Our decisions', demo.settings).click();
	await demo.settings.getByText('we never use stock photos').first().waitFor();
	await demo.button('Edit', demo.settings).click();
	const box = demo.settings.getByLabel('Our decisions, as Markdown');
	await box.fill((await box.inputValue()).replace('stock photos', 'stock photographs'));
	await demo.button('Save', demo.settings).click();
	await demo.settings.getByText('Saved. The agent knows it from its next answer on.').waitFor();
	await demo.button('History', demo.settings).click();
	const newest = demo.settings.getByRole('button', { name: /^Version \d+/ }).first();
	assert.ok((await newest.innerText()).includes('written by hand'));
	await newest.click();
	await demo.settings.getByText('stock photographs').nth(1).waitFor();
	await demo.button('Back', demo.settings).click();

	await demo.say('What do you know about us?');
	await demo.rests(3);
	await demo.reads(/we never use stock photographs/, demo.lastTurn.locator('.markdown'));
	assert.deepEqual(demo.complaints, []);
});

test('what a search found is cited, and opens where it stands', async () => {
	const demo = await scene.visit('demo');
	await demo.chat();
	await demo.button('New conversation').click();
	await demo.say('Search the corpus for Chroma deck aesthetic');
	await demo.rests(1);
	const sources = demo.lastTurn.getByRole('list', { name: 'Sources' });
	const first = sources.getByRole('listitem').first();
	assert.match(await first.innerText(), /chroma/i);
	await first.locator('summary').click();
	await first.locator('.passage').waitFor();
	assert.ok((await first.locator('.passage').innerText()).length > 40);
	assert.deepEqual(demo.complaints, []);
});
