import type { Event } from '../protocol.gen.js';
import type { World } from './clock.js';
import { cursorOf, parseCursor } from './cursor.js';
import { isAbort } from './error.js';
import { newId } from './id.js';
import { Queue } from './queue.js';
import { isEvent, Sequence } from './sequence.js';
import { browserTabs, untilVisible, type Channel, type Tabs } from './tabs.js';
import type { AgentClient, Line, WatchOptions } from './types.js';

/** How long a tab waits for the leader's word before it connects by itself. */
export const WELCOME_MS = 1_500;
/** How many events a leader keeps for tabs that come later. */
export const RING = 4_000;

/** What tabs say to each other; kept plain, because it crosses processes. */
type Word =
	| { t: 'hello'; by: string; after: string }
	| { t: 'lead' }
	| { t: 'welcome'; to: string; ok: boolean; events: Event[] }
	| { t: 'event'; event: Event }
	| { t: 'line'; line: Line };

/**
 * Gives a client whose thread streams are held once for each thread and browser:
 * HTTP/1.1 allows six connections to a host, and every tab wants one. Tabs elect a
 * leader by a lock; it reads the stream and tells the others. A hidden tab whose
 * thread is idle lets go and comes back where it was. Where locks or channels are
 * missing, each tab connects by itself.
 */
export function shareThreads(
	client: AgentClient,
	world: World,
	tabs: Tabs | undefined = browserTabs()
): AgentClient {
	if (!tabs) return client;
	return {
		...client,
		watchThread: (id, after, options = {}) =>
			options.share || options.idle
				? new Feed(client, world, tabs, id, after, options).read()
				: client.watchThread(id, after, options)
	};
}

type Place = ReturnType<typeof parseCursor>;
const samePlace = (a: Place, b: Place) => a?.turn === b?.turn && a?.seq === b?.seq;

/** Feed is one tab's view of one thread's stream. */
class Feed {
	readonly #me = newId();
	readonly #out = new Queue<Event>();
	readonly #sequence = new Sequence();
	readonly #stop = new AbortController();
	#cursor: string;
	#ring: Event[] = [];
	#ringStart = '';
	#channel: Channel | undefined;
	#reading: AbortController | undefined;
	#leads = false;

	constructor(
		private readonly client: AgentClient,
		private readonly world: World,
		private readonly tabs: Tabs,
		private readonly thread: string,
		after: string,
		private readonly options: WatchOptions
	) {
		this.#cursor = after;
		const at = parseCursor(after);
		if (at) this.#sequence.start(at.turn, at);
	}

