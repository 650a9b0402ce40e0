import type { DiffLine, Hunk } from './parse.js';

/** A piece of a line; changed pieces are marked. */
export interface Piece {
	readonly text: string;
	readonly changed: boolean;
}

/** A row of the view side by side; a side without a line is empty. */
export interface Row {
	readonly left?: Side;
	readonly right?: Side;
}

/** One side of a row. */
export interface Side {
	readonly line: DiffLine;
	readonly pieces: readonly Piece[];
}

/** Pairs removed with added lines in order, and marks within a pair what differs. */
export function rows(hunk: Hunk): Row[] {
	const out: Row[] = [];
	let dels: DiffLine[] = [];
	let adds: DiffLine[] = [];
	const flush = () => {
		for (let i = 0; i < Math.max(dels.length, adds.length); i++) {
			const [del, add] = [dels[i], adds[i]];
			const [left, right] = del && add ? marks(del.text, add.text) : [undefined, undefined];
			out.push({
				left: del && { line: del, pieces: left ?? [{ text: del.text, changed: false }] },
				right: add && { line: add, pieces: right ?? [{ text: add.text, changed: false }] }
			});
		}
		dels = [];
		adds = [];
	};
	for (const line of hunk.lines) {
		if (line.kind === 'del') {
			if (adds.length > 0) flush();
			dels.push(line);
		} else if (line.kind === 'add') adds.push(line);
		else {
			flush();
			const side: Side = { line, pieces: [{ text: line.text, changed: false }] };
			// A note is about the line before it, so it stands on that line's side.
			const { left = undefined, right = undefined } = line.kind === 'note' && out.length > 0 ? out.at(-1)! : { left: side, right: side };
			out.push({ ...(left && { left: side }), ...(right && { right: side }) });
		}
	}
	flush();
	return out;
}

/** The lines of a hunk in unified order, marked like the view side by side. */
export function unified(hunk: Hunk): Side[] {
	const marked = new Map<DiffLine, Side>();
	for (const { left, right } of rows(hunk)) {
		if (left) marked.set(left.line, left);
		if (right) marked.set(right.line, right);
	}
	return hunk.lines.map((line) => marked.get(line)!);
}

const MOST_WORDS = 200;

/**
 * Marks the words that differ between two lines, by their longest common
 * subsequence. Lines that have little in common are not marked: it would be noise.
 */
export function marks(a: string, b: string): [Piece[], Piece[]] | [undefined, undefined] {
	const [wa, wb] = [words(a), words(b)];
	if (wa.length > MOST_WORDS || wb.length > MOST_WORDS) return [undefined, undefined];
	const keep = common(wa, wb);
	const kept = keep.reduce((n, [i]) => n + wa[i]!.trim().length, 0);
	if (kept * 3 < Math.max(a.trim().length, b.trim().length)) return [undefined, undefined];
	return [pieces(wa, new Set(keep.map(([i]) => i))), pieces(wb, new Set(keep.map(([, j]) => j)))];
}

const words = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function common(a: string[], b: string[]): [number, number][] {
	const width = b.length + 1;
	const table = new Uint16Array((a.length + 1) * width);
	for (let i = a.length - 1; i >= 0; i--) {
		for (let j = b.length - 1; j >= 0; j--) {
			table[i * width + j] =
				a[i] === b[j]
					? table[(i + 1) * width + j + 1]! + 1
					: Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
		}
	}
	const out: [number, number][] = [];
	for (let i = 0, j = 0; i < a.length && j < b.length; ) {
		if (a[i] === b[j]) out.push([i++, j++]);
		else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i++;
		else j++;
	}
	return out;
}

function pieces(all: string[], kept: ReadonlySet<number>): Piece[] {
	const out: { text: string; changed: boolean }[] = [];
	all.forEach((text, i) => {
		const changed = !kept.has(i);
		const last = out.at(-1);
		if (last?.changed === changed) last.text += text;
		else out.push({ text, changed });
	});
	return out;
}
