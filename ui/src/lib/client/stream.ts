import { isTerminal, type Event } from '../protocol.gen.js';
import { checkAbort, type World } from './clock.js';
import { AgentError, errorOf, isAbort, unreachable } from './error.js';
import { Pulse, proxyName } from './pulse.js';
import { isEvent, type Sequence } from './sequence.js';
import { readSse } from './sse.js';
import type { Line, StreamOptions } from './types.js';

/** Back-off between attempts: doubling from the first to the last, with full jitter. */
export const FIRST_WAIT_MS = 300;
export const LAST_WAIT_MS = 15_000;
/** The server's heartbeat comes every 15 s; three missed ones are a dead line. */
export const SILENCE_MS = 45_000;
/** How often a hole in the stream is asked for again before it is an error. */
const MAX_HOLES = 4;

/** One stream to follow, of a turn or of a thread. */
export interface Source {
	/** Opens the stream after the place that was reached. */
	open(signal: AbortSignal): Promise<Response>;
	/** Judges what arrived. */
	sequence: Sequence;
	/** True when this event ends the stream. */
	ends(event: Event): boolean;
	/** True while a failure is final: nothing was accepted yet, so asking again is the caller's choice. */
	firm?(): boolean;
	/** Told of each event that is yielded, before it is. */
	took?(event: Event): void;
}

/** Ends after the terminal event of a turn. */
export const endsWithTurn = (event: Event): boolean => isTerminal(event);

/**
 * Follows a stream over any number of connections. A close without an end means:
 * connect again. A hole means: ask again from before it. 204 means: over. What the
 * browser believes about its network names a failure and wakes us from waiting, but
 * never keeps us from asking: a server on the same machine answers without one.
 */
export async function* follow(
	source: Source,
	world: World,
	options: StreamOptions = {}
): AsyncGenerator<Event, void> {
	const stop = new AbortController();
	const outer = options.signal;
	const relay = () => stop.abort(outer?.reason);
	outer?.addEventListener('abort', relay);
	if (outer?.aborted) relay();
	const tell = teller(options.onLine);
	let failures = 0;
	let holes = 0;
	try {
		for (;;) {
			if (failures === 0) tell({ state: 'connecting' });
			const attempt = new AbortController();
			const pass = () => attempt.abort();
			stop.signal.addEventListener('abort', pass);
			let failed: AgentError | undefined;
			let moved = false;
			// A connection whose network is gone may stay silent for long; a new one tells at once.
			const gone = world.untilOffline(attempt.signal).then(() => {
				if (source.firm?.()) return;
				moved = true;
				attempt.abort();
			});
			gone.catch(() => {}); // the attempt ended first
			try {
				checkAbort(stop.signal);
				for await (const step of connection(source, world, attempt, tell)) {
					if (step === 'over') return;
					if (step === 'hole') {
						holes++;
						break;
					}
					failures = 0;
					holes = 0;
					source.took?.(step);
					yield step;
					if (source.ends(step)) return;
				}
			} catch (thrown) {
				checkAbort(stop.signal);
				if (source.firm?.()) throw thrown;
				failed = passing(thrown);
			} finally {
				stop.signal.removeEventListener('abort', pass);
				attempt.abort();
			}
			if (moved) continue;
			if (holes > MAX_HOLES) throw holed();
			const waitMs = backOff(failures++, world.random(), failed?.retryAfter);
			tell(world.online() ? { state: 'reconnecting', attempt: failures, waitMs } : { state: 'offline' });
			await nap(world, waitMs, stop.signal);
		}
	} finally {
		outer?.removeEventListener('abort', relay);
		stop.abort();
	}
}

/** One connection: events in order, until it closes or shows a hole. */
async function* connection(
	source: Source,
	world: World,
	attempt: AbortController,
	tell: (line: Line) => void
): AsyncGenerator<Event | 'over' | 'hole', void> {
	const pulse = new Pulse();
	const askedAt = world.now();
	const response = await answer(source, attempt.signal);
	if (response.status === 204) {
		yield 'over';
		return;
	}
	if (!response.ok) throw await errorOf(response);
	if (!response.body || !isStream(response)) {
		await response.body?.cancel();
		throw new AgentError('unavailable', 'The answer is not an event stream.', { status: 0 });
	}
	const via = proxyName(response.headers);
	const held = (is: boolean) => {
		if (is && world.visible()) tell({ state: 'held', via });
	};
	tell({ state: 'live' });
	held(pulse.opened(askedAt, world.now()));
	const watch = silence(world, attempt);
	try {
		for await (const { frames } of readSse(response.body)) {
			watch.heard();
			const events = frames.map((f) => parse(f.data)).filter((e) => e !== undefined);
			held(pulse.read(events, world.now()));
			for (const event of events) {
				const judged = event.kind === 'thread.changed' ? 'take' : source.sequence.judge(event);
				if (judged === 'gap') {
					yield 'hole';
					return;
				}
				if (judged === 'take') yield event;
			}
		}
	} finally {
		watch.stop();
	}
}

async function answer(source: Source, signal: AbortSignal): Promise<Response> {
	try {
		return await source.open(signal);
	} catch (thrown) {
		if (isAbort(thrown) || thrown instanceof AgentError) throw thrown;
		throw unreachable(thrown);
	}
}

function isStream(response: Response): boolean {
	return (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/** Reads one event; what is none is skipped, since a newer server may send it. */
function parse(data: string): Event | undefined {
	try {
		const value: unknown = JSON.parse(data);
		return isEvent(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Ends the attempt when nothing, not even a heartbeat, came for too long. */
function silence(world: World, attempt: AbortController) {
	let heardAt = world.now();
	const over = new AbortController();
	void (async () => {
		for (;;) {
			const left = SILENCE_MS - (world.now() - heardAt);
			if (left <= 0) {
				attempt.abort();
				return;
			}
			await world.sleep(left, over.signal);
		}
	})().catch(() => {});
	return {
		heard: () => {
			heardAt = world.now();
		},
		stop: () => over.abort()
	};
}

/** Gives the error when it may pass by itself, and throws it when not. */
function passing(thrown: unknown): AgentError {
	if (isAbort(thrown)) return unreachable(thrown); // silence ended the attempt
	if (thrown instanceof AgentError) {
		if (thrown.passing) return thrown;
		throw thrown;
	}
	return unreachable(thrown);
}

const holed = () =>
	new AgentError('unavailable', 'The stream keeps coming with a piece missing.', { status: 0 });

/** How long to wait before attempt n, counted from 0. */
export function backOff(n: number, random: number, retryAfter?: number): number {
	const most = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(n, 10));
	return Math.max(Math.round(most * (0.5 + random / 2)), (retryAfter ?? 0) * 1000);
}

/** Waits, but not on when the network comes back. */
async function nap(world: World, ms: number, signal: AbortSignal) {
	const either = new AbortController();
	const relay = () => either.abort(signal.reason);
	signal.addEventListener('abort', relay);
	if (signal.aborted) relay();
	try {
		const waits = [world.sleep(ms, either.signal), world.untilOnline(either.signal)];
		for (const w of waits) w.catch(() => {}); // the loser is aborted below
		await Promise.race(waits);
	} finally {
		signal.removeEventListener('abort', relay);
		either.abort();
	}
}

/** Tells a state once, until it changes. */
function teller(onLine?: (line: Line) => void): (line: Line) => void {
	let last = '';
	return (line) => {
		const key = JSON.stringify(line);
		if (key !== last) onLine?.(line);
		last = key;
	};
}
