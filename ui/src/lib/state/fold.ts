import { cursorOf } from '../client/cursor.js';
import { isKnown, type Event, type KnownEvent, type ThreadView, type Turn } from '../protocol.gen.js';
import { foldCall, foldDone, foldDecision, foldPreview, foldProgress, closeCalls } from './fold-call.js';
import { markUndo } from './fold-undo.js';
import { appendText, noticeOf, replaceBlocks, voidSince } from './fold-text.js';
import { EMPTY, type CastState, type ThreadModel, type Totals, type TurnModel } from './model.js';

/**
 * Folds one event into a conversation: pure, and the same for history and for what
 * is live. Unknown kinds only move the cursor. Turns and parts that an event does
 * not touch keep their identity, so that nothing of them is drawn again.
 */
export function fold(state: ThreadModel, event: Event): ThreadModel {
	const cursor = cursorOf(event);
	if (!isKnown(event)) return { ...state, cursor };
	if (event.kind === 'thread.changed') return changed(state, event);
	const turns =
		event.kind === 'turn.started'
			? started(state.turns, event)
			: touch(state.turns, event.turn, (turn) => foldTurn(turn, event));
	const turn = turns.at(-1);
	const byHand = turn?.by === 'hand' && turn.id === event.turn;
	return { ...state, turns: byHand ? markUndo(turns, turn) : turns, cursor };
}

/** Makes the conversation of a page of the server. */
export function fromView(view: ThreadView): ThreadModel {
	let state: ThreadModel = { ...EMPTY, thread: view.thread, before: view.before || undefined };
	for (const { turn, events } of view.turns ?? []) {
		state = { ...state, turns: [...state.turns, shell(turn)] };
		for (const event of events ?? []) state = fold(state, event);
		state = { ...state, turns: touch(state.turns, turn.id, (t) => settle(t, turn)) };
	}
	return { ...state, cursor: view.cursor };
}

/** Puts an older page before the turns that are shown. */
export function prepend(state: ThreadModel, older: ThreadView): ThreadModel {
	const have = new Set(state.turns.map((t) => t.id));
	const page = fromView(older);
	const turns = [...page.turns.filter((t) => !have.has(t.id)), ...state.turns];
	return {
		...state,
		turns: state.turns.filter((t) => t.by === 'hand').reduce(markUndo, turns),
		before: page.before
	};
}

/** The turn as its row tells it, before any event. */
export function shell(turn: Turn): TurnModel {
	return {
		id: turn.id,
		key: turn.messageId || turn.id,
		messageId: turn.messageId,
		parent: turn.parentTurnId,
		index: turn.turnIndex,
		by: turn.by,
		message: turn.message,
		state: turn.state,
		model: turn.model,
		provider: turn.provider,
		keySource: turn.keySource,
		startedAt: turn.createdAt,
		endedAt: turn.endedAt,
		run: turn.run,
		lastSeq: 0,
		parts: [],
		cast: [],
		suggestions: []
	};
}

/** Takes from the row what events, compacted or cut, may not have told. */
function settle(turn: TurnModel, row: Turn): TurnModel {
	if (turn.failure || row.state !== 'failed') return { ...turn, state: row.state };
	const code = row.errorCode ?? 'internal';
	return { ...turn, state: 'failed', failure: { code, message: '', recoverable: false } };
}

type Of<K extends KnownEvent['kind']> = Extract<KnownEvent, { kind: K }>;

function changed(state: ThreadModel, { data }: Of<'thread.changed'>): ThreadModel {
	if (data.deleted) return { ...state, deleted: true };
	if (!state.thread) return state;
	return { ...state, thread: { ...state.thread, title: data.title, head: data.head } };
}

/**
 * A turn begins. The optimistic turn with the same message id becomes it; a turn
 * that follows an earlier one than the last is a branch, and what came after its
 * parent leaves the path.
 */
function started(turns: readonly TurnModel[], event: Of<'turn.started'>): readonly TurnModel[] {
	const { data } = event;
	const old = turns.find((t) => t.id === event.turn || isDraftOf(t, data.messageId));
	const turn: TurnModel = {
		id: event.turn,
		key: old?.key ?? (data.messageId || event.turn),
		messageId: data.messageId,
		parent: data.parentTurnId || undefined,
		index: data.turnIndex,
		by: data.by,
		message: data.message,
		state: 'running',
		model: data.model,
		provider: data.provider,
		keySource: data.keySource,
		startedAt: event.at,
		run: event.run,
		lastSeq: event.seq,
		parts: [],
		cast: [],
		suggestions: []
	};
	if (old) return turns.map((t) => (t === old ? turn : t));
	const parent = turn.parent ? turns.findIndex((t) => t.id === turn.parent) : -1;
	const branches = parent >= 0 || turn.index === 0; // the first of a thread begins it anew
	const kept = branches ? turns.filter((t, i) => i <= parent || isUnsent(t)) : turns;
	const at = kept.findIndex(isUnsent);
	return at < 0 ? [...kept, turn] : [...kept.slice(0, at), turn, ...kept.slice(at)];
}

