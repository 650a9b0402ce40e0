import { asAgentError, isAbort, type AgentError } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import type { Reminder, ReminderDiff, ReminderFile, ReminderVersion } from '../protocol.gen.js';
import { Asked } from './asked.svelte.js';

/** The files, in the order in which the prompt has them. */
export const FILES: readonly ReminderFile[] = ['client_profile', 'our_decisions', 'gotchas'];

const PAGE = 20;

/** A text that is being written, and the version that it was made from. */
interface Draft {
	text: string;
	from: number;
}

/** RemindersState is the reminder files of the org: reading, writing, and what they were. */
export class RemindersState {
	file = $state<ReminderFile>('client_profile');
	/** The text that is being written for the file; undefined while it is only read. */
	draft = $state<Draft | undefined>();
	saving = $state(false);
	failure = $state.raw<AgentError | undefined>();
	/** What others stored while the draft was written. */
	meanwhile = $state.raw<ReminderDiff | undefined>();
	/** The version whose change is shown, or 0. */
	looking = $state(0);
	diff = $state.raw<ReminderDiff | undefined>();
	readonly now: Asked<Reminder>;
	readonly history: Asked<{ items: readonly ReminderVersion[]; next?: number }>;
	#drafts = new Map<ReminderFile, Draft>();

	constructor(private readonly client: AgentClient) {
		this.now = new Asked(() => client.reminder(this.file));
		this.history = new Asked(async () => {
			const { items, next } = await client.reminderHistory(this.file, { limit: PAGE });
			return { items: items ?? [], next };
		});
	}

	/** Goes to a file; what was being written for another one is kept. */
	open(file: ReminderFile): void {
		if (file === this.file) return;
		this.#keep();
		this.file = file;
		this.draft = this.#drafts.get(file);
		this.now.value = undefined;
		this.history.value = undefined;
		this.failure = this.meanwhile = this.diff = undefined;
		this.looking = 0;
		void this.now.load();
	}

	/** Begins to write, from the newest text or from an old one. */
	edit(text = this.now.value?.text ?? ''): void {
		this.draft = { text, from: this.now.value?.version ?? 0 };
		this.failure = this.meanwhile = undefined;
	}

	cancel(): void {
		this.draft = undefined;
		this.#drafts.delete(this.file);
		this.failure = this.meanwhile = undefined;
	}

	/** Stores the draft. Where another version came between, it is kept and shown beside that. */
	async save(): Promise<boolean> {
		const { draft, file } = this;
		if (!draft || this.saving) return false;
		this.saving = true;
		this.failure = this.meanwhile = undefined;
		try {
			const kept = await this.client.putReminder(file, { text: draft.text, version: draft.from });
			if (file !== this.file) return false;
			this.now.value = kept;
			this.cancel();
			if (this.history.value) void this.history.load();
			return true;
		} catch (thrown) {
			if (isAbort(thrown) || file !== this.file) return false;
			const error = asAgentError(thrown);
			if (error.code !== 'conflict' || !(await this.#compare(draft))) this.failure = error;
			return false;
		} finally {
			this.saving = false;
		}
	}

	/** Shows what a version changed, or hides it again. */
	async look(version: number): Promise<void> {
		this.failure = undefined;
		this.diff = undefined;
		this.looking = this.looking === version ? 0 : version;
		if (this.looking === 0) return;
		const { file } = this;
		await this.#try(async () => {
			const { diff } = await this.client.reminderHistory(file, { limit: 1, to: version });
			if (file === this.file && this.looking === version) this.diff = diff;
		});
	}

	/** Puts the text of an old version into the draft; storing it is still the user's. */
	async restore(version: number): Promise<void> {
		const { file } = this;
		await this.#try(async () => {
			const { text } = await this.client.reminder(file, version);
			if (file === this.file) this.edit(text);
		});
	}

	/** Asks for older versions. */
	async more(): Promise<void> {
		const { file } = this;
		const before = this.history.value?.next;
		if (!before) return;
		await this.#try(async () => {
			const page = await this.client.reminderHistory(file, { before, limit: PAGE });
			const had = this.history.value?.items ?? [];
			if (file === this.file) this.history.value = { items: [...had, ...(page.items ?? [])], next: page.next };
		});
	}

	/** After a conflict: what changed since the draft began, and from where to go on. */
	async #compare(draft: Draft): Promise<boolean> {
		const { file } = this;
		const done = await this.#try(async () => {
			const now = await this.client.reminder(file);
			const { diff } = await this.client.reminderHistory(file, { limit: 1, from: draft.from, to: now.version });
			if (file !== this.file) return;
			this.now.value = now;
			this.meanwhile = diff;
			this.draft = { ...draft, from: now.version };
		});
		return done && this.meanwhile !== undefined;
	}

	async #try(work: () => Promise<void>): Promise<boolean> {
		try {
			await work();
			return true;
		} catch (thrown) {
			if (!isAbort(thrown)) this.failure = asAgentError(thrown);
			return false;
		}
	}

	#keep(): void {
		if (this.draft) this.#drafts.set(this.file, this.draft);
		else this.#drafts.delete(this.file);
	}
}
