// Written by internal/wiregen from the Go types. Do not edit: run "go generate ./internal/wiregen".

/** The number of the event stream; a client refuses another one. */
export const PROTOCOL_VERSION = 1;

/** EventKind names what happened, noun first. */
export type EventKind =
	| "context.compacted"
	| "turn.started"
	| "text.delta"
	| "reasoning.delta"
	| "capability.started"
	| "capability.progress"
	| "capability.done"
	| "preview"
	| "decision"
	| "step.restarted"
	| "cast"
	| "usage"
	| "budget.warned"
	| "suggestions"
	| "turn.completed"
	| "turn.failed"
	| "turn.canceled"
	| "thread.changed"
	| (string & {});

/** Code classifies an error for programs. The list is closed: a test compares it with the TypeScript union and with the sentences the UI shows. */
export type Code =
	| "invalid_request"
	| "unauthenticated"
	| "key_required"
	| "key_invalid"
	| "forbidden"
	| "policy_denied"
	| "not_found"
	| "conflict"
	| "turn_in_progress"
	| "stale_preview"
	| "stale_undo"
	| "gone"
	| "too_large"
	| "unsupported_media_type"
	| "invalid_input"
	| "rate_limited"
	| "budget_exceeded"
	| "internal"
	| "provider_error"
	| "overloaded"
	| "unavailable"
	| "storage_busy"
	| "org_state_stale"
	| "timeout"
	| "storage_full"
	| "interrupted"
	| "outcome_unknown"
	| "tool_error"
	| "preview_missing"
	| "not_executed"
	| "superseded";

/** TurnStarted is always the first event of a turn. */
export interface TurnStarted {
	model: string;
	provider: string;
	keySource: KeySource;
	capabilities: string[] | null;
	/** "user" or "hand" */
	by: string;
	message: Message;
	messageId: string;
	parentTurnId?: TurnID;
	turnIndex: number;
}

/** KeySource says whose key paid for a turn. */
export type KeySource =
	| "none"
	| "org"
	| "user-byok"
	| "user-byok-local";

/** Message is what the user said: text of at most 200 KiB and the nouns attached. */
export interface Message {
	text: string;
	attachments?: Noun[];
}

/** Noun is a thing of the host app that the user can attach. A client sends kind and id only; title, content and version are the host's (Host.ResolveNoun). */
export interface Noun {
	kind: string;
	id: string;
	title?: string;
	version?: string;
}

/** TurnID names one message and all that follows it (A2A: task). */
export type TurnID = string;

/** TextDelta is more text of a block: one run of text between two other things, numbered from 0 through the whole turn. */
export interface TextDelta {
	block: number;
	text: string;
}

/** ReasoningDelta is more of the model's reasoning, where the provider gives it. */
export interface ReasoningDelta {
	block: number;
	text: string;
}

/** CapabilityStarted tells that a call passed the first gates or was refused by them. */
export interface CapabilityStarted {
	callId: CallID;
	/** Parent is the call that this one was edited from, or takes back. */
	parentCallId?: CallID;
	name: string;
	title: string;
	kind: Kind;
	input?: unknown;
}

/** CallID names one capability call. */
export type CallID = string;

/** Kind says what a capability does to the world. */
export type Kind =
	| "read"
	| "preview"
	| "mutate";

/** CapabilityProgress is a handler's own word on how far it is. */
export interface CapabilityProgress {
	callId: CallID;
	/** 0..1 */
	fraction?: number;
	message?: string;
}

/** CapabilityDone tells how a call, an apply or a discard ended. */
export interface CapabilityDone {
	callId: CallID;
	phase: Phase;
	ok: boolean;
	output?: unknown;
	error?: ResultError;
	/** State is set when a decision stands behind it. */
	state?: EffectState;
	/** UndoUntil is set on an applied change that can be taken back until then. */
	undoUntil?: number;
	durationMs: number;
	display?: Display;
}

/** Phase names the run of a capability that a ledger key or an event is about. */
export type Phase =
	| "handler"
	| "apply"
	| "discard"
	| "undo";

/** ResultError is a refusal or a failure that the model reads. */
export interface ResultError {
	code: Code;
	message: string;
	recoverable: boolean;
	/** Pointer is a JSON pointer into the input, where one member is at fault. */
	pointer?: string;
}

/** EffectState is what became of a decision. */
export type EffectState =
	| "applying"
	| "applied"
	| "failed"
	| "outcome_unknown"
	| "discarded"
	| "undone";

/** Display names the host view to open for a result. */
export interface Display {
	mount: string;
	props?: unknown;
	/** inline, panel or full */
	layout: string;
}

/** PreviewShown parks the turn: a change is shown and waits for its user. */
export interface PreviewShown {
	callId: CallID;
	receiptId: ReceiptID;
	name: string;
	title: string;
	input?: unknown;
	summary: string;
	artifacts: Artifact[] | null;
	expiresAt: number;
	/** Replaces names the stale receipt that this preview was made again for. */
	replaces?: ReceiptID;
	/** Scope is what would be allowed from then on if its accept is remembered, under the policy of now; absent where it may not be. */
	scope?: PermissionScope;
}

/** ReceiptID names one stored preview. */
export type ReceiptID = string;

