/** A passage that an answer may cite, as a search gave it. */
export interface Source {
	readonly title: string;
	readonly path: string;
	/** The repository that it comes from, or "". */
	readonly repo: string;
	/** As its author wrote it, or "". */
	readonly date: string;
	readonly text: string;
	/** The passage is longer than what is told here. */
	readonly truncated: boolean;
}

/** A search gives at most so many. */
const MOST = 10;

/** The passages in the output of a call; none where it is of another form. */
export function sourcesOf(output: unknown): readonly Source[] {
	const list = (output as { passages?: unknown } | null | undefined)?.passages;
	if (!Array.isArray(list)) return [];
	const found: Source[] = [];
	for (const item of list.slice(0, MOST) as unknown[]) {
		const p = (item ?? {}) as Record<string, unknown>;
		const word = (name: string) => (typeof p[name] === 'string' ? (p[name] as string) : '');
		const [text, path] = [word('text'), word('sourcePath')];
		if (!text || !path) continue;
		found.push({ title: word('title') || path, path, repo: word('sourceRepo'), date: word('date'), text, truncated: p.truncated === true });
	}
	return found;
}
