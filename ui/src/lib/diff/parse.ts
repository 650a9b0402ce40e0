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

/** The change of one file. */
export interface FileDiff {
	readonly from: string;
	readonly to: string;
	readonly hunks: readonly Hunk[];
	readonly added: number;
	readonly removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

interface Open {
	file: { from: string; to: string; hunks: Hunk[]; added: number; removed: number };
	lines: DiffLine[];
	old: number;
	new: number;
	/** How many lines of either side the hunk's heading still promises. */
	leftOld: number;
	leftNew: number;
}

/**
 * Reads a unified diff. A hunk is read by the counts of its heading, so that a
 * removed line which begins with dashes is no file name; what is no diff gives no
 * files.
 */
export function parseDiff(text: string): FileDiff[] {
	const files: Open['file'][] = [];
	let at: Open | undefined;
	let from = '';
	for (const line of text.replace(/\n$/, '').split('\n')) {
		if (at && (at.leftOld > 0 || at.leftNew > 0) && inHunk(at, line)) continue;
		if (line.startsWith('\\') && at) {
			at.lines.push({ kind: 'note', text: line.slice(2) });
			continue;
		}
		const hunk = HUNK.exec(line);
		if (hunk) {
			const file = at?.file ?? files.at(-1) ?? newFile(files, from, from);
			at = openHunk(file, hunk);
		} else if (line.startsWith('--- ')) {
			from = name(line);
			at = undefined;
		} else if (line.startsWith('+++ ')) {
			newFile(files, from, name(line));
			at = undefined;
		}
	}
	return files;
}

function newFile(files: Open['file'][], from: string, to: string): Open['file'] {
	const file = { from, to, hunks: [], added: 0, removed: 0 };
	files.push(file);
	return file;
}

function openHunk(file: Open['file'], hunk: RegExpExecArray): Open {
	const lines: DiffLine[] = [];
	file.hunks.push({ heading: hunk[5] ?? '', lines });
	return {
		file,
		lines,
		old: Number(hunk[1]),
		new: Number(hunk[3]),
		leftOld: Number(hunk[2] ?? 1),
		leftNew: Number(hunk[4] ?? 1)
	};
}

function inHunk(at: Open, line: string): boolean {
	const text = line.slice(1);
	switch (line[0]) {
		case '+':
			at.leftNew--;
			at.file.added++;
			at.lines.push({ kind: 'add', text, new: at.new++ });
			return true;
		case '-':
			at.leftOld--;
			at.file.removed++;
			at.lines.push({ kind: 'del', text, old: at.old++ });
			return true;
		case ' ':
		case undefined:
			at.leftOld--;
			at.leftNew--;
			at.lines.push({ kind: 'same', text, old: at.old++, new: at.new++ });
			return true;
		default:
			return false;
	}
}

function name(line: string): string {
	const path = line.slice(4).split('\t')[0]!.trim();
	return path === '/dev/null' ? '' : path.replace(/^[ab]\//, '');
}
