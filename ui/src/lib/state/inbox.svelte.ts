import type { AgentClient } from '../client/types.js';
import type { OpenCall, Thread } from '../protocol.gen.js';

/** A conversation with changes that wait for their user. */
export interface Waiting {
	readonly thread: Thread;
	/** What waits, where it was asked for. */
	readonly open: readonly OpenCall[];
}

/** Of how many conversations the changes themselves are looked up. */
const LOOKED_UP = 5;
/** How many of the newest conversations, of all projects, are looked through. */
const NEWEST = 100;

/** Inbox knows which conversations of the user wait for an answer, in whatever project. */
export class Inbox {
	items = $state.raw<readonly Waiting[]>([]);
	#asked = 0;

	constructor(private readonly client: AgentClient) {}

	/** Looks which conversations wait, and with details also for what; the last question wins. */
	async load(details = false): Promise<void> {
		const asked = ++this.#asked;
		try {
			const page = await this.client.threads({ limit: NEWEST });
			const waiting = (page.items ?? []).filter((t) => t.waiting);
			const known = new Map(this.items.map((w) => [w.thread.id, w.open]));
			const have = waiting.map((thread) => ({ thread, open: known.get(thread.id) ?? [] }));
			if (asked !== this.#asked) return;
			this.items = have;
			if (!details) return;
			const first = await Promise.all(have.slice(0, LOOKED_UP).map((w) => this.#lookUp(w)));
			if (asked === this.#asked) this.items = [...first, ...have.slice(LOOKED_UP)];
		} catch {
			// Nothing is lost: the conversations themselves tell what waits.
		}
	}

	async #lookUp(waiting: Waiting): Promise<Waiting> {
		try {
			const view = await this.client.thread(waiting.thread.id, { limit: 1 });
			return { ...waiting, open: view.turns?.at(-1)?.turn.open ?? [] };
		} catch {
			return waiting;
		}
	}
}
