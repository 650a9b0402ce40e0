import { titleOf, type ChatContext } from '../context.js';
import { LIMITS, type ChatRequest } from '../protocol.gen.js';
import { isUnsent } from './fold.js';
import type { TurnModel } from './model.js';
import { ROOT } from './optimistic.js';
import type { Draft, Unsent } from './storage.js';

/** What another turn in the place of this one follows: its parent, or the thread's beginning. */
export function before(turn: TurnModel): string | undefined {
	return turn.parent ?? (isUnsent(turn) ? undefined : ROOT);
}

/** A message as it was, to be sent anew. */
export function unsentOf(turn: TurnModel): Unsent {
	const attachments = (turn.message.attachments ?? []).map((a) => ({
		kind: a.kind,
		id: a.id,
		title: titleOf(a)
	}));
	return { text: turn.message.text, attachments, messageId: turn.messageId, parent: turn.parent };
}

/** A message as it is sent; without a conversation it begins one. */
export function requestOf(u: Unsent, thread: string, { projectId, projectKind, capabilityWhitelist }: ChatContext): ChatRequest {
	return {
		projectId,
		projectKind,
		text: u.text.replaceAll('\0', ''), // no server takes it, and nobody sees it
		tools: capabilityWhitelist ? [...capabilityWhitelist] : undefined,
		threadId: thread || undefined,
		messageId: u.messageId,
		parentTurnId: u.parent,
		attachments: u.attachments.map(({ kind, id }) => ({ kind, id }))
	};
}

/** Two drafts as one, so that neither is lost. */
export function joined(a: Draft, b: Draft): Draft {
	const more = b.attachments.filter((n) => !a.attachments.some((m) => m.kind === n.kind && m.id === n.id));
	return { text: [a.text, b.text].filter((t) => t !== '').join('\n'), attachments: [...a.attachments, ...more] };
}

/** How many bytes a text is on the wire; exact only where it may matter. */
export function byteLength(text: string): number {
	// Most texts are far below the limit: three bytes a unit is the most there can be.
	if (text.length * 3 <= LIMITS.messageBytes / 2) return text.length;
	return new TextEncoder().encode(text).length;
}
