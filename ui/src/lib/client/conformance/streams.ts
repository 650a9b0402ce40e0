import { isTerminal, type Event } from '../../protocol.gen.js';
import type { Bench, ConformanceCase } from './bench.js';
import { answer, ask, check, collect, inOrder, is, refuses, same, wholeTurn, within } from './checks.js';

const chat: ConformanceCase[] = [
	{
		name: 'chat streams a whole turn and ends',
		covers: ['chat'],
		async run(b) {
			wholeTurn(await collect(b, b.client().chat(ask(b, b.texts.plain))));
		}
	},
	{
		name: 'chat goes on over cut connections without gaps or doubles',
		covers: ['chat'],
		async run(b) {
			let cuts = 0;
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.preview)), async (seen) => {
				if (cuts < 3 && seen.length % 2 === 0) {
					cuts++;
					await b.cut();
				}
				await answer(client, seen, 'accept');
			});
			check(cuts > 0, 'the turn was too short to be cut');
			wholeTurn(events);
		}
	},
	{
		name: 'a resend with the same message id is the same turn',
		covers: ['chat', 'send'],
		async run(b) {
			const client = b.client();
			const request = ask(b, b.texts.plain);
			const first = await collect(b, client.chat(request));
			const again = await collect(b, client.chat(request));
			wholeTurn(again);
			same(again[0]?.turn, first[0]?.turn, 'the turn of the resend');
			same((await client.send(request)).id, first[0]?.turn, 'the turn of the resend by send');
		}
	},
	{
		name: 'the same message id with another text is a conflict',
		covers: ['send'],
		async run(b) {
			const client = b.client();
			const request = ask(b, b.texts.plain);
			await collect(b, client.chat(request));
			const other = { ...request, text: `${request.text} and more` };
			await refuses(b, 'another text', () => client.send(other), 'conflict');
		}
	},
	{
		name: 'a message without a project is refused in our words',
		covers: ['chat', 'send'],
		async run(b) {
			const client = b.client();
			const bad = { ...ask(b, b.texts.plain), projectId: '' };
			const codes = ['invalid_input', 'invalid_request', 'not_found'];
			await refuses(b, 'send', () => client.send(bad), ...codes);
			await refuses(b, 'chat', () => collect(b, client.chat(bad)), ...codes);
		}
	},
	{
		name: 'send gives the turn at once',
		covers: ['send', 'turn'],
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.slow));
			check(turn.id && turn.threadId, 'no id or thread');
			same((await client.turn(turn.id)).state, 'running', 'the state');
			await client.cancel(turn.id);
		}
	},
	{
		name: 'what a taken over step told is void and asked again',
		covers: ['chat'],
		needs: 'restarted',
		async run(b) {
			const events = await collect(b, b.client().chat(ask(b, b.texts.restarted!)));
			check(events.some((e) => e.kind === 'step.restarted'), 'no step.restarted');
			wholeTurn(events);
		}
	}
];

const attach: ConformanceCase[] = [
	{
		name: 'attach replays an ended turn from its start',
		covers: ['attach'],
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.plain)));
			const again = await collect(b, client.attach(events[0]!.turn));
			wholeTurn(again);
			same(again.at(-1), events.at(-1), 'the last event');
		}
	},
	{
		name: 'attach gives only what comes after a place',
		covers: ['attach'],
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.plain)));
			const at = events.at(-3)!;
			const rest = await collect(b, client.attach(at.turn, { run: at.run, seq: at.seq }));
			inOrder(rest, at.seq);
			same(rest.at(-1), events.at(-1), 'the last event');
		}
	},
	{
		name: 'attach after the end of a turn ends at once',
		covers: ['attach'],
		async run(b) {
			const client = b.client();
			const end = (await collect(b, client.chat(ask(b, b.texts.plain)))).at(-1)!;
			const rest = await collect(b, client.attach(end.turn, { run: end.run, seq: end.seq }));
			same(rest, [], 'what comes after the end');
		}
	},
	{
		name: 'attach to an unknown turn is not_found',
		covers: ['attach', 'turn'],
		async run(b) {
			const client = b.client();
			await refuses(b, 'attach', () => collect(b, client.attach('turn_nowhere')), 'not_found');
			await refuses(b, 'turn', () => client.turn('turn_nowhere'), 'not_found');
		}
	},
	{
		name: 'leaving a stream closes its connection',
		covers: ['attach'],
		needs: 'streams',
		async run(b) {
			const client = b.client();
			const before = await b.streams!();
			const turn = await client.send(ask(b, b.texts.slow));
			await collect(b, client.attach(turn.id), (seen) => seen.length >= 2);
			const closed = (async () => {
				while ((await b.streams!()) > before) await new Promise((r) => setTimeout(r, 10));
			})();
			await within(b, closed, 'closing the connection');
			await client.cancel(turn.id);
		}
	},
	{
		name: 'aborting ends a stream that waits',
		covers: ['attach'],
		async run(b) {
			const client = b.client();
			const stop = new AbortController();
			const turn = await client.send(ask(b, b.texts.preview));
			const reading = collect(b, client.attach(turn.id, undefined, { signal: stop.signal }), (seen) => {
				if (seen.at(-1)?.kind === 'preview') setTimeout(() => stop.abort(), 20);
			});
			const thrown = await reading.then(
				() => undefined,
				(e: unknown) => e
			);
			check(!thrown || (thrown as Error).name === 'AbortError', `it threw ${String(thrown)}`);
			await client.cancel(turn.id);
		}
	}
];