/** Artifact is one thing to look at in a preview. Text holds the content inline; a stored one has Digest and Bytes instead. */
export interface Artifact {
	kind: ArtifactKind;
	title: string;
	path?: string;
	mime?: string;
	text?: string;
	/** sha256, hex */
	digest?: string;
	bytes?: number;
}

/** ArtifactKind says how an artifact is shown. */
export type ArtifactKind =
	| "diff"
	| "html"
	| "image"
	| "markdown"
	| "json"
	| "file"
	| (string & {});

/** PermissionScope is what a Permission that is not given yet would cover, besides its capability and project. */
export interface PermissionScope {
	/** the only ones that a preview may rest on */
	resources: string[] | null;
	/** what the arguments may be */
	limits: ArgumentLimit[] | null;
	/** how long it would act */
	days: number;
}

/** ArgumentLimit bounds one top-level argument. Exactly one of Equal, Max and Any is set; an argument without a limit must be absent. */
export interface ArgumentLimit {
	/** name of the argument */
	argument: string;
	/** canonical JSON */
	equal?: unknown;
	/** whole numbers from 0 to this */
	max?: number;
	/** whatever it is */
	any?: boolean;
}

/** Decided tells how a preview was answered, or that nobody did in time. */
export interface Decided {
	callId: CallID;
	receiptId: ReceiptID;
	decision: Verdict;
	/** user id, "system", or "rule" */
	by: string;
	reason?: string;
	/** PermissionID is the remembered permission that accepted it, with by "rule". */
	permissionId?: string;
	/** RememberedID is the permission that this accept made. */
	rememberedId?: string;
}

/** Verdict is how a preview was answered. */
export type Verdict =
	| "accepted"
	| "discarded"
	| "edited"
	| "expired"
	| "stale";

/** StepRestarted voids what the running step told since From; it is asked again. */
export interface StepRestarted {
	from: number;
	reason: string;
}

/** Cast says who is working, for the character row. */
export interface Cast {
	character: string;
	active: boolean;
	caption?: string;
}

/** UsageReported is the price of one model call; null means not reported. */
export interface UsageReported {
	model: string;
	/** "step" or "generate" */
	purpose: string;
	tokensIn: number | null;
	tokensOut: number | null;
	cacheReadTokens: number | null;
	cacheCreationTokens: number | null;
	costUsd: number | null;
}

/** BudgetWarned tells, once a month, that a budget's soft cap is reached. Nothing is refused yet. */
export interface BudgetWarned extends BudgetStanding {
	message: string;
}

/** BudgetStanding is how far a budget of a month is used. Subject names the one that it stands for, also where the budget says "*". */
export interface BudgetStanding extends Budget {
	/** such as 2026-01 */
	month: string;
	/** of calls whose price is known */
	spentNanoUsd: number;
	/** for calls that run */
	heldNanoUsd: number;
	/** of input, output and cache */
	spentTokens: number;
	/** for calls that run */
	heldTokens: number;
}

/** Budget bounds what model calls of a month may take: at a soft cap the user is told once, a hard cap is never passed. An absent cap bounds nothing; 0 allows nothing. */
export interface Budget {
	scope: BudgetScope;
	/** Subject is a user id, a thread id or a capability's name, or "*" for each of them; it is empty for the org. */
	subject: string;
	/** billionths of a US dollar, at which the user is told */
	softNanoUsd?: number;
	/** billionths of a US dollar, which are never passed */
	hardNanoUsd?: number;
	/** tokens of input, output and cache together, at which the user is told */
	softTokens?: number;
	/** those which are never passed */
	hardTokens?: number;
}

/** BudgetScope says what a budget bounds, each for a calendar month (UTC). */
export type BudgetScope =
	| "org"
	| "user"
	| "thread"
	| "capability";

/** SuggestionsOffered is the host's flat map of what one may do next. */
export interface SuggestionsOffered {
	items: Suggestion[] | null;
}

/** Suggestion is a next step offered as a chip; Prefill goes into the composer. */
export interface Suggestion {
	capability: string;
	hint: string;
	prefill: string;
}

/** TurnCompleted ends a turn well. Each block of Blocks replaces its deltas. */
export interface TurnCompleted {
	/** the last block: the answer */
	text: string;
	blocks: TextBlock[] | null;
	turnIndex: number;
	latencyMs: number;
	/** CostUSD is what the turn's model calls cost; null means not known. */
	costUsd: number | null;
}

/** TextBlock is one closed block of text. */
export interface TextBlock {
	block: number;
	text: string;
}

/** TurnFailedData ends a turn with a code; partial text is kept. */
export interface TurnFailedData {
	code: Code;
	message: string;
	hint?: string;
	recoverable: boolean;
	status?: number;
	keyId?: string;
	provider?: string;
	/** KeySource says whose key it was, with key_invalid: the person's own, which Panel leads to; their org's, which an admin replaces; none, at an endpoint without a key. */
	keySource?: KeySource;
	panel?: string;
	/** RetryAfterMS is how long to wait where waiting helps, such as for a budget's month. */
	retryAfterMs?: number;
}

/** TurnCanceledData ends a turn because somebody said so; partial text is kept. */
export interface TurnCanceledData {
	by: string;
	/** "stopped", "superseded", "deleted" */
	reason: string;
}

