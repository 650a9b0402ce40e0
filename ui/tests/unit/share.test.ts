import { describe, expect, it } from 'vitest';
import { shareThreads, WELCOME_MS } from '../../src/lib/client/share.js';
import { Queue } from '../../src/lib/client/queue.js';
import type { Tabs } from '../../src/lib/client/tabs.js';
import type { AgentClient, WatchOptions } from '../../src/lib/client/types.js';
import type { Event } from '../../src/lib/protocol.gen.js';
import { once } from '../../src/lib/client/clock.js';
import { testWorld } from './world.ts';

const ev = (seq: number, more: Partial<Event> = {}): Event => ({
	seq,
	run: 1,
	turn: 't',
	thread: 'h',
	at: 0,
	kind: 'text.delta',
	data: {},
	...more
});

/** A browser with tabs: locks, a channel, and visibility for each. */
class Browser {
	locks = new Map<string, Promise<void>>();
	channels = new Map<string, Set<(m: unknown) => void>>();
	noise: ((m: unknown) => boolean) | undefined;

	tab() {
		const watchers = new Set<() => void>();
		const state = { hidden: false };
		const tabs: Tabs = {
			lock: async (name, signal, held) => {
				while (this.locks.has(name)) {
					const free = this.locks.get(name)!;
					await once(signal, (resolve) => {
						void free.finally(resolve);
						return () => {};
					});
				}
				if (signal.aborted) throw Object.assign(new Error('x'), { name: 'AbortError' });
				const run = held();
				const done = run.catch(() => {});
				this.locks.set(name, done);
				void done.then(() => this.locks.delete(name));
				await run;
			},
			channel: (name, hear) => {
				const all = this.channels.get(name) ?? new Set();
				this.channels.set(name, all);
				all.add(hear);
				return {
					post: (m) => {
						const copy = JSON.stringify(m);
						for (const other of all) {
							if (other === hear || this.noise?.(m)) continue;
							setImmediate(() => other(JSON.parse(copy)));
						}
					},
					close: () => void all.delete(hear)
				};
			},
			hidden: () => state.hidden,
			onVisibility: (f) => {
				watchers.add(f);
				return () => void watchers.delete(f);
			}
		};
		const hide = (hidden: boolean) => {
			state.hidden = hidden;
			for (const f of watchers) f();
		};
		return { tabs, hide };
	}
}

/** A server with one thread, and how many streams are open to it. */
class Server {
	events: Event[] = [];
	open = new Set<Queue<Event>>();
	opened: string[] = [];

	client(): AgentClient {
		const watchThread = (_: string, after: string, o: WatchOptions = {}) => this.#watch(after, o);
		return { watchThread } as unknown as AgentClient;
	}

	async *#watch(after: string, o: WatchOptions): AsyncGenerator<Event, void> {
		const queue = new Queue<Event>();
		const seq = Number(after.split(':').at(-1) ?? 0);
		for (const e of this.events) if (e.seq > seq) queue.push(e);
		this.open.add(queue);
		this.opened.push(after);
		o.onLine?.({ state: 'live' });
		const stop = () => queue.end(Object.assign(new Error('aborted'), { name: 'AbortError' }));
		o.signal?.addEventListener('abort', stop);
		if (o.signal?.aborted) stop();
		try {
			yield* queue.read();
		} finally {
			this.open.delete(queue);
		}
	}

	tell(e: Event): void {
		this.events.push(e);
		for (const q of this.open) q.push(e);
	}
}

const settle = async () => {
	for (let i = 0; i < 30; i++) await new Promise((r) => setImmediate(r));
};

/** One tab that watches the thread and writes down what it sees. */
function watcher(browser: Browser, server: Server, after = '', o: WatchOptions = { share: 'user_1' }) {
	const { tabs, hide } = browser.tab();
	const stop = new AbortController();
	const world = testWorld({
		sleep: (ms, signal) =>
			once(signal, (resolve) => {
				world.slept.push(ms);
				timers.push(resolve);
				return () => {};
			})
	});
	const timers: (() => void)[] = [];
	const client = shareThreads(server.client(), world, tabs);
	const seen: number[] = [];
	const lines: string[] = [];
	let error: unknown;
	const done = (async () => {
		const stream = client.watchThread('h', after, { ...o, signal: stop.signal, onLine: (l) => lines.push(l.state) });
		for await (const e of stream) seen.push(e.seq);
	})().catch((e: unknown) => {
		error = e;
	});
	return { seen, lines, hide, done, world, fire: () => timers.splice(0).forEach((f) => f()), close: () => stop.abort(), error: () => error };
}

