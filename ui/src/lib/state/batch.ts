/**
 * Batch hands what comes in bursts on together, once a frame: many deltas cost one
 * drawing. A hidden page draws no frames, so a timer takes over there.
 */
export class Batch<T> {
	#items: T[] = [];
	#cancel: (() => void) | undefined;

	constructor(private readonly flush: (items: T[]) => void) {}

	add(item: T): void {
		this.#items.push(item);
		this.#cancel ??= nextFrame(() => this.now());
	}

	/** Hands on what waits, without waiting for the frame. */
	now(): void {
		this.#cancel?.();
		this.#cancel = undefined;
		const items = this.#items;
		this.#items = [];
		if (items.length > 0) this.flush(items);
	}

	/** Forgets what waits. */
	drop(): void {
		this.#cancel?.();
		this.#cancel = undefined;
		this.#items = [];
	}
}

function nextFrame(run: () => void): () => void {
	const hidden = globalThis.document?.visibilityState === 'hidden';
	if (hidden || typeof requestAnimationFrame === 'undefined') {
		const timer = setTimeout(run, hidden ? 100 : 0);
		return () => clearTimeout(timer);
	}
	// A frame may never come when the page is hidden meanwhile.
	const timer = setTimeout(run, 250);
	const frame = requestAnimationFrame(run);
	return () => {
		clearTimeout(timer);
		cancelAnimationFrame(frame);
	};
}
