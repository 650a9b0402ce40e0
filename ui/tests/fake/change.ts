import type { Artifact, Outcome } from '../../src/lib/protocol.gen.ts';
import { ruleFor, scopeOf } from './rules.ts';
import { inputs } from './schemas.ts';
import type { Stage } from './stage.ts';
import type { StoredTurn, Word } from './store.ts';

/** A change that a script shows, and what is to happen to it. */
export interface Change {
	name: string;
	title: string;
	summary: string;
	artifacts: Artifact[];
	/** The first accept finds that the app has moved; then this is shown. */
	again?: Artifact[];
	expire?: boolean;
	/** The accept cannot be made; with again the change is not found when it is made again. */
	unmade?: boolean;
	/** Whether it was made is never found out. */
	unknown?: boolean;
	/** Taking it back finds that the app has moved. */
	movesAfter?: boolean;
}

/** How long previews can be answered. */
const LIFE_MS = 7 * 24 * 3600_000;

/** Shows a change until it is answered for good, and gives the word that answered it. */
export async function ask(s: Stage, change: Change): Promise<string> {
	const { store, t } = s;
	let call: { callId: string; input: unknown } = { callId: store.id('call'), input: inputs[change.name] ?? { slide: '04' } };
	const begin = (parentCallId?: string) =>
		store.append(t, 'capability.started', {
			callId: call.callId, parentCallId, name: change.name, title: change.title, kind: 'mutate', input: call.input
		});
	begin();
	let { summary, artifacts } = change;
	let replaces: string | undefined;
	for (let moves = change.again !== undefined; ; ) {
		const receiptId = store.id('rcpt');
		if (moves) t.moved.add(receiptId);
		const p = { ...call, receiptId, summary, artifacts, replaces };
		const allowed = replaces === undefined && s.knobs.remember ? ruleFor(store, projectOf(s), change.name, call.input) : undefined;
		if (allowed) {
			tell(s, change, p);
			store.append(t, 'decision', { callId: call.callId, receiptId, decision: 'accepted', by: 'rule', permissionId: allowed.id });
			await s.pause();
			finish(s, change, { ...call, summary }, true);
			return 'accepted';
		}
		const word = await shown(s, change, p);
		const decide = (decision: 'accepted' | 'discarded' | 'expired' | 'stale' | 'edited', reason?: string) =>
			store.append(t, 'decision', {
				callId: call.callId, receiptId, decision, by: ['expired', 'stale'].includes(decision) ? 'system' : 'user_1', reason,
				rememberedId: word.say === 'accept' ? word.rule : undefined
			});
		if (word.say === 'edit') {
			decide('edited', 'edited');
			const parent = call.callId;
			call = { callId: store.id('call'), input: word.input };
			begin(parent);
			summary = `${change.summary}, as edited`;
			replaces = undefined;
			await s.pause();
			continue;
		}
		if (moves && word.say === 'accept') {
			decide('stale', 'moved');
			await s.pause();
			if (change.unmade) return unmade(s, call.callId);
			moves = false;
			replaces = receiptId;
			artifacts = change.again ?? artifacts;
			continue;
		}
		const verdict = word.say === 'accept' ? 'accepted' : word.say === 'discard' ? 'discarded' : 'expired';
		decide(verdict);
		await s.pause();
		finish(s, change, { ...call, summary }, verdict === 'accepted');
		return verdict;
	}
}

/** What a preview is told with. */
interface Told {
	callId: string;
	receiptId: string;
	input: unknown;
	summary: string;
	artifacts: Artifact[];
	replaces?: string;
}

const projectOf = (s: Stage) => s.store.threads.get(s.t.turn.threadId)?.projectId ?? '';

/** Tells a preview, and gives until when it can be answered. */
function tell(s: Stage, change: Change, p: Told): number {
	const expiresAt = Date.now() + (change.expire ? 150 : LIFE_MS);
	const scope = s.knobs.remember ? scopeOf(change.name, p.input, p.artifacts) : undefined;
	s.store.append(s.t, 'preview', { ...p, name: change.name, title: change.title, expiresAt, scope });
	return expiresAt;
}

