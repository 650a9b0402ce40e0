import { describe, expect, it } from 'vitest';
import { once } from '../../src/lib/client/clock.js';
import { makeHttpClient } from '../../src/lib/client/http.js';
import { AgentError } from '../../src/lib/client/error.js';
import { backOff, LAST_WAIT_MS } from '../../src/lib/client/stream.js';
import type { Line } from '../../src/lib/client/types.js';
import type { Event } from '../../src/lib/protocol.gen.js';
import { testWorld } from './world.ts';

const ev = (seq: number, kind = 'text.delta', more: Partial<Event> = {}): Event => ({
	seq,
	run: 1,
	turn: 'turn_1',
	thread: 'thr_1',
	at: 1000 * seq,
	kind,
	data: {},
	...more
});
const end = (seq: number) => ev(seq, 'turn.completed');

const sse = (...events: Event[]) =>
	new Response(events.map((e) => `id: ${e.run}:${e.seq}\ndata: ${JSON.stringify(e)}\n\n`).join(''), {
		headers: { 'content-type': 'text/event-stream' }
	});
const problem = (status: number, body: unknown, headers = {}) =>
	new Response(JSON.stringify(body), { status, headers });

/** A client whose server answers from a list, and what was asked of it. */
function serve(...answers: (Response | Error | (() => Response | Promise<Response>))[]) {
	const asked: string[] = [];
	const world = testWorld();
	world.fetch = async (url, init) => {
		asked.push(`${init?.method ?? 'GET'} ${String(url)}`);
		const next = answers.shift();
		if (!next) throw new Error('nothing more is answered');
		if (next instanceof Error) throw next;
		return typeof next === 'function' ? next() : next;
	};
	return { client: makeHttpClient({ baseUrl: 'http://a/api/agent', world }), asked, world };
}

async function read(stream: AsyncIterable<Event>): Promise<number[]> {
	const out: number[] = [];
	for await (const e of stream) out.push(e.seq);
	return out;
}

