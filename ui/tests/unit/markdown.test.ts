import { describe, expect, it } from 'vitest';
import { Blocks } from '../../src/lib/markdown/blocks.js';
import { decodeEntities } from '../../src/lib/markdown/entities.js';
import { namesHost, safeImage, safeLink } from '../../src/lib/markdown/links.js';
import { mend } from '../../src/lib/markdown/mend.js';
import { MARKDOWN } from '../fake/scripts.ts';
import { random } from './random.ts';

const raw = (blocks: readonly { token: { raw: string } }[]) => blocks.map((b) => b.token.raw.trim());

describe('blocks', () => {
	it('are the same however the text grew (300 seeds)', () => {
		const text = `${MARKDOWN}\n\n* a\n* b\n\n  more of b\n\nSetext\n======\n\n<div>x</div>\n\nend`;
		const whole = raw(new Blocks().read(text, false));
		for (let seed = 1; seed <= 300; seed++) {
			const next = random(seed);
			const reader = new Blocks();
			for (let at = 0; at < text.length; at += 1 + next(40)) reader.read(text.slice(0, at), true);
			expect(raw(reader.read(text, false)), `seed ${seed}`).toEqual(whole);
		}
	});

	it('that are closed keep their identity while the text grows', () => {
		const reader = new Blocks();
		const first = reader.read('one\n\ntwo', true);
		const next = reader.read('one\n\ntwo and more\n\nthree', true);
		expect(next[0]).toBe(first[0]);
		expect(next[1]!.key).toBe(first[1]!.key);
		expect(reader.read('one\n\ntwo and more\n\nthree!', true)[1]).toBe(next[1]);
	});

	it('start anew when the text is another one', () => {
		const reader = new Blocks();
		reader.read('one\n\ntwo', true);
		expect(raw(reader.read('other', false))).toEqual(['other']);
	});

	it('read Windows line ends and an empty text', () => {
		expect(raw(new Blocks().read('a\r\n\r\nb', false))).toEqual(['a', 'b']);
		expect(new Blocks().read('', true)).toEqual([]);
	});
});

describe('mending the end of a stream', () => {
	it.each([
		['half a link shows its words', 'see [the page](https://exa', 'see the page'],
		['half a link text shows its words', 'see [the pa', 'see the pa'],
		['half an image shows its words', '![a chart](htt', 'a chart'],
		['open emphasis is closed', 'so **very impor', 'so **very impor**'],
		['a mark without words is not shown', 'so **', 'so '],
		['open code is closed', 'call `foo', 'call `foo`'],
		['a closed text stays', 'a **b** `c` [d](https://e.f)', 'a **b** `c` [d](https://e.f)'],
		['code blocks stay', '```js\nconst a = `', '```js\nconst a = `']
	])('%s', (_, text, want) => {
		expect(mend(text)).toBe(want);
	});
});

describe('links', () => {
	it.each([
		['https://example.com/a?b=c#d', 'example.com'],
		['HTTP://EXAMPLE.com', 'example.com'],
		['https://example.com:8443/', 'example.com:8443'],
		['https://bücher.example/', 'xn--bcher-kva.example'],
		['mailto:lin@example.com', 'lin@example.com'],
		['  https://example.com  ', 'example.com']
	])('%s may be opened and shows %s', (href, host) => {
		expect(safeLink(href)?.host).toBe(host);
	});

	it.each([
		'javascript:alert(1)',
		'java\nscript:alert(1)',
		'data:text/html,x',
		'vbscript:x',
		'//evil.example',
		'/api/agent/keys',
		'#x',
		'',
		'https:evil.example',
		'https:/evil.example',
		'https://user@evil.example/',
		'https://a:b@evil.example/',
		'https://example.com/\u202egpj.exe',
		'https://exam\u200bple.com',
		'https://example.com/a b',
		'https://',
		'ftp://example.com',
		`https://example.com/${'x'.repeat(4097)}`
	])('%s is refused', (href) => {
		expect(safeLink(href)).toBeUndefined();
	});

	it('to mail are no images', () => {
		expect(safeImage('mailto:a@b.c')).toBeUndefined();
		expect(safeImage('https://example.com/a.png')?.host).toBe('example.com');
	});

	it('that name their host need it not twice', () => {
		expect(namesHost('example.com', 'example.com')).toBe(true);
		expect(namesHost('https://example.com/a', 'example.com')).toBe(true);
		expect(namesHost('example.com.evil.example', 'example.com')).toBe(false);
		expect(namesHost('my bank', 'example.com')).toBe(false);
	});
});

describe('character references', () => {
	it.each([
		['&lt;b&gt; &amp;amp; &quot;', '<b> &amp; "'],
		['&#65;&#x42; &hellip; &auml;', 'AB … ä'],
		['&unknown; &; & &#; &constructor;', '&unknown; &; & &#; &constructor;'],
		['&#0; &#xD800; &#x110000;', '\ufffd \ufffd \ufffd']
	])('%s', (text, want) => {
		expect(decodeEntities(text)).toBe(want);
	});
});
