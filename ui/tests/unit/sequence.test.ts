import { describe, expect, it } from 'vitest';
import { isEvent, Sequence } from '../../src/lib/client/sequence.js';
import type { Event } from '../../src/lib/protocol.gen.js';
import { random } from './random.ts';

const e = (seq: number, more: Partial<Event> = {}): Event => ({
	seq,
	run: 1,
	turn: 't',
	thread: 'h',
	at: 0,
	kind: 'text.delta',
	data: { block: 0, text: 'x' },
	...more
});

describe('the judge of a stream', () => {
	it('takes what comes next, drops what was seen, and tells a hole', () => {
		const s = new Sequence();
		expect([e(1), e(2), e(2), e(4), e(3)].map((x) => s.judge(x))).toEqual(['take', 'take', 'drop', 'gap', 'take']);
		expect(s.position('t')).toEqual({ run: 1, seq: 3 });
	});

	it('takes an event that stands for several, also where it overlaps', () => {
		const s = new Sequence();
		expect(s.judge(e(5, { from: 1 }))).toBe('take');
		expect(s.judge(e(9, { from: 4 }))).toBe('take');
		expect(s.judge(e(9, { from: 4 }))).toBe('drop');
		expect(s.judge(e(12, { from: 11 }))).toBe('gap');
	});

	it('keeps turns apart, also those with names of Object.prototype', () => {
		const s = new Sequence();
		for (const turn of ['a', '__proto__', 'constructor']) {
			expect(s.judge(e(1, { turn }))).toBe('take');
			expect(s.judge(e(1, { turn }))).toBe('drop');
		}
	});

	it('lets a newer run go back only with step.restarted', () => {
		const s = new Sequence();
		s.start('t', { run: 1, seq: 9 });
		expect(s.judge(e(7, { run: 2 }))).toBe('gap');
		expect(s.judge(e(7, { run: 2, kind: 'step.restarted', data: { from: 6, reason: '' } }))).toBe('take');
		expect(s.judge(e(10, { run: 1 }))).toBe('drop');
		expect(s.judge(e(8, { run: 2 }))).toBe('take');
	});

	it('goes on in a newer run after a decision', () => {
		const s = new Sequence();
		s.start('t', { run: 1, seq: 9 });
		expect(s.judge(e(10, { run: 2 }))).toBe('take');
	});

	it('takes each seq exactly once in any disorder that is asked for again (500 seeds)', () => {
		for (let seed = 1; seed <= 500; seed++) {
			const next = random(seed);
			const s = new Sequence();
			const taken: number[] = [];
			for (let guard = 0; taken.length < 30 && guard < 5000; guard++) {
				const seq = Math.max(1, s.position('t').seq + next(5) - 2);
				if (s.judge(e(seq)) === 'take') taken.push(seq);
			}
			expect(taken, `seed ${seed}`).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
		}
	});
});

describe('what is an event', () => {
	it.each([
		['a whole one', e(1), true],
		['one of an unknown kind', e(1, { kind: 'future.thing' }), true],
		['null', null, false],
		['a text', 'x', false],
		['one without data', { ...e(1), data: undefined }, false],
		['one with data null', { ...e(1), data: null }, false],
		['one whose from is after its seq', e(3, { from: 4 }), false],
		['one without a turn', { ...e(1), turn: 7 }, false]
	])('%s', (_, value, want) => {
		expect(isEvent(value)).toBe(want);
	});
});
