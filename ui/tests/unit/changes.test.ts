import { describe, expect, it } from 'vitest';
import type { Event, EventData, ThreadView, Turn } from '../../src/lib/protocol.gen.js';
import { fold, fromView, prepend } from '../../src/lib/state/fold.js';
import { EMPTY, type CallPart, type ThreadModel } from '../../src/lib/state/model.js';
import { earlierOf, failedEdit, isReplaced } from '../../src/lib/state/versions.js';
import { Teller } from './teller.ts';

const run = (events: Event[], from: ThreadModel = EMPTY) => events.reduce(fold, from);
const calls = (s: ThreadModel) =>
	s.turns.flatMap((t) => t.parts.filter((p): p is CallPart => p.type === 'call'));
const call = (s: ThreadModel, id: string) => calls(s).find((c) => c.callId === id)!;
const order = (s: ThreadModel) => calls(s).map((c) => `${c.callId} ${c.status}`);
const earlier = (s: ThreadModel, id: string) =>
	earlierOf(s.turns.at(-1)!.parts, call(s, id)).map((e) => `${e.preview.receiptId} ${e.why}`);

describe('an edited change', () => {
	const edited = () =>
		new Teller().start().call('a').call('b').preview('a', 'ra').preview('b', 'rb').decide('a', 'ra', 'edited');

	it('is done with, and the turn waits for the others', () => {
		const s = run(edited().events);
		expect(order(s)).toEqual(['a edited', 'b waiting']);
		expect(s.turns[0]!.state).toBe('awaiting_confirmation');
	});

	it('goes on in its place, with a preview of its own', () => {
		const s = run(edited().call('a2', 'slide.edit', 'a').preview('a2', 'ra2').events);
		expect(order(s)).toEqual(['a edited', 'a2 waiting', 'b waiting']);
		expect(call(s, 'a2').parent).toBe('a');
		expect(earlier(s, 'a2')).toEqual(['ra edited']);
		expect(earlier(s, 'b')).toEqual([]);
	});

	it('is shown until the next preview takes its place', () => {
		const t = edited().call('a2', 'slide.edit', 'a');
		const parts = (s: ThreadModel) => s.turns[0]!.parts;
		let s = run(t.events);
		expect(isReplaced(parts(s), call(s, 'a'))).toBe(false);
		s = run(t.preview('a2', 'ra2').events);
		expect(calls(s).map((c) => isReplaced(parts(s), c))).toEqual([true, false, false]);
	});

	it('that is edited again, and then moves, keeps all that was seen in order', () => {
		const t = edited().call('a2', 'slide.edit', 'a').preview('a2', 'ra2').decide('a2', 'ra2', 'edited');
		t.call('a3', 'slide.edit', 'a2').preview('a3', 'ra3').decide('a3', 'ra3', 'stale').preview('a3', 'ra4', 'ra3');
		const s = run(t.events);
		expect(order(s)).toEqual(['a edited', 'a2 edited', 'a3 waiting', 'b waiting']);
		expect(earlier(s, 'a3')).toEqual(['ra edited', 'ra2 edited', 'ra3 moved']);
	});

	it('goes back to what it was where its edit cannot be previewed, and says why', () => {
		const t = edited().call('a2', 'slide.edit', 'a');
		const error = { code: 'not_found' as const, message: 'There is no slide 99.', recoverable: true };
		t.tell('capability.done', { callId: 'a2', phase: 'handler', ok: false, error, durationMs: 1 });
		const parts = (s: ThreadModel) => s.turns[0]!.parts;
		let s = run(t.call('a3', 'slide.edit', 'a2').events);
		expect(calls(s).map((c) => isReplaced(parts(s), c))).toEqual([false, false, false, false]);
		s = run(t.preview('a3', 'ra3').events);
		expect(order(s)).toEqual(['a edited', 'a2 failed', 'a3 waiting', 'b waiting']);
		expect(calls(s).map((c) => isReplaced(parts(s), c))).toEqual([true, true, false, false]);
		expect([earlier(s, 'a3'), failedEdit(parts(s), call(s, 'a3')), failedEdit(parts(s), call(s, 'b'))]).toEqual([[], 'There is no slide 99.', undefined]);
		s = run(t.decide('a3', 'ra3', 'edited').call('a4', 'slide.edit', 'a3').preview('a4', 'ra4').events);
		expect(calls(s).map((c) => isReplaced(parts(s), c))).toEqual([true, true, true, false, false]);
	});

	it('whose step is asked again leaves with what was told since', () => {
		const t = edited();
		const from = t.seq + 1;
		const s = run(t.call('a2', 'slide.edit', 'a').tell('step.restarted', { from, reason: '' }).events);
		expect(order(s)).toEqual(['a edited', 'b waiting']);
	});

	it('stays edited when its turn ends', () => {
		const s = run(edited().tell('turn.canceled', { by: 'u', reason: 'stopped' }).events);
		expect(order(s)).toEqual(['a edited', 'b discarded']);
	});
});

