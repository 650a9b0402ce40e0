import { describe, expect, it } from 'vitest';
import { parseDiff, type FileDiff } from '../../src/lib/diff/parse.js';
import { laidOut } from '../../src/lib/diff/json.js';
import { marks, rows, unified } from '../../src/lib/diff/pair.js';
import { visible, visibleCode } from '../../src/lib/diff/visible.js';
import { DIFF } from '../fake/scripts.ts';
import { random } from './random.ts';

/** A diff of which it is known that it is one. */
function diffOf(text: string) {
	const files = parseDiff(text);
	if (!files) throw new Error(`no diff: ${JSON.stringify(text)}`);
	return files;
}

const wrapped = (hunk: string, body: string) => `--- a/x\n+++ b/x\n${hunk}\n${body}\n`;

describe('a unified diff', () => {
	it('gives files, hunks and numbers', () => {
		const [file] = diffOf(DIFF);
		expect(file).toMatchObject({ to: 'slides/04-traction.html', added: 5, removed: 4 });
		expect(file!.hunks).toHaveLength(2);
		expect(file!.hunks[0]!.lines[1]).toEqual({ kind: 'del', text: '  <h1>Our traction in numbers</h1>', old: 2 });
		expect(file!.hunks[1]!.lines[0]).toMatchObject({ kind: 'same', old: 40, new: 41 });
	});

	it('reads lines that look like headings by the counts of the hunk', () => {
		const [file] = diffOf('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n---- old\n+++ new\n-@@ -1 +1 @@\n+@@ -9 +9 @@\n same\n');
		expect(file!.hunks[0]!.lines.map((l) => [l.kind, l.text])).toEqual([
			['del', '--- old'], ['add', '++ new'], ['del', '@@ -1 +1 @@'], ['add', '@@ -9 +9 @@'], ['same', 'same']
		]);
	});

	it('knows new and deleted files, several files, and a missing line end', () => {
		const files = diffOf('--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n');
		expect(files.map((f) => [f.from, f.to, f.added, f.removed])).toEqual([['', 'new', 1, 0], ['old', '', 0, 1]]);
		expect(files[0]!.hunks[0]!.lines.at(-1)).toMatchObject({ kind: 'note' });
	});

	it.each<[string, string, Partial<FileDiff>[]]>([
		['nothing, where nothing differs', '', []],
		['hunks without a name', '@@ -1 +1 @@\n-a\n+b\n', [{ from: '', to: '', removed: 1 }]],
		['an empty line without its blank', wrapped('@@ -1,3 +1,3 @@', ' a\n\n-b\n+c'), [{ added: 1 }]],
		['a heading with a carriage return', '--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n', [{ from: 'x', to: 'x' }]],
		['times, which are kept', '--- x\t2026-01-01\n+++ x\t2026-01-02\n@@ -1 +1 @@\n-a\n+b', [{ from: 'x', head: ['--- x\t2026-01-01', '+++ x\t2026-01-02'] }]],
		['names without the marks of git', '--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b', [{ from: 'a/x', to: 'a/x' }]],
		['what git says of files without a changed line', 'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\ndiff --git a/z b/z\nnew file mode 100644\nBinary files /dev/null and b/z differ\n', [{ head: ['diff --git a/x b/y', 'similarity index 100%', 'rename from x', 'rename to y'] }, { head: ['diff --git a/z b/z', 'new file mode 100644', 'Binary files /dev/null and b/z differ'] }]]
	])('may have %s', (_, text, want) => {
		const files = diffOf(text);
		expect(files).toHaveLength(want.length);
		expect(files).toMatchObject(want);
	});

	it.each([
		['no diff at all', 'no diff at all'],
		['a heading of other signs', '@@ nonsense @@'],
		['names without a change', '--- a\n+++ b\n'],
		['one name of the two', '--- a\n@@ -1 +1 @@\n-a\n+b\n'],
		['raw text of several lines under counts of one', wrapped('@@ -1 +1 @@', '-one\ntwo\n+one\nthree')],
		['more lines than were counted', wrapped('@@ -1 +1 @@', '-a\n+b\n+c')],
		['fewer lines than were counted', wrapped('@@ -1,2 +1 @@', '-a\n+b')],
		['a line of no kind', wrapped('@@ -1,2 +1 @@', '-a\nb\n+c')],
		['text above', `Look at this:\n${DIFF}`],
		['text below', `${DIFF}and so on`],
		['a heading in the text, of lines that were told before', wrapped('@@ -1 +1 @@', '-a\n+b\n@@ -1 +1 @@\n-c\n+d')],
		['a heading in the text, whose sides do not fit together', wrapped('@@ -1 +1 @@', '-a\n+b\n@@ -8 +9 @@\n-c\n+d')],
		['hunks without a name after other files', `diff --git a/x b/x\nold mode 100644\nnew mode 100755\ndiff --git a/y b/y\n@@ -1 +1 @@\n-a\n+b`],
		['a hunk of nothing', wrapped('@@ -1,0 +1,0 @@', '').trimEnd()],
		['a side that goes on after its end', wrapped('@@ -1 +1,2 @@', '-a\n+b\n\\ No newline at end of file\n+c')],
		['a note about nothing', '\\ No newline at end of file'],
		['a line number beyond all files', wrapped('@@ -99999999999 +99999999999 @@', '-a\n+b')]
	])('is not %s', (_, text) => {
		expect(parseDiff(text)).toBeUndefined();
	});
});

