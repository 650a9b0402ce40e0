import { describe, expect, it } from 'vitest';
import { fold, fromView, prepend } from '../../src/lib/state/fold.js';
import { EMPTY, type CallPart, type TextPart, type ThreadModel } from '../../src/lib/state/model.js';
import type { Event, EventData, ThreadView, Turn } from '../../src/lib/protocol.gen.js';
import { compact } from '../fake/store.ts';
import { random } from './random.ts';
import { Teller } from './teller.ts';

const run = (events: Event[], from: ThreadModel = EMPTY) => events.reduce(fold, from);
const lastTurn = (s: ThreadModel) => s.turns.at(-1)!;
const shown = (s: ThreadModel) =>
	lastTurn(s).parts.map((p) => {
		switch (p.type) {
			case 'call':
				return `[${p.name} ${p.status}]`;
			case 'notice':
				return '(restarted)';
			default:
				return p.text;
		}
	});
const call = (s: ThreadModel) => lastTurn(s).parts.find((p): p is CallPart => p.type === 'call')!;

describe('golden streams', () => {
	it('a plain answer', () => {
		const s = run(new Teller().start().say(0, 'Hel').say(0, 'lo').complete([0, 'Hello']).events);
		expect(lastTurn(s)).toMatchObject({ state: 'completed', latencyMs: 77, endedAt: 1004, keySource: 'org' });
		expect(shown(s)).toEqual(['Hello']);
		expect(s.cursor).toBe('turn_1:1:4');
	});

	it('an accepted change, with cards between the texts', () => {
		const t = new Teller().start().say(0, 'I will. ').call('c').preview('c', 'r');
		let s = run(t.events);
		expect(lastTurn(s).state).toBe('awaiting_confirmation');
		expect(call(s)).toMatchObject({ status: 'waiting', previews: [{ receiptId: 'r' }] });
		t.run = 2;
		s = run(t.decide('c', 'r', 'accepted').events);
		expect(lastTurn(s).state).toBe('running');
		expect(call(s).status).toBe('applying');
		s = run(t.done('c', { phase: 'apply', state: 'applied' }).say(1, 'Done.').complete([0, 'I will. '], [1, 'Done.']).events);
		expect(shown(s)).toEqual(['I will. ', '[slide.edit applied]', 'Done.']);
		expect(call(s).previews[0]?.verdict).toBe('accepted');
	});

	it('a stale preview with the next one after it', () => {
		const t = new Teller().start().call('c').preview('c', 'r1').decide('c', 'r1', 'stale').preview('c', 'r2', 'r1');
		const s = run(t.events);
		expect(call(s).previews.map((p) => [p.receiptId, p.verdict])).toEqual([['r1', 'stale'], ['r2', undefined]]);
		expect([call(s).status, lastTurn(s).state]).toEqual(['waiting', 'awaiting_confirmation']);
	});

	it('two previews: the turn waits until both are answered', () => {
		const t = new Teller().start().call('a').call('b').preview('a', 'ra').preview('b', 'rb').decide('a', 'ra', 'accepted');
		expect(lastTurn(run(t.events)).state).toBe('awaiting_confirmation');
		expect(lastTurn(run(t.decide('b', 'rb', 'discarded').events)).state).toBe('running');
	});

	it('a superseded turn closes its previews', () => {
		const t = new Teller().start().call('c').preview('c', 'r').tell('turn.canceled', { by: 'u', reason: 'superseded' });
		const s = run(t.events);
		expect(lastTurn(s)).toMatchObject({ state: 'canceled', canceled: { reason: 'superseded' } });
		expect(call(s)).toMatchObject({ status: 'discarded', previews: [{ closed: true }] });
	});

	it('a stopped turn keeps its text and stops its call', () => {
		const t = new Teller().start().say(0, 'par').call('c').tell('turn.canceled', { by: 'u', reason: 'stopped' });
		expect(shown(run(t.events))).toEqual(['par', '[slide.edit stopped]']);
	});

	it('a failure keeps what was said and its code', () => {
		const t = new Teller().start().say(0, 'par').tell('turn.failed', { code: 'provider_error', message: 'no', recoverable: true });
		const s = run(t.events);
		expect(lastTurn(s)).toMatchObject({ state: 'failed', failure: { code: 'provider_error' } });
		expect(shown(s)).toEqual(['par']);
	});

	it.each<[string, Partial<EventData['capability.done']>, string]>([
		['applied', { phase: 'apply', state: 'applied' }, 'applied'],
		['failed', { ok: false, error: { code: 'tool_error', message: 'x', recoverable: true } }, 'failed'],
		['refused', { ok: false, error: { code: 'not_executed', message: 'x', recoverable: false } }, 'failed'],
		['stopped while it ran', { ok: false, error: { code: 'interrupted', message: 'x', recoverable: false } }, 'stopped'],
		['stopped while it was applied', { ok: false, phase: 'apply', error: { code: 'interrupted', message: 'x', recoverable: false } }, 'failed'],
		['of unknown outcome', { ok: false, state: 'outcome_unknown' }, 'unknown'],
		['of unknown outcome by its error', { ok: false, error: { code: 'outcome_unknown', message: '', recoverable: false } }, 'unknown'],
		['discarded', { phase: 'discard' }, 'discarded'],
		['done', {}, 'done']
	])('a call that is %s', (_, how, want) => {
		expect(call(run(new Teller().start().call('c').done('c', how).events)).status).toBe(want);
	});

	it('progress, cast, usage and suggestions', () => {
		const t = new Teller().start().call('c');
		t.tell('capability.progress', { callId: 'c', fraction: 0.4, message: 'm' });
		t.tell('cast', { character: 'designer', active: true, caption: 'at work' });
		const use = { model: 'm', purpose: 'step', tokensIn: 10, tokensOut: 1, cacheReadTokens: null, cacheCreationTokens: null, costUsd: null };
		t.tell('usage', use).tell('usage', { ...use, cacheReadTokens: 4 });
		t.tell('suggestions', { items: [{ capability: 'x', hint: 'h', prefill: 'p' }] });
		const s = run(t.events);
		expect(call(s)).toMatchObject({ fraction: 0.4, message: 'm' });
		expect(lastTurn(s).cast).toEqual([{ character: 'designer', active: true, caption: 'at work' }]);
		expect(lastTurn(s).usage).toEqual({ calls: 2, tokensIn: 20, tokensOut: 2, cacheReadTokens: 4, cacheCreationTokens: null, costUsd: null });
		expect(lastTurn(s).suggestions).toHaveLength(1);
		expect(lastTurn(run(t.complete().events)).cast).toEqual([]);
	});

	it('an event of an unknown kind moves the cursor and nothing else', () => {
		const s = run(new Teller().start().say(0, 'a').events);
		const next = fold(s, { ...new Teller().events[0]!, seq: 3, run: 1, turn: 'turn_1', thread: 'thr_1', at: 1, kind: 'future.kind', data: {} });
		expect(next.turns).toBe(s.turns);
		expect(next.cursor).toBe('turn_1:1:3');
	});

	it('ids with names of Object.prototype are ids like others', () => {
		const s = run(new Teller('__proto__').start().call('constructor').done('constructor').events);
		expect(call(s)).toMatchObject({ callId: 'constructor', status: 'done' });
		expect(({} as Record<string, unknown>).callId).toBeUndefined();
	});
});

