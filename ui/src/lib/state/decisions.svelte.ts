import { AgentError, asAgentError, isAbort } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import { SvelteMap } from 'svelte/reactivity';
import type { CallPart, PreviewModel } from './model.js';

/** How the answer to one preview is going. */
export type Answering =
	| { state: 'sending'; decision: 'accept' | 'discard' }
	| { state: 'taken'; decision: 'accept' | 'discard' }
	| { state: 'elsewhere' | 'proposed' }
	| { state: 'failed'; error: AgentError };

/** The preview of a call that can be answered now. */
export function openPreview(call: CallPart): PreviewModel | undefined {
	const last = call.previews.at(-1);
	return call.status === 'waiting' && last && !last.verdict && !last.closed ? last : undefined;
}

/** Decisions sends the answers to previews, each once, and keeps how it went by receipt. */
export class Decisions {
	readonly #byReceipt = new SvelteMap<string, Answering>();

	constructor(private readonly client: AgentClient) {}

	of(receiptId: string): Answering | undefined {
		return this.#byReceipt.get(receiptId);
	}

	clear(): void {
		this.#byReceipt.clear();
	}

	/** Answers the open previews of these calls in one request. */
	async decide(
		turnId: string,
		calls: readonly CallPart[],
		decision: 'accept' | 'discard'
	): Promise<void> {
		const decisions = calls.flatMap((call) => {
			const preview = openPreview(call);
			if (!preview || this.#busy(preview.receiptId)) return [];
			return [{ callId: call.callId, receiptId: preview.receiptId, decision }];
		});
		if (decisions.length === 0) return;
		for (const d of decisions) this.#byReceipt.set(d.receiptId, { state: 'sending', decision });
		try {
			const answer = await this.client.confirm({ turnId, decisions });
			for (const result of answer.results ?? []) {
				this.#byReceipt.set(result.receiptId, this.#reading(result, decision));
			}
		} catch (thrown) {
			for (const d of decisions) {
				if (isAbort(thrown)) this.#byReceipt.delete(d.receiptId);
				else this.#byReceipt.set(d.receiptId, { state: 'failed', error: asAgentError(thrown) });
			}
		}
	}

	#busy(receiptId: string): boolean {
		const state = this.#byReceipt.get(receiptId)?.state;
		return state === 'sending' || state === 'taken';
	}

	#reading(
		result: { outcome: string; decision?: string },
		decision: 'accept' | 'discard'
	): Answering {
		if (result.outcome === 'proposed') return { state: 'proposed' };
		const mine = decision === 'accept' ? 'accepted' : 'discarded';
		if (result.decision && result.decision !== mine && result.outcome !== 'stale') {
			return { state: 'elsewhere' };
		}
		return { state: 'taken', decision };
	}
}
