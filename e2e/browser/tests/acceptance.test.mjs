// The scenario that the specification tells, word for word.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { after as afterResult, call, calls, slideOf, writes } from '../kit/provider.mjs';
import { transcripts } from '../kit/rows.mjs';
import { newKey, Scene } from '../kit/scene.mjs';

const WORDS = 'Give me a Chroma-style variant of slide 4.';
const SLIDE = 'slides/04-value-proposition.html';
const drawn = slideOf('Tide charts for every harbour');
let scene;

before(async () => {
	scene = await Scene.start();
	await scene.provider.play(
		calls(WORDS, call('corpus.search', { query: 'Chroma deck aesthetic' })),
		afterResult('corpus.search', { text: 'The notes help.', calls: [call('slide.variant', { slide_id: '04', style: 'chroma' })] }),
		afterResult('slide.variant', { text: 'The variant is **in the deck** now.' }),
		writes(drawn)
	);
});
after(() => scene?.end());

/** The settings find no key and ask for one; it is pasted, tested and stored. */
async function bringKey(lin, key) {
	await lin.panel.getByText('No model key yet').waitFor();
	await lin.button('Settings').click();
	await lin.settings.getByText('no key yet').waitFor();
	await lin.settings.getByText('No key is stored.').waitFor();
	await lin.settings.getByLabel('Provider').selectOption('anthropic');
	await lin.settings.getByLabel('Label').fill('personal');
	await lin.settings.getByLabel('Key', { exact: true }).fill(key);
	await lin.button('Test and store', lin.settings).click();
	const row = lin.settings.getByRole('listitem').filter({ hasText: 'personal' });
	await row.getByText(/^Works: claude-sonnet-4-6 answered/).waitFor();
	assert.match(await row.innerText(), new RegExp(`•+${key.slice(-4)}`), 'the key is shown masked');
	await lin.settings.getByText('your own key').waitFor();
	await lin.button('Back', lin.settings).click();
}

/** What the provider was asked before the preview. */
function checkAsked(requests) {
	assert.equal(requests.length, 3, 'two steps and the writing of the slide');
	for (const r of requests) {
		assert.equal(r.status, 200, r.refused);
		assert.ok(r.key.equals, `request ${r.n} carried the user's key`);
	}
	for (const { body } of requests.slice(0, 2)) {
		const names = body.tools.map((t) => t.name);
		for (const name of ['corpus_search', 'deck_diagnostics', 'deck_export', 'deck_og__image', 'slide_edit', 'slide_read', 'slide_variant']) {
			assert.ok(names.includes(name), `${name} is offered`);
		}
		assert.deepEqual(names, [...names].sort(), 'tools come in a stable order');
		const marks = (blocks) => blocks.map((b) => b.cache_control?.type ?? '');
		assert.deepEqual(marks(body.tools), [...names.slice(1).map(() => ''), 'ephemeral'], 'one breakpoint, after the tools');
		assert.deepEqual(marks(body.system), ['ephemeral', 'ephemeral'], 'one after the spine, one after the reminders');
		const blocks = body.messages.flatMap((m) => m.content);
		assert.deepEqual(marks(blocks), [...blocks.slice(1).map(() => ''), 'ephemeral'], 'one at the end of the history');
		assert.equal(body.model, 'claude-sonnet-4-6');
	}
}

test('a lingering client brings a key, asks for a Chroma-style variant of slide 4 and accepts it', async () => {
	const key = newKey();
	const lin = await scene.visit('lin');
	const { page } = lin;
	await page.getByRole('button', { name: /\bLin\b.*switch user/i }).waitFor();
	await lin.box.waitFor();
	await page.getByRole('button', { name: 'Chat', exact: true }).click(); // it stood open beside the deck
	await lin.box.waitFor({ state: 'hidden' });
	await page.getByRole('button', { name: 'Chat', exact: true }).click();
	await lin.box.waitFor();
	await bringKey(lin, key);
	await scene.provider.reset();

	const repo = scene.repo('lingering-client');
	const tip = repo.tip();
	await lin.say(WORDS);
	const card = lin.lastTurn.locator('details').filter({ hasText: 'corpus.search' });
	await card.getByText('done').waitFor();
	await lin.reads('The notes help.');
	await lin.asked();

	checkAsked(await scene.provider.requests(key));
	await card.locator('summary').click();
	await card.getByText('chroma-deck-aesthetic.md').first().waitFor();
	await lin.preview.getByText('Nothing has changed yet.').waitFor();
	await lin.preview.frameLocator('iframe').getByRole('heading', { name: 'Tide charts for every harbour' }).waitFor();
	await lin.preview.getByRole('group', { name: SLIDE }).getByText('Tide charts for every harbour').waitFor();

	const [side, ...more] = repo.sides;
	assert.match(side, /^chat\/slide-04-chroma-\d{8}-\d{6}$/);
	assert.deepEqual(more, []);
	assert.equal(repo.file(SLIDE, side), drawn);
	assert.equal(repo.tip(), tip, 'the working branch has not moved');

	await lin.accept();
	await lin.preview.getByText('Applied.', { exact: true }).waitFor();
	await lin.reads('in the deck');
	await lin.stageShows('Tide charts for every harbour');
	assert.equal(repo.merges.length, 1);
	assert.equal(repo.tip(), repo.merges[0]);
	assert.equal(repo.tip(`${repo.working}^1`), tip);
	assert.deepEqual(repo.changed(tip), [SLIDE]);
	assert.equal(repo.file(SLIDE), drawn);
	assert.deepEqual(repo.sides, []);

	await lin.say('And what now?');
	await lin.rests(2);
	checkRows(key);
	assert.deepEqual(await scene.leave(), []);
});

/** The transcript: the user's own key, and a cache that was read on the second turn. */
function checkRows(key) {
	const [first, second, ...more] = transcripts(scene.data);
	assert.deepEqual(more, []);
	assert.equal(first.user_message, WORDS);
	assert.equal(first.key_source, 'user-byok');
	assert.equal(first.model, 'claude-sonnet-4-6');
	for (const column of ['tokens_in', 'tokens_out', 'cache_creation_tokens']) assert.ok(first[column] > 0, column);
	const results = JSON.parse(first.tool_results);
	assert.deepEqual(
		results.map((r) => [r.name, r.ok, r.decision ?? '']),
		[
			['corpus.search', true, ''],
			['slide.variant', true, 'accepted']
		]
	);
	assert.equal(second.key_source, 'user-byok');
	assert.equal(second.turn_index, 1);
	assert.ok(second.cache_read_tokens > 0, 'the second turn read the cache');
	assert.ok(!scene.log.includes(key), 'the log does not hold the key');
	assert.ok(!JSON.stringify([first, second]).includes(key), 'the transcript does not hold the key');
}
