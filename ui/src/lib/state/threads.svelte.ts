import { asAgentError, isAbort, type AgentError } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import type { Thread } from '../protocol.gen.js';

/** ThreadsState is the list of conversations: search, pages, rename, archive, delete, export. */
export class ThreadsState {
	items = $state.raw<readonly Thread[]>([]);
	next = $state('');
	q = $state('');
	archived = $state(false);
	loading = $state(false);
	failure = $state.raw<AgentError | undefined>();
	#asked = 0;

	constructor(
		private readonly client: AgentClient,
		private readonly projectId: () => string
	) {}

	/** Loads the first page of what is searched for; the last question wins. */
	async load(): Promise<void> {
		await this.#page('', (items) => (this.items = items));
	}

	async more(): Promise<void> {
		if (!this.next || this.loading) return;
		const have = new Set(this.items.map((t) => t.id));
		await this.#page(this.next, (items) => {
			this.items = [...this.items, ...items.filter((t) => !have.has(t.id))];
		});
	}

	search(q: string): void {
		this.q = q;
		void this.load();
	}

	show(archived: boolean): void {
		this.archived = archived;
		void this.load();
	}

	rename(thread: Thread, title: string): Promise<boolean> {
		return this.#try(async () => {
			const renamed = await this.client.patchThread(thread.id, { title });
			this.items = this.items.map((t) => (t.id === thread.id ? renamed : t));
		});
	}

	archive(thread: Thread, archived: boolean): Promise<boolean> {
		return this.#try(async () => {
			await this.client.patchThread(thread.id, { archived });
			this.#drop(thread);
		});
	}

	remove(thread: Thread): Promise<boolean> {
		return this.#try(async () => {
			await this.client.deleteThread(thread.id);
			this.#drop(thread);
		});
	}

	/** Saves a conversation as a file. */
	export(thread: Thread, save: (name: string, data: Blob) => void): Promise<boolean> {
		return this.#try(async () => {
			const file = await this.client.exportThread(thread.id, 'md');
			save(file.name, file.data);
		});
	}

	#drop(thread: Thread): void {
		this.items = this.items.filter((t) => t.id !== thread.id);
	}

	async #page(cursor: string, take: (items: readonly Thread[]) => void): Promise<void> {
		const asked = ++this.#asked;
		this.loading = true;
		await this.#try(async () => {
			const { q, archived } = this;
			const query = { q, archived, cursor, projectId: this.projectId(), limit: 30 };
			const page = await this.client.threads(query);
			if (asked !== this.#asked) return;
			take(page.items ?? []);
			this.next = page.next ?? '';
		});
		if (asked === this.#asked) this.loading = false;
	}

	async #try(run: () => Promise<void>): Promise<boolean> {
		this.failure = undefined;
		try {
			await run();
			return true;
		} catch (thrown) {
			if (!isAbort(thrown)) this.failure = asAgentError(thrown);
			return false;
		}
	}
}
