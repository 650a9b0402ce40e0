// The failure modes of the scenario, as the person at the page meets them.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { after as afterResult, call, calls, says, slideOf, variantOf } from '../kit/provider.mjs';
import { edit, transcripts } from '../kit/rows.mjs';
import { newKey, Scene } from '../kit/scene.mjs';

let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

const asks = async () => (await scene.provider.requests()).length;

test('without a key the message is kept, the panel asks for one, and storing it sends the message', async () => {
	await scene.provider.play(says('Are you there?', 'Here I am.'));
	const lin = (await scene.visit('lin')).expect(/status of 402/);
	await lin.say('Are you there?');
	await lin.settings.getByText('Your organisation has no Anthropic key. Add your own to go on.').waitFor();
	await lin.settings.getByText('Your message is kept and sent as soon as a key is stored.').waitFor();
	assert.ok(await lin.settings.getByLabel('Key', { exact: true }).evaluate((e) => e === document.activeElement));
	assert.equal(await asks(), 0);

	await lin.button('Back', lin.settings).click();
	assert.equal(await lin.box.inputValue(), 'Are you there?');
	await lin.page.reload();
	await lin.box.waitFor();
	assert.equal(await lin.box.inputValue(), 'Are you there?', 'also after a reload');

	await lin.box.press('Enter');
	await lin.settings.getByLabel('Key', { exact: true }).fill(newKey());
	await lin.button('Test and store', lin.settings).click();
	await lin.reads('Here I am.');
	assert.equal(await lin.turns.count(), 1);
	assert.equal(await lin.box.inputValue(), '');
});

test('a key that the provider rejects is a nudge with the way to fix it, and the message goes again by itself', async () => {
	await scene.provider.play(says('Still there?', 'Yes, with the new key.'));
	const lin = (await scene.visit('lin')).expect(/status of 402/);
	await lin.box.waitFor();
	await scene.provider.break({ kind: 'status', status: 401 });
	await lin.say('Still there?');
	await lin.settings.getByText('The provider rejected the key. Replace it to go on.').waitFor();
	assert.equal(await asks(), 1, 'a rejected key is tried once');

	await lin.button('Back', lin.settings).click();
	const nudge = lin.panel.getByRole('alert');
	await nudge.getByText(/reject|accept/).first().waitFor();
	const kept = (await lin.box.inputValue()) || (await lin.lastTurn.innerText());
	assert.match(kept, /Still there\?/, 'the message is still there');
	await lin.button('Add a key', nudge).click();

	const row = lin.settings.getByRole('listitem').filter({ hasText: 'personal' });
	await lin.button('Replace', row).click();
	const key = newKey();
	await row.getByRole('textbox', { name: 'Key' }).fill(key);
	await row.locator('form').getByRole('button', { name: 'Replace' }).click();
	await lin.reads('Yes, with the new key.');
	const { body, key: used } = (await scene.provider.requests(key)).at(-1);
	assert.ok(used.equals);
	assert.equal(body.messages.length, 1, 'the message was asked once more, not twice');
});

test('a key that does not pass its test is not stored, and stays in its field', async () => {
	const lin = (await scene.visit('lin')).expect(/status of 402/);
	await lin.button('Settings').click();
	await lin.settings.getByText('A key is sealed').waitFor();
	const before = await lin.settings.getByRole('listitem').filter({ hasText: '••••' }).count();
	await lin.settings.getByLabel('Key', { exact: true }).fill('sk-ant-this-is-invalid-0001');
	await lin.button('Test and store', lin.settings).click();
	const alert = lin.settings.getByRole('alert');
	await alert.waitFor();
	const [what, next] = await alert.getByRole('paragraph').allInnerTexts();
	assert.match(what, /\w+.*\./);
	assert.match(next, /\w+.*\./);
	assert.equal(await lin.settings.getByLabel('Key', { exact: true }).inputValue(), 'sk-ant-this-is-invalid-0001');
	assert.equal(await lin.settings.getByRole('listitem').filter({ hasText: '••••' }).count(), before);
});

test('a capability outside the list is refused and the model answers in words', async () => {
	await scene.provider.play(
		calls('Format my disk.', call('shell.run', { command: 'id' }), call('corpus.search_cross_client', { query: 'x' })),
		{ when: { lastResult: 'not_executed', purpose: 'step' }, text: 'I can not do that here.' }
	);
	const pay = await scene.visit('pay');
	await pay.say('Format my disk.');
	await pay.reads('I can not do that here.');
	await pay.rests(1);
	const cards = pay.lastTurn.locator('details');
	// Names that this turn does not know stay as the wire spells them.
	for (const name of ['shell_run', 'corpus_search_cross_client']) {
		await cards.filter({ hasText: name }).getByText('failed').waitFor();
	}
	assert.equal(await pay.panel.getByRole('button', { name: 'Accept' }).count(), 0);
	const results = JSON.parse(transcripts(scene.data).at(-1).tool_results);
	assert.deepEqual(results.map((r) => r.ok), [false, false]);
});

test('searches that never end are cut at five', async () => {
	const search = call('corpus.search', { query: 'deck aesthetic' });
	const loop = Array.from({ length: 7 }, (_, step) => ({
		when: { lastUser: '^Search on\\.$', purpose: 'step', step: step + 1 },
		calls: [search]
	}));
	await scene.provider.play(loop, afterResult('corpus.search', { text: 'That is all I found.' }));
	const pay = await scene.visit('pay');
	await pay.say('Search on.');
	await pay.reads('That is all I found.');
	const cards = pay.lastTurn.locator('details').filter({ hasText: 'corpus.search' });
	assert.equal(await cards.filter({ hasText: /\bdone\b/ }).count(), 5);
	assert.equal(await cards.filter({ hasText: /\bfailed\b/ }).count(), 2);
	await pay.say('Thank you.');
	await pay.rests(2);
});

test('a preview that nobody answers expires, and its branch is removed', async () => {
	await scene.provider.play(variantOf('A variant for later.', '05', slideOf('Later')));
	const pay = (await scene.visit('pay')).expect(/ERR_|Failed to load resource/);
	await pay.say('A variant for later.');
	await pay.asked();
	await pay.preview.getByText(/^Can be accepted until/).waitFor();
	const repo = scene.repo('paying-client');
	const tip = repo.tip();
	assert.equal(repo.sides.length, 1);

	await scene.stop();
	assert.equal(edit(scene.data, 'UPDATE receipts SET expires_at_ms = ? WHERE state = ?', Date.now() - 60_000, 'open'), 1);
	assert.match(scene.run('jobs', 'run', 'expire'), /expire: 1 previews/);
	await scene.restart();
	await pay.preview.getByText('Expired. Nothing was applied.').waitFor();
	assert.equal(await pay.button('Accept', pay.preview).count(), 0);
	assert.deepEqual(repo.sides, []);
	assert.equal(repo.tip(), tip);
	await pay.say('What now?');
	await pay.rests(2);
});
