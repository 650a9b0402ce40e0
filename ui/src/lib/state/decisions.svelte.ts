import { AgentError, asAgentError, isAbort } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { Decision, Outcome, Verdict } from '../protocol.gen.js';
import type { CallPart, Part, PreviewModel } from './model.js';

/** What can be said to a preview. */
export type Say = 'accept' | 'discard' | 'edit';

/** How the answer to one preview is going. */
export type Answering =
	| { state: 'sending'; decision: Say }
	/** Taken; with again the app has moved, and the change is shown anew. */
	| { state: 'taken'; decision: Say; again: boolean }
	/** Another answer was there first. */
	| { state: 'elsewhere'; decision: Say; taken: Verdict }
	| { state: 'proposed' }
	| { state: 'failed'; decision: Say; error: AgentError; said: Said };

/** An answer as it is sent: the same one again does nothing twice. */
interface Said {
	decision: Say;
	input?: unknown;
	remember?: boolean;
}

/** An answer that was not taken, and the one that was. */
export interface Lost {
	mine: Say;
	taken: Verdict;
	preview: PreviewModel;
}

/** The newest answer to one of these previews that came after another one. */
export function lostTo(decisions: Pick<Decisions, 'of'>, previews: readonly PreviewModel[]): Lost | undefined {
	for (const preview of previews.toReversed()) {
		const how = decisions.of(preview.receiptId);
		if (how?.state === 'elsewhere') return { mine: how.decision, taken: how.taken, preview };
	}
	return undefined;
}

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

	/** True from the press until what became of it is told, here or elsewhere. */
	busy(receiptId: string): boolean {
		const state = this.#byReceipt.get(receiptId)?.state;
		return state === 'sending' || state === 'taken' || state === 'elsewhere';
	}

	/** Forgets the answers that failed for what is over: they may be given again. */
	forgive(over: (error: AgentError) => boolean): void {
		for (const [receipt, how] of this.#byReceipt) {
			if (how.state === 'failed' && over(how.error)) this.#byReceipt.delete(receipt);
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

	/** Gives the answer that failed again, as it was. */
	async again(turnId: string, call: CallPart): Promise<void> {
		const how = this.#byReceipt.get(openPreview(call)?.receiptId ?? '');
		if (how?.state === 'failed') await this.#send(turnId, [call], how.said);
	}

	/** Gives the call of an open preview other arguments; true once that is taken. */
	async edit(turnId: string, call: CallPart, input: unknown): Promise<boolean> {
		const receipt = openPreview(call)?.receiptId;
		await this.#send(turnId, [call], { decision: 'edit', input });
		const how = receipt ? this.#byReceipt.get(receipt) : undefined;
		return how !== undefined && how.state !== 'failed';
	}

	async #send(turnId: string, calls: readonly CallPart[], said: Said): Promise<void> {
		const { decision } = said;
		let decisions = calls.flatMap((call): Decision[] => {
			const receiptId = openPreview(call)?.receiptId;
			if (!receiptId || this.busy(receiptId)) return [];
			return [{ callId: call.callId, receiptId, ...said }];
		});
		for (const d of decisions) this.#byReceipt.set(d.receiptId, { state: 'sending', decision });
		try {
			// Where one of several was answered before, the server takes none: the others go again.
			while (decisions.length > 0) {
				const { results, code } = await this.client.confirm({ turnId, decisions });
				const untaken = new Set(code ? (results ?? []).filter(isUntaken).map((r) => r.receiptId) : []);
				if (untaken.size === decisions.length) throw new AgentError('conflict', '');
				for (const r of results ?? []) if (!untaken.has(r.receiptId)) this.#byReceipt.set(r.receiptId, reading(r, decision));
				decisions = decisions.filter((d) => untaken.has(d.receiptId));
			}
		} catch (thrown) {
			for (const { receiptId } of decisions) {
				if (isAbort(thrown)) this.#byReceipt.delete(receiptId);
				else this.#byReceipt.set(receiptId, { state: 'failed', decision, error: asAgentError(thrown), said });
			}
		}
	}
}

/** True for a decision of a refused request that nothing was decided about before. */
const isUntaken = (r: Outcome) => r.outcome === 'taken' && !r.state;

function reading(result: Outcome, decision: Say): Answering {
	if (result.outcome === 'proposed') return { state: 'proposed' };
	const again = result.outcome === 'stale';
	const taken = result.decision;
	if (taken && taken !== VERDICTS[decision] && !again) return { state: 'elsewhere', decision, taken };
	return { state: 'taken', decision, again };
}
