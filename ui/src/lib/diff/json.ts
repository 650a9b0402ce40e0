/** The parts of JSON: strings, what opens, closes and parts, and numbers and words. */
const PARTS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * Lays JSON out over lines, or gives undefined for what is none. The text itself is laid
 * out and not the value that it stands for: of a name that is there twice a value keeps
 * one, and of a long number not all digits.
 */
export function laidOut(text: string): string | undefined {
	try {
		JSON.parse(text);
	} catch {
		return undefined;
	}
	let [out, depth, before] = ['', 0, ''];
	const line = () => `\n${'  '.repeat(depth)}`;
	for (const part of text.match(PARTS) ?? []) {
		const opened = before === '{' || before === '[';
		if (part === '}' || part === ']') {
			depth--;
			out += opened ? part : line() + part;
		} else {
			if (opened || before === ',') out += line();
			out += part === ':' ? ': ' : part;
			if (part === '{' || part === '[') depth++;
		}
		before = part;
	}
	return out;
}
