/** One slide of a deck, as the page lists it. */
export interface Slide {
	id: string;
	name: string;
	title: string;
	kind: string;
	path: string;
	/** Changes when the slide's own file does. */
	version: string;
}

/** A deck as the server describes it. */
export interface Deck {
	id: string;
	kind: string;
	title: string;
	subtitle?: string;
	width: number;
	height: number;
	slides: Slide[];
	brandKits: { id: string; title: string }[];
	brandKit?: string;
	branch: string;
	headCommit: string;
}

/** One line of a deck's history. */
export interface Commit {
	commit: string;
	subject: string;
	author: string;
	/** Milliseconds since 1970. */
	at: number;
	byAgent: boolean;
}

/** Who the server says that we are, and what we may use. */
export interface Me {
	user: { id: string; name: string; org: string; tier: string; billing: string };
	capabilities: { name: string }[] | null;
}

/** Problem is why a request failed; status 0 means that no answer came. */
export class Problem extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly hint = ''
	) {
		super(message);
	}

	get unreachable(): boolean {
		return this.status === 0 || this.status === 502 || this.status === 504;
	}
}

/** Asks the server; throws a Problem, or an AbortError where the signal was aborted. */
async function ask(path: string, init?: RequestInit): Promise<Response> {
	let response: Response;
	try {
		response = await fetch(path, { ...init, headers: { Accept: 'application/json', ...init?.headers } });
	} catch (thrown) {
		if (init?.signal?.aborted) throw thrown;
		throw new Problem(0, 'The server does not answer.');
	}
	if (response.ok) return response;
	const said = (await response.json().catch(() => ({}))) as { message?: string; hint?: string };
	throw new Problem(response.status, said.message ?? `The server answered with ${response.status}.`, said.hint);
}

const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
const at = encodeURIComponent;

export const api = {
	me: () => json<Me>('/api/agent/capabilities'),
	signIn: (user: string) =>
		json<Pick<Me, 'user'>>('/api/dev/login', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify({ user })
		}),
	decks: async () => (await json<{ decks: { id: string; title: string }[] }>('/api/decks')).decks,
	deck: (id: string) => json<Deck>(`/api/decks/${at(id)}`),
	history: async (id: string) => (await json<{ commits: Commit[] }>(`/api/decks/${at(id)}/history`)).commits,
	/** A slide as a whole document, for an opaque frame. */
	slide: async (deck: string, slide: string) =>
		(await ask(`/api/decks/${at(deck)}/slides/${at(slide)}/render`, { headers: { Accept: 'text/html' } })).text()
};

/** What went wrong, also where something else was thrown. */
export const asProblem = (thrown: unknown): Problem =>
	thrown instanceof Problem ? thrown : new Problem(-1, 'Something went wrong in this page.');
