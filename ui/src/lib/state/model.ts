import type {
	Artifact,
	Code,
	Display,
	EffectState,
	Kind,
	KeySource,
	Message,
	PermissionScope,
	ResultError,
	Suggestion,
	Thread,
	TurnFailedData,
	TurnState,
	UsageReported,
	Verdict
} from '../protocol.gen.js';

/** How far a text had grown at a seq: a list from new to old that costs nothing to append to. */
export interface Mark {
	readonly seq: number;
	readonly length: number;
	readonly before?: Mark;
}

/** One run of text between two other things. */
interface Prose<T extends string> {
	readonly type: T;
	readonly key: string;
	readonly block: number;
	readonly from: number;
	readonly text: string;
	readonly marks?: Mark;
}

export type TextPart = Prose<'text'>;
export type ReasoningPart = Prose<'reasoning'>;

/** Who decided where a remembered "always allow" did. */
export const RULE = 'rule';

/** One preview of a call; a stale one stays, with the next after it. */
export interface PreviewModel {
	readonly receiptId: string;
	readonly summary: string;
	readonly artifacts: readonly Artifact[];
	readonly expiresAt: number;
	/** What its accept would allow from then on; absent where it may not be remembered. */
	readonly scope?: PermissionScope;
	readonly verdict?: Verdict;
	readonly by?: string;
	readonly reason?: string;
	/** The rule that accepted it, with by "rule". */
	readonly permissionId?: string;
	/** The rule that its accept made. */
	readonly rememberedId?: string;
	/** True when the turn ended under it, so that it cannot be answered any more. */
	readonly closed?: boolean;
}

/** Where a call stands, in the words of its card. */
export type CallStatus =
	| 'running'
	| 'waiting'
	| 'applying'
	| 'done'
	| 'applied'
	| 'discarded'
	/** Its user gave other arguments: another call goes on in its place. */
	| 'edited'
	| 'failed'
	| 'unknown'
	| 'stopped';

/** How taking an applied change back goes, as a turn by hand tells it. */
export interface UndoMark {
	readonly state: 'running' | 'undone' | 'failed' | 'unknown';
	readonly error?: { readonly code: Code; readonly message: string };
}

/** One capability call with its previews. */
export interface CallPart {
	readonly type: 'call';
	readonly key: string;
	readonly from: number;
	readonly callId: string;
	/** The call that this one was edited from, or takes back. */
	readonly parent?: string;
	readonly name: string;
	readonly title: string;
	readonly kind?: Kind;
	readonly input?: unknown;
	readonly status: CallStatus;
	readonly startedAt: number;
	readonly fraction?: number;
	readonly message?: string;
	readonly output?: unknown;
	readonly error?: ResultError;
	readonly state?: EffectState;
	readonly durationMs?: number;
	readonly display?: Display;
	readonly previews: readonly PreviewModel[];
	/** Until when an applied change can be taken back. */
	readonly undoUntil?: number;
	readonly undo?: UndoMark;
}

/**
 * A line of ours between the parts: the step was asked again, earlier turns are read
 * in a shorter form from here on, or a budget came to the mark at which one is told.
 */
export interface NoticePart {
	readonly type: 'notice';
	readonly key: string;
	readonly from: number;
	readonly notice: 'restarted' | 'compacted' | 'budget';
	/** The server's own words, where it has some. */
	readonly reason: string;
	/** How many turns are read in a shorter form; 0 where only results of this one are. */
	readonly turns?: number;
}

export type Part = TextPart | ReasoningPart | CallPart | NoticePart;

/** What is said about a character while it works. */
export interface CastState {
	readonly character: string;
	readonly active: boolean;
	readonly caption?: string;
}

/** Tokens of a turn, summed; null means that a provider did not report them. */
export type Totals = Pick<
	UsageReported,
	'tokensIn' | 'tokensOut' | 'cacheReadTokens' | 'cacheCreationTokens' | 'costUsd'
> & { readonly calls: number };

/** A turn as it is shown. sending and refused exist in this page only. */
export interface TurnModel {
	readonly id: string;
	/** The client's id of the message: stable from sending on, so that nothing jumps. */
	readonly key: string;
	readonly messageId: string;
	readonly parent?: string;
	readonly index: number;
	readonly by: string;
	readonly message: Message;
	readonly state: TurnState | 'sending' | 'refused';
	readonly model: string;
	readonly provider: string;
	readonly keySource?: KeySource;
	readonly startedAt: number;
	readonly endedAt?: number;
	readonly latencyMs?: number;
	readonly run: number;
	readonly lastSeq: number;
	readonly parts: readonly Part[];
	readonly cast: readonly CastState[];
	readonly suggestions: readonly Suggestion[];
	readonly usage?: Totals;
	readonly failure?: Failure;
	readonly canceled?: { readonly by: string; readonly reason: string };
}

/** Whether an answer follows a script: a model without a key may still be a real one. */
export const isScripted = (turn: Pick<TurnModel, 'model'> | undefined): boolean => turn?.model === 'scripted';

/** Why a turn failed or a message was refused. */
export type Failure = Omit<TurnFailedData, 'code'> & { code: Code; requestId?: string };

/** A conversation as it is shown: the path of turns that ends in its head. */
export interface ThreadModel {
	readonly thread?: Thread;
	readonly turns: readonly TurnModel[];
	/** Where the stream goes on. */
	readonly cursor: string;
	/** Asks for the page of older turns. */
	readonly before?: string;
	readonly deleted?: boolean;
}

/** The empty conversation. */
export const EMPTY: ThreadModel = { turns: [], cursor: '' };
