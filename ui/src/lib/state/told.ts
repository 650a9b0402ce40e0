import type { Event, EventOf } from '../protocol.gen.js';
import type { Strings } from '../strings/en.js';
import type { TurnModel } from './model.js';
import type { Applied } from './setup.js';

/** What a host is told of a call that ended, if it changed anything. */
export function appliedBy(turns: readonly TurnModel[], { data, turn }: EventOf<'capability.done'>): Applied[] {
	if (data.state !== 'applied' && data.state !== 'undone') return [];
	const parts = turns.find((t) => t.id === turn)?.parts ?? [];
	const call = parts.find((p) => p.type === 'call' && p.callId === data.callId);
	const { name = '', parent = undefined } = call?.type === 'call' ? call : {};
	const { callId, state, output, display } = data;
	if (state === 'applied') return [{ callId, capability: name, output, display }];
	return [{ callId: parent ?? callId, capability: name, output, display, undone: true }];
}

/** What is said at the end of a turn by hand. */
export function byHand(turns: readonly TurnModel[], { turn: id }: Event, words: Strings['announce']): string | undefined {
	const turn = turns.findLast((t) => t.id === id);
	const call = turn?.by === 'hand' && turn.parts.find((p) => p.type === 'call');
	if (!call) return undefined;
	return call.status === 'done' ? words.undone : words.notUndone;
}