describe('following a turn', () => {
	it('asks again after the last seq when the connection closes without an end', async () => {
		const { client, asked } = serve(sse(ev(1), ev(2)), sse(ev(3), end(4)));
		expect(await read(client.attach('turn_1'))).toEqual([1, 2, 3, 4]);
		expect(asked).toEqual([
			'GET http://a/api/agent/turns/turn_1/events?after=0',
			'GET http://a/api/agent/turns/turn_1/events?after=1%3A2'
		]);
	});

	it('asks again from before a hole, and drops what comes twice', async () => {
		const { client, asked } = serve(sse(ev(1), ev(3)), sse(ev(1), ev(2), ev(3), end(4)));
		expect(await read(client.attach('turn_1'))).toEqual([1, 2, 3, 4]);
		expect(asked).toHaveLength(2);
	});

	it('gives up on a hole that stays, with an error and not with a guess', async () => {
		const holed = () => sse(ev(1), ev(3), end(4));
		const { client } = serve(...Array.from({ length: 9 }, () => holed));
		await expect(read(client.attach('turn_1'))).rejects.toMatchObject({ code: 'unavailable' });
	});

	it('is over at a 204', async () => {
		const { client } = serve(sse(ev(1)), new Response(null, { status: 204 }));
		expect(await read(client.attach('turn_1'))).toEqual([1]);
	});

	it('skips what is no event and keeps what is of an unknown kind', async () => {
		const odd = new Response(`data: nonsense\n\ndata: {"seq":1}\n\n${await sse(ev(1, 'future.kind'), end(2)).text()}`, {
			headers: { 'content-type': 'text/event-stream' }
		});
		const { client } = serve(odd);
		expect(await read(client.attach('turn_1'))).toEqual([1, 2]);
	});

	it('waits longer each time and as long as it is told', async () => {
		const busy = () => problem(503, { code: 'overloaded', message: 'busy' }, { 'retry-after': '7' });
		const { client, world } = serve(new TypeError('failed to fetch'), busy, sse(end(1)));
		expect(await read(client.attach('turn_1'))).toEqual([1]);
		expect(world.slept).toEqual([225, 7000]);
	});

	it('throws what will not pass by itself, in our words', async () => {
		const { client } = serve(problem(404, { code: 'not_found', message: 'There is no such turn.', requestId: 'r1' }));
		const thrown = await read(client.attach('turn_1')).catch((e: unknown) => e);
		expect(thrown).toBeInstanceOf(AgentError);
		expect(thrown).toMatchObject({ code: 'not_found', status: 404, requestId: 'r1' });
	});

	it('takes a page of a proxy for a failed attempt', async () => {
		const html = () => new Response('<html>bad gateway</html>', { status: 502 });
		const login = () => new Response('<html>hello</html>', { headers: { 'content-type': 'text/html' } });
		const { client } = serve(html, login, sse(end(1)));
		expect(await read(client.attach('turn_1'))).toEqual([1]);
	});

	it('tells the line: connecting, live, reconnecting, live', async () => {
		const lines: string[] = [];
		const { client } = serve(sse(ev(1)), sse(end(2)));
		await read(client.attach('turn_1', undefined, { onLine: (l: Line) => lines.push(l.state) }));
		expect(lines).toEqual(['connecting', 'live', 'reconnecting', 'live']);
	});

	it('asks although the browser believes that it has no network: a server beside it needs none', async () => {
		const lines: string[] = [];
		const { client, world } = serve(sse(end(1)));
		world.online = () => false;
		await read(client.attach('turn_1', undefined, { onLine: (l) => lines.push(l.state) }));
		expect(lines).toEqual(['connecting', 'live']);
	});

	it('is offline when that fails, and asks again when the network is back', async () => {
		const lines: string[] = [];
		const { client, world } = serve(new TypeError('no network'), sse(end(1)));
		let online = false;
		world.online = () => online;
		world.sleep = (_, signal) => once(signal, () => () => {});
		world.untilOnline = async () => {
			online = true;
		};
		await read(client.attach('turn_1', undefined, { onLine: (l) => lines.push(l.state) }));
		expect(lines).toEqual(['connecting', 'offline', 'live']);
	});

	it('tries a new connection at once when the network goes away under one', async () => {
		const lines: string[] = [];
		const world = testWorld();
		let online = true;
		let leave = () => {};
		world.online = () => online;
		world.untilOffline = (signal) =>
			once(signal, (resolve) => {
				leave = resolve;
				return () => {};
			});
		let n = 0;
		world.fetch = async (_, init) => {
			if (++n === 2) throw new TypeError('no network');
			if (n === 3) return sse(end(2));
			const silent = new ReadableStream({
				async start(c) {
					c.enqueue(new TextEncoder().encode(await sse(ev(1)).text()));
					init?.signal?.addEventListener('abort', () => c.error(new DOMException('x', 'AbortError')));
				}
			});
			return new Response(silent, { headers: { 'content-type': 'text/event-stream' } });
		};
		const client = makeHttpClient({ baseUrl: 'http://a', world });
		const seen: number[] = [];
		for await (const e of client.attach('turn_1', undefined, { onLine: (l) => lines.push(l.state) })) {
			seen.push(e.seq);
			if (seen.length > 1) continue;
			online = false;
			leave();
		}
		expect(seen).toEqual([1, 2]);
		expect(lines).toEqual(['connecting', 'live', 'connecting', 'offline', 'live']);
		expect(world.slept).toHaveLength(1);
	});

	it('tells a line that is held back: late headers, or reads that bring seconds together', async () => {
		const lines: Line[] = [];
		const { client, world } = serve(() => {
			world.t += 4000;
			const r = sse(end(1));
			r.headers.set('via', '1.1 squid-7, 1.1 other');
			return r;
		});
		await read(client.attach('turn_1', undefined, { onLine: (l) => lines.push(l) }));
		expect(lines).toContainEqual({ state: 'held', via: '1.1 squid-7' });

		const bursts: Line[] = [];
		const slow = serve(() => {
			const pieces = [ev(1), ev(2), ev(3), ev(4), ev(5), end(6)];
			let n = 0;
			return new Response(
				new ReadableStream({
					async pull(c) {
						slow.world.t += 3000;
						const two = pieces.slice(n, (n += 3));
						if (two.length === 0) return c.close();
						c.enqueue(new TextEncoder().encode(await sse(...two).text()));
					}
				}),
				{ headers: { 'content-type': 'text/event-stream' } }
			);
		});
		await read(slow.client.attach('turn_1', undefined, { onLine: (l) => bursts.push(l) }));
		expect(bursts.map((l) => l.state)).toContain('held');
	});

	it('ends an attempt when not even a heartbeat comes', async () => {
		let beat = () => {};
		const world = testWorld();
		const sleep = world.sleep;
		world.sleep = (ms, signal) => {
			if (ms < 20_000) return sleep(ms, signal);
			return new Promise((resolve, reject) => {
				beat = () => {
					world.t += ms;
					resolve();
				};
				signal.addEventListener('abort', () => reject(Object.assign(new Error('x'), { name: 'AbortError' })));
			});
		};
		let n = 0;
		world.fetch = async (_, init) => {
			if (n++ > 0) return sse(end(2));
			const body = new ReadableStream({
				async start(c) {
					c.enqueue(new TextEncoder().encode(await sse(ev(1)).text()));
					init?.signal?.addEventListener('abort', () => c.error(new DOMException('x', 'AbortError')));
				}
			});
			return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
		};
		const client = makeHttpClient({ baseUrl: 'http://a', world });
		const seen: number[] = [];
		for await (const e of client.attach('turn_1')) {
			seen.push(e.seq);
			if (seen.length === 1) setImmediate(() => beat());
		}
		expect(seen).toEqual([1, 2]);
	});
});

