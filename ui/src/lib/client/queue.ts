/** Queue hands values from callbacks to one async reader, in order. */
export class Queue<T> {
	#items: T[] = [];
	#error: unknown;
	#ended = false;
	#wake: (() => void) | undefined;

	push(item: T): void {
		if (this.#ended) return;
		this.#items.push(item);
		this.#wake?.();
	}

	/** Ends the reading after what was pushed, with an error if one is given. */
	end(error?: unknown): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#error = error;
		this.#wake?.();
	}

	async *read(): AsyncGenerator<T, void> {
		for (;;) {
			const items = this.#items;
			this.#items = [];
			for (const item of items) yield item;
			if (this.#items.length > 0) continue;
			if (this.#ended) {
				if (this.#error !== undefined) throw this.#error;
				return;
			}
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
			this.#wake = undefined;
		}
	}
}
