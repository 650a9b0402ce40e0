import type { CallPart, TurnModel, UndoMark } from './model.js';

/**
 * Marks the changes that a turn by hand takes back with how that goes, wherever in
 * the conversation they stand. What is not on the page is marked once it is loaded.
 */
export function markUndo(turns: readonly TurnModel[], hand: TurnModel): readonly TurnModel[] {
	let next = turns;
	for (const back of hand.parts) {
		if (back.type !== 'call' || !back.parent) continue;
		const at = next.findLastIndex((t) => t !== hand && callAt(t, back.parent) >= 0);
		const turn = next[at];
		if (!turn) continue;
		const parts = turn.parts.slice();
		const place = callAt(turn, back.parent);
		parts[place] = { ...(parts[place] as CallPart), undo: markOf(back, hand) };
		next = next.with(at, { ...turn, parts });
	}
	return next;
}

function callAt(turn: TurnModel, callId: string | undefined): number {
	return turn.parts.findIndex((p) => p.type === 'call' && p.callId === callId);
}

function markOf(back: CallPart, hand: TurnModel): UndoMark {
	switch (back.status) {
		case 'done':
			return { state: 'undone' };
		case 'unknown':
			return { state: 'unknown', error: back.error };
		case 'failed':
			return { state: 'failed', error: back.error };
		case 'stopped':
			return { state: 'failed', error: hand.failure };
		default:
			return { state: 'running' };
	}
}
