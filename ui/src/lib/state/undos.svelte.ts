import { SvelteMap } from 'svelte/reactivity';
import { asAgentError, isAbort, type AgentError } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import type { Code } from '../protocol.gen.js';
import type { CallPart } from './model.js';

/** How asking to take a change back is going. */
export type Undoing = { state: 'sending' | 'accepted' } | { state: 'failed'; error: AgentError };

/** True while a change can still be taken back, as far as this page knows. */
export function canUndo(call: CallPart, now: number): boolean {
	const open = call.undo === undefined || call.undo.state === 'failed';
	return call.status === 'applied' && (call.undoUntil ?? 0) > now && open;
}

/** The refusals of an undo after which the same may be asked again. */
const PASSES: ReadonlySet<Code> = new Set<Code>([
	'turn_in_progress', 'unauthenticated', 'unavailable', 'timeout', 'rate_limited', 'overloaded',
	'storage_busy', 'storage_full', 'org_state_stale', 'interrupted', 'internal', 'tool_error', 'provider_error'
]);

/** True when an undo that was refused for this may well be taken a little later. */
export const mayPass = (code: Code): boolean => PASSES.has(code);

/** Undos asks to take applied changes back, each once at a time, and keeps how it went by call. */
export class Undos {
	readonly #byCall = new SvelteMap<string, Undoing>();

	constructor(private readonly client: AgentClient) {}

	of(callId: string): Undoing | undefined {
		return this.#byCall.get(callId);
	}

	/** Forgets the undos that failed for what is over: they may be asked for again. */
	forgive(over: (error: AgentError) => boolean): void {
		for (const [call, how] of this.#byCall) {
			if (how.state === 'failed' && over(how.error)) this.#byCall.delete(call);
		}
	}

	clear(): void {
		this.#byCall.clear();
	}

	async undo(call: CallPart): Promise<void> {
		const { callId } = call;
		const before = this.#byCall.get(callId)?.state;
		if (before === 'sending' || (before === 'accepted' && call.undo?.state !== 'failed')) return;
		this.#byCall.set(callId, { state: 'sending' });
		try {
			await this.client.undo(callId);
			this.#byCall.set(callId, { state: 'accepted' });
		} catch (thrown) {
			if (isAbort(thrown)) this.#byCall.delete(callId);
			else this.#byCall.set(callId, { state: 'failed', error: asAgentError(thrown) });
		}
	}
}
