import { describe, expect, it } from 'vitest';
import { fold } from '../../src/lib/state/fold.js';
import { EMPTY, type CallPart, type NoticePart } from '../../src/lib/state/model.js';
import { sourcesOf } from '../../src/lib/state/sources.js';
import type { Event, EventData } from '../../src/lib/protocol.gen.js';
import { Teller } from './teller.ts';

const turnOf = (events: Event[]) => events.reduce(fold, EMPTY).turns.at(-1)!;
const notices = (events: Event[]) => turnOf(events).parts.filter((p): p is NoticePart => p.type === 'notice');

const compacted: EventData['context.compacted'] = { turns: 12, results: 0, tokensBefore: 31_000, tokensAfter: 9_000, window: 32_000 };
const warned: EventData['budget.warned'] = {
	scope: 'org', subject: '', month: '2026-12', spentNanoUsd: 41, heldNanoUsd: 0, spentTokens: 1, heldTokens: 0, message: 'Nearly used up.'
};
const used: EventData['usage'] = { model: 'm', purpose: 'step', tokensIn: 1, tokensOut: 1, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: 0.5 };

describe('lines of our own', () => {
	it('tell of a budget and of a shorter past, where they came', () => {
		const t = new Teller().start().tell('context.compacted', compacted).say(0, 'a').tell('budget.warned', warned).say(1, 'b');
		expect(turnOf(t.events).parts.map((p) => p.type)).toEqual(['notice', 'text', 'notice', 'text']);
		expect(notices(t.events)).toMatchObject([{ notice: 'compacted', turns: 12 }, { notice: 'budget', reason: 'Nearly used up.' }]);
	});

	it('stay when the step is asked again, because they still hold', () => {
		const t = new Teller().start();
		const from = t.seq + 1;
		t.tell('context.compacted', compacted).say(0, 'lost');
		t.run = 2;
		t.tell('step.restarted', { from, reason: 'takeover' });
		expect(notices(t.events).map((n) => n.notice)).toEqual(['compacted', 'restarted']);
	});
});

describe('the cost of a turn', () => {
	it('is the sum of its calls', () => {
		expect(turnOf(new Teller().start().tell('usage', used).tell('usage', used).events).usage?.costUsd).toBe(1);
	});

	it.each([[[null, 0.5]], [[0.5, null]], [[null]]])('is not known where that of one is not: %j', (costs) => {
		const t = new Teller().start();
		for (const costUsd of costs) t.tell('usage', { ...used, costUsd });
		expect(turnOf(t.events).usage?.costUsd).toBeNull();
	});
});

describe('a call that was never begun', () => {
	const refused = { ok: false, error: { code: 'not_executed' as const, message: 'x', recoverable: false } };
	const status = (t: Teller) => turnOf(t.events).parts.find((p): p is CallPart => p.type === 'call')!.status;

	it('was stopped where its turn was', () => {
		expect(status(new Teller().start().call('c').done('c', refused).tell('turn.canceled', { by: 'user_1', reason: 'stopped' }))).toBe('stopped');
	});

	it('failed where its turn went on', () => {
		expect(status(new Teller().start().call('c').done('c', refused).complete([0, 'I may not.']))).toBe('failed');
	});
});

describe('the sources in an output', () => {
	const passage = { title: 'T', sourcePath: 'a.md', sourceRepo: 'r', date: '2026-01-02', text: 'words', truncated: true };

	it('are read as they are', () => {
		expect(sourcesOf({ passages: [passage] })).toEqual([{ title: 'T', path: 'a.md', repo: 'r', date: '2026-01-02', text: 'words', truncated: true }]);
	});

	it('have their path for a title where they have none, and are ten at most', () => {
		expect(sourcesOf({ passages: Array(11).fill({ sourcePath: 'a.md', text: 'x' }) })).toHaveLength(10);
		expect(sourcesOf({ passages: [{ sourcePath: 'a.md', text: 'x' }] })[0]?.title).toBe('a.md');
	});

	it.each([undefined, null, 3, 'passages', [], {}, { passages: 3 }, { passages: [null, 1, 'x', {}, { text: 3, sourcePath: {} }, { text: 'x' }, { sourcePath: 'a' }] }])(
		'are none in %j',
		(output) => expect(sourcesOf(output)).toEqual([])
	);
});
