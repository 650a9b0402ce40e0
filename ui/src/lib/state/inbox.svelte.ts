import type { AgentClient } from '../client/types.js';
import type { Approval } from '../protocol.gen.js';

/** A conversation with the changes in it that wait for their user. */
export interface Waiting {
	readonly threadId: string;
	readonly title: string;
	readonly projectId: string;
	/** What waits, in the order in which it was asked for. */
	readonly open: readonly Approval[];
}

const PAGE = 200;
/** More than this is not counted but said to be more. */
const MOST_PAGES = 5;

/** Inbox knows what waits for an answer of the user, in whatever conversation and project. */
export class Inbox {
	items = $state.raw<readonly Approval[]>([]);
	/** True when more waits than is counted. */
	more = $state(false);
	readonly threads = $derived(byThread(this.items));
	#asked = 0;

	constructor(private readonly client: AgentClient) {}

	/** How many changes wait in other conversations than one. */
	beside(threadId: string): number {
		return this.items.filter((a) => a.threadId !== threadId).length;
	}

	/** Asks what waits; the last question wins. */
	async load(): Promise<void> {
		const asked = ++this.#asked;
		const found: Approval[] = [];
		let cursor: string | undefined;
		try {
			for (let page = 0; page < MOST_PAGES; page++) {
				const { items, next } = await this.client.approvals({ limit: PAGE, cursor });
				found.push(...(items ?? []));
				cursor = next || undefined;
				if (!cursor) break;
			}
		} catch {
			return; // Nothing is lost: the conversations themselves tell what waits.
		}
		if (asked !== this.#asked) return;
		this.items = found;
		this.more = cursor !== undefined;
	}
}

/** The conversation whose newest change is the newest comes first. */
function byThread(items: readonly Approval[]): readonly Waiting[] {
	const threads = new Map<string, { threadId: string; title: string; projectId: string; open: Approval[] }>();
	for (const a of items) {
		const { threadId, threadTitle: title, projectId } = a;
		const waiting = threads.get(threadId) ?? { threadId, title, projectId, open: [] };
		waiting.open.unshift(a);
		threads.set(threadId, waiting);
	}
	return [...threads.values()];
}