/** True for a turn that only this page knows. */
export const isUnsent = (t: TurnModel): boolean => t.state === 'sending' || t.state === 'refused';
const isDraftOf = (t: TurnModel, messageId: string) => messageId !== '' && t.messageId === messageId;

function foldTurn(turn: TurnModel, event: KnownEvent): TurnModel {
	const next = { ...turn, run: event.run, lastSeq: event.seq };
	switch (event.kind) {
		case 'text.delta':
			return { ...next, parts: appendText(turn.parts, 'text', event) };
		case 'reasoning.delta':
			return { ...next, parts: appendText(turn.parts, 'reasoning', event) };
		case 'capability.started':
			return { ...next, parts: foldCall(turn.parts, event) };
		case 'capability.progress':
			return { ...next, parts: foldProgress(turn.parts, event) };
		case 'capability.done':
			return { ...next, parts: foldDone(turn.parts, event) };
		case 'preview':
			return { ...next, state: 'awaiting_confirmation', parts: foldPreview(turn.parts, event) };
		case 'decision':
			return decided({ ...next, parts: foldDecision(turn.parts, event) });
		case 'step.restarted':
			return { ...next, state: 'running', parts: voidSince(turn.parts, event) };
		case 'cast':
			return { ...next, cast: casting(turn.cast, event.data) };
		case 'usage':
			return { ...next, usage: sum(turn.usage, event.data) };
		case 'budget.warned':
			return { ...next, parts: [...turn.parts, noticeOf(event, 'budget', event.data.message)] };
		case 'context.compacted':
			return { ...next, parts: [...turn.parts, noticeOf(event, 'compacted', '', event.data.turns)] };
		case 'suggestions':
			return { ...next, suggestions: event.data.items ?? [] };
		case 'turn.completed':
			return {
				...ended(next, event.at),
				state: 'completed',
				latencyMs: event.data.latencyMs,
				parts: closeCalls(replaceBlocks(turn.parts, event))
			};
		case 'turn.failed':
			return {
				...ended(next, event.at),
				state: 'failed',
				failure: event.data,
				parts: closeCalls(turn.parts)
			};
		case 'turn.canceled':
			return {
				...ended(next, event.at),
				state: 'canceled',
				canceled: event.data,
				parts: closeCalls(turn.parts, true)
			};
		default:
			return next;
	}
}

const ended = (turn: TurnModel, at: number): TurnModel => ({ ...turn, endedAt: at, cast: [] });

/** After a decision the turn waits only while another preview is open. */
function decided(turn: TurnModel): TurnModel {
	if (turn.state !== 'awaiting_confirmation') return turn;
	const waits = turn.parts.some((p) => p.type === 'call' && p.status === 'waiting');
	return waits ? turn : { ...turn, state: 'running' };
}

function casting(cast: readonly CastState[], data: CastState): readonly CastState[] {
	const rest = cast.filter((c) => c.character !== data.character);
	return data.active ? [...rest, data] : rest;
}

function sum(total: Totals | undefined, more: Omit<Totals, 'calls'>): Totals {
	const add = (a: number | null | undefined, b: number | null) =>
		a == null && b == null ? null : (a ?? 0) + (b ?? 0);
	return {
		calls: (total?.calls ?? 0) + 1,
		tokensIn: add(total?.tokensIn, more.tokensIn),
		tokensOut: add(total?.tokensOut, more.tokensOut),
		cacheReadTokens: add(total?.cacheReadTokens, more.cacheReadTokens),
		cacheCreationTokens: add(total?.cacheCreationTokens, more.cacheCreationTokens),
		// A cost that leaves a call out would be taken for the whole.
		costUsd: total?.costUsd === null || more.costUsd === null ? null : (total?.costUsd ?? 0) + more.costUsd
	};
}

/** Changes one turn and keeps all others as they are. */
export function touch(
	turns: readonly TurnModel[],
	id: string,
	change: (turn: TurnModel) => TurnModel
): readonly TurnModel[] {
	// The turn that an event is about is nearly always the last.
	const at = turns.findLastIndex((t) => t.id === id);
	const turn = turns[at];
	if (!turn) return turns;
	const next = turns.slice();
	next[at] = change(turn);
	return next;
}