describe('starting a turn', () => {
	it('gives the failure of the post to the caller and does not try by itself', async () => {
		const { client, asked } = serve(new TypeError('failed to fetch'));
		const thrown = (await read(client.chat({ projectId: 'p', text: 'x' })).catch((e: unknown) => e)) as AgentError;
		expect(thrown.unreachable).toBe(true);
		expect(asked).toHaveLength(1);
	});

	it('gives the 402 with what the panel needs', async () => {
		const body = { code: 'key_required', message: 'No key.', provider: 'anthropic', panel: 'byok' };
		const { client } = serve(problem(402, body));
		const thrown = await read(client.chat({ projectId: 'p', text: 'x' })).catch((e: unknown) => e);
		expect(thrown).toMatchObject({ code: 'key_required', status: 402, provider: 'anthropic', panel: 'byok' });
	});

	it('posts the same message id again when the stream broke before its first event', async () => {
		const bodies: string[] = [];
		const world = testWorld();
		let n = 0;
		world.fetch = async (_, init) => {
			bodies.push(String(init?.body));
			return n++ === 0 ? sse() : sse(ev(1), end(2));
		};
		const client = makeHttpClient({ baseUrl: 'http://a', world });
		expect(await read(client.chat({ projectId: 'p', text: 'x' }))).toEqual([1, 2]);
		expect(bodies[0]).toBe(bodies[1]);
		expect(JSON.parse(bodies[0]!).messageId.length).toBeLessThanOrEqual(64);
	});
});

describe('the back-off', () => {
	it('doubles with jitter, has an upper limit and minds Retry-After', () => {
		expect([0, 1, 2, 3].map((n) => backOff(n, 1))).toEqual([300, 600, 1200, 2400]);
		expect(backOff(0, 0)).toBe(150);
		expect(backOff(50, 1)).toBe(LAST_WAIT_MS);
		expect(backOff(0, 0, 20)).toBe(20_000);
	});
});
