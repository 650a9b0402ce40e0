/**
 * Closes what a text that is still being written has left open, so that half a link
 * or an unclosed emphasis does not flicker: for the last block of a stream only.
 */
export function mend(text: string): string {
	const fence = /^ {0,3}(`{3,}|~{3,})/m;
	if (fence.test(text)) return text; // code is shown as it comes
	const ticks = (text.match(/`/g) ?? []).length;
	if (ticks % 2 === 1) return text + '`';
	let out = text
		// An image or link whose address has begun: its words alone.
		.replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, '$1')
		// One whose words have begun.
		.replace(/!?\[([^\]\n]*)$/, '$1');
	for (const mark of ['**', '__', '~~']) {
		const count = out.split(mark).length - 1;
		if (count % 2 === 0) continue;
		const at = out.lastIndexOf(mark);
		const rest = out.slice(at + 2);
		// A mark with nothing after it yet is not shown.
		out = rest.trim() === '' ? out.slice(0, at) + rest : out.trimEnd() + mark;
	}
	return out;
}
