import type { Approval, Event, EventOf } from '../../protocol.gen.js';
import type { AgentClient } from '../types.js';
import type { Bench, ConformanceCase } from './bench.js';
import { answer, ask, check, collect, is, refuses, same, wholeTurn, type Asked } from './checks.js';

const confirm: ConformanceCase[] = [
	{
		name: 'an accepted preview is applied and the turn goes on',
		covers: ['confirm'],
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.preview)), (seen) =>
				answer(client, seen, 'accept')
			);
			wholeTurn(events);
			same(events.at(-1)?.kind, 'turn.completed', 'the end');
			const done = events.filter((e) => e.kind === 'capability.done') as EventOf<'capability.done'>[];
			check(done.some((d) => d.data.state === 'applied'), 'nothing was applied');
		}
	},
	{
		name: 'a discarded preview is not applied',
		covers: ['confirm'],
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.preview)), (seen) =>
				answer(client, seen, 'discard')
			);
			wholeTurn(events);
			const done = events.filter((e) => e.kind === 'capability.done') as EventOf<'capability.done'>[];
			check(!done.some((d) => d.data.state === 'applied'), 'it was applied');
		}
	},
	{
		name: 'the same answer again gives the same, another one a conflict',
		covers: ['confirm', 'turn'],
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.preview));
			const seen = await collect(b, client.attach(turn.id), is('preview'));
			const { callId, receiptId } = seen.at(-1)!.data as { callId: string; receiptId: string };
			const open = (await client.turn(turn.id)).open ?? [];
			same(open.map((o) => o.receiptId), [receiptId], 'the open previews');
			const say = (decision: string) =>
				client.confirm({ turnId: turn.id, decisions: [{ callId, receiptId, decision }] });
			const first = await say('accept');
			same(first.results?.[0]?.outcome, 'taken', 'the outcome');
			check(!first.code, 'the first answer was a conflict');
			const again = await say('accept');
			check(!again.code && again.results?.[0]?.receiptId === receiptId, 'the same answer was refused');
			const other = await say('discard');
			same(other.code, 'conflict', 'the code of another answer');
			same(other.results?.[0]?.decision, 'accepted', 'the stored decision');
		}
	},
	{
		name: 'an unknown receipt is refused',
		covers: ['confirm'],
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.preview));
			await collect(b, client.attach(turn.id), is('preview'));
			const decisions = [{ callId: 'call_x', receiptId: 'rcpt_x', decision: 'accept' }];
			const codes = ['not_found', 'invalid_input'];
			await refuses(b, 'confirm', () => client.confirm({ turnId: turn.id, decisions }), ...codes);
			await client.cancel(turn.id);
		}
	}
];

const edit: ConformanceCase[] = [
	{
		name: 'an edited preview gives another one, and only that is applied',
		covers: ['confirm'],
		needs: 'edit',
		async run(b) {
			const client = b.client();
			const { turn, asked } = await shownIn(b, b.edit!.text);
			const { callId, receiptId } = asked;
			const say = (input: unknown) =>
				client.confirm({ turnId: turn, decisions: [{ callId, receiptId, decision: 'edit', input }] });
			const wrong = () => say(b.edit!.spoil(asked.input));
			const refused = await refuses(b, 'wrong arguments', wrong, 'invalid_input');
			check(refused.pointer?.startsWith('/decisions/input/'), `the pointer is ${refused.pointer}`);
			const input = b.edit!.change(asked.input);
			const taken = (await say(input)).results?.[0];
			same([taken?.outcome, taken?.decision], ['taken', 'edited'], 'the outcome');
			const events = await collect(b, client.attach(turn), (seen) => {
				const last = seen.at(-1)!;
				const next = last.kind === 'preview' && (last.data as Asked).receiptId !== receiptId;
				return next ? answer(client, seen, 'accept') : undefined;
			});
			wholeTurn(events);
			const child = of(events, 'capability.started').find((e) => e.data.parentCallId === callId);
			check(child, 'no call was made of the edited one');
			same(child.data.input, input, 'the arguments of the new call');
			const applied = of(events, 'capability.done').filter((e) => e.data.state === 'applied');
			same(applied.map((e) => e.data.callId), [child.data.callId], 'what was applied');
		}
	},
	{
		name: 'a change of what moved meanwhile is not applied but shown again',
		covers: ['confirm'],
		needs: 'moved',
		async run(b) {
			const client = b.client();
			const { turn, asked } = await shownIn(b, b.texts.moved!);
			const { callId, receiptId } = asked;
			const decisions = [{ callId, receiptId, decision: 'accept' }];
			const results = (await client.confirm({ turnId: turn, decisions })).results;
			same(results?.[0]?.outcome, 'stale', 'the outcome');
			const events = await collect(b, client.attach(turn), (seen) =>
				seen.filter((e) => e.kind === 'preview').length === 2
			);
			same((events.at(-1)?.data as Asked).replaces, receiptId, 'what the new preview replaces');
			check(!of(events, 'capability.done').some((e) => e.data.callId === callId), 'it was applied');
			await client.cancel(turn);
		}
	}
];

