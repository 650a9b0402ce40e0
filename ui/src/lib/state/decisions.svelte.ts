import { AgentError, asAgentError, isAbort } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { Decision } from '../protocol.gen.js';
import type { CallPart, Part, PreviewModel } from './model.js';

/** What can be said to a preview. */
export type Say = 'accept' | 'discard' | 'edit';

/** How the answer to one preview is going. */
export type Answering =
	| { state: 'sending'; decision: Say }
	| { state: 'taken'; decision: Say }
	| { state: 'elsewhere' | 'proposed' }
	| { state: 'failed'; decision: Say; error: AgentError };

/** The preview of a call that can be answered now. */
export function openPreview(call: CallPart): PreviewModel | undefined {
	const last = call.previews.at(-1);
	return call.status === 'waiting' && last && !last.verdict && !last.closed ? last : undefined;
}

/** The calls of a turn that were shown first: those that wait, and all of them. */
export function changeSet(parts: readonly Part[]): { all: CallPart[]; open: CallPart[] } {
	const all = parts.filter(
		(p): p is CallPart => p.type === 'call' && p.previews.length > 0 && p.status !== 'edited'
	);
	return { all, open: all.filter((call) => openPreview(call) !== undefined) };
}

const VERDICTS = { accept: 'accepted', discard: 'discarded', edit: 'edited' } as const;

/** Decisions sends the answers to previews, each once, and keeps how it went by receipt. */
export class Decisions {
	readonly #byReceipt = new SvelteMap<string, Answering>();
	/** The previews whose arguments are being edited: nothing else may answer them meanwhile. */
	readonly editing = new SvelteSet<string>();

	constructor(private readonly client: AgentClient) {}

	of(receiptId: string): Answering | undefined {
		return this.#byReceipt.get(receiptId);
	}

	/** True from the press until what became of it is told. */
	busy(receiptId: string): boolean {
		const state = this.#byReceipt.get(receiptId)?.state;
		return state === 'sending' || state === 'taken';
	}

	/** Forgets the answers that failed for want of a user: they may be given again. */
	forgive(): void {
		for (const [receipt, how] of this.#byReceipt) {
			if (how.state === 'failed' && how.error.code === 'unauthenticated') this.#byReceipt.delete(receipt);
		}
	}

	clear(): void {
		this.#byReceipt.clear();
		this.editing.clear();
	}

	/**
	 * Answers the open previews of these calls in one request. An accept for always has
	 * the server do the same without asking from then on.
	 */
	async decide(
		turnId: string,
		calls: readonly CallPart[],
		decision: 'accept' | 'discard',
		always = false
	): Promise<void> {
		await this.#send(turnId, calls, { decision, remember: always || undefined });
	}

	/** Gives the call of an open preview other arguments; true once that is taken. */
	async edit(turnId: string, call: CallPart, input: unknown): Promise<boolean> {
		const receipt = openPreview(call)?.receiptId;
		await this.#send(turnId, [call], { decision: 'edit', input });
		const how = receipt ? this.#byReceipt.get(receipt) : undefined;
		return how !== undefined && how.state !== 'failed';
	}

	async #send(
		turnId: string,
		calls: readonly CallPart[],
		say: { decision: Say; input?: unknown; remember?: boolean }
	): Promise<void> {
		const { decision } = say;
		const decisions = calls.flatMap((call): Decision[] => {
			const receiptId = openPreview(call)?.receiptId;
			if (!receiptId || this.busy(receiptId)) return [];
			return [{ callId: call.callId, receiptId, ...say }];
		});
		if (decisions.length === 0) return;
		for (const d of decisions) this.#byReceipt.set(d.receiptId, { state: 'sending', decision });
		try {
			const answer = await this.client.confirm({ turnId, decisions });
			for (const result of answer.results ?? []) {
				this.#byReceipt.set(result.receiptId, reading(result, decision));
			}
		} catch (thrown) {
			for (const d of decisions) {
				if (isAbort(thrown)) this.#byReceipt.delete(d.receiptId);
				else {
					const error = asAgentError(thrown);
					this.#byReceipt.set(d.receiptId, { state: 'failed', decision, error });
				}
			}
		}
	}
}

function reading(result: { outcome: string; decision?: string }, decision: Say): Answering {
	if (result.outcome === 'proposed') return { state: 'proposed' };
	const mine = VERDICTS[decision];
	if (result.decision && result.decision !== mine && result.outcome !== 'stale') {
		return { state: 'elsewhere' };
	}
	return { state: 'taken', decision };
}
