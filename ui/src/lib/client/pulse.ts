import type { Event } from '../protocol.gen.js';

/** How late headers may come before something seems to hold them. */
export const LATE_HEADERS_MS = 3_000;
/** How far apart in time events of one read may be. */
export const BURST_MS = 1_500;
/** What comes so soon after the headers is replay and says nothing about the line. */
const REPLAY_MS = 1_000;

/**
 * Pulse tells a buffering proxy by two signs: headers that come late though the
 * server sends them at once, and reads that bring together what was said seconds
 * apart. One burst may be chance, two are not.
 */
export class Pulse {
	#bursts = 0;
	#opened = 0;

	/** Notes that headers came; true when they were late. */
	opened(askedAt: number, now: number): boolean {
		this.#opened = now;
		return now - askedAt > LATE_HEADERS_MS;
	}

	/** Notes the events of one read; true when the line seems to be held. */
	read(events: readonly Event[], now: number): boolean {
		if (now - this.#opened < REPLAY_MS || events.length < 2) return false;
		const first = events[0];
		const last = events[events.length - 1];
		if (!first || !last || last.at - first.at < BURST_MS) return false;
		this.#bursts++;
		return this.#bursts >= 2;
	}
}

/** The name of a proxy, where an answer tells it. */
export function proxyName(headers: Headers): string | undefined {
	const via = headers.get('via');
	if (via) return via.split(',')[0]?.trim().slice(0, 60);
	if (headers.get('cf-ray')) return 'Cloudflare';
	return undefined;
}
