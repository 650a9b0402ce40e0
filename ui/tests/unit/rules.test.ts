import { describe, expect, it } from 'vitest';
import { AgentError } from '../../src/lib/client/error.js';
import type { AgentClient, ApprovalQuery } from '../../src/lib/client/types.js';
import type { ArgumentLimit, DecisionRequest, Permission, PermissionPage } from '../../src/lib/protocol.gen.js';
import { Decisions } from '../../src/lib/state/decisions.svelte.js';
import { fold } from '../../src/lib/state/fold.js';
import { EMPTY, type CallPart } from '../../src/lib/state/model.js';
import { RulesState } from '../../src/lib/state/rules.svelte.js';
import { few, limitLines } from '../../src/lib/state/scope.js';
import { en } from '../../src/lib/strings/en.js';
import { Teller } from './teller.ts';

const rule = (id: string) => ({ id, title: 'Edit', capability: 'slide.edit' }) as Permission;

/** Rules over a client that has some, until told otherwise. */
function rulesOf(...ids: string[]) {
	const server = {
		items: ids.map(rule),
		list: undefined as ((query: ApprovalQuery) => Promise<PermissionPage>) | undefined,
		refuse: undefined as unknown,
		revoked: [] as string[]
	};
	const client = {
		permissions: (query: ApprovalQuery) => server.list?.(query) ?? Promise.resolve({ items: server.items }),
		revokePermission: async (id: string) => {
			server.revoked.push(id);
			if (server.refuse) throw server.refuse;
		}
	} as unknown as AgentClient;
	return { rules: new RulesState(client), server };
}
const ids = (r: RulesState) => r.items.map((p) => p.id);

describe('the rules of a user', () => {
	it('are known once they were told, also when there is none', async () => {
		const { rules } = rulesOf();
		const loading = rules.load();
		expect([rules.known, rules.loading]).toEqual([false, true]);
		await loading;
		expect([rules.known, rules.loading, ids(rules)]).toEqual([true, false, []]);
	});

	it('come from every page', async () => {
		const { rules, server } = rulesOf();
		const asked: unknown[] = [];
		server.list = async (query) => {
			asked.push(query);
			return query.cursor ? { items: [rule('b')] } : { items: [rule('a')], next: 'n' };
		};
		await rules.load();
		expect([ids(rules), asked]).toEqual([['a', 'b'], [{ limit: 200 }, { limit: 200, cursor: 'n' }]]);
	});

	it('stay as they were when they cannot be asked for, with what went wrong', async () => {
		const { rules, server } = rulesOf('a');
		await rules.load();
		const gone = new AgentError('unavailable', '', { status: 0 });
		server.list = () => Promise.reject(gone);
		await rules.load();
		expect([ids(rules), rules.failure, rules.loading]).toEqual([['a'], { at: '', error: gone }, false]);
		server.list = undefined;
		await rules.load();
		expect(rules.failure).toBeUndefined();
	});

	it('are not known after a first question that failed', async () => {
		const { rules, server } = rulesOf('a');
		server.list = () => Promise.reject(new AgentError('unavailable', ''));
		await rules.load();
		expect([rules.known, rules.failure?.at]).toEqual([false, '']);
	});

	it('end one by one, and one that somebody else ended is gone as well', async () => {
		const { rules, server } = rulesOf('a', 'b');
		await rules.load();
		expect([await rules.revoke('a'), ids(rules)]).toEqual([true, ['b']]);
		server.refuse = new AgentError('not_found', 'There is no such permission.');
		expect([await rules.revoke('b'), ids(rules), rules.failure]).toEqual([true, [], undefined]);
		expect(server.revoked).toEqual(['a', 'b']);
	});

	it('are still there when revoking failed, with what went wrong at that one', async () => {
		const { rules, server } = rulesOf('a', 'b');
		await rules.load();
		server.refuse = new AgentError('storage_busy', 'Busy.');
		expect([await rules.revoke('b'), ids(rules), rules.failure?.at, rules.revoking]).toEqual([false, ['a', 'b'], 'b', '']);
	});

	it('do not come back by an answer that was under way when one was revoked', async () => {
		const { rules, server } = rulesOf('a');
		await rules.load();
		let answer = (_: PermissionPage) => {};
		server.list = () => new Promise((resolve) => (answer = resolve));
		const loading = rules.load();
		await rules.revoke('a');
		answer({ items: [rule('a')] });
		await loading;
		expect([ids(rules), rules.loading]).toEqual([[], false]);
	});
});