const undo: ConformanceCase[] = [
	{
		name: 'an applied change is taken back in a turn by hand, once',
		covers: ['undo'],
		needs: 'undo',
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.undo!)), (seen) =>
				answer(client, seen, 'accept')
			);
			const applied = of(events, 'capability.done').find((e) => e.data.state === 'applied');
			check((applied?.data.undoUntil ?? 0) > 0, 'it does not tell until when it can be taken back');
			const { callId } = applied!.data;
			const turn = await client.undo(callId);
			same([turn.by, turn.threadId], ['hand', events[0]!.thread], 'the turn');
			const back = await collect(b, client.attach(turn.id));
			wholeTurn(back);
			same(of(back, 'capability.started')[0]?.data.parentCallId, callId, 'what is taken back');
			const { phase, state } = of(back, 'capability.done')[0]!.data;
			same([phase, state], ['undo', 'undone'], 'how it went');
			await refuses(b, 'taking it back again', () => client.undo(callId), 'conflict');
		}
	},
	{
		name: 'a discarded change cannot be taken back',
		covers: ['undo'],
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.preview)), (seen) =>
				answer(client, seen, 'discard')
			);
			const { callId } = of(events, 'preview')[0]!.data;
			await refuses(b, 'undo', () => client.undo(callId), 'conflict');
		}
	},
	{
		name: 'an unknown call cannot be taken back',
		covers: ['undo'],
		run: async (b) => void (await refuses(b, 'undo', () => b.client().undo('call_nowhere'), 'not_found'))
	}
];

const inbox: ConformanceCase[] = [
	{
		name: 'a waiting preview is in the inbox until it is answered',
		covers: ['approvals'],
		async run(b) {
			const { client, turn, asked } = await shownIn(b, b.texts.preview);
			const mine = async () => (await all(client)).filter((a) => a.turnId === turn);
			const [line, ...more] = await mine();
			check(line && more.length === 0, `it is there ${more.length + (line ? 1 : 0)} times`);
			same([line.callId, line.receiptId, line.summary], [asked.callId, asked.receiptId, asked.summary], 'the line');
			check(line.threadTitle && line.title && line.expiresAt > line.createdAt, 'thread, title or times are missing');
			same(line.artifacts?.map((a) => a.kind), asked.artifacts.map((a) => a.kind), 'the outline');
			check(!JSON.stringify(line.artifacts).includes('"text"'), 'the outline holds content');
			await client.confirm({ turnId: turn, decisions: [{ callId: line.callId, receiptId: line.receiptId, decision: 'discard' }] });
			same(await mine(), [], 'the inbox after the answer');
		}
	},
	{
		name: 'the inbox comes by the page, newest first',
		covers: ['approvals'],
		async run(b) {
			const first = await shownIn(b, b.texts.preview);
			const second = await shownIn(b, b.texts.preview);
			const client = b.client();
			const page = await client.approvals({ limit: 1 });
			same(page.items?.map((a) => a.turnId), [second.turn], 'the newest');
			check(page.next, 'the page does not tell of more');
			const rest = await client.approvals({ limit: 200, cursor: page.next });
			check(rest.items?.some((a) => a.turnId === first.turn), 'the older one is not on the next page');
			check(!rest.items?.some((a) => a.turnId === second.turn), 'the newest is there twice');
			await client.cancel(first.turn);
			await client.cancel(second.turn);
		}
	}
];

/** Reads the whole inbox. */
async function all(client: AgentClient): Promise<Approval[]> {
	const out: Approval[] = [];
	for (let cursor: string | undefined; ; ) {
		const page = await client.approvals({ limit: 200, cursor });
		out.push(...(page.items ?? []));
		cursor = page.next;
		if (!cursor) return out;
	}
}

/** Sends a message and waits for its preview. */
async function shownIn(b: Bench, text: string | (() => string)) {
	const client = b.client();
	const turn = await client.send(ask(b, text));
	const seen = await collect(b, client.attach(turn.id), is('preview'));
	return { client, turn: turn.id, asked: seen.at(-1)!.data as Asked };
}

const of = <K extends 'capability.started' | 'capability.done' | 'preview'>(events: readonly Event[], kind: K) =>
	events.filter((e) => e.kind === kind) as EventOf<K>[];

/** The cases about answering previews, and about taking back what was applied. */
export const changeCases: readonly ConformanceCase[] = [...confirm, ...edit, ...undo, ...inbox];