/** Every line of a text, as the view has it: those of hunks with their signs, and what stands above them. */
function told(files: readonly FileDiff[]): string[] {
	const sign = { add: '+', del: '-', same: ' ', note: '\\ ' };
	return files.flatMap((file) => [
		...file.head,
		...file.hunks.flatMap((hunk) => unified(hunk).map((side) => sign[side.line.kind] + side.pieces.map((p) => p.text).join('')))
	]);
}

/** How many lines of a diff become something else in the view: headings of hunks and names of files. */
const turned = (files: readonly FileDiff[]): number =>
	files.reduce((n, f) => n + f.hunks.length + (f.from || f.to ? 2 : 0), 0);

/** A diff of two random texts in the form of GNU diff, with its headings. */
function madeDiff(next: (below: number) => number): string {
	const bits = ['a', '', '-- a', '++ b', '@@ -1 +1 @@', '- x', '+ y', ' z', '\\ No newline at end of file', 'diff --git a b', '\t', 'é\u202e'];
	const line = () => bits[next(bits.length)]!;
	let text = '--- a/x\n+++ b/x\n';
	let [old, now] = [1 + next(3), 0];
	now = old;
	for (let hunks = 1 + next(3); hunks > 0; hunks--) {
		const body: string[] = [];
		let [dels, adds] = [0, 0];
		for (let n = 1 + next(8); n > 0; n--) {
			const kind = ' -+'[next(3)]!;
			body.push(kind + line());
			if (kind !== '+') dels++;
			if (kind !== '-') adds++;
		}
		const side = (at: number, count: number) => (count === 1 ? `${at}` : `${count === 0 ? at - 1 : at},${count}`);
		text += `@@ -${side(old, dels)} +${side(now, adds)} @@${next(2) ? ' part' : ''}\n${body.join('\n')}\n`;
		const gap = 1 + next(5);
		[old, now] = [old + dels + gap, now + adds + gap];
	}
	return text;
}

/** A text with something cut out, put in or doubled. */
function mutated(text: string, next: (below: number) => number): string {
	const lines = text.split('\n');
	let at = 0;
	const edits = [
		() => lines.splice(at, 1),
		() => lines.splice(at, 0, lines[next(lines.length)]!),
		() => lines.splice(at, 0, ['junk', '@@ -1 +1 @@', '--- a/y', '+++ b/y', '', '-', '+', '\\ No'][next(8)]!),
		() => (lines[at] = lines[at]!.slice(next(3))),
		() => (lines[at] = lines[at]!.replace(/\d/, String(next(10))))
	];
	for (let n = 1 + next(3); n > 0; n--) {
		at = next(lines.length);
		edits[next(edits.length)]!();
	}
	return lines.join('\n');
}

describe('no line of a diff is lost', () => {
	it('where it is one (2,000 seeds)', () => {
		for (let seed = 1; seed <= 2000; seed++) {
			const text = madeDiff(random(seed));
			const files = diffOf(text);
			const want = text.replace(/\n$/, '').split('\n').slice(2).filter((line, i, all) => !isHeading(all, i));
			expect(told(files), text).toEqual(want);
		}
	});

	it('where something was changed in it: either it is all there, or it is no diff (20,000 seeds)', () => {
		let kept = 0;
		for (let seed = 1; seed <= 20_000; seed++) {
			const next = random(seed);
			const text = mutated(madeDiff(next), next);
			const files = parseDiff(text);
			if (!files) continue;
			kept++;
			const lines = text.replace(/\n$/, '').split('\n').map(blank);
			const have = told(files).map(blank);
			expect(have.length + turned(files), text).toBe(lines.length);
			let from = 0;
			for (const line of have) from = lines.indexOf(line, from) + 1 || Infinity;
			expect(from, text).toBeLessThanOrEqual(lines.length);
		}
		expect(kept).toBeGreaterThan(500);
	});

	it('whatever it is given, and its counts are those of its lines (5,000 seeds)', () => {
		const bits = ['--- a/x', '+++ b/x', '@@ -1,3 +1,3 @@', '@@ -1 +1 @@', '@@ -0,0 +1 @@', '@@ -9999999999,1 +1 @@', '+a', '-b', ' c', '', '\\ No newline', 'junk', '\u0000'];
		for (let seed = 1; seed <= 5000; seed++) {
			const next = random(seed);
			const text = Array.from({ length: next(9) }, () => bits[next(bits.length)]).join('\n');
			for (const file of parseDiff(text) ?? []) {
				const lines = file.hunks.flatMap((h) => h.lines);
				expect(lines.filter((l) => l.kind === 'add').length).toBe(file.added);
				expect(lines.filter((l) => l.kind === 'del').length).toBe(file.removed);
				for (const hunk of file.hunks) {
					const both = rows(hunk).flatMap((r) => [r.left?.line, r.right?.line]);
					expect(new Set(both.filter(Boolean))).toEqual(new Set(hunk.lines));
				}
			}
		}
	});
});