/** ContextCompacted tells that the conversation became longer than the model can read at once, and what is sent in a shorter form from now on. Nothing is lost: the chat, its search and its export hold all of it. */
export interface ContextCompacted {
	/** Turns counts the turns, from the first, that the model reads as a digest from now on, and Through is the last of them; 0 and absent where none was added. */
	turns: number;
	throughTurnId?: TurnID;
	/** Results counts results of this turn that were cut shorter. */
	results: number;
	/** TokensBefore and TokensAfter are estimates of the request, and Window is what the model can read, all in tokens. */
	tokensBefore: number;
	tokensAfter: number;
	window: number;
}

/** ThreadChangedData tells a reader of the thread that its head line changed. */
export interface ThreadChangedData {
	title: string;
	head?: TurnID;
	deleted?: boolean;
}

/** ThreadView is a thread with the newest turns of its path, each with its events compacted, and the cursor from which the live stream goes on. */
export interface ThreadView {
	thread: Thread;
	turns: TurnView[] | null;
	cursor: string;
	/** Before, when set, asks for the page of older turns. */
	before?: TurnID;
}

/** Thread is a conversation: a tree of turns with one head. It belongs to one user of one org in one project. Times are milliseconds since the Unix epoch. */
export interface Thread {
	id: ThreadID;
	projectId: string;
	projectKind: string;
	title: string;
	head?: TurnID;
	createdAt: number;
	updatedAt: number;
	archivedAt?: number;
	/** Waiting is true while a turn of the thread waits for its user. */
	waiting?: boolean;
	/** Running is true while a turn of the thread runs. */
	running?: boolean;
}

/** ThreadID names a conversation (A2A: context). */
export type ThreadID = string;

/** TurnView is a turn with its events. */
export interface TurnView {
	turn: Turn;
	events: Event[] | null;
}

/** Turn is one message and all that follows it, to a terminal event. */
export interface Turn {
	id: TurnID;
	threadId: ThreadID;
	parentTurnId?: TurnID;
	/** depth in the tree, from 0 */
	turnIndex: number;
	/** order of starting within the thread, from 1 */
	ordinal: number;
	state: TurnState;
	/** MessageID is the client's own id of the message; a resend with it is safe. */
	messageId: string;
	/** "user", or "hand" for a call without a model step */
	by: string;
	message: Message;
	model: string;
	provider: string;
	keySource: KeySource;
	run: number;
	lastSeq: number;
	createdAt: number;
	endedAt?: number;
	/** ErrorCode is set on a failed turn. */
	errorCode?: Code;
	/** Open lists the calls that wait for their user. */
	open?: OpenCall[];
}

/** TurnState is where a turn stands. */
export type TurnState =
	| "running"
	| "awaiting_confirmation"
	| "completed"
	| "failed"
	| "canceled";

/** OpenCall is a call that waits for its user's decision. */
export interface OpenCall {
	callId: CallID;
	receiptId: ReceiptID;
	capability: string;
	summary: string;
	expiresAt: number;
}

export interface ThreadPage {
	items: Thread[] | null;
	next?: string;
}

export interface ApprovalPage {
	items: Approval[] | null;
	next?: string;
}

/** Approval is a preview that waits for its user: one line of the inbox. Times are milliseconds since the Unix epoch. */
export interface Approval {
	turnId: TurnID;
	threadId: ThreadID;
	/** what the conversation is called */
	threadTitle: string;
	projectId: string;
	projectKind: string;
	callId: CallID;
	receiptId: ReceiptID;
	capability: string;
	/** Title is the capability's, in plain words. */
	title: string;
	summary: string;
	/** Artifacts are the preview's outline; the thread has their content. */
	artifacts: ArtifactOutline[] | null;
	createdAt: number;
	expiresAt: number;
	/** Replaces names the stale preview that this one was made again for. */
	replaces?: ReceiptID;
}

/** ArtifactOutline is an artifact without its content. */
export interface ArtifactOutline {
	kind: ArtifactKind;
	title: string;
	/** of the file, where it stands for one */
	path?: string;
	/** media type of the content */
	mime?: string;
	/** set on one that is stored apart */
	digest?: string;
	/** size of the content */
	bytes: number;
}

export interface PermissionPage {
	items: Permission[] | null;
	next?: string;
}

/** Permission is an "always allow" of a user: a capability on the resources of one accepted preview, with arguments inside its limits, until a time. The server derived all of it from the receipt. Times are milliseconds since the Unix epoch. */
export interface Permission {
	id: string;
	/** ReceiptID is the preview whose accept made it, Summary what that preview said. */
	receiptId: ReceiptID;
	summary: string;
	capability: string;
	title: string;
	projectId: string;
	projectKind: string;
	/** Resources are the only ones that a preview may rest on. */
	resources: string[] | null;
	/** what the arguments may be */
	limits: ArgumentLimit[] | null;
	createdAt: number;
	/** when it ends */
	until: number;
	/** how often it accepted a preview */
	uses: number;
	/** when it last did; absent for never */
	usedAt?: number;
	/** InForce is false while the org's policy or the user's tier does not let it act. */
	inForce: boolean;
}

