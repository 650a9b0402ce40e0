import { SseParser } from '../../src/lib/client/sse.js';
import { makeHttpClient } from '../../src/lib/client/http.js';
import { AgentError } from '../../src/lib/client/error.js';
import type { AgentClient } from '../../src/lib/client/types.js';
import { isTerminal, type Event, type Turn } from '../../src/lib/protocol.gen.js';

type Streams = Pick<AgentClient, 'chat' | 'attach' | 'watchThread'>;

/** One wrong client, the cases that must catch it, and those that may as well. */
export interface BrokenClient {
	fault: string;
	make(base: string): AgentClient;
	/** Cases, by a part of their name, that must fail. */
	caught: string[];
	/** Cases near the fault that may fail too. */
	near?: string[];
}

const good = (base: string) => makeHttpClient({ baseUrl: base });

/** Spoils every stream of a good client. */
function spoilt(base: string, spoil: (s: AsyncIterable<Event>) => AsyncIterable<Event>): AgentClient {
	const client = good(base);
	const streams: Streams = {
		chat: (r, o) => spoil(client.chat(r, o)),
		attach: (id, at, o) => spoil(client.attach(id, at, o)),
		watchThread: (id, at, o) => spoil(client.watchThread(id, at, o))
	};
	return { ...client, ...streams };
}