	async *read(): AsyncGenerator<Event, void> {
		const relay = () => this.#stop.abort();
		this.options.signal?.addEventListener('abort', relay);
		if (this.options.signal?.aborted) relay();
		const unwatch = this.tabs.onVisibility(() => this.#restIfIdle());
		void this.#run();
		try {
			for await (const event of this.#out.read()) {
				yield event;
				this.#restIfIdle();
			}
		} finally {
			unwatch();
			this.options.signal?.removeEventListener('abort', relay);
			this.#stop.abort();
			this.#channel?.close();
		}
	}

	/** Takes part, rests while hidden and idle, takes part again, until the end. */
	async #run(): Promise<void> {
		try {
			for (;;) {
				if (this.#mayRest()) {
					this.options.onLine?.({ state: 'resting' });
					await untilVisible(this.tabs, this.#stop.signal);
				}
				const round = new AbortController();
				const relay = () => round.abort();
				this.#stop.signal.addEventListener('abort', relay);
				if (this.#stop.signal.aborted) relay();
				this.#reading = round;
				try {
					await (this.options.share ? this.#together(round.signal) : this.#direct(round.signal));
					this.#out.end();
					return;
				} catch (thrown) {
					if (!isAbort(thrown) || this.#stop.signal.aborted) throw thrown;
				} finally {
					round.abort();
					this.#stop.signal.removeEventListener('abort', relay);
				}
			}
		} catch (thrown) {
			this.#out.end(thrown);
		}
	}

	#mayRest(): boolean {
		return this.tabs.hidden() && this.options.idle?.() === true;
	}

	#restIfIdle(): void {
		if (this.#mayRest()) this.#reading?.abort();
	}

	/** Listens to the leader until this tab becomes it, or the stream ends. */
	async #together(signal: AbortSignal): Promise<void> {
		const name = `iaa:${this.options.share}:${this.thread}`;
		const channel = this.tabs.channel(name, (m) => this.#hear(m as Word));
		this.#channel = channel;
		this.#ring = [];
		this.#ringStart = this.#cursor;
		const welcomed = new AbortController();
		let direct: Promise<void> | undefined;
		const read = () => (direct ??= this.#direct(signal));
		const alone = new Promise<void>((resolve) => {
			this.#goAlone = resolve;
		}).then(read);
		this.#welcomed = () => welcomed.abort();
		this.world
			.sleep(WELCOME_MS, welcomed.signal)
			.then(() => this.#goAlone())
			.catch(() => {});
		this.#say({ t: 'hello', by: this.#me, after: this.#cursor });
		const led = this.tabs.lock(name, signal, async () => {
			this.#leads = true;
			welcomed.abort();
			this.#say({ t: 'lead' });
			await read();
		});
		for (const p of [alone, led]) p.catch(() => {}); // the race below reports the first
		try {
			await Promise.race([led, alone]);
		} finally {
			this.#leads = false;
			welcomed.abort();
			channel.close();
		}
	}

	#welcomed: () => void = () => {};
	#goAlone: () => void = () => {};

	/** Reads the stream by this tab's own connection, and tells the others when it leads. */
	async #direct(signal: AbortSignal): Promise<void> {
		const onLine = (line: Line) => {
			this.options.onLine?.(line);
			if (this.#leads) this.#say({ t: 'line', line });
		};
		for await (const event of this.client.watchThread(this.thread, this.#cursor, {
			signal,
			onLine
		})) {
			this.#take(event);
			if (this.#leads) this.#say({ t: 'event', event });
		}
	}

	#say(word: Word): void {
		this.#channel?.post(word);
	}

	#hear(word: Word): void {
		switch (word?.t) {
			case 'hello':
				if (this.#leads) this.#welcome(word.by, word.after);
				break;
			case 'welcome':
				if (word.to !== this.#me) break;
				for (const event of word.events) this.#take(event);
				if (!word.ok) this.#goAlone();
				else this.options.onLine?.({ state: 'shared' });
				this.#welcomed();
				break;
			case 'lead':
				if (!this.#leads) this.#say({ t: 'hello', by: this.#me, after: this.#cursor });
				break;
			case 'event':
				this.#take(word.event);
				break;
			case 'line':
				this.options.onLine?.(word.line.state === 'live' ? { state: 'shared' } : word.line);
				break;
		}
	}

	/** Answers a tab that comes at a cursor: with what it missed, or with "by yourself". */
	#welcome(to: string, after: string): void {
		const place = parseCursor(after);
		const is = (cursor: string) => samePlace(parseCursor(cursor), place);
		const at = this.#ring.findIndex((e) => e.turn === place?.turn && e.seq === place.seq);
		const known = place ? this.#sequence.position(place.turn).seq : 0;
		const ahead = place !== undefined && known > 0 && place.seq > known;
		const start = is(this.#ringStart);
		const ok = start || is(this.#cursor) || at >= 0 || ahead;
		const events = ahead ? [] : this.#ring.slice(start ? 0 : at + 1);
		this.#say({ t: 'welcome', to, ok, events: ok ? events : [] });
	}

	/** Passes an event on, once and in order, from wherever it came. */
	#take(event: Event): void {
		if (!isEvent(event)) return;
		if (event.kind === 'thread.changed') {
			this.#out.push(event);
			if ((event.data as { deleted?: boolean }).deleted) this.#out.end();
			return;
		}
		switch (this.#sequence.judge(event)) {
			case 'drop':
				return;
			case 'gap':
				// A word of the leader was lost: ask it for the rest.
				this.#say({ t: 'hello', by: this.#me, after: this.#cursor });
				return;
		}
		this.#cursor = cursorOf(event);
		this.#ring.push(event);
		if (this.#ring.length > RING) {
			const gone = this.#ring.shift();
			if (gone) this.#ringStart = cursorOf(gone);
		}
		this.#out.push(event);
	}
}
