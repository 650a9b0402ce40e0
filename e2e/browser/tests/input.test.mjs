// What people put in by mistake: a sentence, the next step, and nothing lost.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../kit/program.mjs';
import { says } from '../kit/provider.mjs';
import { newKey, Scene } from '../kit/scene.mjs';

const MESSAGE_BYTES = 200 << 10;
let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

/** Two sentences: what is wrong, and what to do. */
async function sentences(notice) {
	await notice.waitFor();
	const [what, next] = await notice.getByRole('paragraph').allInnerTexts();
	assert.match(what, /^[A-Z].*\.$/s, 'a sentence of what is wrong');
	assert.match(next, /^[A-Z].*\.$/s, 'a sentence of what to do');
	return `${what} ${next}`;
}

test('nothing, and nothing but white space, cannot be sent', async () => {
	const pay = await scene.visit('pay');
	await pay.box.waitFor();
	for (const text of ['', ' ', ' \n\t \n', '\u00a0\u2003']) {
		await pay.box.fill(text);
		assert.ok(await pay.button('Send').isDisabled(), JSON.stringify(text));
		await pay.box.press('Enter');
		assert.equal(await pay.turns.count(), 0);
		assert.equal(await pay.box.inputValue(), text, 'the text stays');
	}
	assert.equal((await scene.provider.requests()).length, 0);
});

test('a message of exactly 200 KiB is sent, and one byte more is said and kept', async () => {
	await scene.provider.play({ when: { lastUser: '^é', purpose: 'step' }, text: 'That was long.' });
	const pay = await scene.visit('pay');
	await pay.box.waitFor();
	const most = 'é'.repeat(MESSAGE_BYTES / 2); // two bytes a letter
	await pay.box.fill(`${most}x`);
	await pay.panel.getByText(/of 200 KiB: too long to send\. Shorten it\./).waitFor();
	assert.ok(await pay.button('Send').isDisabled());
	assert.equal(await pay.box.getAttribute('aria-invalid'), 'true');
	await pay.box.press('Enter');
	assert.equal((await pay.box.inputValue()).length, most.length + 1, 'the text stays');
	assert.equal(await pay.turns.count(), 0);

	await pay.box.press('Backspace');
	await pay.button('Send').and(pay.page.locator(':enabled')).waitFor();
	await pay.box.press('Enter');
	await pay.reads('That was long.');
	const [{ body }] = await scene.provider.requests();
	assert.ok(JSON.stringify(body.messages).includes(most), 'every byte arrived');
});

test('a key with a line break inside is said and kept; spaces and breaks around one do no harm', async () => {
	const lin = (await scene.visit('lin')).expect(/status of 4\d\d/);
	const key = newKey();
	const field = lin.settings.getByLabel('Key', { exact: true });
	const paste = async (text) => {
		await field.fill('');
		await field.focus();
		await lin.page.keyboard.insertText(text);
		await lin.button('Test and store', lin.settings).click();
	};
	await lin.button('Settings').click();
	await paste(`${key.slice(0, 30)}\n${key.slice(30)}`);
	assert.match(await sentences(lin.settings.getByRole('alert')), /no line breaks/);
	assert.ok((await field.inputValue()).startsWith(key.slice(0, 30)), 'what was pasted stays');
	assert.equal((await scene.provider.requests()).length, 0, 'half a key is tried nowhere');

	await paste(`  ${key}\n`);
	const row = lin.settings.getByRole('listitem').filter({ hasText: 'personal' });
	await row.getByText(/^Works: /).waitFor();
	assert.match(await row.innerText(), new RegExp(`•+${key.slice(-4)}`));
	assert.equal(await field.inputValue(), '', 'what was stored is shown no more');
	assert.ok((await scene.provider.requests(key)).every((r) => r.key.equals));
});