describe('tabs on one thread', () => {
	it('share one connection and all see everything once', async () => {
		const [browser, server] = [new Browser(), new Server()];
		server.tell(ev(1));
		const tabs = Array.from({ length: 8 }, () => watcher(browser, server));
		await settle();
		for (let i = 2; i <= 6; i++) server.tell(ev(i));
		await settle();
		expect(server.open.size).toBe(1);
		for (const t of tabs) expect(t.seen).toEqual([1, 2, 3, 4, 5, 6]);
		expect(tabs.map((t) => t.lines.at(-1)).sort()).toEqual(['live', ...Array(7).fill('shared')]);
		for (const t of tabs) t.close();
	});

	it('go on without gap or double when the leader closes', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server);
		await settle();
		const b = watcher(browser, server);
		await settle();
		server.tell(ev(1));
		await settle();
		a.close();
		await settle();
		server.tell(ev(2));
		await settle();
		expect(b.seen).toEqual([1, 2]);
		expect(server.opened).toEqual(['', 't:1:1']);
		expect(server.open.size).toBe(1);
		b.close();
	});

	it('bring a tab that comes later up to date from where it is', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server);
		await settle();
		for (let i = 1; i <= 4; i++) server.tell(ev(i));
		await settle();
		const late = watcher(browser, server, 't:2');
		await settle();
		expect(late.seen).toEqual([3, 4]);
		expect(server.open.size).toBe(1);
		a.close();
		late.close();
	});

	it('let a tab connect by itself that comes from before what the leader knows', async () => {
		const [browser, server] = [new Browser(), new Server()];
		for (let i = 1; i <= 3; i++) server.tell(ev(i));
		const a = watcher(browser, server, 't:3');
		await settle();
		const early = watcher(browser, server, 't:1');
		await settle();
		server.tell(ev(4));
		await settle();
		expect(early.seen).toEqual([2, 3, 4]);
		expect(a.seen).toEqual([4]);
		a.close();
		early.close();
	});

	it('let a tab connect by itself when the leader is silent', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server);
		await settle();
		browser.noise = () => true; // nobody hears anybody
		const b = watcher(browser, server);
		await settle();
		expect(b.world.slept).toEqual([WELCOME_MS]);
		b.fire();
		await settle();
		server.tell(ev(1));
		await settle();
		expect(b.seen).toEqual([1]);
		a.close();
		b.close();
	});

	it('ask the leader again when one of its words was lost', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server);
		await settle();
		const b = watcher(browser, server);
		await settle();
		browser.noise = (m) => (m as { event?: Event }).event?.seq === 2;
		for (let i = 1; i <= 3; i++) server.tell(ev(i));
		await settle();
		expect(b.seen).toEqual([1, 2, 3]);
		a.close();
		b.close();
	});

	it('drop words that are no events', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server);
		await settle();
		for (const hear of browser.channels.get('iaa:user_1:h')!) {
			hear(null);
			hear({ t: 'event', event: { kind: 7 } });
			hear({ t: 'nonsense' });
		}
		server.tell(ev(1));
		await settle();
		expect(a.seen).toEqual([1]);
		a.close();
	});

	it('do not share between users', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server, '', { share: 'user_1' });
		const b = watcher(browser, server, '', { share: 'user_2' });
		await settle();
		expect(server.open.size).toBe(2);
		a.close();
		b.close();
	});
});

describe('a hidden tab', () => {
	it('lets go when its thread is idle, hands over, and comes back where it was', async () => {
		const [browser, server] = [new Browser(), new Server()];
		let idle = false;
		const a = watcher(browser, server, '', { share: 'user_1', idle: () => idle });
		await settle();
		server.tell(ev(1));
		a.hide(true);
		await settle();
		expect(server.open.size, 'a turn runs: it stays').toBe(1);
		idle = true;
		server.tell(ev(2));
		await settle();
		expect(server.open.size, 'parked: it lets go').toBe(0);
		expect(a.lines.at(-1)).toBe('resting');
		server.tell(ev(3));
		a.hide(false);
		await settle();
		expect(a.seen).toEqual([1, 2, 3]);
		expect(server.opened).toEqual(['', 't:1:2']);
		a.close();
	});

	it('leaves the stream to a tab that is seen', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const a = watcher(browser, server, '', { share: 'user_1', idle: () => true });
		await settle();
		const b = watcher(browser, server, '', { share: 'user_1', idle: () => true });
		await settle();
		a.hide(true);
		await settle();
		server.tell(ev(1));
		await settle();
		expect(server.open.size).toBe(1);
		expect(b.seen).toEqual([1]);
		expect(a.seen).toEqual([]);
		b.close();
		a.close();
	});
});

describe('the end of a shared stream', () => {
	it('comes to every tab when the thread is deleted', async () => {
		const [browser, server] = [new Browser(), new Server()];
		const tabs = [watcher(browser, server), watcher(browser, server)];
		await settle();
		server.tell(ev(0, { turn: '', kind: 'thread.changed', data: { deleted: true } }));
		await Promise.all(tabs.map((t) => t.done));
		expect(tabs.map((t) => t.error())).toEqual([undefined, undefined]);
	});

	it('comes with the error of the connection', async () => {
		const browser = new Browser();
		const failing = { client: () => ({ watchThread: async function* () { throw new Error('no'); } }) } as unknown as Server;
		const a = watcher(browser, failing);
		await a.done;
		expect(a.error()).toMatchObject({ message: 'no' });
	});
});
