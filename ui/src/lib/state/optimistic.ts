import type { AgentError } from '../client/error.js';
import type { Turn } from '../protocol.gen.js';
import { isUnsent } from './fold.js';
import type { Failure, ThreadModel, TurnModel } from './model.js';
import type { Unsent } from './storage.js';

/** As a parent: the beginning of the thread, before its first turn. */
export const ROOT = 'root';

/** The turn of a message that is on its way. */
export function sending(u: Unsent, index: number, now: number): TurnModel {
	return {
		id: `local_${u.messageId}`,
		key: u.messageId,
		messageId: u.messageId,
		parent: u.parent,
		index,
		by: 'user',
		message: { text: u.text, attachments: u.attachments },
		state: 'sending',
		model: '',
		provider: '',
		startedAt: now,
		run: 0,
		lastSeq: 0,
		parts: [],
		cast: [],
		suggestions: []
	};
}

/** Puts a message at the end, or after the turn that it branches from. */
export function withSending(state: ThreadModel, u: Unsent, now: number): ThreadModel {
	const rest = state.turns.filter((t) => t.messageId !== u.messageId);
	const at = u.parent ? rest.findIndex((t) => t.id === u.parent) : -1;
	const path = at >= 0 || u.parent === ROOT ? rest.slice(0, at + 1) : rest;
	return { ...state, turns: [...path, sending(u, (path.at(-1)?.index ?? -1) + 1, now)] };
}

/** The server accepted a message; its stream may have told so already. */
export function accepted(state: ThreadModel, turn: Turn): ThreadModel {
	const turns = state.turns.map((t) =>
		t.messageId === turn.messageId && isUnsent(t)
			? {
					...t,
					id: turn.id,
					parent: turn.parentTurnId,
					state: turn.state,
					model: turn.model,
					provider: turn.provider,
					keySource: turn.keySource,
					message: turn.message,
					startedAt: turn.createdAt
				}
			: t
	);
	return { ...state, turns };
}

/** The message was refused, or never arrived. */
export function refused(state: ThreadModel, messageId: string, e: AgentError): ThreadModel {
	const turns = state.turns.map((t) =>
		t.messageId === messageId && t.state === 'sending'
			? { ...t, state: 'refused' as const, failure: failureOf(e) }
			: t
	);
	return { ...state, turns };
}

/** Takes a message that only this page knows away again. */
export function without(state: ThreadModel, messageId: string): ThreadModel {
	return {
		...state,
		turns: state.turns.filter((t) => !(t.messageId === messageId && isUnsent(t)))
	};
}

/** An error as a turn shows it. */
export function failureOf(e: AgentError): Failure {
	return {
		code: e.code,
		message: e.unreachable ? '' : e.message,
		hint: e.hint,
		recoverable: e.passing,
		status: e.status,
		keyId: e.keyId,
		provider: e.provider,
		panel: e.panel,
		requestId: e.requestId
	};
}