/** A naive reader of a turn's stream, with the faults that naive readers have. */
function naive(
	base: string,
	faults: { reconnect?: boolean; from?: (seq: number) => number; ignore204?: boolean }
): AgentClient {
	const client = good(base);
	async function* attach(id: string, after = { run: 0, seq: 0 }): AsyncGenerator<Event, void> {
		let seq = after.seq;
		for (;;) {
			const r = await fetch(`${base}/turns/${encodeURIComponent(id)}/events?after=${seq}`).catch(() => undefined);
			if (r?.status === 204 && !faults.ignore204) return;
			if (r && !r.ok) throw new AgentError('not_found', 'There is no such turn.');
			const parser = new SseParser();
			const decoder = new TextDecoder();
			try {
				for await (const bytes of r?.body ?? []) {
					for (const f of parser.push(decoder.decode(bytes as Uint8Array, { stream: true }))) {
						const e = JSON.parse(f.data) as Event;
						seq = e.seq;
						yield e;
						if (isTerminal(e)) return;
					}
				}
			} catch {
				// the connection was cut
			}
			if (!faults.reconnect) return;
			seq = (faults.from ?? ((s) => s))(seq);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
	return {
		...client,
		attach,
		async *chat(request) {
			const turn = await client.send(request);
			yield* attach(turn.id);
		}
	};
}

const every = <T>(n: number, then: (e: Event) => T[]) =>
	async function* (s: AsyncIterable<Event>) {
		let i = 0;
		for await (const e of s) {
			if (++i % n === 0) yield* then(e) as unknown as Event[];
			else yield e;
		}
	};

const STREAMS = ['artifact', 'edited', 'moved meanwhile', 'taken back', 'renaming', 'chat', 'attach', 'thread', 'preview', 'cancel', 'resend', 'taken over', 'view', 'leaving', 'aborting', 'answer', 'receipt', 'message'];

/** The wrong clients. */
export const brokenClients: BrokenClient[] = [
	{
		fault: 'drops every third event',
		make: (b) => spoilt(b, every(3, () => [])),
		caught: ['chat streams a whole turn', 'attach replays', 'a thread streams all'],
		near: STREAMS
	},
	{
		fault: 'tells an event twice',
		make: (b) => spoilt(b, every(3, (e) => [e, e])),
		caught: ['chat streams a whole turn', 'attach replays', 'a thread streams all'],
		near: STREAMS
	},
	{
		fault: 'swaps neighbours',
		make: (b) =>
			spoilt(b, async function* (s) {
				let held: Event | undefined;
				for await (const e of s) {
					if (e.seq === 3 && !isTerminal(e)) held = e;
					else {
						yield e;
						if (held) yield held;
						held = undefined;
					}
				}
				if (held) yield held;
			}),
		caught: ['chat streams a whole turn', 'attach replays'],
		near: STREAMS
	},
	{
		fault: 'ignores cancel',
		make: (b) => ({ ...good(b), cancel: async () => {} }),
		caught: ['cancel stops a turn'],
		near: []
	},
	{
		fault: 'takes a close for the end',
		make: (b) => naive(b, { reconnect: false }),
		caught: ['chat goes on over cut'],
		near: ['aborting', 'leaving']
	},
	{
		fault: 'starts again from the beginning when it connects again',
		make: (b) => naive(b, { reconnect: true, from: () => 0 }),
		caught: ['chat goes on over cut'],
		near: ['aborting', 'leaving']
	},
	{
		fault: 'skips what came while it connected again',
		make: (b) => naive(b, { reconnect: true, from: (s) => s + 1 }),
		caught: ['chat goes on over cut'],
		near: ['aborting', 'leaving']
	},
	{
		fault: 'ignores a 204 and asks for ever',
		make: (b) => naive(b, { reconnect: true, ignore204: true }),
		caught: ['attach after the end'],
		near: ['aborting', 'leaving']
	},
	{
		fault: 'loses the last event',
		make: (b) =>
			spoilt(b, async function* (s) {
				for await (const e of s) {
					if (isTerminal(e)) return;
					yield e;
				}
			}),
		caught: ['chat streams a whole turn', 'cancel stops a turn'],
		near: STREAMS
	},
	{
		fault: 'never ends after the last event',
		make: (b) =>
			spoilt(b, async function* (s) {
				yield* s;
				await new Promise(() => {});
			}),
		caught: ['chat streams a whole turn', 'attach after the end'],
		near: [...STREAMS, 'conversation', 'feedback', 'older']
	},
	{
		fault: 'ignores the place to attach after',
		make: (b) => {
			const client = good(b);
			return { ...client, attach: (id, _, o) => client.attach(id, undefined, o) };
		},
		caught: ['attach gives only', 'attach after the end'],
		near: []
	},
	{
		fault: 'ignores the cursor of a thread',
		make: (b) => {
			const client = good(b);
			return { ...client, watchThread: (id, _, o) => client.watchThread(id, '', o) };
		},
		caught: ['a thread streams from a cursor', 'a view and its cursor'],
		near: ['renaming']
	},
	{
		fault: 'throws raw errors',
		make: (b) => ({
			...good(b),
			turn: async (id) => {
				const r = await fetch(`${b}/turns/${id}`);
				if (!r.ok) throw new Error(`HTTP ${r.status}: ${await r.text()}`);
				return r.json();
			}
		}),
		caught: ['attach to an unknown turn'],
		near: []
	},
	{
		fault: 'puts raw text into the message of its error',
		make: (b) => {
			const client = good(b);
			return {
				...client,
				confirm: (r, o) =>
					client.confirm(r, o).catch((e: AgentError) => {
						throw new AgentError(e.code, `{"error":"${e.message}"}`);
					})
			};
		},
		caught: ['an unknown receipt'],
		near: ['an edited preview', 'can be remembered']
	},
	{
		fault: 'makes a new message id for a resend',
		make: (b) => {
			const client = good(b);
			let n = 0;
			return {
				...client,
				chat: (r, o) => client.chat({ ...r, messageId: `x${Date.now()}${++n}` }, o),
				send: (r, o) => client.send({ ...r, messageId: `x${Date.now()}${++n}` }, o)
			};
		},
		caught: ['a resend with the same message id', 'the same message id with another text'],
		near: []
	},
	{
		fault: 'throws away the answer of a conflict',
		make: (b) => {
			const client = good(b);
			return {
				...client,
				async confirm(r, o) {
					const a = await client.confirm(r, o);
					if (a.code) throw new AgentError(a.code, 'Conflict.');
					return a;
				}
			};
		},
		caught: ['the same answer again'],
		near: []
	},
	{
		fault: 'loses the arguments of an edit',
		make: (b) => {
			const client = good(b);
			return {
				...client,
				confirm: (r, o) =>
					client.confirm({ ...r, decisions: r.decisions?.map(({ input: _, ...d }) => d) ?? [] }, o)
			};
		},
		caught: ['an edited preview'],
		near: []
	},
	{
		fault: 'forgets where the fault lies',
		make: (b) => {
			const client = good(b);
			return {
				...client,
				confirm: (r, o) =>
					client.confirm(r, o).catch((e: AgentError) => {
						throw new AgentError(e.code, e.message);
					})
			};
		},
		caught: ['an edited preview'],
		near: []
	},
	{
		fault: 'takes an edit for an accept',
		make: (b) => {
			const client = good(b);
			const accept = { decision: 'accept', input: undefined };
			return {
				...client,
				confirm: (r, o) =>
					client.confirm({ ...r, decisions: r.decisions?.map((d) => ({ ...d, ...accept })) ?? [] }, o)
			};
		},
		caught: ['an edited preview', 'a discarded preview'],
		near: ['the same answer again', 'a discarded change', 'a view and its cursor', 'can be remembered', 'in the inbox']
	},
	{
		fault: 'says that a change is taken back before the server says so',
		make: (b) => {
			const client = good(b);
			const undo = async (id: string) => {
				client.undo(id).catch(() => {});
				return { id: '', threadId: '', by: 'hand' } as Turn;
			};
			return { ...client, undo };
		},
		caught: ['an applied change is taken back', 'a discarded change cannot', 'an unknown call'],
		near: []
	},
	{
		fault: 'takes a change back twice when asked once',
		make: (b) => {
			const client = good(b);
			return { ...client, undo: async (id, o) => (await client.undo(id, o), client.undo(id, o)) };
		},
		caught: ['an applied change is taken back'],
		near: []
	},
	{
		fault: 'shows the key that was stored',
		make: (b) => {
			const client = good(b);
			return { ...client, setKey: async (k, o) => ({ ...(await client.setKey(k, o)), masked: k.key }) };
		},
		caught: ['a key is stored'],
		near: []
	},
	{
		fault: 'keeps its connection when it is left',
		make: (b) => {
			const client = good(b);
			return {
				...client,
				attach: (id, at) => {
					const stream = client.attach(id, at)[Symbol.asyncIterator]();
					const leaky = { next: () => stream.next(), [Symbol.asyncIterator]: () => leaky };
					return leaky;
				}
			};
		},
		caught: ['leaving a stream closes'],
		near: ['aborting']
	},
	{
		fault: 'answers an empty list when it fails',
		make: (b) => ({ ...good(b), thread: async () => ({ thread: { id: '' }, turns: [], cursor: '' }) as never }),
		caught: ['a deleted conversation', 'a view and its cursor'],
		near: ['older']
	}
];
