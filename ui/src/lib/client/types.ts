import type {
	ApprovalPage,
	AuditEntryPage,
	BudgetList,
	CacheReport,
	ChatRequest,
	ConfirmAnswer,
	DecisionRequest,
	Description,
	Event,
	FeedbackNote,
	KeyBody,
	KeyInfo,
	KeyTest,
	OrgPolicy,
	PermissionPage,
	PolicyChange,
	RedactionPreview,
	Reminder,
	ReminderEdit,
	ReminderHistory,
	SettingsView,
	StoredKey,
	Thread,
	ThreadPage,
	ThreadPatch,
	ThreadView,
	Transparency,
	Turn,
	UsageReport,
	UserSettings
} from '../protocol.gen.js';
import type { Position } from './sequence.js';

/** How a stream is doing. */
export type Line =
	| { state: 'connecting' }
	| { state: 'live' }
	| { state: 'reconnecting'; attempt: number; waitMs: number }
	| { state: 'offline' }
	/** Something between page and server holds the stream back; via names it where known. */
	| { state: 'held'; via?: string }
	/** Another tab of this browser holds the connection and shares it. */
	| { state: 'shared' }
	/** The page is hidden and nothing runs: no connection is held. */
	| { state: 'resting' };

/** Options of a call. */
export interface CallOptions {
	signal?: AbortSignal;
}

/** Options of a stream. */
export interface StreamOptions extends CallOptions {
	/** Told each time the state of the line changes. */
	onLine?: (line: Line) => void;
}

/** Options of a thread's stream. */
export interface WatchOptions extends StreamOptions {
	/**
	 * Names whose stream this is, such as a user id. Tabs with the same name and
	 * thread share one connection; without a name the stream is not shared.
	 */
	share?: string;
	/** Tells whether nothing is expected soon, so that a hidden page may let go. */
	idle?: () => boolean;
}

/** Which threads to list. */
export interface ThreadQuery {
	q?: string;
	projectId?: string;
	cursor?: string;
	archived?: boolean;
	limit?: number;
}

/** Which page of the inbox, or of the permissions. */
export interface ApprovalQuery {
	cursor?: string;
	limit?: number;
}

/** A file that the server made. */
export interface Download {
	name: string;
	mime: string;
	data: Blob;
}

/**
 * AgentClient is the port between the panel and whatever runs the agent: a server
 * over HTTP, or a local process. Every method throws AgentError and nothing else,
 * but an AbortError where its signal was aborted.
 *
 * Streams reconnect by themselves; they yield every event once, in order and
 * without gaps. A turn's stream ends after its terminal event and never before;
 * a thread's stream ends when its signal is aborted or the thread is deleted.
 */
export interface AgentClient {
	/** Starts a turn and streams it. The same messageId attaches to the same turn. */
	chat(request: ChatRequest, options?: StreamOptions): AsyncIterable<Event>;
	/** Starts a turn without streaming it: for a panel that watches the thread. */
	send(request: ChatRequest, options?: CallOptions): Promise<Turn>;
	turn(id: string, options?: CallOptions): Promise<Turn>;
	/** Streams a turn after a place; the default is its start. */
	attach(turnId: string, after?: Position, options?: StreamOptions): AsyncIterable<Event>;
	/** Streams every turn of a thread after a cursor ("" is the start), and thread.changed. */
	watchThread(threadId: string, after: string, options?: WatchOptions): AsyncIterable<Event>;
	/** Stops a turn; an ended one stays as it is. */
	cancel(turnId: string, options?: CallOptions): Promise<void>;
	/**
	 * Answers previews. The answer says what became of each, with code set where
	 * another answer was taken before.
	 */
	confirm(request: DecisionRequest, options?: CallOptions): Promise<ConfirmAnswer>;
	/**
	 * Takes an applied change back and gives the turn by hand that does so, as soon as
	 * it is accepted; how it went is told on the stream. Never sent twice by itself.
	 */
	undo(callId: string, options?: CallOptions): Promise<Turn>;

