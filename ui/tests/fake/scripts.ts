import type { Artifact, Code } from '../../src/lib/protocol.gen.ts';
import { CODE_STATUS } from '../../src/lib/protocol.gen.ts';
import type { Stage } from './stage.ts';

/** A scripted turn: what the model "does" for a message that matches. */
export interface Script {
	match: RegExp;
	play(stage: Stage, text: string): Promise<void>;
}

const sentence =
	'I looked at the deck and read the slide you mean. It has a title, three points and a chart. ';

export const MARKDOWN = `## A heading

A paragraph with **bold**, *emphasis*, \`code\`, ~~struck~~ and a [link](https://example.com/page).

- one
- two
  - nested
- [x] done

1. first
2. second

> A quotation of some length.

| Slide | Title | Words |
| ----- | :---- | ----: |
| 4 | Traction | 42 |
| 5 | Team | 17 |

\`\`\`css
.slide { color: rebeccapurple; }
\`\`\`

![A chart](https://images.example/chart.png)

---

The end.`;

export const DIFF = `--- a/slides/04-traction.html
+++ b/slides/04-traction.html
@@ -1,8 +1,9 @@
 <section class="slide">
-  <h1>Our traction in numbers</h1>
+  <h1>Traction, in colour</h1>
   <ul>
-    <li>12 pilots signed since spring</li>
+    <li>12 pilots signed since <em>spring</em></li>
     <li>3 paid</li>
+    <li>1 lighthouse customer</li>
   </ul>
-  <footer>Confidential</footer>
+  <footer>Confidential &middot; 2026</footer>
 </section>
@@ -40,3 +41,3 @@
 .slide {
-  background: #fff;
+  background: linear-gradient(120deg, #1b1147, #c2247c);
 }
`;

export const SLIDE = `<!doctype html><html><head><style>
body{margin:0;width:1280px;height:720px;font:600 40px system-ui;color:#fff;background:linear-gradient(120deg,#1b1147,#c2247c);display:grid;align-content:center;padding:80px;box-sizing:border-box}
h1{font-size:92px;margin:0 0 30px;letter-spacing:-.03em}li{margin:14px 0;font-weight:400}
</style></head><body><h1>Traction, in colour</h1><ul><li>12 pilots signed since <em>spring</em></li><li>3 paid</li><li>1 lighthouse customer</li></ul></body></html>`;

export const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const VARIANT: Artifact[] = [
	{ kind: 'html', title: 'Slide 4, as it would look', mime: 'text/html', text: SLIDE },
	{ kind: 'diff', title: 'slides/04-traction.html', path: 'slides/04-traction.html', text: DIFF }
];

/** The same change, made again on a slide that has got another point meanwhile. */
export const MOVED: Artifact[] = VARIANT.map((a) => ({
	...a,
	text: a.text?.replace('3 paid</li>\n', '4 paid</li>\n').replace('<li>3 paid</li>', '<li>4 paid, one renewed</li>')
}));

export const PASSAGES = [
	{
		title: 'Chroma deck aesthetic', sourcePath: 'aesthetics/chroma.md', sourceRepo: 'context-vigilance', date: '2026-03-14', collection: 'context-vigilance-corpus', score: 0.91,
		text: 'Dark ground, **one loud colour**, large numerals. ![chart](https://images.example/tracker.png) Never a second accent.'
	},
	{ title: '', sourcePath: 'notes/2026-04.md', collection: 'client-app-sessions', score: 0.4, text: 'They asked for less purple.', truncated: true }
];

export const EVERY_KIND: Artifact[] = [
	...VARIANT,
	{ kind: 'image', title: 'Share image', mime: 'image/png', text: PIXEL },
	{ kind: 'json', title: 'Deck settings', text: '{"theme":"chroma","slides":[1,2,3],"dark":true}' },
	{ kind: 'markdown', title: 'Release note', text: 'Now **in colour**.' },
	{ kind: 'file', title: 'deck.pdf', path: 'exports/deck.pdf', mime: 'application/pdf', digest: 'd'.repeat(64), bytes: 240_000 },
	{ kind: 'hologram', title: 'From the future', text: 'unknown to this page' } as Artifact
];

