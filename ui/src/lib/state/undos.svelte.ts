import { SvelteMap } from 'svelte/reactivity';
import { asAgentError, isAbort, type AgentError } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import type { CallPart } from './model.js';

/** How asking to take a change back is going. */
export type Undoing = { state: 'sending' | 'accepted' } | { state: 'failed'; error: AgentError };

/** True while a change can still be taken back, as far as this page knows. */
export function canUndo(call: CallPart, now: number): boolean {
	const open = call.undo === undefined || call.undo.state === 'failed';
	return call.status === 'applied' && (call.undoUntil ?? 0) > now && open;
}

/** Undos asks to take applied changes back, each once at a time, and keeps how it went by call. */
export class Undos {
	readonly #byCall = new SvelteMap<string, Undoing>();

	constructor(private readonly client: AgentClient) {}

	of(callId: string): Undoing | undefined {
		return this.#byCall.get(callId);
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
