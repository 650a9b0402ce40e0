/** One line of a diff, with its numbers on either side. */
export interface DiffLine {
	readonly kind: 'same' | 'add' | 'del' | 'note';
	readonly text: string;
	readonly old?: number;
	readonly new?: number;
}

/** A run of lines that belong together. */
export interface Hunk {
	readonly heading: string;
	readonly lines: readonly DiffLine[];
}

/** The change of one file; a name is '' where there is no such file, before or after. */
export interface FileDiff {
	readonly from: string;
	readonly to: string;
	/** Lines above the hunks that say more than the names do, as they came. */
	readonly head: readonly string[];
	readonly hunks: readonly Hunk[];
	readonly added: number;
	readonly removed: number;
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: ([^]*))?$/;
/** What git, Subversion and jsdiff write above the names of a file. */
const ABOVE =
	/^(?:diff |Index: |={3,}$|index [0-9a-f]+\.\.[0-9a-f]+|(?:old|new|deleted file|new file) mode \d|(?:dis)?similarity index \d|(?:rename|copy) (?:from|to) |Binary files )/;
const NOWHERE = '/dev/null';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
interface OpenFile extends Writable<Omit<FileDiff, 'head' | 'hunks'>> {
	head: string[];
	hunks: Hunk[];
	/** The first line of either side that the next hunk may hold. */
	nextOld: number;
	nextNew: number;
	/** A side whose last line was said to have no line end: nothing of it may follow. */
	endedOld: boolean;
	endedNew: boolean;
}

/**
 * Reads a unified diff, as GNU diff and git write it, or gives undefined for what is
 * not one. Nothing is guessed and nothing skipped: the lines of a hunk are taken by
 * the counts of its heading, so that no text is taken for a heading, and each line of
 * what is read is in what is given. Counts that do not fit, hunks out of their order
 * and lines that have no place make all of it "not one".
 */
export function parseDiff(text: string): FileDiff[] | undefined {
	if (text === '') return [];
	const read = new Reader(text.replace(/\n$/, '').split('\n'));
	const files: FileDiff[] = [];
	while (!read.over) {
		const file = read.file(files.length === 0);
		if (!file) return undefined;
		files.push(file);
	}
	return files;
}

class Reader {
	#at = 0;
	readonly #lines: readonly string[];

	constructor(lines: readonly string[]) {
		this.#lines = lines;
	}

	get over(): boolean {
		return this.#at >= this.#lines.length;
	}

	get #line(): string {
		return this.#lines[this.#at] ?? '';
	}

	/** Takes the lines about one file; only the first may have hunks without a name. */
	file(first: boolean): FileDiff | undefined {
		const file = openFile();
		while (!this.over && ABOVE.test(this.#line)) {
			if (file.head.length > 0 && this.#line.startsWith('diff ')) break; // the next file
			file.head.push(this.#lines[this.#at++]!);
		}
		const named = this.#line.startsWith('--- ');
		if (named && !this.#names(file)) return undefined;
		while (!this.over && this.#line.startsWith('@@ ')) {
			if (!named && !first) return undefined;
			if (!this.#hunk(file)) return undefined;
		}
		// Names are followed by a change; without names there is a word about the file.
		if (file.hunks.length === 0 && (named || file.head.length === 0)) return undefined;
		const { from, to, head, hunks, added, removed } = file;
		return { from, to, head, hunks, added, removed };
	}

	#names(file: OpenFile): boolean {
		const [from, to] = [this.#line, this.#lines[this.#at + 1] ?? ''];
		if (!to.startsWith('+++ ')) return false;
		this.#at += 2;
		for (const line of [from, to]) if (line.includes('\t')) file.head.push(line);
		const [a, b] = [pathOf(from), pathOf(to)];
		// "a/" and "b/" are git's marks only where both are there.
		const marked = /^(?:a\/|\/dev\/null$)/.test(a) && /^(?:b\/|\/dev\/null$)/.test(b);
		[file.from, file.to] = [a, b].map((path) => (path === NOWHERE ? '' : marked ? path.slice(2) : path)) as [string, string];
		return true;
	}

	#hunk(file: OpenFile): boolean {
		const found = HUNK.exec(withoutReturn(this.#line));
		if (!found) return false;
		let [old, leftOld, now, leftNew] = [found[1], found[2] ?? '1', found[3], found[4] ?? '1'].map(Number) as [number, number, number, number];
		// A side without lines is named by the line before it.
		if (leftOld === 0) old++;
		if (leftNew === 0) now++;
		const inOrder = old >= file.nextOld && old - file.nextOld === now - file.nextNew;
		if (!inOrder || leftOld + leftNew === 0) return false;
		this.#at++;
		const lines: DiffLine[] = [];
		while (leftOld > 0 || leftNew > 0) {
			const line = this.over ? undefined : this.#lines[this.#at++];
			const kind = line === undefined ? undefined : kindOf(line);
			const [takesOld, takesNew] = [kind !== 'add', kind !== 'del'];
			if (line === undefined || kind === undefined) return false;
			if ((takesOld && (file.endedOld || leftOld-- === 0)) || (takesNew && (file.endedNew || leftNew-- === 0))) return false;
			lines.push({ kind, text: line.slice(1), ...(takesOld && { old: old++ }), ...(takesNew && { new: now++ }) });
			if (kind === 'add') file.added++;
			if (kind === 'del') file.removed++;
			this.#note(file, lines, kind);
		}
		[file.nextOld, file.nextNew] = [old, now];
		file.hunks.push({ heading: found[5] ?? '', lines });
		return true;
	}

	/** A line with a backslash says that the one before it has no line end. */
	#note(file: OpenFile, lines: DiffLine[], of: DiffLine['kind']): void {
		if (this.over || !this.#line.startsWith('\\ ')) return;
		lines.push({ kind: 'note', text: this.#lines[this.#at++]!.slice(2) });
		file.endedOld ||= of !== 'add';
		file.endedNew ||= of !== 'del';
	}
}

const openFile = (): OpenFile => ({
	from: '', to: '', head: [], hunks: [], added: 0, removed: 0, nextOld: 1, nextNew: 1, endedOld: false, endedNew: false
});

/** An empty line is an empty one that stays: GNU diff writes it so with --suppress-blank-empty. */
function kindOf(line: string): 'same' | 'add' | 'del' | undefined {
	switch (line[0]) {
		case '+':
			return 'add';
		case '-':
			return 'del';
		case ' ':
		case undefined:
			return 'same';
		default:
			return undefined;
	}
}

const pathOf = (line: string): string => withoutReturn(line.slice(4).split('\t')[0]!);

const withoutReturn = (line: string): string => line.replace(/\r$/, '');
