import { AgentError, asAgentError, isAbort } from '../client/error.js';
import { heed, isSignedOut } from '../client/heed.js';
import { newId } from '../client/id.js';
import type { AgentClient, Line } from '../client/types.js';
import type { ChatContext } from '../context.js';
import { visible } from '../diff/visible.js';
import {
	LIMITS,
	type CapabilityInfo,
	type Description,
	type Display,
	type Event,
	type EventOf,
	type SettingsView
} from '../protocol.gen.js';
import type { Strings } from '../strings/en.js';
import { Batch } from './batch.js';
import { changeSet, Decisions, openPreview } from './decisions.svelte.js';
import { before, byteLength, joined, requestOf, unsentOf } from './drafts.js';
import { fold, fromView, prepend } from './fold.js';
import { Inbox } from './inbox.svelte.js';
import { EMPTY, isScripted, RULE, type CallPart, type ThreadModel, type TurnModel } from './model.js';
import { paged, type TurnPage } from './pages.js';
import { accepted, refused, withSending, without } from './optimistic.js';
import { Session } from './session.svelte.js';
import { wantsOwnKey, type ChatSetup, type KeyNeed, type Panel } from './setup.js';
import { appliedBy, byHand } from './told.js';
import { Undos } from './undos.svelte.js';
import { Begun } from './begun.svelte.js';
import { Shelf, type Attached, type Draft, type Store, type Unsent } from './storage.js';

const PAGE = 30;
const NO_CHANGES: ReturnType<typeof changeSet> = { all: [], open: [] };

/** ChatState is one panel: a conversation, its line, what is being written, and what one may do. */
export class ChatState {
	line = $state.raw<Line>({ state: 'connecting' });
	draft = $state.raw<Draft>({ text: '', attachments: [] });
	/** At most one message that is sent when the running answer is finished. */
	queued = $state.raw<Draft | undefined>();
	editing = $state.raw<TurnModel | undefined>();
	loading = $state<'no' | 'thread' | 'older'>('no');
	failure = $state.raw<AgentError | undefined>();
	panel = $state<Panel>('none');
	keyNeed = $state.raw<KeyNeed | undefined>();
	/** The rule that the settings were opened at. */
	rule = $state('');
	/** The preview that is to be looked at as soon as it is there. */
	lookAt = $state('');
	description = $state.raw<Description | undefined>();
	/** Known once asked for; tells which model is next and whether a key is missing. */
	settings = $state.raw<SettingsView | undefined>();
	/** What assistive technology is told: at most three times a turn. */
	announcement = $state('');
	stopping = $state(false);
	#threadId = $state('');
	#pages: readonly TurnPage[] = [];
	#model = $state.raw<ThreadModel>(EMPTY);

	/** True while the agent has the word. */
	busy = $state(false);
	/** True while a change waits for its user. */
	waiting = $state(false);
	lastKey = $state('');

	/** Whether the server still knows its user, and the way back in. */
	readonly session: Session = new Session({
		ask: () => this.client.capabilities(),
		onsignin: () => this.setup.onsignin?.(),
		back: (description) => this.#back(description)
	});

