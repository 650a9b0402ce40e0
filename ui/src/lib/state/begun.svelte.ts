import type { Shelf, Unsent } from './storage.js';

/** Where the shelf keeps them; no conversation has such an id. */
const ASIDE = '*aside';
/** The conversation that does not exist yet. */
const NEW = '';

/**
 * Begun keeps the conversations whose first message never arrived. The server knows
 * nothing of them, so a new conversation must not stand in their place.
 */
export class Begun {
	items = $state.raw<readonly Unsent[]>([]);
	#shelf: Shelf | undefined;

	/** Reads what a user kept. */
	of(shelf: Shelf): void {
		this.#shelf = shelf;
		this.#read();
	}

	/** Makes room for a new conversation. */
	setAside(): void {
		for (const u of this.#shelf?.unsent(NEW) ?? []) this.#move(u, NEW, ASIDE);
		this.#read();
	}

	/** Makes one the conversation that is begun now; another one that is gives way. */
	takeBack(u: Unsent): void {
		this.setAside();
		this.#move(u, ASIDE, NEW);
		this.#read();
	}

	/** Its message arrived after all: the server has that conversation. */
	arrived(u: Unsent): void {
		this.#shelf?.dropUnsent(ASIDE, u.messageId);
		this.#read();
	}

	#move(u: Unsent, from: string, to: string): void {
		this.#shelf?.dropUnsent(from, u.messageId);
		this.#shelf?.keepUnsent(to, u);
	}

	#read(): void {
		this.items = this.#shelf?.unsent(ASIDE) ?? [];
	}
}