describe('the scope of a rule in words', () => {
	const words = (limits: ArgumentLimit[], schema?: unknown) => limitLines(limits, schema, en).map((l) => `${l.name}: ${l.value}`);
	const equal = (values: object) => Object.entries(values).map(([argument, value]): ArgumentLimit => ({ argument, equal: value }));

	it('binds whole numbers from above, and all else to what it is', () => {
		expect(words([{ argument: 'warmth', max: 7 }, { argument: 'zero', max: 0 }])).toEqual(['Warmth: at most 7', 'Zero: at most 0']);
		expect(words(equal({ slide_id: '04', below: -1, half: 0.5, dark: true, off: false, list: [1, 'a'], none: null }))).toEqual([
			'Slide id: 04', 'Below: -1', 'Half: 0.5', 'Dark: Yes', 'Off: No', 'List: [1,"a"]', 'None: null'
		]);
	});

	it('takes the names of the schema, and survives arguments that are called like what every object has', () => {
		expect(words(equal({ style: 'calm' }), { properties: { style: { title: 'The look' } } })).toEqual(['The look: calm']);
		expect(words(equal(JSON.parse('{"constructor":"x","__proto__":"y"}')))).toEqual(['Constructor: x', 'Proto: y']);
	});

	it('says what may be anything, and cuts what is long between letters', () => {
		expect(words([{ argument: 'notes', any: true }])).toEqual(['Notes: anything']);
		const [line] = words(equal({ text: '😀'.repeat(81) }));
		expect(line).toBe(`Text: ${'😀'.repeat(80)}…`);
		expect(words(equal({ text: 'a'.repeat(80) }))).toEqual([`Text: ${'a'.repeat(80)}`]);
	});

	it('names the first few places', () => {
		expect([few([], 2, en.rules.more), few(['a', 'b'], 2, en.rules.more), few(['a', 'b', 'c'], 2, en.rules.more)]).toEqual(['', 'a, b', 'a, b, 1 more']);
	});
});

describe('an accept for always', () => {
	const call = (t: Teller) => t.events.reduce(fold, EMPTY).turns[0]!.parts.find((p): p is CallPart => p.type === 'call')!;
	const shown = () => new Teller().start().call('a').preview('a', 'ra');

	it('asks to be remembered, and no other answer does', async () => {
		const asked: unknown[] = [];
		const client = {
			confirm: async (r: DecisionRequest) => (asked.push(JSON.parse(JSON.stringify(r.decisions![0]))), { turnId: r.turnId, results: [] })
		} as unknown as AgentClient;
		await new Decisions(client).decide('turn_1', [call(shown())], 'accept', true);
		await new Decisions(client).decide('turn_1', [call(shown())], 'accept');
		await new Decisions(client).edit('turn_1', call(shown()), { a: 2 });
		const head = { callId: 'a', receiptId: 'ra' };
		expect(asked).toEqual([
			{ ...head, decision: 'accept', remember: true },
			{ ...head, decision: 'accept' },
			{ ...head, decision: 'edit', input: { a: 2 } }
		]);
	});

	it('is told on the preview, and so is what a rule accepted', () => {
		const made = shown().tell('decision', { callId: 'a', receiptId: 'ra', decision: 'accepted', by: 'user_1', rememberedId: 'pm1' });
		expect(call(made).previews[0]).toMatchObject({ verdict: 'accepted', by: 'user_1', rememberedId: 'pm1' });
		const used = shown().tell('decision', { callId: 'a', receiptId: 'ra', decision: 'accepted', by: 'rule', permissionId: 'pm1' });
		expect(call(used).previews[0]).toMatchObject({ verdict: 'accepted', by: 'rule', permissionId: 'pm1' });
		expect(call(used).status).toBe('applying');
	});

	it('is offered where the preview says so', () => {
		const one = shown();
		expect(call(one).previews[0]!.scope).toBeUndefined();
		const scope = { resources: ['slides/04.html'], limits: [{ argument: 'slide_id', equal: '04' }], days: 30 };
		const t = new Teller().start().call('a');
		t.tell('preview', { callId: 'a', receiptId: 'r', name: 'n', title: 't', summary: 's', artifacts: null, expiresAt: 1, scope });
		expect(call(t).previews[0]!.scope).toEqual(scope);
	});
});