describe('a change of what moved meanwhile', () => {
	it('keeps what was seen, while the preview is made again and after', () => {
		const t = new Teller().start().call('c').preview('c', 'r1').decide('c', 'r1', 'stale');
		let s = run(t.events);
		expect([s.turns[0]!.state, call(s, 'c').status]).toEqual(['running', 'running']);
		s = run(t.preview('c', 'r2', 'r1').events);
		expect(earlier(s, 'c')).toEqual(['r1 moved']);
	});

	it('is stale even where it was accepted first', () => {
		const t = new Teller().start().call('c').preview('c', 'r1').decide('c', 'r1', 'accepted').decide('c', 'r1', 'stale');
		const s = run(t.preview('c', 'r2', 'r1').events);
		expect(call(s, 'c').previews.map((p) => p.verdict)).toEqual(['stale', undefined]);
		expect(call(s, 'c').status).toBe('waiting');
	});
});

describe('taking back', () => {
	const applied = () =>
		new Teller('turn_1').start().call('c').preview('c', 'r').decide('c', 'r', 'accepted').done('c', { phase: 'apply', state: 'applied', undoUntil: 5000 }).complete();
	const hand = () =>
		new Teller('turn_2').start('Undo: Changed it', { by: 'hand', parentTurnId: 'turn_1', turnIndex: 1 }).call('u', 'slide.edit', 'c');
	type Done = Partial<EventData['capability.done']>;

	it('is offered until a time', () => {
		expect(call(run(applied().events), 'c')).toMatchObject({ status: 'applied', undoUntil: 5000 });
	});

	it.each<[string, Done, object]>([
		['happened', { state: 'undone' }, { state: 'undone' }],
		['was refused', { ok: false, state: 'failed', error: { code: 'stale_undo', message: 'moved', recoverable: false } }, { state: 'failed', error: { code: 'stale_undo' } }],
		['may have happened', { ok: false, state: 'outcome_unknown' }, { state: 'unknown' }]
	])('that %s marks the change itself', (_, how, want) => {
		const t = hand();
		let s = run([...applied().events, ...t.events]);
		expect(call(s, 'c').undo).toEqual({ state: 'running' });
		s = run([...applied().events, ...t.done('u', { phase: 'undo', ...how }).complete().events]);
		expect(call(s, 'c')).toMatchObject({ status: 'applied', undo: want });
		expect(s.turns.map((x) => [x.by, x.state])).toEqual([['user', 'completed'], ['hand', 'completed']]);
	});

	it('that was interrupted is not said to have happened', () => {
		const t = hand().tell('turn.failed', { code: 'interrupted', message: 'no', recoverable: true });
		const s = run([...applied().events, ...t.events]);
		expect(call(s, 'c').undo).toMatchObject({ state: 'failed', error: { code: 'interrupted' } });
	});

	it('leaves every other turn the same object', () => {
		const other = new Teller('turn_0').start().say(0, 'x').complete([0, 'x']);
		const before = run([...other.events, ...new Teller('turn_1').start('two', { parentTurnId: 'turn_0', turnIndex: 1 }).call('c').events]);
		const s = run(hand().events, before);
		expect(s.turns[0]).toBe(before.turns[0]);
		expect(s.turns[1]).not.toBe(before.turns[1]);
	});

	it('marks a change of an older page once that is loaded', () => {
		const row = (id: string, by: string): Turn =>
			({ id, threadId: 'thr_1', turnIndex: 0, ordinal: 1, state: 'completed', messageId: `msg_${id}`, by, message: { text: id }, model: 'm', provider: 'p', keySource: 'org', run: 1, lastSeq: 9, createdAt: 5 });
		const view = (turn: Turn, events: Event[]): ThreadView => ({ thread: { id: 'thr_1' } as ThreadView['thread'], turns: [{ turn, events }], cursor: '' });
		const now = fromView(view(row('turn_2', 'hand'), hand().done('u', { phase: 'undo', state: 'undone' }).complete().events));
		const s = prepend(now, view(row('turn_1', 'user'), applied().events));
		expect(call(s, 'c').undo).toEqual({ state: 'undone' });
	});
});