	threads(query?: ThreadQuery, options?: CallOptions): Promise<ThreadPage>;
	thread(
		id: string,
		page?: { before?: string; limit?: number },
		options?: CallOptions
	): Promise<ThreadView>;
	patchThread(id: string, patch: ThreadPatch, options?: CallOptions): Promise<Thread>;
	deleteThread(id: string, options?: CallOptions): Promise<void>;
	exportThread(id: string, format: 'md' | 'json', options?: CallOptions): Promise<Download>;
	/** What the provider's prompt cache did in a conversation, and what kept it from more. */
	threadCache(
		id: string,
		page?: { before?: string; limit?: number },
		options?: CallOptions
	): Promise<CacheReport>;

	/** Every preview that waits for the caller, in all threads, newest first. */
	approvals(query?: ApprovalQuery, options?: CallOptions): Promise<ApprovalPage>;
	/** What the caller had remembered as "always allow", newest first. */
	permissions(query?: ApprovalQuery, options?: CallOptions): Promise<PermissionPage>;
	/** Ends one at once, also for turns that run. */
	revokePermission(id: string, options?: CallOptions): Promise<void>;
	capabilities(options?: CallOptions): Promise<Description>;
	listKeys(options?: CallOptions): Promise<KeyInfo[]>;
	setKey(key: KeyBody, options?: CallOptions): Promise<StoredKey>;
	rotateKey(id: string, key: string, options?: CallOptions): Promise<StoredKey>;
	revokeKey(id: string, options?: CallOptions): Promise<void>;
	testKey(id: string, options?: CallOptions): Promise<KeyTest>;
	settings(options?: CallOptions): Promise<SettingsView>;
	putSettings(settings: UserSettings, options?: CallOptions): Promise<SettingsView>;
	/** Gives a reminder file of the org; version is one of its history, absent the newest. */
	reminder(file: string, version?: number, options?: CallOptions): Promise<Reminder>;
	/** Stores a text that was made from a version; another version since is a conflict. */
	putReminder(file: string, edit: ReminderEdit, options?: CallOptions): Promise<Reminder>;
	/** Lists the versions of a file, newest first; with `to` it adds the difference of two. */
	reminderHistory(
		file: string,
		query?: { before?: number; limit?: number; from?: number; to?: number },
		options?: CallOptions
	): Promise<ReminderHistory>;
	/** What the caller used in a month such as 2026-01, and how far budgets are used. */
	usage(month?: string, options?: CallOptions): Promise<UsageReport>;
	/** What left the machine on behalf of a conversation. */
	transparency(threadId: string, options?: CallOptions): Promise<Transparency>;
	/** The same of the whole org, to its admins. */
	adminUsage(month?: string, options?: CallOptions): Promise<UsageReport>;
	budgets(options?: CallOptions): Promise<BudgetList>;
	/** Replaces the budgets of the org; to its admins. */
	putBudgets(budgets: BudgetList, options?: CallOptions): Promise<BudgetList>;
	policy(options?: CallOptions): Promise<OrgPolicy>;
	/** Changes members of the org's policy, based on the version that was read. */
	putPolicy(change: PolicyChange, options?: CallOptions): Promise<OrgPolicy>;
	/** The audit log of the org, newest first. */
	audit(query?: ApprovalQuery, options?: CallOptions): Promise<AuditEntryPage>;
	/** All of it as a file, oldest row first, with an anchor as its last line. */
	exportAudit(options?: CallOptions): Promise<Download>;
	/** Shows a text as a provider would see it; nothing is stored and nothing leaves. */
	previewRedaction(text: string, options?: CallOptions): Promise<RedactionPreview>;
	feedback(note: FeedbackNote, options?: CallOptions): Promise<void>;
	/** Gives the bytes of a stored artifact, at most 8 MiB. */
	artifact(callId: string, digest: string, options?: CallOptions): Promise<Blob>;
}
