// Reloads, kills, stops and lost connections in the middle of something.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../kit/program.mjs';
import { says, slideOf, slowly, spoken, variantOf } from '../kit/provider.mjs';
import { Scene } from '../kit/scene.mjs';

/** What a browser says of a server that is away. */
const AWAY = /ERR_|Failed to load resource|status of 5\d\d/;
let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

const asked = async () => (await scene.provider.requests()).length;

/** Asks for many words and waits until some of them are there. */
async function begin(visitor, words, count, ms = 100) {
	await scene.provider.play(says(words, undefined, slowly(count, ms)));
	await visitor.say(words);
	await visitor.reads('w8');
	assert.ok(await scene.provider.speaking());
}

test('a reload in the middle of an answer: it goes on, is whole, and was asked once', async () => {
	const pay = await scene.visit('pay');
	await begin(pay, 'Count to eighty.', 80);
	await pay.page.reload();
	await pay.reads('w12');
	assert.equal((await scene.provider.requests())[0].endMs, undefined, 'the answer still comes while the page is new');
	await pay.rests(1);
	assert.deepEqual(await pay.words(), spoken(80));
	await pay.page.reload();
	await pay.rests(1);
	assert.deepEqual(await pay.words(), spoken(80));
	assert.equal(await asked(), 1);
});

test('kill -9 while a preview waits: after the restart Accept works in the page that nobody touched', async () => {
	await scene.provider.play(variantOf('A variant of slide 6.', '06', slideOf('After the storm')));
	const pay = (await scene.visit('pay')).expect(AWAY);
	await pay.say('A variant of slide 6.');
	await pay.asked();
	const repo = scene.repo('paying-client');
	const tip = repo.tip();
	await scene.kill();
	await scene.restart();
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.reads('That is settled.');
	await pay.stageShows('After the storm');
	assert.equal(repo.tip(`${repo.working}^1`), tip);
	assert.equal(repo.merges.length, 1);
	assert.deepEqual(repo.sides, []);
});

test('stopping keeps what was written, ends the model call, and the next message works', async () => {
	const pay = await scene.visit('pay');
	await begin(pay, 'Never end.', 2000);
	await pay.button('Stop').click();
	await pay.reads('Stopped. What was written is kept.');
	await pay.rests(1);
	const kept = await pay.words();
	assert.ok(kept.length >= 8 && kept.length < 2000, `${kept.length} words are kept`);
	assert.deepEqual(kept, spoken(kept.length));
	await scene.provider.silent();
	const [call] = await scene.provider.requests();
	assert.ok(call.closedEarly, 'the connection to the provider was closed');
	await scene.provider.play(says('And now?', 'Now I answer.'));
	await pay.say('And now?');
	await pay.reads('Now I answer.');
});

test('typing instead of clicking discards the preview and answers the message', async () => {
	await scene.provider.play(says('Rather not.', 'As you wish.'), variantOf('A variant of slide 3.', '03', slideOf('Never shown')));
	const pay = await scene.visit('pay');
	await pay.say('A variant of slide 3.');
	await pay.asked();
	const repo = scene.repo('paying-client');
	const tip = repo.tip();
	await pay.box.fill('Rather not.');
	await pay.panel.getByText('Sending discards the change that waits for you.').waitFor();
	await pay.box.press('Enter');
	await pay.reads('As you wish.');
	await pay.turns.first().getByText('Discarded by a newer message.').waitFor();
	assert.equal(await pay.panel.getByRole('button', { name: 'Accept' }).count(), 0);
	assert.equal(repo.tip(), tip);
	await until('the side branch is gone', () => repo.sides.length === 0);
});

test('discarding by click leaves the deck as it was', async () => {
	await scene.provider.play(variantOf('A variant of slide 2.', '02', slideOf('Never shown')));
	const pay = await scene.visit('pay');
	await pay.say('A variant of slide 2.');
	await pay.asked();
	const repo = scene.repo('paying-client');
	const tip = repo.tip();
	await pay.discard();
	await pay.preview.getByText('discarded', { exact: false }).first().waitFor();
	await pay.reads('That is settled.');
	assert.equal(repo.tip(), tip);
	await until('the side branch is gone', () => repo.sides.length === 0);
});

test('offline in the middle of an answer and back: every word once, asked once', async () => {
	const pay = (await scene.visit('pay')).expect(AWAY);
	await begin(pay, 'Count while I travel.', 60);
	await pay.page.context().setOffline(true);
	await pay.panel.getByText('You are offline. Your draft is kept.').waitFor();
	await pay.box.fill('a thought on the way');
	await pay.page.context().setOffline(false);
	await pay.panel.getByText('You are offline. Your draft is kept.').waitFor({ state: 'detached' });
	await pay.rests(1);
	assert.deepEqual(await pay.words(), spoken(60));
	assert.equal(await asked(), 1);
	assert.equal(await pay.box.inputValue(), 'a thought on the way');
});

test('a message that was sent offline says so, and goes by itself when the line is back', async () => {
	await scene.provider.play(says('First.', 'One.'), says('Second.', 'Two.'));
	const pay = (await scene.visit('pay')).expect(AWAY);
	await pay.say('First.');
	await pay.reads('One.');
	await pay.page.context().setOffline(true);
	await pay.say('Second.');
	const notice = pay.lastTurn.getByRole('alert');
	await notice.getByText('The server cannot be reached.').waitFor();
	await pay.button('Send again', notice).waitFor();
	await pay.page.context().setOffline(false);
	await pay.reads('Two.');
	assert.equal(await pay.turns.count(), 2);
	assert.equal(await asked(), 2);
});

test('a server that dies in the middle of an answer: said, found again, asked again, and whole', async () => {
	const pay = (await scene.visit('pay')).expect(AWAY);
	await begin(pay, 'Count through the night.', 40);
	await scene.kill();
	await pay.panel.getByText('Connection lost. Reconnecting…').waitFor();
	await pay.page.evaluate(() => dispatchEvent(new Event('online'))); // the deck looks for its server now, not in 20 s
	await pay.page.getByText('The server does not answer.').waitFor();
	await pay.box.fill('written in the dark');
	await scene.restart();
	await pay.panel.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' });
	await pay.page.getByText('The server does not answer.').waitFor({ state: 'detached' });
	await pay.rests(1);
	assert.deepEqual(await pay.words(), spoken(40), 'no word is doubled or missing');
	assert.equal(await asked(), 2, 'the step that was lost is asked again, once');
	assert.equal(await pay.box.inputValue(), 'written in the dark');
	await scene.provider.play(says('written in the dark', 'And read by day.'));
	await pay.box.press('Enter');
	await pay.reads('And read by day.');
});