/** An empty line stands for an empty one that stays. */
const blank = (line: string) => (line === ' ' ? '' : line);

/** Whether a line of a made diff is the heading of a hunk: it stands where the counts of the one before end. */
function isHeading(lines: readonly string[], at: number): boolean {
	for (let i = 0; i < lines.length; ) {
		if (i === at) return true;
		const [, old = '1', now = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[i]!)!;
		let [dels, adds] = [Number(old), Number(now)];
		for (i++; dels > 0 || adds > 0; i++) {
			if (lines[i]![0] !== '+') dels--;
			if (lines[i]![0] !== '-') adds--;
		}
	}
	return false;
}

describe('side by side', () => {
	it('notes that a line has no end stand on the side of that line', () => {
		const note = '\\ No newline at end of file';
		const [file] = diffOf(wrapped('@@ -1 +1 @@', `-a\n${note}\n+b\n${note}`));
		expect(rows(file!.hunks[0]!).map((r) => [r.left?.line.kind, r.right?.line.kind])).toEqual([
			['del', undefined], ['note', undefined], [undefined, 'add'], [undefined, 'note']
		]);
	});

	it('pairs removed with added lines in order', () => {
		const [file] = diffOf(DIFF);
		const shape = rows(file!.hunks[0]!).map((r) => [r.left?.line.old ?? '', r.right?.line.new ?? '']);
		expect(shape).toEqual([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5], ['', 6], [6, 7], [7, 8], [8, 9]]);
	});

	it('marks the words that differ', () => {
		const [a, b] = marks('const size = 12;', 'const size = 14;');
		expect(a!.filter((p) => p.changed).map((p) => p.text)).toEqual(['12']);
		expect(b!.filter((p) => p.changed).map((p) => p.text)).toEqual(['14']);
	});

	it('marks nothing where little is the same, or where a line is very long', () => {
		expect(marks('completely other words here', 'x = y + z')).toEqual([undefined, undefined]);
		expect(marks('a '.repeat(300), 'b '.repeat(300))).toEqual([undefined, undefined]);
	});

	it('loses no character of either side (500 seeds)', () => {
		const words = ['a', 'bb', ' ', '(', 'é', '\t', '=', 'ccc'];
		for (let seed = 1; seed <= 500; seed++) {
			const next = random(seed);
			const line = () => Array.from({ length: next(25) }, () => words[next(words.length)]).join('');
			const [x, y] = [line(), line()];
			const [a, b] = marks(x, y);
			if (!a || !b) continue;
			expect(a.map((p) => p.text).join('')).toBe(x);
			expect(b.map((p) => p.text).join('')).toBe(y);
		}
	});
});

describe('JSON', () => {
	it('is laid out as it stands in the text, with names that are there twice and every digit', () => {
		expect(laidOut('{"a":1,"a":[],"n":12345678901234567890,"s":"{[,:\\" ","o":{ }, "l":[1, true,"x"]}')).toBe(
			'{\n  "a": 1,\n  "a": [],\n  "n": 12345678901234567890,\n  "s": "{[,:\\" ",\n  "o": {},\n  "l": [\n    1,\n    true,\n    "x"\n  ]\n}'
		);
	});

	it.each(['0', '"a"', 'null', '[[],[[]],{}]', '{"a":{"b":[{"c":-1.5}]}}'])('is laid out like others do it: %s', (text) => {
		expect(laidOut(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
	});

	it.each(['', '{', '{a:1}', 'word'])('is not %j', (text) => {
		expect(laidOut(text)).toBeUndefined();
	});
});

describe('characters that turn the reading direction around', () => {
	it('are shown by their names, in names and in code', () => {
		expect(visible('a\u202egnp.exe\u2069')).toBe('a[U+202E]gnp.exe[U+2069]');
		expect(visibleCode('if (x\u2066\u200f) {}')).toBe('if (x[U+2066][U+200F]) {}');
	});

	it('but not the marks that are usual within Arabic and Hebrew prose', () => {
		expect(visible('שלום\u200f! مرحبا\u061c')).toBe('שלום\u200f! مرحبا\u061c');
	});
});