describe('a step that is asked again', () => {
	const t = new Teller().start().say(0, 'kept ').call('a').done('a').say(1, 'void ').say(1, 'too');

	it('takes back what was told since, and says so', () => {
		const s = run(t.events);
		const next = fold(s, { seq: 7, run: 2, turn: 'turn_1', thread: 'thr_1', at: 1, kind: 'step.restarted', data: { from: 5, reason: 'x' } });
		expect(shown(next)).toEqual(['kept ', '[slide.edit done]', '(restarted)']);
		const again = fold(next, { seq: 8, run: 2, turn: 'turn_1', thread: 'thr_1', at: 1, kind: 'text.delta', data: { block: 1, text: 'new' } });
		expect(shown(again)).toEqual(['kept ', '[slide.edit done]', '(restarted)', 'new']);
	});

	it('cuts a text back to where it was', () => {
		const s = fold(run(new Teller().start().say(0, 'one ').say(0, 'two ').say(0, 'three').events), {
			seq: 5, run: 2, turn: 'turn_1', thread: 'thr_1', at: 1, kind: 'step.restarted', data: { from: 3, reason: '' }
		});
		expect(shown(s)).toEqual(['one ', '(restarted)']);
	});

	it('says nothing when nothing was shown', () => {
		const s = fold(run(new Teller().start().events), { seq: 2, run: 2, turn: 'turn_1', thread: 'thr_1', at: 1, kind: 'step.restarted', data: { from: 2, reason: '' } });
		expect(shown(s)).toEqual([]);
	});
});

describe('an event that stands for several', () => {
	it('replaces what of it was already shown, wherever it was cut (400 seeds)', () => {
		for (let seed = 1; seed <= 400; seed++) {
			const next = random(seed);
			const t = new Teller().start();
			for (let i = 0; i < 12; i++) t.say(Math.floor(i / 6), `w${i} `);
			const whole = shown(run(t.events));
			const seen = 1 + next(t.events.length);
			let s = run(t.events.slice(0, seen));
			const cut = 1 + next(seen);
			for (const e of compact(t.events.slice(cut))) if (e.seq > seen) s = fold(s, e);
			expect(shown(s), `seed ${seed}`).toEqual(whole);
		}
	});
});