/** CacheReport is what the cache doctor found in a thread, oldest model call first. */
export interface CacheReport {
	threadId: ThreadID;
	steps: CacheStep[] | null;
	/** Before, when set, asks for the page of older turns. */
	before?: TurnID;
}

/** CacheStep is a model call with what changed in its prompt since the one before. */
export interface CacheStep extends Usage {
	turnId: TurnID;
	turnIndex: number;
	/** number of the model call in its turn, from 0 */
	step: number;
	/** milliseconds since the Unix epoch */
	at: number;
	model: string;
	provider: string;
	/** Segments are the parts of the request; empty where no hashes were kept. */
	segments: Segment[] | null;
	/** Changed names the segments that are not what they were; tail is never one. */
	changed: SegmentName[] | null;
	findings: CacheFinding[] | null;
	/** RewrittenTokens is what it cost: of the tokens that the call before had in the cache, those that were not read again. Null where one of them was not reported. */
	rewrittenTokens: number | null;
}

/** Usage is what a model call used; nil means not reported, not zero. TokensIn is the input that no cache served or wrote, so the three inputs add up. */
export interface Usage {
	tokensIn: number | null;
	tokensOut: number | null;
	cacheReadTokens: number | null;
	cacheCreationTokens: number | null;
}

/** Segment is one part of a request as it was sent. */
export interface Segment {
	name: SegmentName;
	/** 16 hex digits of its sha256 */
	hash: string;
	bytes: number;
}

/** SegmentName names a part of a request, in the order in which providers hash it. */
export type SegmentName =
	| "tools"
	| "spine"
	| "reminders"
	| "history"
	| "tail";

/** CacheFinding is one thing that the cache doctor has to say about a model call. */
export interface CacheFinding {
	cause: CacheCause;
	/** Segment is the part that changed, absent where the cause is another. */
	segment?: SegmentName;
	/** Expected is true for what happens in a healthy app; the others are faults. */
	expected: boolean;
	message: string;
}

/** CacheCause says why a prompt cache was not read as far as it could be. */
export type CacheCause =
	| "first_call"
	| "no_trace"
	| "model_changed"
	| "tools_changed"
	| "tool_edited"
	| "tools_reordered"
	| "spine_changed"
	| "reminders_changed"
	| "history_compacted"
	| "history_changed"
	| "lookback"
	| "expired"
	| "too_small"
	| "missed";

/** ThreadPatch changes a thread; nil fields stay. */
export interface ThreadPatch {
	title?: string;
	archived?: boolean;
}

/** DecisionRequest answers previews of one turn. */
export interface DecisionRequest {
	turnId: TurnID;
	decisions: Decision[] | null;
}

/** Decision answers one preview. */
export interface Decision {
	callId: CallID;
	receiptId: ReceiptID;
	/** accept, discard or edit */
	decision: string;
	/** Input is the edited arguments, whole; only with edit. */
	input?: unknown;
	/** Remember, only with accept, makes a Permission of it. The server derives the scope; where policy or the preview does not allow it, nothing is decided. */
	remember?: boolean;
}

/** Description is what a caller may use here. */
export interface Description {
	app: string;
	protocol: number;
	spineHash: string;
	capabilities: CapabilityInfo[] | null;
	models: ModelInfo[] | null;
	user: UserInfo;
}

/** CapabilityInfo describes a capability to people and programs. */
export interface CapabilityInfo {
	name: string;
	title: string;
	description: string;
	kind: Kind;
	requiredTier: Tier;
	requiresConfirmation: boolean;
	shared?: boolean;
	input: unknown;
}

/** Tier is the right that a capability asks for; tiers are ordered. */
export type Tier =
	| "viewer"
	| "user"
	| "admin";

/** ModelInfo describes a model that the operator configured. */
export interface ModelInfo {
	name: string;
	provider: string;
	/** Scripted marks the keyless model, which the UI labels as such. */
	scripted?: boolean;
}

/** UserInfo is the caller as the UI shows it. */
export interface UserInfo {
	id: string;
	name: string;
	org: string;
	tier: Tier;
	billing: Billing;
}

/** Billing says who pays for an org's model calls. */
export type Billing =
	| "paying"
	| "lingering";

export interface KeyInfoPage {
	items: KeyInfo[] | null;
	next?: string;
}

/** KeyInfo is the masked metadata of a stored key. Times are milliseconds. */
export interface KeyInfo {
	id: string;
	provider: string;
	label: string;
	/** sk-ant-…••••AB12 */
	masked: string;
	lastFour: string;
	createdAt: number;
	lastUsedAt?: number;
}

/** StoredKey is a key that was stored, and how its test went. */
export interface StoredKey extends KeyInfo {
	test: KeyTest;
}

/** KeyTest is the outcome of one real model call with the real tool set. */
export interface KeyTest {
	ok: boolean;
	model: string;
	latencyMs: number;
	code?: Code;
	message?: string;
}

/** SettingsView is a user's settings with what the panel needs to offer them. */
export interface SettingsView extends UserSettings {
	/** Effective is the model that the next turn will ask. */
	effective: ModelInfo;
	models: ModelInfo[] | null;
	billing: Billing;
	/** KeyRequired is true when the next turn would end in key_required. */
	keyRequired: boolean;
	keySource: KeySource;
	/** Providers are those that take a user's own key. */
	providers: string[] | null;
	modelChoice: boolean;
}

