import type { CapabilityDone, EventOf } from '../protocol.gen.js';
import type { CallPart, CallStatus, Part, PreviewModel } from './model.js';

/** A call begins, or tells more about one that a preview showed first. */
export function foldCall(
	parts: readonly Part[],
	event: EventOf<'capability.started'>
): readonly Part[] {
	const { callId, parentCallId, name, title, kind, input } = event.data;
	const told = { parent: parentCallId || undefined, name, title, kind, input };
	return change(parts, callId, event, (call) => ({ ...call, ...told }), parentCallId);
}

/** A handler says how far it is; said of a call that has ended it is ignored. */
export function foldProgress(
	parts: readonly Part[],
	event: EventOf<'capability.progress'>
): readonly Part[] {
	const { callId, fraction, message } = event.data;
	return change(parts, callId, event, (call) =>
		call.status === 'running' || call.status === 'applying' ? { ...call, fraction, message } : call
	);
}

/** A run of a call ended. */
export function foldDone(parts: readonly Part[], event: EventOf<'capability.done'>): readonly Part[] {
	const { callId, output, error, durationMs, display, state, undoUntil } = event.data;
	return change(parts, callId, event, (call) => ({
		...call,
		status: statusOf(event.data),
		fraction: undefined,
		message: undefined,
		output: output ?? call.output,
		error,
		state,
		durationMs: (call.durationMs ?? 0) + durationMs,
		display: display ?? call.display,
		undoUntil: undoUntil || undefined
	}));
}

/** What did not run to its end because its turn was stopped is no failure of its own. */
const stopped = ({ phase, error }: CapabilityDone) => phase === 'handler' && error?.code === 'interrupted';

function statusOf(done: CapabilityDone): CallStatus {
	switch (done.state) {
		case 'applied':
			return 'applied';
		case 'discarded':
			return 'discarded';
		case 'outcome_unknown':
			return 'unknown';
		case 'applying':
			return 'applying';
	}
	if (done.error?.code === 'outcome_unknown') return 'unknown';
	if (!done.ok) return stopped(done) ? 'stopped' : 'failed';
	if (done.phase === 'discard') return 'discarded';
	return done.phase === 'apply' ? 'applied' : 'done';
}

/** A change is shown and waits. One that replaces a stale preview stands after it. */
export function foldPreview(parts: readonly Part[], event: EventOf<'preview'>): readonly Part[] {
	const { callId, receiptId, name, title, input, summary, artifacts, expiresAt, replaces, scope } =
		event.data;
	const preview: PreviewModel = { receiptId, summary, artifacts: artifacts ?? [], expiresAt, scope };
	return change(parts, callId, event, (call) => {
		const others = call.previews
			.filter((p) => p.receiptId !== receiptId)
			.map((p) => (p.receiptId === replaces ? { ...p, verdict: p.verdict ?? ('stale' as const) } : p));
		return {
			...call,
			name: name || call.name,
			title: title || call.title,
			input: input ?? call.input,
			status: 'waiting',
			error: undefined,
			fraction: undefined,
			message: undefined,
			previews: [...others, preview]
		};
	});
}

/** A preview was answered, or ran out. */
export function foldDecision(parts: readonly Part[], event: EventOf<'decision'>): readonly Part[] {
	const { callId, receiptId, decision, by, reason, permissionId, rememberedId } = event.data;
	return change(parts, callId, event, (call) => ({
		...call,
		previews: call.previews.map((p) =>
			p.receiptId === receiptId ? { ...p, verdict: decision, by, reason, permissionId, rememberedId } : p
		),
		status: afterDecision(call, decision)
	}));
}

function afterDecision(call: CallPart, decision: string): CallStatus {
	switch (decision) {
		case 'accepted':
			return 'applying';
		case 'edited':
			return 'edited';
		case 'discarded':
		case 'expired':
			return 'discarded';
		case 'stale':
			return 'running'; // the preview is made again
		default:
			return call.status;
	}
}

/** When a turn ends, what still ran was stopped, and what waited cannot be answered. */
export function closeCalls(parts: readonly Part[], canceled = false): readonly Part[] {
	return parts.map((part) => {
		if (part.type !== 'call') return part;
		const previews = part.previews.map((p) => (p.verdict ? p : { ...p, closed: true }));
		switch (part.status) {
			case 'running':
				return { ...part, status: 'stopped', previews };
			case 'waiting':
				return { ...part, status: 'discarded', previews };
			case 'applying':
				return { ...part, status: 'unknown', previews };
			case 'failed': // not begun any more, because its turn was stopped
				return canceled && part.error?.code === 'not_executed' ? { ...part, status: 'stopped' } : part;
			default:
				return part;
		}
	});
}

/**
 * Changes a call, or makes it first: an event may tell of one that was not announced.
 * A call that was edited from another one stands right after it.
 */
function change(
	parts: readonly Part[],
	callId: string,
	event: { seq: number; from?: number; at: number },
	how: (call: CallPart) => CallPart,
	parent?: string
): readonly Part[] {
	const find = (id: string) => parts.findLastIndex((p) => p.type === 'call' && p.callId === id);
	const at = find(callId);
	if (at < 0) {
		const fresh: CallPart = {
			type: 'call',
			key: `call-${callId}`,
			from: event.from ?? event.seq,
			callId,
			name: '',
			title: '',
			status: 'running',
			startedAt: event.at,
			previews: []
		};
		const before = parent ? find(parent) : -1;
		return before < 0 ? [...parts, how(fresh)] : parts.toSpliced(before + 1, 0, how(fresh));
	}
	const next = parts.slice();
	next[at] = how(parts[at] as CallPart);
	return next;
}
