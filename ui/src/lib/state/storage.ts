import type { NounRef } from '../protocol.gen.js';

/** A thing attached to a draft. */
export type Attached = NounRef & { title: string };

/** What a person has written and not sent. */
export interface Draft {
	text: string;
	attachments: Attached[];
}

/** A message that was sent but never arrived, so that nothing is known of it. */
export interface Unsent extends Draft {
	messageId: string;
	parent?: string;
}

/** The part of the Web Storage API that is used. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const MAX = 512 << 10;

/**
 * Shelf keeps drafts, unsent messages and the last conversation of one user in one
 * project. A full or forbidden storage loses nothing but the keeping.
 */
export class Shelf {
	constructor(
		private readonly scope: string,
		private readonly store: Store | undefined
	) {}

	draft(thread: string): Draft {
		const d = this.#read(`draft:${thread}`) as Partial<Draft> | undefined;
		return { text: typeof d?.text === 'string' ? d.text : '', attachments: attached(d?.attachments) };
	}

	keepDraft(thread: string, draft: Draft): void {
		const empty = draft.text === '' && draft.attachments.length === 0;
		this.#write(`draft:${thread}`, empty ? undefined : draft);
	}

	/** The messages of a conversation that never arrived, oldest first. */
	unsent(thread: string): readonly Unsent[] {
		const kept = this.#read(`unsent:${thread}`);
		return (Array.isArray(kept) ? kept : [kept]).flatMap((u: Partial<Unsent> | null | undefined) => {
			if (typeof u?.text !== 'string' || typeof u.messageId !== 'string') return [];
			return [{ ...u, text: u.text, messageId: u.messageId, attachments: attached(u.attachments) }];
		});
	}

	keepUnsent(thread: string, unsent: Unsent): void {
		this.#writeUnsent(thread, [...this.#others(thread, unsent.messageId), unsent]);
	}

	/** Forgets a message: it arrived, or is not to be sent any more. */
	dropUnsent(thread: string, messageId: string): void {
		this.#writeUnsent(thread, this.#others(thread, messageId));
	}

	#others(thread: string, messageId: string): Unsent[] {
		return this.unsent(thread).filter((u) => u.messageId !== messageId);
	}

	#writeUnsent(thread: string, all: readonly Unsent[]): void {
		this.#write(`unsent:${thread}`, all.length > 0 ? all : undefined);
	}

	lastThread(): string {
		const id = this.#read('thread');
		return typeof id === 'string' ? id : '';
	}

	keepThread(id: string): void {
		this.#write('thread', id || undefined);
	}

	#read(name: string): unknown {
		try {
			return JSON.parse(this.store?.getItem(`${this.scope}:${name}`) ?? 'null') ?? undefined;
		} catch {
			return undefined;
		}
	}

	#write(name: string, value: unknown): void {
		try {
			const key = `${this.scope}:${name}`;
			const text = value === undefined ? '' : JSON.stringify(value);
			if (text === '' || text.length > MAX) this.store?.removeItem(key);
			else this.store?.setItem(key, text);
		} catch {
			// Private windows and full disks refuse: the draft then lives as long as the page.
		}
	}
}

function attached(value: unknown): Attached[] {
	if (!Array.isArray(value)) return [];
	return value.filter(
		(a): a is Attached =>
			typeof a?.kind === 'string' && typeof a.id === 'string' && typeof a.title === 'string'
	);
}

/** The browser's storage; undefined where it is missing or forbidden. */
export function browserStore(): Store | undefined {
	try {
		return globalThis.localStorage;
	} catch {
		return undefined;
	}
}