/** Parks the turn with a preview until it is answered. */
async function shown(s: Stage, change: Change, p: Told): Promise<Word> {
	const { store, t } = s;
	const expiresAt = tell(s, change, p);
	const answered = new Promise<Word>((resolve) => t.waiting.set(p.receiptId, resolve));
	store.setOpen(t, [...(t.turn.open ?? []), { callId: p.callId, receiptId: p.receiptId, capability: change.name, summary: p.summary, expiresAt }]);
	store.setState(t, 'awaiting_confirmation');
	if (change.expire) setTimeout(() => t.waiting.get(p.receiptId)?.({ say: 'expired' }), 150);
	const word = await answered;
	t.waiting.delete(p.receiptId);
	store.setOpen(t, (t.turn.open ?? []).filter((o) => o.receiptId !== p.receiptId));
	if (word.say === 'superseded') s.stopped();
	if ((t.turn.open ?? []).length === 0) {
		store.setState(t, 'running');
		t.turn.run++;
	}
	return word;
}

/** Tells what became of the answer, and keeps what can be taken back. */
function finish(s: Stage, change: Change, call: { callId: string; input: unknown; summary: string }, accepted: boolean): void {
	const { store, t } = s;
	const { callId } = call;
	if (!accepted) {
		store.append(t, 'capability.done', { callId, phase: 'discard', ok: true, state: 'discarded', durationMs: 40 });
		return;
	}
	if (change.unmade) return void unmade(s, callId);
	if (change.unknown) {
		const error = { code: 'outcome_unknown' as const, message: 'The app did not answer in time.', recoverable: false };
		store.append(t, 'capability.done', { callId, phase: 'apply', ok: false, state: 'outcome_unknown', error, durationMs: 30_000 });
		return;
	}
	const undoUntil = s.knobs.undoMs > 0 ? Date.now() + s.knobs.undoMs : undefined;
	const { name, title, movesAfter = false } = change;
	store.applied.set(callId, { t, name, title, summary: call.summary, undoUntil: undoUntil ?? 0, undone: false, moved: movesAfter });
	store.append(t, 'capability.done', { callId, phase: 'apply', ok: true, state: 'applied', output: { commit: 'c0ffee' }, undoUntil, durationMs: 40 });
}

/** Tells that what was accepted could not be made, and gives the word for it. */
function unmade(s: Stage, callId: string): string {
	const error = { code: 'not_found' as const, message: 'There is no slide 4.', recoverable: true };
	s.store.append(s.t, 'capability.done', { callId, phase: 'apply', ok: false, state: 'failed', error, durationMs: 20 });
	return 'unmade';
}

/** Plays a turn by hand that takes an applied change back. */
export async function takeBack(s: Stage, callId: string, of: string): Promise<void> {
	const { store, t } = s;
	const change = store.applied.get(of)!;
	store.append(t, 'capability.started', { callId, parentCallId: of, name: change.name, title: `Undo: ${change.title}`, kind: 'mutate' });
	await s.pause();
	const error = { code: 'stale_undo' as const, message: 'Slide 4 has changed since.', recoverable: false };
	change.undone = !change.moved;
	store.append(t, 'capability.done', {
		callId, phase: 'undo', ok: !change.moved, state: change.moved ? 'failed' : 'undone', error: change.moved ? error : undefined, durationMs: 20
	});
	s.over();
}

/** What a decision became, for the answer of confirm. */
export function outcomeOf(t: StoredTurn, callId: string, receiptId: string, word: string, permissionId?: string): Outcome {
	const stale = word === 'accept' && t.moved.has(receiptId);
	const decision = stale ? 'stale' : word === 'accept' ? 'accepted' : word === 'edit' ? 'edited' : 'discarded';
	return {
		callId,
		receiptId,
		outcome: stale ? 'stale' : 'taken',
		decision,
		state: stale ? undefined : word === 'accept' ? 'applying' : 'discarded',
		permissionId
	};
}

/** Finds the capability of a preview that a turn showed. */
export function shownAs(t: StoredTurn, receiptId: string): string | undefined {
	const open = t.turn.open?.find((o) => o.receiptId === receiptId);
	const told = t.events.find((e) => e.kind === 'preview' && (e.data as { receiptId: string }).receiptId === receiptId);
	return open?.capability ?? (told?.data as { name: string } | undefined)?.name;
}