/** UserSettings is what a user chose. */
export interface UserSettings {
	/** "" means the org's default */
	model: string;
	/** "concise" or "thorough"; "" is concise */
	responseMode: string;
}

/** Reminder is one version of a reminder file. Version 0, without text and author, is a file that nobody has written yet. */
export interface Reminder extends ReminderOrigin {
	file: ReminderFile;
	/** grows by one with each change */
	version: number;
	/** Markdown of at most 16 KiB */
	text: string;
}

/** ReminderFile names one of the three files in which an org keeps what its people said: Markdown, versioned, always in the prompt, authoritative. */
export type ReminderFile =
	| "client_profile"
	| "our_decisions"
	| "gotchas";

/** ReminderOrigin is how a version came to be. */
export interface ReminderOrigin {
	/** id of the user who wrote or accepted it */
	by?: string;
	/** what that user was called then */
	byName?: string;
	via?: ReminderVia;
	/** when, in milliseconds since the Unix epoch */
	at?: number;
}

/** ReminderVia is the way that a version took into its file. */
export type ReminderVia =
	| "seed"
	| "hand"
	| "suggestion"
	| "undo";

/** ReminderEdit is a new text for a file that was read at a version. */
export interface ReminderEdit {
	text: string;
	/** that the text was made from; 0 for a file nobody wrote yet */
	version: number;
}

/** ReminderHistory is a page of a file's history, newest first. */
export interface ReminderHistory {
	items: ReminderVersion[] | null;
	/** asks for the page of older ones */
	next?: number;
	/** where two versions were named */
	diff?: ReminderDiff;
}

/** ReminderVersion is a line of a file's history: a version without its text. */
export interface ReminderVersion extends ReminderOrigin {
	version: number;
	/** size of the text */
	bytes: number;
}

/** ReminderDiff is the difference of two versions, unified; "" where there is none. */
export interface ReminderDiff {
	/** version of the lines with -; 0 is the empty file */
	from: number;
	/** version of the lines with + */
	to: number;
	text: string;
}

/** FeedbackNote is a thumb and a note of at most 4 KiB on a turn; a later one replaces it. Thumb "" takes it back. */
export interface FeedbackNote {
	turnId: TurnID;
	thumb: string;
	note?: string;
}

/** ChatRequest starts a turn. Only projectId and one of text or messages are needed. */
export interface ChatRequest {
	/** The project of the host app that the turn works in. */
	projectId: string;
	/** Its kind, as the host names it; absent lets the host say. */
	projectKind?: string;
	/** What the user says, at most 200 KiB (204,800 bytes) of UTF-8. */
	text?: string;
	/** Of messages only the last user message is read. */
	messages?: ChatMessage[];
	/** The model to ask; absent means the user's own choice, else the org's, else the operator's. */
	model?: string;
	/** Globs of the capabilities of this turn, at most 100; absent means all, an empty list none but the shared ones. */
	tools?: string[];
	/** The conversation to go on with; absent starts another one. */
	threadId?: ThreadID;
	/** Made by the client, at most 64 characters: a resend with it is safe. */
	messageId?: string;
	/** The turn that this one follows: absent means the newest, "root" the beginning. An older one makes a branch. */
	parentTurnId?: TurnID;
	/** Things of the app that the user attached, at most 50. */
	attachments?: NounRef[];
}

/** ChatMessage is one message of the older request form. Its text is content, or the text parts, joined by line breaks. */
export interface ChatMessage {
	/** user, or another word for what is not read. */
	role: string;
	/** a string, or a list as in parts */
	content?: string;
	/** read where content is absent */
	parts?: ChatPart[];
}

/** ChatPart is a piece of a message; there are no others than text. */
export interface ChatPart {
	/** text */
	type: string;
	text: string;
}

/** NounRef names a thing of the host app; its title and content are the host's. */
export interface NounRef {
	kind: string;
	id: string;
}

/** TurnAnswer is what a chat request answers when it does not stream, and what undo answers. */
export interface TurnAnswer {
	turn: Turn;
}

/** ConfirmAnswer tells what became of each decision. */
export interface ConfirmAnswer {
	turnId: TurnID;
	results: Outcome[] | null;
	/** Set on a 409: another answer was taken before. */
	code?: Code;
}

/** Outcome is what became of one decision. Outcome is taken or stale. */
export interface Outcome {
	callId: CallID;
	receiptId: ReceiptID;
	outcome: string;
	decision?: Verdict;
	state?: EffectState;
	newReceiptId?: ReceiptID;
	/** PermissionID is what the accept made to be remembered. */
	permissionId?: string;
}

/** KeyBody stores a key. */
export interface KeyBody {
	/** An id out of providers of SettingsView, such as anthropic. */
	provider: string;
	/** A name among the user's keys of this provider, at most 64 characters; absent or "" is personal. */
	label?: string;
	/** The key itself: 8 to 512 bytes without spaces and control characters. */
	key: string;
}

/** RotateBody replaces the bytes of a key. */
export interface RotateBody {
	/** The new key: 8 to 512 bytes without spaces and control characters. */
	key: string;
}