	readonly turns = $derived(this.model.turns);
	/** The turns in pages that stay the same objects while nothing in them changes. */
	readonly pages = $derived.by(() => (this.#pages = paged(this.model.turns, this.#pages)));
	readonly last = $derived(this.model.turns.at(-1));
	/** The changes that the last turn shows: all of them, and those that wait. */
	readonly review = $derived(this.waiting && this.last ? changeSet(this.last.parts) : NO_CHANGES);
	readonly threadId = $derived(this.model.thread?.id ?? this.#threadId);
	readonly draftBytes = $derived(byteLength(this.draft.text));
	/** True for a conversation of another project: its changes are answered here, and no more. */
	readonly foreign = $derived((this.model.thread?.projectId ?? this.context.projectId) !== this.context.projectId);
	readonly canSend = $derived(
		!this.foreign &&
			!this.session.out &&
			(this.draft.text.trim() !== '' || this.draft.attachments.length > 0) &&
			this.draftBytes <= LIMITS.messageBytes &&
			this.draft.attachments.length <= LIMITS.attachments &&
			!(this.busy && this.queued)
	);
	/** True when answers follow a script. */
	readonly scripted = $derived(this.settings?.effective.scripted ?? isScripted(this.turns.findLast((t) => t.model)));

	readonly client: AgentClient;
	readonly decisions: Decisions;
	readonly undos: Undos;
	/** What waits for its user, in every conversation. */
	readonly inbox: Inbox;
	/** The conversations that began here and whose first message never arrived. */
	readonly begun = new Begun();
	#shelf: Shelf;
	#watch: AbortController | undefined;
	#batch = new Batch<Event>((events) => this.#fold(events));
	#now: () => number;
	#epoch = 0;
	/** False until it is known who is here and which conversation is open. */
	#ready = false;
	/** What was sent before that. */
	#early: Draft | undefined;
	/** What was typed before it was known who types; it goes after a kept draft. */
	#typed: Draft | undefined;

	constructor(private readonly setup: ChatSetup) {
		this.client = heed(setup.client, () => this.session.lost());
		this.#now = setup.now ?? Date.now;
		this.#shelf = new Shelf('iaa', undefined);
		this.decisions = new Decisions(this.client);
		this.undos = new Undos(this.client);
		this.inbox = new Inbox(this.client);
	}

	/** The conversation as it is shown. */
	get model(): ThreadModel {
		return this.#model;
	}

	/**
	 * Every turn on the page looks at the three values that are set here. They are kept
	 * and not derived, so that a delta does not make all of them look again.
	 */
	set model(model: ThreadModel) {
		this.#model = model;
		const last = model.turns.at(-1);
		this.busy = last?.state === 'running' || last?.state === 'sending';
		this.waiting = last?.state === 'awaiting_confirmation';
		this.lastKey = last?.key ?? '';
	}

	get context(): ChatContext {
		return this.setup.context();
	}

	/** Finds out who is here and opens the conversation that was open last. */
	async start(): Promise<void> {
		const fresh = this.description === undefined; // else it is another project, with drafts of its own
		this.#ready = false;
		this.loading = 'thread';
		this.failure = undefined;
		try {
			this.description = await this.client.capabilities();
		} catch (thrown) {
			if (isAbort(thrown)) return;
			this.failure = asAgentError(thrown);
			this.loading = 'no';
			this.#sendEarly();
			return;
		}
		void this.#loadSettings();
		const { user } = this.description;
		const scope = `iaa:${user.org}:${user.id}:${this.context.projectId}`;
		this.#shelf = new Shelf(scope, this.setup.store);
		this.begun.of(this.#shelf);
		this.#typed = fresh ? this.draft : undefined;
		const last = this.#shelf.lastThread();
		if (last) await this.open(last, true);
		else this.#openNew();
		this.#ready = true;
		this.#sendEarly();
	}

	/** Sends what was sent before the conversation was there, or gives it back. */
	#sendEarly(): void {
		const early = this.#early;
		this.#early = undefined;
		if (!early) return;
		const rest = this.draft;
		if (!this.#ready || this.failure) return this.write(joined(early, rest));
		this.write(early);
		this.send();
		this.write(rest);
	}

	async #loadSettings(): Promise<void> {
		try {
			this.settings = await this.client.settings();
		} catch {
			// Nothing here depends on them: a missing key is told by the first message too.
		}
	}

	/** Opens a conversation; one that is gone gives way to a new one when asked to. */
	async open(id: string, orNew = false): Promise<void> {
		const epoch = this.#leave();
		this.#threadId = id;
		this.loading = 'thread';
		try {
			const view = await this.client.thread(id, { limit: PAGE });
			if (epoch !== this.#epoch) return;
			this.model = fromView(view);
			if (!this.foreign) this.#shelf.keepThread(id);
			this.#restore(id);
			this.#tellWaiting();
			void this.#follow(id, this.model.cursor);
		} catch (thrown) {
			if (epoch !== this.#epoch || isAbort(thrown)) return;
			const e = asAgentError(thrown);
			if (orNew && e.code === 'not_found') return this.#openNew();
			this.failure = e;
		} finally {
			if (epoch === this.#epoch) this.loading = 'no';
		}
	}

	/** Begins an empty conversation; it exists once its first message was accepted. */
	newThread(): void {
		this.begun.setAside();
		this.#openNew();
	}

	/** Goes back to a conversation whose first message never arrived. */
	openBegun(u: Unsent): void {
		this.begun.takeBack(u);
		this.#openNew();
	}

	/** Shows the conversation that does not exist yet, with what was written for it. */
	#openNew(): void {
		this.#leave();
		this.#shelf.keepThread('');
		this.loading = 'no';
		this.#restore('');
	}

	async loadOlder(): Promise<void> {
		const { before, thread } = this.model;
		if (!before || !thread || this.loading !== 'no') return;
		const epoch = this.#epoch;
		this.loading = 'older';
		try {
			const view = await this.client.thread(thread.id, { before, limit: PAGE });
			if (epoch === this.#epoch) this.model = prepend(this.model, view);
		} catch (thrown) {
			if (epoch === this.#epoch && !isAbort(thrown)) this.failure = asAgentError(thrown);
		} finally {
			if (epoch === this.#epoch) this.loading = 'no';
		}
	}

	/** Writes the draft down as it grows. */
	write(draft: Partial<Draft>): void {
		this.draft = { ...this.draft, ...draft };
		this.#shelf.keepDraft(this.threadId, this.draft);
	}

	attach(noun: Attached): void {
		const have = this.draft.attachments;
		if (have.some((a) => a.kind === noun.kind && a.id === noun.id)) return;
		this.write({ attachments: [...have, noun] });
	}

	detach(noun: Attached): void {
		this.write({ attachments: this.draft.attachments.filter((a) => a !== noun) });
	}

	/** Sends the draft, or queues it while an answer is being written. */
	send(): void {
		if (!this.canSend || this.#early) return;
		const draft = this.draft;
		if (!this.#ready) {
			this.#early = draft;
			this.write({ text: '', attachments: [] });
			return;
		}
		const parent = this.editing && before(this.editing);
		this.editing = undefined;
		this.write({ text: '', attachments: [] });
		if (this.busy) this.queued = draft;
		else void this.#post({ ...draft, messageId: newId(), parent });
	}

	/** Sends a message that never arrived again: the same one, so never twice. */
	resend(turn: TurnModel): void {
		void this.#post(unsentOf(turn));
	}

	/** Forgets a message that never arrived. */
	dismiss(turn: TurnModel): void {
		this.model = without(this.model, turn.messageId);
		this.#shelf.dropUnsent(this.threadId, turn.messageId);
	}

	/** Asks for another answer to the same message. */
	regenerate(turn: TurnModel): void {
		if (this.busy || this.foreign) return;
		void this.#post({ ...unsentOf(turn), messageId: newId(), parent: before(turn) });
	}

	/** Puts a message back into the composer; sending it branches from before it. */
	edit(turn: TurnModel | undefined = this.turns.findLast((t) => t.by === 'user')): void {
		if (!turn || this.busy || this.foreign) return;
		this.editing = turn;
		this.write(unsentOf(turn));
	}

	cancelEdit(): void {
		this.editing = undefined;
		this.write({ text: '', attachments: [] });
	}

	/** Takes the queued message back into the composer. */
	unqueue(): void {
		if (this.queued) this.write(this.queued);
		this.queued = undefined;
	}

	/** Stops the running answer on the server; what was written is kept. */
	async stop(): Promise<void> {
		const turn = this.last;
		if (!turn || turn.state === 'sending' || this.stopping) return;
		this.stopping = true;
		try {
			await this.client.cancel(turn.id);
		} catch (thrown) {
			if (!isAbort(thrown)) this.failure = asAgentError(thrown);
			this.stopping = false;
		}
	}

	/** Answers one or several previews of a turn; an accept may be for always. */
	decide(turn: TurnModel, calls: readonly CallPart[], decision: 'accept' | 'discard', always = false): Promise<void> {
		return this.decisions.decide(turn.id, calls, decision, always);
	}

	/** Gives a waiting change other arguments; true once that is taken. */
	reshape(turn: TurnModel, call: CallPart, input: unknown): Promise<boolean> {
		return this.decisions.edit(turn.id, call, input);
	}

	/** Takes an applied change back; that is a turn of its own, by hand. */
	undo(call: CallPart): void {
		if (!this.busy && !this.waiting) void this.undos.undo(call);
	}

	/** What is known of a capability here. */
	capability(name: string): CapabilityInfo | undefined {
		return this.description?.capabilities?.find((c) => c.name === name);
	}

	async feedback(turn: TurnModel, thumb: 'up' | 'down' | ''): Promise<boolean> {
		try {
			await this.client.feedback({ turnId: turn.id, thumb });
			return true;
		} catch (thrown) {
			if (!isAbort(thrown)) this.failure = asAgentError(thrown);
			return false;
		}
	}

	/** Opens the settings because a key is missing or wrong. */
	askForKey(need: KeyNeed): void {
		this.keyNeed = need;
		this.panel = 'settings';
	}

	/** A key was stored: goes on with what waited for it. */
	keyStored(): void {
		const need = this.keyNeed;
		if (!need) return;
		this.closePanel();
		const turn = this.last;
		if (need.resume === 'draft') this.send();
		else if (need.resume === 'turn' && turn?.state === 'failed') this.regenerate(turn);
	}

	/** Opens the settings at a rule, where it can be revoked. */
	showRule(id: string): void {
		this.rule = id;
		this.panel = 'settings';
	}

	/** Opens a conversation, or goes on with the open one, at a preview. */
	openAt(threadId: string, receiptId: string): void {
		this.closePanel();
		if (threadId !== this.threadId) void this.open(threadId);
		this.lookAt = receiptId;
	}

	closePanel(): void {
		this.panel = 'none';
		this.keyNeed = undefined;
		this.rule = '';
	}

	/** Somebody is signed in again: the same one goes on, another one begins with what is theirs. */
	#back(now: Description): void {
		const before = this.description?.user;
		if (before?.id !== now.user.id || before.org !== now.user.org) return void this.start();
		this.description = now;
		this.failure = undefined;
		this.#forgive(isSignedOut);
		void this.#loadSettings();
		if (this.model.thread || this.turns.length > 0) {
			if (this.threadId) void this.#follow(this.threadId, this.model.cursor);
		} else if (this.threadId) void this.open(this.threadId);
		const held = this.turns.find((t) => t.state === 'refused' && t.failure?.code === 'unauthenticated');
		if (held) this.resend(held);
	}

	/** What failed for something that is over is not shown any longer. */
	#forgive(over: (e: AgentError) => boolean): void {
		this.decisions.forgive(over);
		this.undos.forgive(over);
		if (this.failure && over(this.failure) && this.turns.length > 0) this.failure = undefined;
	}

	/** Lets go of every connection and timer. */
	destroy(): void {
		this.#leave();
	}

	#leave(): number {
		this.#watch?.abort();
		this.#batch.drop();
		this.decisions.clear();
		this.undos.clear();
		this.model = EMPTY;
		this.announcement = '';
		this.#threadId = '';
		this.queued = undefined;
		this.editing = undefined;
		this.failure = undefined;
		this.stopping = false;
		this.lookAt = '';
		return ++this.#epoch;
	}

	#restore(thread: string): void {
		const typed = this.#typed;
		this.#typed = undefined;
		this.draft = this.#shelf.draft(thread);
		if (typed?.text || typed?.attachments.length) this.write(joined(this.draft, typed));
		const lost = new AgentError('unavailable', '', { status: 0 });
		for (const u of this.#shelf.unsent(thread)) {
			if (this.turns.some((t) => t.messageId === u.messageId)) continue;
			this.model = refused(withSending(this.model, u, this.#now()), u.messageId, lost);
		}
	}

	async #post(u: Unsent): Promise<void> {
		const epoch = this.#epoch;
		const thread = this.threadId;
		this.failure = undefined;
		this.model = withSending(this.model, u, this.#now());
		this.#shelf.keepUnsent(thread, u);
		try {
			const turn = await this.client.send(requestOf(u, thread, this.context));
			this.#shelf.dropUnsent(thread, u.messageId);
			this.begun.arrived(u);
			if (epoch !== this.#epoch) return;
			this.model = accepted(this.model, turn);
			if (!thread) this.#begun(turn.threadId);
		} catch (thrown) {
			if (epoch !== this.#epoch || isAbort(thrown)) return;
			this.#refuse(u, asAgentError(thrown));
		}
	}

	/** The first message made the conversation: watch it from its start. */
	#begun(thread: string): void {
		this.#threadId = thread;
		this.#shelf.keepThread(thread);
		this.#shelf.keepDraft('', { text: '', attachments: [] });
		void this.#follow(thread, '');
	}

	#refuse(u: Unsent, e: AgentError): void {
		const thread = this.threadId;
		if (!e.unreachable && !isSignedOut(e)) this.#shelf.dropUnsent(thread, u.messageId);
		if (e.code === 'turn_in_progress' && !this.queued) {
			// Another tab was first: this message is sent when that answer is finished.
			this.model = without(this.model, u.messageId);
			this.queued = { text: u.text, attachments: u.attachments };
			return;
		}
		const { code, provider = '', keyId } = e;
		if (wantsOwnKey(code, e.keySource)) {
			this.model = without(this.model, u.messageId);
			if (this.draft.text === '') this.write({ text: u.text, attachments: u.attachments });
			this.askForKey({ code, provider, keyId, resume: 'draft' });
			return;
		}
		this.model = refused(this.model, u.messageId, e);
		this.announcement = this.setup.strings().announce.failed;
	}

	/** Watches a conversation until another one is opened. */
	async #follow(thread: string, cursor: string): Promise<void> {
		this.#watch?.abort();
		const watch = new AbortController();
		this.#watch = watch;
		const { signal } = watch;
		const user = this.description?.user;
		try {
			const stream = this.client.watchThread(thread, cursor, {
				signal,
				share: user ? `${user.org}:${user.id}` : undefined,
				idle: () => !this.busy,
				onLine: (line) => this.#lineIs(line, signal)
			});
			for await (const event of stream) {
				if (signal.aborted) return;
				this.#batch.add(event);
			}
			this.#batch.now();
		} catch (thrown) {
			if (signal.aborted || isAbort(thrown)) return;
			this.#batch.now();
			this.failure = asAgentError(thrown);
		}
	}

	#lineIs(line: Line, signal: AbortSignal): void {
		if (signal.aborted) return;
		const back = this.line.state === 'offline' || this.line.state === 'reconnecting';
		this.line = line;
		if (!back || (line.state !== 'live' && line.state !== 'shared')) return;
		this.#forgive((e) => e.unreachable);
		// The line is back: a message that never arrived is sent again, as the same one.
		const lost = this.turns.find((t) => t.state === 'refused' && t.failure?.status === 0);
		if (lost) this.resend(lost);
	}

	#fold(events: Event[]): void {
		let model = this.model;
		for (const event of events) model = fold(model, event);
		this.model = model;
		for (const event of events) this.#notice(event);
	}

	/** A change that waited before one came is told as one that comes. */
	#tellWaiting(): void {
		const [first] = this.review.open;
		const preview = first && openPreview(first);
		if (preview) this.announcement = this.setup.strings().announce.waiting(preview.summary);
	}

	/** What follows from an event beside what it shows; only of what is live. */
	#notice(event: Event): void {
		const words = this.setup.strings().announce;
		switch (event.kind) {
			case 'turn.started':
				if ((event as EventOf<'turn.started'>).data.by !== 'hand') this.announcement = words.started;
				this.stopping = false;
				break;
			case 'preview':
				// Nobody is asked for what a rule has accepted already.
				if (!this.waiting) break;
				this.announcement = words.waiting(visible((event as EventOf<'preview'>).data.summary));
				break;
			case 'decision':
				if ((event as EventOf<'decision'>).data.by === RULE) this.announcement = words.byRule;
				break;
			case 'capability.done':
				for (const made of appliedBy(this.turns, event as EventOf<'capability.done'>)) this.setup.onapplied?.(made);
				break;
			case 'turn.completed':
			case 'turn.failed':
			case 'turn.canceled':
				this.#ended(event as EventOf<'turn.failed'>);
				break;
			case 'thread.changed':
				if (this.model.deleted) this.newThread();
				break;
		}
	}

	#ended(event: Event): void {
		const words = this.setup.strings().announce;
		this.stopping = false;
		if (event.kind === 'turn.completed') this.announcement = byHand(this.turns, event, words) ?? words.finished;
		else if (event.kind === 'turn.canceled') this.announcement = words.stopped;
		else {
			this.announcement = words.failed;
			const { code, provider = '', keyId } = (event as EventOf<'turn.failed'>).data;
			// Who is writing goes on: the turn offers the way to the settings too.
			if (this.draft.text === '' && wantsOwnKey(code, this.last?.keySource)) {
				this.askForKey({ code, provider, keyId, resume: 'turn' });
				return;
			}
		}
		const next = this.queued;
		if (!next || this.busy) return;
		this.queued = undefined;
		void this.#post({ ...next, messageId: newId() });
	}
}