const cancel: ConformanceCase[] = [
	{
		name: 'cancel stops a turn and keeps what was said',
		covers: ['cancel'],
		async run(b) {
			const client = b.client();
			let asked = false;
			const events = await collect(b, client.chat(ask(b, b.texts.slow)), async (seen) => {
				if (!asked && seen.some((e) => e.kind === 'text.delta')) {
					asked = true;
					await client.cancel(seen[0]!.turn);
				}
			});
			wholeTurn(events);
			same(events.at(-1)?.kind, 'turn.canceled', 'the end');
			same((await client.turn(events[0]!.turn)).state, 'canceled', 'the state');
			check(events.some((e) => e.kind === 'text.delta'), 'the text is gone');
		}
	},
	{
		name: 'cancelling an ended turn changes nothing',
		covers: ['cancel'],
		async run(b) {
			const client = b.client();
			const events = await collect(b, client.chat(ask(b, b.texts.plain)));
			await client.cancel(events[0]!.turn);
			same((await client.turn(events[0]!.turn)).state, 'completed', 'the state');
		}
	}
];

const watch: ConformanceCase[] = [
	{
		name: 'a thread streams all of its turns in order',
		covers: ['watchThread'],
		async run(b) {
			const { events, client, thread } = await twoTurns(b);
			const turns = [...new Set(events.filter((e) => e.turn).map((e) => e.turn))];
			same(turns.length, 2, 'the number of turns');
			for (const t of turns) wholeTurn(events.filter((e) => e.turn === t));
			await client.deleteThread(thread);
		}
	},
	{
		name: 'a thread goes on over cut connections without gaps or doubles',
		covers: ['watchThread'],
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.preview));
			let cuts = 0;
			const events = await collect(b, client.watchThread(turn.threadId, ''), async (seen) => {
				if (cuts < 3 && seen.length % 3 === 0) {
					cuts++;
					await b.cut();
				}
				await answer(client, seen, 'accept');
				return isTerminal(seen.at(-1)!);
			});
			check(cuts > 0, 'the turn was too short to be cut');
			wholeTurn(events.filter((e) => e.turn === turn.id));
		}
	},
	{
		name: 'a thread streams from a cursor on',
		covers: ['watchThread'],
		async run(b) {
			const { events, client, thread } = await twoTurns(b);
			const at = events[2]!;
			const rest = await collect(b, client.watchThread(thread, `${at.turn}:${at.seq}`), ended(2));
			inOrder(rest.filter((e) => e.turn === at.turn), at.seq);
			same(rest.at(-1)?.seq, events.at(-1)?.seq, 'the last event');
		}
	},
	{
		name: 'a view and its cursor together are the whole thread',
		covers: ['thread', 'watchThread'],
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.preview));
			await collect(b, client.attach(turn.id), is('preview'));
			const view = await client.thread(turn.threadId);
			const told = view.turns?.find((t) => t.turn.id === turn.id)?.events ?? [];
			check(told.at(-1)?.kind === 'preview', `the view ends with ${told.at(-1)?.kind}`);
			const live = collect(b, client.watchThread(turn.threadId, view.cursor), ended(1));
			await answer(client, told, 'discard');
			wholeTurn([...told, ...(await live).filter((e) => e.turn === turn.id)]);
		}
	},
	{
		name: 'renaming is told on the stream, and deleting ends it',
		covers: ['watchThread', 'patchThread', 'deleteThread'],
		async run(b) {
			const client = b.client();
			const first = await collect(b, client.chat(ask(b, b.texts.plain)));
			const { thread } = first[0]!;
			const cursor = `${first.at(-1)!.turn}:${first.at(-1)!.seq}`;
			let step = 0;
			const live = { heard: () => {} };
			const opened = new Promise<void>((resolve) => {
				live.heard = resolve;
			});
			const stream = client.watchThread(thread, cursor, {
				onLine: (l) => l.state === 'live' && live.heard()
			});
			const reading = collect(b, stream, async (seen) => {
				const last = seen.at(-1)!;
				if (step === 0 && last.kind === 'thread.changed') {
					step = 1;
					same((last.data as { title?: string }).title, 'Another title', 'the title');
					await client.deleteThread(thread);
				}
			});
			reading.catch(() => {});
			await within(b, opened, 'opening the stream');
			await client.patchThread(thread, { title: 'Another title' });
			const seen = await reading;
			same((seen.at(-1)?.data as { deleted?: boolean })?.deleted, true, 'the last event');
		}
	}
];

const ended = (n: number) => (seen: readonly Event[]) => seen.filter(isTerminal).length >= n;

/** Plays two plain turns in one thread and reads them from its stream. */
async function twoTurns(b: Bench) {
	const client = b.client();
	const first = await collect(b, client.chat(ask(b, b.texts.plain)));
	const thread = first[0]!.thread;
	await collect(b, client.chat(ask(b, b.texts.plain, { threadId: thread })));
	const events = await collect(b, client.watchThread(thread, ''), ended(2));
	return { client, thread, events };
}

/** The cases about streams and turns. */
export const streamCases: readonly ConformanceCase[] = [
	...chat,
	...attach,
	...cancel,
	...watch
];