export const scripts: Script[] = [
	{
		match: /^echo:/,
		async play(s, text) {
			await s.answer(text.slice('echo:'.length).trimStart());
		}
	},
	{
		// A preview whose every text is hostile.
		match: /^artifact (\w+):/,
		async play(s, text) {
			const [, kind = ''] = /^artifact (\w+):/.exec(text) ?? [];
			const hostile = text.slice(text.indexOf(':') + 1);
			const artifact = { kind, title: hostile.slice(0, 200), path: hostile.slice(0, 100), mime: 'image/svg+xml', text: hostile };
			const word = await s.preview('slide.edit', hostile.slice(0, 100), hostile.slice(0, 200), [artifact as Artifact]);
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /^fail (\w+)/,
		async play(s, text) {
			await s.say('I began to ');
			const code = text.split(' ')[1] as Code;
			const key = code === 'key_invalid' || code === 'key_required';
			s.fail({
				code,
				message: `The server says ${code}.`,
				recoverable: CODE_STATUS[code] >= 500,
				status: CODE_STATUS[code],
				...(code === 'budget_exceeded' && { panel: 'usage', message: 'The budget of your organization of 50.00 USD a month leaves no room for this: 49.90 USD are spent, 0.00 USD are reserved by what is running, and the next model call may take up to 0.40 USD. It renews on 1 December 2026 (UTC).', hint: 'An admin of your organization can raise it.' }),
				...(key ? { provider: 'anthropic', keyId: 'key_1', panel: 'byok' } : {})
			});
		}
	},
	{
		match: /^markdown/,
		async play(s) {
			await s.answer(MARKDOWN);
		}
	},
	{
		match: /^slow/,
		async play(s) {
			for (let i = 0; i < 100_000; i++) {
				await s.say(`word${i} `);
				await s.pause(20);
			}
			await s.done();
		}
	},
	{
		match: /^stream (\d+)/,
		async play(s, text) {
			const chunks = Number(text.split(' ')[1]);
			for (let i = 0; i < chunks; i++) {
				await s.say(i % 40 === 39 ? `w${i}.\n\n` : `w${i} `);
				await s.pause();
			}
			await s.done();
		}
	},
	{
		match: /^restart/,
		async play(s) {
			await s.say('kept block. ');
			await s.capability('slide.read', 'Read a slide', { slide: '04' }, { words: 42 });
			const from = s.nextSeq();
			await s.say('this will be ');
			await s.say('taken back');
			s.takeOver(from);
			await s.say('this is what counts.');
			await s.done();
		}
	},
	{
		match: /^read/,
		async play(s) {
			await s.reason('The user wants to see slide 4.');
			await s.say(sentence);
			await s.capability('slide.read', 'Read a slide', { slide: '04' }, { title: 'Traction', words: 42 });
			await s.answer('Slide 4 is called **Traction** and has 42 words.');
		}
	},
	{
		match: /^export/,
		async play(s) {
			await s.capability('deck.export', 'Export the deck', { format: 'html' }, { url: '/files/demo-deck.html', name: 'demo-deck.html' });
			await s.answer(
				'Exported: [the file](/files/demo-deck.html). Not from here: [keys](/api/agent/keys), [up](/files/../api/agent/keys), [there](//evil.example/files/a).'
			);
		}
	},
	{
		match: /^foreign file/,
		async play(s) {
			for (const url of ['https://evil.example/files/a.html', '/files/../api/agent/keys', 'javascript:alert(1)']) {
				await s.capability('deck.export', 'Export the deck', {}, { url, name: 'a.html' });
			}
			await s.answer('Three files, none of them here.');
		}
	},
	{
		match: /^search/,
		async play(s) {
			await s.capability('corpus.search', 'Search the corpus', { query: 'Chroma deck aesthetic' }, { passages: PASSAGES, ranking: 'hybrid' });
			await s.answer('The Chroma deck is dark, with one loud colour.');
		}
	},
	{
		match: /^warned/,
		async play(s) {
			s.tell('budget.warned', {
				scope: 'org', subject: '', softNanoUsd: 40e9, hardNanoUsd: 50e9, month: '2026-11', spentNanoUsd: 41e9, heldNanoUsd: 0, spentTokens: 9_000_000, heldTokens: 0,
				message: '41.00 USD are spent this month of the budget of your organization; from 40.00 USD on you are told. At 50.00 USD it is used up.'
			});
			await s.answer('Here it is.');
		}
	},
	{
		match: /^compacted/,
		async play(s) {
			s.tell('context.compacted', { turns: 12, results: 0, tokensBefore: 31_000, tokensAfter: 9_000, window: 32_000 });
			await s.answer('I still know what we did.');
		}
	},
	{
		match: /^long output/,
		async play(s) {
			const title = 'Look through everything that was ever written about harbours, lockers and the last mile over water';
			await s.capability('archive.search_everything_twice', title, { query: 'harbour' }, { text: `${'x'.repeat(25_000)}the end` });
			await s.answer('That was long.');
		}
	},
	{
		match: /^agent thinks/,
		async play(s) {
			s.cast('agent', true, 'Thinking');
			await s.pause(300);
			for (let i = 0; i < 60; i++) await s.say(`word${i} `);
			s.cast('agent', false);
			await s.done();
		}
	},
	{
		match: /^refused/,
		async play(s) {
			await s.refuse('deck.publish', 'Publish the deck', 'policy_denied', 'Your organisation has switched this off.');
			await s.answer('I may not publish the deck here.');
		}
	},
	{
		match: /^both/,
		async play(s) {
			await s.say('Two changes are ready. ');
			const [a, b] = s.previews(3, 7);
			const first = await a;
			const second = await b;
			await s.answer(`First ${first}, second ${second}.`);
		}
	},
	{
		match: /^three/,
		async play(s) {
			await s.say('Three changes are ready. ');
			const words = await Promise.all(s.previews(2, 5, 8));
			await s.answer(`They were ${words.join(', ')}.`);
		}
	},
	{
		match: /^six/,
		async play(s) {
			const words = await Promise.all(s.previews(1, 2, 3, 4, 5, 6));
			await s.answer(`They were ${words.join(', ')}.`);
		}
	},
	{
		match: /^unknown/,
		async play(s) {
			const word = await s.preview('slide.edit', 'Edit a slide', 'Changed slide 4', VARIANT, { unknown: true });
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /^moves after/,
		async play(s) {
			const word = await s.preview('slide.edit', 'Edit a slide', 'Changed slide 4', VARIANT, { movesAfter: true });
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /^stale/,
		async play(s) {
			const word = await s.preview('slide.edit', 'Edit a slide', 'Changed slide 4', VARIANT, { again: MOVED });
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /^unmade/,
		async play(s, text) {
			const again = text.endsWith('again') ? MOVED : undefined;
			await s.preview('slide.edit', 'Edit a slide', 'Changed slide 4', VARIANT, { again, unmade: true });
			await s.answer('It could not be made.');
		}
	},
	{
		match: /^expired/,
		async play(s) {
			const word = await s.preview('slide.edit', 'Edit a slide', 'Changed slide 4', VARIANT, { expire: true });
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /^everything/,
		async play(s) {
			const word = await s.preview('deck.og_image', 'Share images', 'Every kind of artifact', EVERY_KIND);
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /^big/,
		async play(s) {
			const text = '--- a/big\n+++ b/big\n@@ -0,0 +1,2000 @@\n' + Array.from({ length: 2000 }, (_, i) => `+line ${i}`).join('\n');
			const word = await s.preview('slide.edit', 'Edit a slide', 'A big change', [
				{ kind: 'diff', title: 'big.txt', path: 'big.txt', digest: s.keep(text, 'text/x-diff'), bytes: text.length, mime: 'text/x-diff' }
			]);
			await s.answer(`It was ${word}.`);
		}
	},
	{
		match: /variant|change|edit/i,
		async play(s) {
			s.cast('designer', true, 'Trying colours on slide 4');
			await s.say('I will make a variant of slide 4 in the style you know from the Chroma deck. ');
			await s.capability('corpus.search', 'Search the corpus', { query: 'Chroma deck aesthetic' }, { passages: 3 });
			const word = await s.preview('slide.variant', 'Variant of a slide', 'A Chroma-style variant of slide 4, on a branch of its own', VARIANT);
			s.cast('designer', false);
			await s.answer(word === 'accepted' ? 'Done: slide 4 has its new look.' : 'I left slide 4 as it was.');
		}
	},
	{
		match: /.*/s,
		async play(s, text) {
			await s.say('You said: ');
			await s.say(text.slice(0, 200));
			s.suggest();
			await s.done();
		}
	}
];
