// What needs no browser: fetching slides, reading the conversation, what the chat is told.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const state = async (name) =>
	(await runnerImport(fileURLToPath(new URL(`../src/state/${name}.ts`, import.meta.url)), { logLevel: 'error' })).module;
const { Pages } = await state('pages');
const { listening } = await state('listen');
const { chatContext } = await state('context');
const { linkedSlide } = await state('link');

/** A server whose answers are given by hand. */
function byHand() {
	const asked = [];
	const pages = new Pages('d', (_, slide) => {
		const call = { slide };
		asked.push(call);
		return new Promise((done, failed) => Object.assign(call, { done, failed }));
	});
	return { asked, pages, names: () => asked.map((a) => a.slide).join(' ') };
}
const settled = () => new Promise((done) => setImmediate(done));

describe('Pages', () => {
	test('asks for three at once, and for the next when one has come', async () => {
		const { asked, pages, names } = byHand();
		for (const slide of ['1', '2', '3', '4']) void pages.load(slide, 'c', false);
		assert.equal(names(), '1 2 3');
		asked[0].done('one');
		await settled();
		assert.equal(names(), '1 2 3 4');
	});

	test('lets an urgent one pass all others', async () => {
		const { asked, pages, names } = byHand();
		for (const slide of ['1', '2', '3', '4']) void pages.load(slide, 'c', false);
		const urgent = pages.load('9', 'c', true);
		assert.equal(names(), '1 2 3 9');
		asked[3].done('nine');
		assert.equal(await urgent, 'nine');
	});

	test('asks once for a slide of a commit, and again for another commit', async () => {
		const { asked, pages } = byHand();
		const two = [pages.load('1', 'c', false), pages.load('1', 'c', false)];
		asked[0].done('one');
		assert.deepEqual(await Promise.all(two), ['one', 'one']);
		assert.equal(await pages.load('1', 'c', false), 'one');
		assert.equal(pages.at('1', 'c'), 'one');
		assert.equal(asked.length, 1);
		assert.equal(pages.at('1', 'd'), undefined);
		void pages.load('1', 'd', false);
		assert.equal(asked.length, 2);
	});

	test('keeps no failure', async () => {
		const { asked, pages } = byHand();
		const first = pages.load('1', 'c', false);
		asked[0].failed(new Error('no'));
		await assert.rejects(first, /no/);
		await settled();
		const second = pages.load('1', 'c', false);
		asked[1].done('yes');
		assert.equal(await second, 'yes');
	});

	test('holds 24 Mi characters and forgets the longest unseen beyond', async () => {
		const third = (24 << 20) / 3;
		for (const [extra, kept] of [
			[-1, true],
			[0, true],
			[1, false]
		]) {
			const sizes = { a: third, b: third, c: third + extra };
			const pages = new Pages('d', async (_, slide) => 'x'.repeat(sizes[slide]));
			for (const slide of ['a', 'b']) await pages.load(slide, 'c', false);
			assert.ok(pages.at('a', 'c'), 'looking at it makes b the oldest');
			await pages.load('c', 'c', false);
			assert.deepEqual([!!pages.at('a', 'c'), !!pages.at('b', 'c'), !!pages.at('c', 'c')], [true, kept, true]);
		}
	});

	test('holds one that is too large by itself', async () => {
		const pages = new Pages('d', async () => 'x'.repeat((24 << 20) + 1));
		await pages.load('a', 'c', false);
		assert.ok(pages.at('a', 'c'));
	});
});

