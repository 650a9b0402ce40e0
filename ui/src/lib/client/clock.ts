/** What a stream needs of the world, so that tests need no waiting and no luck. */
export interface World {
	fetch: typeof fetch;
	/** Waits, or rejects with an AbortError. */
	sleep(ms: number, signal: AbortSignal): Promise<void>;
	/** A number from 0 to 1. */
	random(): number;
	/** Monotonic milliseconds. */
	now(): number;
	/** False when the browser believes that it has no network; a server beside it needs none. */
	online(): boolean;
	/** Resolves when the browser has a network again. */
	untilOnline(signal: AbortSignal): Promise<void>;
	/** Resolves when the browser loses its network. */
	untilOffline(signal: AbortSignal): Promise<void>;
	/** False while the page is hidden, when browsers slow it down. */
	visible(): boolean;
}

function aborted(signal: AbortSignal): Error {
	const e = new Error('aborted', { cause: signal.reason });
	e.name = 'AbortError';
	return e;
}

/** Throws an AbortError when the signal is aborted. */
export function checkAbort(signal: AbortSignal): void {
	if (signal.aborted) throw aborted(signal);
}

/** Waits for a callback once, or rejects when the signal is aborted. */
export function once(
	signal: AbortSignal,
	start: (resolve: () => void) => () => void
): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) {
			reject(aborted(signal));
			return;
		}
		const settle = (then: () => void) => () => {
			stop();
			signal.removeEventListener('abort', onAbort);
			then();
		};
		const onAbort = settle(() => reject(aborted(signal)));
		signal.addEventListener('abort', onAbort);
		const stop = start(settle(resolve));
	});
}

const untilEvent = (name: string, signal: AbortSignal) =>
	once(signal, (resolve) => {
		globalThis.addEventListener?.(name, resolve);
		return () => globalThis.removeEventListener?.(name, resolve);
	});

/** The browser's world, or Node's. */
export function realWorld(fetcher?: typeof fetch): World {
	return {
		fetch: fetcher ?? ((...args) => globalThis.fetch(...args)),
		sleep: (ms, signal) =>
			once(signal, (resolve) => {
				const timer = setTimeout(resolve, ms);
				return () => clearTimeout(timer);
			}),
		random: () => Math.random(),
		now: () => performance.now(),
		online: () => globalThis.navigator?.onLine !== false,
		untilOnline: (signal) => untilEvent('online', signal),
		untilOffline: (signal) => untilEvent('offline', signal),
		visible: () => globalThis.document?.visibilityState !== 'hidden'
	};
}
