// "Always allow": once meant, done without asking until it is revoked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { slideOf, variantOf } from '../kit/provider.mjs';
import { rows } from '../kit/rows.mjs';
import { Scene } from '../kit/scene.mjs';

const WORDS = 'A bold slide 4.';
let scene;
before(async () => (scene = await Scene.start()));
after(() => scene?.end());

/** Asks for the same variant again; the slide has other words each time. */
async function ask(visitor, title) {
	await scene.provider.play(...variantOf(WORDS, '04', slideOf(title), 'bold'));
	await visitor.say(WORDS);
}

test('a variant that is always allowed is made without asking, and asked for again once that is revoked', async () => {
	const pay = await scene.visit('pay');
	await pay.chat();
	await ask(pay, 'The first tide');
	await pay.asked();
	await pay.button('Always allow…', pay.preview).click();
	const choice = pay.preview.getByRole('group', { name: 'Always allow this?' });
	const before = await choice.innerText();
	for (const words of ['slides/04-value-proposition.html', 'Slide id 04', 'Style bold']) assert.ok(before.includes(words), before);
	await pay.button('Accept and always allow', choice).click();
	await pay.preview.getByText('Always allowed from now on.').waitFor();
	await pay.rests(1);

	const repo = scene.repo('paying-client');
	const first = repo.tip();
	await ask(pay, 'The second tide');
	await pay.preview.getByText('Allowed by your rule.').waitFor();
	await pay.rests(2);
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	assert.notEqual(repo.tip(), first, 'the change is in the deck');
	assert.equal(await pay.button('Accept').count(), 0);

	await pay.button('See or revoke it', pay.preview).click();
	const rule = pay.settings.getByRole('listitem').filter({ has: pay.page.getByRole('button', { name: /^Revoke: / }) });
	await rule.waitFor();
	const said = (await rule.innerText()).replace(/\s+/g, ' ');
	for (const words of ['slides/04-value-proposition.html', 'Slide id 04', 'Style bold', 'Used once']) assert.ok(said.includes(words), said);
	assert.ok(!said.includes('Not in force'), said);
	await rule.getByRole('button', { name: /^Revoke: / }).click();
	await pay.button('Revoke', rule).click();
	await pay.settings.getByText('Revoked. You are asked again from now on.').waitFor();
	await pay.button('Back', pay.settings).click();

	await ask(pay, 'The third tide');
	await pay.asked();
	await pay.discard();
	await pay.rests(3);
	const rules = rows(scene.data, 'SELECT uses, revoked_at_ms FROM permissions');
	assert.ok(rules.length === 1 && rules[0].uses === 1 && rules[0].revoked_at_ms > 0, JSON.stringify(rules));
	assert.deepEqual(pay.complaints, []);
});