describe('blocks at the end of a turn', () => {
	it('replace their deltas where they stand, and put in what was never seen', () => {
		const t = new Teller().start().say(0, 'a').call('c').done('c').say(2, 'cc');
		const s = run(t.complete([0, 'A'], [1, 'B'], [2, 'C']).events);
		expect(shown(s)).toEqual(['A', '[slide.edit done]', 'B', 'C']);
		expect((lastTurn(s).parts[0] as TextPart).marks).toBeUndefined();
	});
});

describe('identity', () => {
	it('turns and parts that an event does not touch stay the same objects', () => {
		const a = new Teller('turn_1').start().say(0, 'x').complete([0, 'x']);
		const b = new Teller('turn_2').start('two', { parentTurnId: 'turn_1' }).say(0, 'y').call('c').say(1, 'z');
		const s = run([...a.events, ...b.events]);
		const next = fold(s, { seq: 5, run: 1, turn: 'turn_2', thread: 'thr_1', at: 1, kind: 'text.delta', data: { block: 1, text: 'more' } });
		expect(next.turns[0]).toBe(s.turns[0]);
		expect(next.turns[1]!.parts[0]).toBe(s.turns[1]!.parts[0]);
		expect(next.turns[1]!.parts[2]).not.toBe(s.turns[1]!.parts[2]);
	});
});

describe('the path of a conversation', () => {
	it('an optimistic turn becomes the real one in its place and keeps its key', () => {
		const draft = { ...lastTurn(run(new Teller('local').start('hi').events)), state: 'sending' as const, key: 'k', messageId: 'msg_turn_1' };
		const s = run(new Teller('turn_1').start('hi').events, { ...EMPTY, turns: [draft] });
		expect(s.turns.map((t) => [t.id, t.key, t.state])).toEqual([['turn_1', 'k', 'running']]);
	});

	it('a turn with an earlier parent is a branch: what came after the parent leaves', () => {
		const turns = ['turn_1', 'turn_2', 'turn_3'].map((id, i) =>
			new Teller(id).start(id, { parentTurnId: i > 0 ? `turn_${i}` : undefined }).complete().events
		);
		const branch = new Teller('turn_4').start('again', { parentTurnId: 'turn_1' }).events;
		expect(run([...turns.flat(), ...branch]).turns.map((t) => t.id)).toEqual(['turn_1', 'turn_4']);
	});

	it('another first turn begins the thread anew', () => {
		const turns = ['turn_1', 'turn_2'].map((id, i) =>
			new Teller(id).start(id, { parentTurnId: i > 0 ? `turn_${i}` : undefined, turnIndex: i }).complete().events
		);
		const anew = new Teller('turn_3').start('again', { turnIndex: 0 }).events;
		expect(run([...turns.flat(), ...anew]).turns.map((t) => t.id)).toEqual(['turn_3']);
	});

	it('thread.changed renames, and tells of the end', () => {
		const base: ThreadModel = { ...EMPTY, thread: { id: 'thr_1', title: 'old' } as ThreadModel['thread'] };
		const e = (data: unknown): Event => ({ seq: 0, run: 0, turn: '', thread: 'thr_1', at: 1, kind: 'thread.changed', data });
		expect(fold(base, e({ title: 'new' })).thread?.title).toBe('new');
		expect(fold(base, e({ title: 'new', deleted: true })).deleted).toBe(true);
	});
});

describe('a page of the server', () => {
	const row = (id: string, more: Partial<Turn> = {}): Turn =>
		({ id, threadId: 'thr_1', turnIndex: 0, ordinal: 1, state: 'completed', messageId: `msg_${id}`, by: 'user', message: { text: id }, model: 'm', provider: 'p', keySource: 'org', run: 1, lastSeq: 9, createdAt: 5, ...more });
	const view = (...turns: { turn: Turn; events: Event[] | null }[]): ThreadView =>
		({ thread: { id: 'thr_1' } as ThreadView['thread'], turns, cursor: 'turn_9:9' });

	it('is the same as having watched it', () => {
		const t = new Teller('turn_1').start().say(0, 'a').say(0, 'b').call('c').done('c').say(1, 'z').complete([0, 'ab'], [1, 'z']);
		const s = fromView(view({ turn: row('turn_1'), events: compact(t.events) }));
		expect(shown(s)).toEqual(shown(run(t.events)));
		expect(s.cursor).toBe('turn_9:9');
	});

	it('shows a failed turn whose events are gone', () => {
		const s = fromView(view({ turn: row('turn_1', { state: 'failed', errorCode: 'interrupted' }), events: null }));
		expect(lastTurn(s)).toMatchObject({ state: 'failed', failure: { code: 'interrupted' } });
	});

	it('goes before what is shown, without doubles', () => {
		const now = fromView(view({ turn: row('turn_2'), events: [] }));
		const older = { ...view({ turn: row('turn_1'), events: [] }, { turn: row('turn_2'), events: [] }), before: 'turn_0' };
		const s = prepend(now, older);
		expect(s.turns.map((t) => t.id)).toEqual(['turn_1', 'turn_2']);
		expect([s.before, s.cursor]).toEqual(['turn_0', 'turn_9:9']);
	});
});
