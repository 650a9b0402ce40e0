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

/** True for a call in whose place another is shown: the one that it was edited to, or what an edit that did not work went back to. */
export function isReplaced(parts: readonly Part[], call: CallPart): boolean {
	if (call.status !== 'edited' && call.status !== 'failed') return false;
	return parts.some((p) => p.type === 'call' && p.parent === call.callId && (p.previews.length > 0 || (p.status === 'failed' && isReplaced(parts, p))));
}

/** Why an edit of this change could not be previewed, where it went back to what it was. */
export function failedEdit(parts: readonly Part[], call: CallPart): string | undefined {
	const parent = callOf(parts, call.parent);
	return parent?.status === 'failed' && parent.previews.length === 0 ? (parent.error?.message ?? '') : undefined;
}

function callOf(parts: readonly Part[], callId: string | undefined): CallPart | undefined {
	if (!callId) return undefined;
	return parts.find((p): p is CallPart => p.type === 'call' && p.callId === callId);
}
