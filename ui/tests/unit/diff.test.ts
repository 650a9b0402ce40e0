import { describe, expect, it } from 'vitest';
import { parseDiff } from '../../src/lib/diff/parse.js';
import { marks, rows, unified } from '../../src/lib/diff/pair.js';
import { DIFF } from '../fake/scripts.ts';
import { random } from './random.ts';

describe('a unified diff', () => {
	it('gives files, hunks and numbers', () => {
		const [file] = parseDiff(DIFF);
		expect(file).toMatchObject({ to: 'slides/04-traction.html', added: 5, removed: 4 });
		expect(file!.hunks).toHaveLength(2);
		expect(file!.hunks[0]!.lines[1]).toEqual({ kind: 'del', text: '  <h1>Our traction in numbers</h1>', old: 2 });
		expect(file!.hunks[1]!.lines[0]).toMatchObject({ kind: 'same', old: 40, new: 41 });
	});

	it('reads lines that look like headings by the counts of the hunk', () => {
		const [file] = parseDiff('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n---- old\n+++ new\n same\n');
		expect(file!.hunks[0]!.lines.map((l) => [l.kind, l.text])).toEqual([['del', '--- old'], ['add', '++ new'], ['same', 'same']]);
	});

	it('knows new and deleted files, several files, and a missing line end', () => {
		const files = parseDiff('--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n');
		expect(files.map((f) => [f.from, f.to, f.added, f.removed])).toEqual([['', 'new', 1, 0], ['old', '', 0, 1]]);
		expect(files[0]!.hunks[0]!.lines.at(-1)).toMatchObject({ kind: 'note' });
	});

	it.each(['', 'no diff at all', '@@ nonsense @@', '--- a\n+++ b\n', 'Binary files a and b differ'])('finds no lines in %j', (text) => {
		expect(parseDiff(text).flatMap((f) => f.hunks)).toEqual([]);
	});

	it('never throws and keeps its counts, whatever it is given (2,000 seeds)', () => {
		const bits = ['--- a/x', '+++ b/x', '@@ -1,3 +1,3 @@', '@@ -1 +1 @@', '@@ -9999999999,1 +1 @@', '+a', '-b', ' c', '', '\\ No newline', 'junk', '\u0000'];
		for (let seed = 1; seed <= 2000; seed++) {
			const next = random(seed);
			const text = Array.from({ length: next(20) }, () => bits[next(bits.length)]).join('\n');
			for (const file of parseDiff(text)) {
				const lines = file.hunks.flatMap((h) => h.lines);
				expect(lines.filter((l) => l.kind === 'add').length).toBe(file.added);
				expect(lines.filter((l) => l.kind === 'del').length).toBe(file.removed);
				for (const hunk of file.hunks) expect(unified(hunk)).toHaveLength(hunk.lines.length);
			}
		}
	});
});

describe('side by side', () => {
	it('pairs removed with added lines in order', () => {
		const [file] = parseDiff(DIFF);
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