/** UsageReport is what a month's model calls used. */
export interface UsageReport {
	/** such as 2026-01 */
	month: string;
	/** when budgets begin anew */
	renewsAt: number;
	/** of all calls */
	total: UsageSum;
	/** by model */
	models: UsageLine[] | null;
	/** how far each is used */
	budgets: BudgetStanding[] | null;
	/** Users and Capabilities are told to admins only. */
	users?: UsageLine[];
	/** by the capability that asked the model, for admins */
	capabilities?: UsageLine[];
}

/** UsageSum is what model calls used. Tokens that no provider reported are not in it. */
export interface UsageSum {
	/** model calls, failed ones too */
	calls: number;
	/** those whose price is not known: they are missing in the cost */
	unpricedCalls: number;
	/** those that ended without the provider's count: they are in it with an estimate */
	estimatedCalls: number;
	tokensIn: number;
	tokensOut: number;
	cacheReadTokens: number;
	cacheCreationTokens: number;
	/** billionths of a US dollar */
	costNanoUsd: number;
}

/** UsageLine is the sum of one user, model, capability or thread. */
export interface UsageLine extends UsageSum {
	/** its id or name */
	subject: string;
}

/** BudgetList is the budgets of an org. */
export interface BudgetList {
	items: Budget[] | null;
}

/** RedactionBody is a text to look at. */
export interface RedactionBody {
	/** The text, at most 200 KiB (204,800 bytes) of UTF-8. */
	text: string;
}

/** RedactionPreview is what a provider would get to see of a text. */
export interface RedactionPreview {
	/** with placeholders in place of what is kept */
	text: string;
	/** by kind, in the order of their names */
	found: RedactionCount[] | null;
	/** PolicyVersion is the version of the org's policy that it was made under. */
	policyVersion: number;
}

/** RedactionCount is how many details of a kind were found. */
export interface RedactionCount {
	/** one of the kinds, or the name of a pattern */
	kind: string;
	/** how often, the same value each time */
	count: number;
}

/** Transparency is what left for a thread. */
export interface Transparency {
	threadId: ThreadID;
	/** newest first */
	items: EgressLine[] | null;
}

/** EgressLine is what left this machine on behalf of a turn, to one host and for one purpose. Times are milliseconds since the Unix epoch. */
export interface EgressLine {
	/** absent where older turns are added up */
	turnId?: TurnID;
	/** with its port where that is not the scheme's own */
	host: string;
	/** such as step, for a model call of the turn */
	purpose: string;
	/** how many were sent */
	requests: number;
	/** Failures are requests without an answer, or with one that says no. */
	failures: number;
	/** bodies of requests */
	bytesOut: number;
	/** bodies of answers */
	bytesIn: number;
	/** Redactions is how many details were replaced before they left. */
	redactions: number;
	/** of the first request */
	firstAt: number;
	/** of the last request */
	at: number;
}

/** OrgPolicy is what an org's admin decided, as the engine reads it: a copy with a version. A decision is conditional on the version it was shown under. */
export interface OrgPolicy {
	/** number of the policy; it moves with every change */
	version: number;
	/** names of those that nobody in the org may use */
	disabledCapabilities: string[] | null;
	/** "" means model.default */
	defaultModel: string;
	/** whether members may choose another model */
	allowModelChoice: boolean;
	billing: Billing;
	/** Remember is the ceiling on "always allow", RememberDays how long one lasts at most, counted from when it was given. */
	remember: RememberMode;
	/** 1 to 365 */
	rememberDays: number;
	/** ResponseMode is the mode of members who chose none; "" is concise. */
	responseMode: string;
	/** Redaction says what is kept from providers. */
	redaction: RedactionPolicy;
	/** CrossClientSearch says whether staff may search the org's own sessions together with those of other clients; "" leaves it to Billing. */
	crossClientSearch: CrossClientChoice;
}

/** RememberMode is the admin's ceiling on "always allow". */
export type RememberMode =
	| "off"
	| "preview"
	| "mutate";

/** RedactionPolicy says what an org keeps from providers. The zero value keeps nothing. */
export interface RedactionPolicy {
	/** what is found and kept */
	kinds: RedactionKind[] | null;
	/** the org's own, besides */
	patterns?: RedactionPattern[];
}

/** RedactionKind is a kind of detail that a person's words may hold and that a provider need not see. */
export type RedactionKind =
	| "email"
	| "phone"
	| "card"
	| "iban"
	| "national_id"
	| "secret";

/** RedactionPattern is an org's own pattern. Its name is its kind: lower-case letters, digits and underscores, at most 24 of them, such as project_code. */
export interface RedactionPattern {
	name: string;
	/** RE2 */
	pattern: string;
}

/** CrossClientChoice is an org's word on being searched across clients. */
export type CrossClientChoice =
	| ""
	| "allowed"
	| "refused";

/** PolicyChange is what an admin wants changed, based on a version. */
export interface PolicyChange {
	/** Version is that of the policy that was read; another one now is a conflict. */
	version: number;
	/** Set holds members of OrgPolicy with their new values; the others stay. */
	set: unknown;
}

export interface AuditEntryPage {
	items: AuditEntry[] | null;
	next?: string;
}

