import { describe, expect, it } from 'vitest';
import { Blocks } from '../../src/lib/markdown/blocks.js';
import { decodeEntities } from '../../src/lib/markdown/entities.js';
import { fileOf, namesHost, ownLink, safeImage, safeLink } from '../../src/lib/markdown/links.js';
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

describe('links into the app', () => {
	const HERE = 'https://app.example';
	const own = (href: string, ...prefixes: string[]) => ownLink(href, prefixes, HERE);

	it.each([
		['/files/a.html', '/files/a.html'],
		['/files/', '/files/'],
		['  /files/a%20b.html?x=1#top ', '/files/a%20b.html?x=1'],
		['/files/./a/../b.html', '/files/b.html']
	])('%s is one where the host allows its place', (href, want) => {
		expect(own(href, '/files/')).toBe(want);
		expect(own(href, '/other', '/files')).toBe(want);
		expect(own(href, '/files/x')).toBeUndefined();
	});

	it.each([
		'/filesystem/a',
		'/files/../api/agent/keys',
		'/files/%2e%2e/api/agent/keys',
		'/files/..%2fapi/agent/keys',
		'/files/a%5c..%5cb',
		'/files/%00',
		'//evil.example/files/a',
		'/\\evil.example/files/a',
		'/files\\..\\api',
		'\\\\evil.example/files/',
		'/\t/evil.example/files/a',
		'https://evil.example/files/a',
		'https://app.example.evil.example/files/a',
		'files/a.html',
		'./files/a.html',
		'javascript:/files/a',
		'javascript:alert(1)',
		'data:text/html,/files/',
		'#/files/',
		'',
		'/files/\u202egpj.exe',
		`/files/${'x'.repeat(4097)}`
	])('%s is none', (href) => {
		expect(own(href, '/files/')).toBeUndefined();
	});

	it('are whole segments: /files is /files and what lies under it', () => {
		expect([own('/files', '/files'), own('/files', '/files/'), own('/filesystem', '/files')]).toEqual(['/files', undefined, undefined]);
	});

	it('are none where the host allows no place, or names one that is none', () => {
		for (const prefixes of [[], [''], ['/'], ['//'], ['files/'], ['https://app.example/files/'], ['*']]) {
			expect(own('/files/a', ...prefixes), String(prefixes)).toBeUndefined();
		}
	});

	it('are found in results by their url, with a name that people can read', () => {
		const file = (output: unknown) => fileOf(output, ['/files/'], HERE);
		expect(file({ url: '/files/a.pdf', name: 'Deck.pdf' })).toEqual({ href: '/files/a.pdf', name: 'Deck.pdf' });
		expect(file({ url: '/files/a.pdf' })).toEqual({ href: '/files/a.pdf', name: 'a.pdf' });
		expect(file({ url: '/files/a.pdf?v=1', name: ' \u202e ' })).toEqual({ href: '/files/a.pdf?v=1', name: 'a.pdf' });
		for (const none of [undefined, null, 'x', [], {}, { url: 7 }, { url: 'https://evil.example/files/a' }, { url: '/else/a' }]) {
			expect(file(none)).toBeUndefined();
		}
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