test("another provider's key is said, and stays in its field", async () => {
	const lin = (await scene.visit('lin')).expect(/status of 4\d\d/);
	await lin.button('Settings').click();
	const rows = lin.settings.getByRole('listitem').filter({ hasText: '••••' });
	await lin.settings.getByText('A key is sealed').waitFor();
	const before = await rows.count();
	for (const [provider, key] of [
		['anthropic', newKey('sk-proj-')],
		['openai', newKey('sk-ant-api03-')]
	]) {
		await lin.settings.getByLabel('Provider').selectOption(provider);
		await lin.settings.getByLabel('Key', { exact: true }).fill(key);
		await lin.button('Test and store', lin.settings).click();
		const said = await sentences(lin.settings.getByRole('alert'));
		assert.match(said, /key/i, provider);
		assert.equal(await lin.settings.getByLabel('Key', { exact: true }).inputValue(), key, 'the key stays in its field');
	}
	assert.equal(await rows.count(), before, 'none was stored');
	for (const key of await scene.provider.requests()) assert.fail(`a key was sent to the wrong provider: ${key.path}`);
});

test('something far too short for a key cannot be stored', async () => {
	const lin = await scene.visit('lin');
	await lin.button('Settings').click();
	await lin.settings.getByLabel('Key', { exact: true }).fill('  sk-ant ');
	assert.ok(await lin.button('Test and store', lin.settings).isDisabled());
	assert.equal((await scene.provider.requests()).length, 0);
});

test('what is written survives another conversation, the settings and a reload', async () => {
	await scene.provider.play(says('Hello.', 'Hello to you.'));
	const pay = await scene.visit('pay');
	await pay.say('Hello.');
	await pay.reads('Hello to you.');
	await pay.box.fill('half a thou');
	await pay.button('New conversation').click();
	assert.equal(await pay.box.inputValue(), '');
	await pay.box.fill('something else');
	await pay.button('Settings').click();
	await pay.button('Back', pay.settings).click();
	assert.equal(await pay.box.inputValue(), 'something else');
	await pay.panel.getByRole('button', { name: /^Switch conversation/ }).click();
	await pay.panel.getByRole('listitem').getByRole('button', { name: /^Hello\./ }).click();
	await pay.reads('Hello to you.');
	assert.equal(await pay.box.inputValue(), 'half a thou');
	await pay.page.reload();
	await pay.reads('Hello to you.');
	assert.equal(await pay.box.inputValue(), 'half a thou');
});

/** Holds what the panel asks first, as a slow line does, until the gate is opened. */
async function holdStart(visitor) {
	let open;
	const gate = new Promise((done) => (open = done));
	let asked = 0;
	await visitor.page.route('**/api/agent/capabilities', async (route) => {
		if (++asked > 1) await gate; // the first is the page's own
		await route.continue();
	});
	await visitor.page.reload();
	await visitor.box.waitFor();
	return open;
}

test('what is sent before the panel knows who is here is sent once it does', async () => {
	await scene.provider.play(says('Hello.', 'Hello to you.'), says('In a hurry.', 'No hurry at all.'));
	const pay = await scene.visit('pay');
	await pay.say('Hello.');
	await pay.rests(1);
	const open = await holdStart(pay);
	await pay.say('In a hurry.');
	await pay.box.pressSequentially('and then');
	open();
	await pay.reads('No hurry at all.');
	assert.equal(await pay.turns.count(), 2, 'in the conversation that was open');
	assert.equal(await pay.box.inputValue(), 'and then', 'what was written meanwhile stays');
});

test('what is written before the panel knows who is here joins the draft that was kept', async () => {
	const pay = await scene.visit('pay');
	await pay.box.waitFor();
	await pay.box.fill('kept from before');
	const open = await holdStart(pay);
	await pay.box.pressSequentially('written early');
	open();
	await pay.button('Send').and(pay.page.locator(':enabled')).waitFor();
	await until('both are there', async () => (await pay.box.inputValue()) === 'kept from before\nwritten early');
	assert.equal((await scene.provider.requests()).length, 0);
});