/** AuditEntry is one row of an org's audit log. At is milliseconds since the Unix epoch. */
export interface AuditEntry {
	/** from 1, without a gap */
	seq: number;
	/** ID names the fact: the same one is recorded once, however often it is said. */
	id: string;
	/** milliseconds since the Unix epoch */
	at: number;
	/** id of the user, or operator, or outside: past the administration */
	actor: string;
	/** what was done, as noun.past */
	action: string;
	/** what it was done to */
	object: string;
	/** Detail is an object of at most 8 KiB. It never holds key bytes. */
	detail: unknown;
	/** the preview behind it */
	receiptId?: ReceiptID;
	/** Hash chains the row to the one before. */
	hash: string;
}

/** Problem is an error as it travels: RFC 9457, with our members beside its own. */
export interface Problem {
	type: string;
	title: string;
	status: number;
	code: Code;
	message: string;
	hint?: string;
	pointer?: string;
	requestId?: string;
	/** TurnID, KeyID, Provider, KeySource and Panel complete key_required and key_invalid. */
	turnId?: TurnID;
	keyId?: string;
	provider?: string;
	/** KeySource says whose key was refused; what is not the person's own has no Panel. */
	keySource?: KeySource;
	panel?: string;
}

/** The payload of each event kind that this client knows. */
export interface EventData {
	"turn.started": TurnStarted;
	"text.delta": TextDelta;
	"reasoning.delta": ReasoningDelta;
	"capability.started": CapabilityStarted;
	"capability.progress": CapabilityProgress;
	"capability.done": CapabilityDone;
	"preview": PreviewShown;
	"decision": Decided;
	"step.restarted": StepRestarted;
	"cast": Cast;
	"usage": UsageReported;
	"budget.warned": BudgetWarned;
	"suggestions": SuggestionsOffered;
	"turn.completed": TurnCompleted;
	"turn.failed": TurnFailedData;
	"turn.canceled": TurnCanceledData;
	"context.compacted": ContextCompacted;
	"thread.changed": ThreadChangedData;
}

/** A kind that this client knows. */
export type KnownKind = keyof EventData;

/** What every event has; seq starts at 1 in a turn and has no gaps. */
export interface EventFrame {
	seq: number;
	/** Set on an event that stands for several: it covers from..seq. */
	from?: number;
	run: number;
	turn: TurnID;
	thread: ThreadID;
	/** Milliseconds since the Unix epoch. */
	at: number;
}

/** One event of a kind. */
export type EventOf<K extends KnownKind> = EventFrame & { kind: K; data: EventData[K] };

/** One thing that happened in a turn: a union on kind. */
export type KnownEvent = { [K in KnownKind]: EventOf<K> }[KnownKind];

/** An event as it comes: its kind may be newer than this client, which ignores it then. */
export type Event = EventFrame & { kind: EventKind; data: unknown };

/** The kinds that this client knows. */
export const EVENT_KINDS: readonly KnownKind[] = [
	"turn.started",
	"text.delta",
	"reasoning.delta",
	"capability.started",
	"capability.progress",
	"capability.done",
	"preview",
	"decision",
	"step.restarted",
	"cast",
	"usage",
	"budget.warned",
	"suggestions",
	"turn.completed",
	"turn.failed",
	"turn.canceled",
	"context.compacted",
	"thread.changed",
];

/** The kinds that end a turn. */
export const TERMINAL_KINDS: readonly KnownKind[] = [
	"turn.completed",
	"turn.failed",
	"turn.canceled",
];

/** Narrows an event to the kinds that this client knows. */
export function isKnown(event: Event): event is KnownEvent {
	return (EVENT_KINDS as readonly string[]).includes(event.kind);
}

/** Tells whether an event ends its turn. */
export function isTerminal(event: { kind: string }): boolean {
	return (TERMINAL_KINDS as readonly string[]).includes(event.kind);
}

/** The closed list of codes with the HTTP status that carries each; 0 never is an HTTP answer. */
export const CODE_STATUS: Readonly<Record<Code, number>> = {
	invalid_request: 400,
	unauthenticated: 401,
	key_required: 402,
	key_invalid: 402,
	forbidden: 403,
	policy_denied: 403,
	not_found: 404,
	conflict: 409,
	turn_in_progress: 409,
	stale_preview: 409,
	stale_undo: 409,
	gone: 410,
	too_large: 413,
	unsupported_media_type: 415,
	invalid_input: 422,
	rate_limited: 429,
	budget_exceeded: 429,
	internal: 500,
	provider_error: 502,
	overloaded: 503,
	unavailable: 503,
	storage_busy: 503,
	org_state_stale: 503,
	timeout: 504,
	storage_full: 507,
	interrupted: 0,
	outcome_unknown: 0,
	tool_error: 0,
	preview_missing: 0,
	not_executed: 0,
	superseded: 0,
};

/** Limits of requests, all in one place. */
export const LIMITS = {
	bodyBytes: 1048576,
	messageBytes: 204800,
	attachments: 50,
	capabilities: 512,
	turnsPerUser: 4,
	eventsPerTurn: 100000,
	messageId: 64,
	whitelist: 100,
	titleBytes: 200,
	artifacts: 20,
	artifactBytes: 8388608,
	reminderBytes: 16384,
	inlineArtifactBytes: 16384,
} as const;

