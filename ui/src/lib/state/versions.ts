import type { CallPart, Part, PreviewModel } from './model.js';

/** A change as it was shown before: because the app moved since, or before it was edited. */
export interface Earlier {
	readonly preview: PreviewModel;
	readonly call: CallPart;
	readonly why: 'moved' | 'edited';
}

/** What was shown of a change before its newest preview, oldest first. */
export function earlierOf(parts: readonly Part[], call: CallPart): readonly Earlier[] {
	const own = call.previews
		.slice(0, -1)
		.map((preview): Earlier => ({ preview, call, why: 'moved' }));
	const parent = callOf(parts, call.parent);
	const last = parent?.previews.at(-1);
	if (!parent || !last) return own;
	return [...earlierOf(parts, parent), { preview: last, call: parent, why: 'edited' }, ...own];
}

/** True for a call whose edited child is shown in its place. */
export function isReplaced(parts: readonly Part[], call: CallPart): boolean {
	return (
		call.status === 'edited' &&
		parts.some((p) => p.type === 'call' && p.parent === call.callId && p.previews.length > 0)
	);
}

function callOf(parts: readonly Part[], callId: string | undefined): CallPart | undefined {
	if (!callId) return undefined;
	return parts.find((p): p is CallPart => p.type === 'call' && p.callId === callId);
}
