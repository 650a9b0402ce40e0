import { once } from './clock.js';

/** A channel between the tabs of one browser. */
export interface Channel {
	post(message: unknown): void;
	close(): void;
}

/** What tabs of one browser have in common, and whether this one is seen. */
export interface Tabs {
	/** Holds a named lock while held runs; rejects with an AbortError when aborted before. */
	lock(name: string, signal: AbortSignal, held: () => Promise<void>): Promise<void>;
	channel(name: string, hear: (message: unknown) => void): Channel;
	hidden(): boolean;
	/** Calls back whenever the page is shown or hidden; gives the way to stop. */
	onVisibility(changed: () => void): () => void;
}

/** The browser's tabs; undefined where locks or channels are missing, as in Node. */
export function browserTabs(): Tabs | undefined {
	const locks = globalThis.navigator?.locks;
	const doc = globalThis.document;
	if (!locks || !doc || typeof BroadcastChannel === 'undefined') return undefined;
	return {
		async lock(name, signal, held) {
			await locks.request(name, { signal }, held);
		},
		channel(name, hear) {
			const channel = new BroadcastChannel(name);
			channel.onmessage = (m) => hear(m.data);
			return { post: (m) => channel.postMessage(m), close: () => channel.close() };
		},
		hidden: () => doc.visibilityState === 'hidden',
		onVisibility(changed) {
			doc.addEventListener('visibilitychange', changed);
			return () => doc.removeEventListener('visibilitychange', changed);
		}
	};
}

/** Waits until a condition holds, looking again whenever visibility changes. */
export function untilVisible(tabs: Tabs, signal: AbortSignal): Promise<void> {
	return once(signal, (resolve) => {
		if (!tabs.hidden()) queueMicrotask(resolve);
		return tabs.onVisibility(() => {
			if (!tabs.hidden()) resolve();
		});
	});
}