/** Every operation: its client method, route under the base path, and whether it streams. */
export const OPERATIONS = {
	/** Starts a turn and streams it. */
	chat: { method: "POST", path: "/chat", stream: true },
	/** Gives state, last seq and open calls of a turn. */
	turn: { method: "GET", path: "/turns/{id}", stream: false },
	/** Replays a turn after a place, then tails it. */
	attach: { method: "GET", path: "/turns/{id}/events", stream: true },
	/** Stops a turn; partial text is kept. */
	cancel: { method: "POST", path: "/turns/{id}/cancel", stream: false },
	/** Answers previews of a turn. */
	confirm: { method: "POST", path: "/confirm", stream: false },
	/** Lists and searches conversations. */
	threads: { method: "GET", path: "/threads", stream: false },
	/** Gives a conversation with its newest turns. */
	thread: { method: "GET", path: "/threads/{id}", stream: false },
	/** Renames or archives a conversation. */
	patchThread: { method: "PATCH", path: "/threads/{id}", stream: false },
	/** Deletes a conversation and all that hangs on it. */
	deleteThread: { method: "DELETE", path: "/threads/{id}", stream: false },
	/** Streams every turn of a conversation after a cursor. */
	watchThread: { method: "GET", path: "/threads/{id}/events", stream: true },
	/** Gives a conversation as a file. */
	exportThread: { method: "GET", path: "/threads/{id}/export", stream: false },
	/** Says how the provider's prompt cache was used in a conversation. */
	threadCache: { method: "GET", path: "/threads/{id}/cache", stream: false },
	/** Lists every preview that waits for the caller, newest first. */
	approvals: { method: "GET", path: "/approvals", stream: false },
	/** Lists what the caller had remembered as “always allow”, newest first. */
	permissions: { method: "GET", path: "/permissions", stream: false },
	/** Ends one at once. */
	revokePermission: { method: "DELETE", path: "/permissions/{id}", stream: false },
	/** Tells what this caller may use here. */
	capabilities: { method: "GET", path: "/capabilities", stream: false },
	/** Lists the caller's keys, masked. */
	listKeys: { method: "GET", path: "/keys", stream: false },
	/** Tests and stores a key. */
	setKey: { method: "POST", path: "/keys", stream: false },
	/** Replaces the bytes of a key. */
	rotateKey: { method: "POST", path: "/keys/{id}/rotate", stream: false },
	/** Ends a key at once. */
	revokeKey: { method: "DELETE", path: "/keys/{id}", stream: false },
	/** Makes one real call with a key. */
	testKey: { method: "POST", path: "/keys/{id}/test", stream: false },
	/** Gives settings with what can be chosen. */
	settings: { method: "GET", path: "/settings", stream: false },
	/** Stores settings. */
	putSettings: { method: "PUT", path: "/settings", stream: false },
	/** Gives a reminder file of the caller's org. */
	reminder: { method: "GET", path: "/reminders/{file}", stream: false },
	/** Stores a new version of a reminder file. */
	putReminder: { method: "PUT", path: "/reminders/{file}", stream: false },
	/** Lists the versions of a reminder file, newest first, and compares two. */
	reminderHistory: { method: "GET", path: "/reminders/{file}/history", stream: false },
	/** Keeps a thumb and a note on a turn. */
	feedback: { method: "POST", path: "/feedback", stream: false },
	/** Shows a text as a provider would see it. */
	previewRedaction: { method: "POST", path: "/redaction/preview", stream: false },
	/** Takes an applied change back, in a turn by hand. */
	undo: { method: "POST", path: "/calls/{id}/undo", stream: false },
	/** Tells what the caller's model calls of a month used, and how far the budgets of caller and org are used. */
	usage: { method: "GET", path: "/usage", stream: false },
	/** Tells what left this machine on behalf of a conversation: to which hosts, what for, how much, and how much of it was redacted. */
	transparency: { method: "GET", path: "/transparency", stream: false },
	/** Tells what the org's model calls of a month used, by model, user and capability, and how far its budgets are used. */
	adminUsage: { method: "GET", path: "/admin/usage", stream: false },
	/** Lists the budgets of the org. */
	budgets: { method: "GET", path: "/admin/budgets", stream: false },
	/** Replaces the budgets of the org. */
	putBudgets: { method: "PUT", path: "/admin/budgets", stream: false },
	/** Gives a stored artifact of a preview. */
	artifact: { method: "GET", path: "/calls/{id}/artifacts/{digest}", stream: false },
	/** Gives the policy of the org, to its admins. */
	policy: { method: "GET", path: "/admin/policy", stream: false },
	/** Changes the policy of the org. */
	putPolicy: { method: "PUT", path: "/admin/policy", stream: false },
	/** Lists the audit log of the org, newest first. */
	audit: { method: "GET", path: "/admin/audit", stream: false },
	/** Gives the whole audit log of the org as a file, oldest row first. */
	exportAudit: { method: "GET", path: "/admin/audit/export", stream: false },
} as const;

/** The name of an operation. */
export type Operation = keyof typeof OPERATIONS;