describe('listening', () => {
	async function heard(...events) {
		const told = [];
		const client = { async *watchThread() { yield* events; } }; // prettier-ignore
		const seen = [];
		for await (const e of listening(client, () => 'deck', (h) => told.push(h)).watchThread('t', '')) seen.push(e);
		assert.deepEqual(seen, events, 'events pass unchanged');
		return told;
	}
	const done = (data) => ({ kind: 'capability.done', data: { callId: 'c', ok: true, ...data } });
	const show = (props) => ({ mount: 'deck.slide', props });

	test('hears which slide a result opens, of this deck only', async () => {
		const [own] = await heard(done({ display: show({ deckId: 'deck', slideId: '04' }) }));
		assert.equal(own.slide, '04');
		for (const display of [show({ deckId: 'other', slideId: '04' }), show({ deckId: 'deck', slideId: 4 }), show(null), { mount: 'x', props: { deckId: 'deck', slideId: '04' } }, undefined]) {
			const [other] = await heard(done({ display }));
			assert.equal(other.slide, undefined);
		}
	});

	test('offers files that this deck made, and no other address', async () => {
		const at = async (url) => (await heard(done({ output: { url, format: 'pdf' } })))[0].file;
		assert.deepEqual(await at('/api/decks/deck/exports/a.pdf'), { href: '/api/decks/deck/exports/a.pdf', format: 'PDF' });
		for (const url of ['https://elsewhere.example/a.pdf', '//elsewhere.example', '/api/decks/other/exports/a.pdf', '/api/decks/deck/exports/../../x', '/api/decks/deck/exports/..', '/api/decks/deck/exports/%2e%2e/x', '/api/decks/deck/exports/', 'javascript:alert(1)', 7, undefined]) {
			assert.equal(await at(url), undefined);
		}
	});

	test('hears which slide a preview is about', async () => {
		const preview = (...paths) => ({ kind: 'preview', data: { receiptId: 'r', artifacts: paths.map((path) => ({ path })) } });
		assert.deepEqual(await heard(preview(undefined, 'theme.css', 'slides/04-a.html')), [{ path: 'slides/04-a.html' }]);
		assert.deepEqual(await heard({ kind: 'preview', data: { artifacts: null } }), [{ path: undefined }]);
	});

	test('turns to the first of several previews, and to the next once none waits', async () => {
		const preview = (receiptId, path) => ({ kind: 'preview', data: { receiptId, artifacts: [{ path }] } });
		const decided = (receiptId) => ({ kind: 'decision', data: { receiptId, decision: 'accepted' } });
		const events = [preview('a', 'slides/1'), preview('b', 'slides/2'), decided('a'), preview('c', 'slides/3'), decided('b'), decided('c'), preview('d', 'slides/4')];
		assert.deepEqual(await heard(...events), [{ path: 'slides/1' }, { path: 'slides/4' }]);
		assert.deepEqual(await heard(preview('a', 'slides/1'), { kind: 'turn.completed', data: {} }, preview('b', 'slides/2')), [{ path: 'slides/1' }, { path: 'slides/2' }]);
	});

	test('hears that the deck is another than is shown', async () => {
		const stale = { kind: 'decision', data: { receiptId: 'a', decision: 'stale' } };
		assert.deepEqual(await heard(stale, done({ ok: false, phase: 'apply' }), done({ ok: false, phase: 'undo' })), [{ moved: true }, { moved: true }, { moved: true }]);
	});

	test('says nothing of failures, of accepted changes and of the rest', async () => {
		const display = show({ deckId: 'deck', slideId: '04' });
		assert.deepEqual(await heard(done({ ok: false, display }), done({ state: 'applied', display }), { kind: 'text.delta', data: {} }), []);
	});
});

describe('what the chat is told', () => {
	const slides = (...ids) => ids.map((id) => ({ id, title: `Title ${id}` }));
	const deck = (list) => ({ id: 'd', kind: 'k', slides: list, brandKits: [{ id: 'harbour', title: 'Harbour' }] });
	const all = new Set(['slide.variant', 'slide.edit', 'deck.export', 'deck.diagnostics']);
	const first = (...args) => chatContext(...args).suggestions[0]?.prefill;

	test('first steps name the slide in view, but not the cover', () => {
		const eight = deck(slides('01', '02', '03', '04', '05'));
		assert.equal(first(eight, 0, all), 'Give me a Chroma-style variant of slide 4');
		assert.equal(first(eight, 4, all), 'Give me a Chroma-style variant of slide 5');
		assert.equal(first(deck(slides('01', '02')), 0, all), 'Give me a Chroma-style variant of slide 2');
		assert.equal(first(deck(slides('intro', 'close')), 1, all), 'Give me a Chroma-style variant of slide 2');
		assert.equal(first(deck([]), -1, all), 'Give me a Chroma-style variant of slide 1');
	});

	test('what one may not do is not offered', () => {
		const offers = chatContext(deck(slides('01')), 0, new Set(['deck.diagnostics'])).suggestions;
		assert.deepEqual(offers.map((o) => o.capability), ['deck.diagnostics']);
	});

	test('links may lead to the exports of this deck, and nowhere else in the app', () => {
		assert.deepEqual(chatContext(deck(slides('01')), 0, all).linkPrefixes, ['/api/decks/d/exports/']);
	});

	test('slides and brand kits can be attached', () => {
		const [s, kits] = chatContext(deck(slides('04', 'end')), 0, all).attachableNouns;
		assert.deepEqual(s.list, [{ id: '04', title: '4 Title 04' }, { id: 'end', title: '2 Title end' }]);
		assert.deepEqual([kits.kind, kits.list.length], ['brand-kit', 1]);
	});
});

test('an address names a slide, or nothing', () => {
	for (const [hash, slide] of [
		['#/slides/04', '04'],
		['#/slides/a%20b', 'a b'],
		['#/slides/%E0%A4%A', ''],
		['#/slides/', ''],
		['#/slides/1/2', ''],
		['', '']
	]) {
		assert.equal(linkedSlide(hash), slide, hash);
	}
});
