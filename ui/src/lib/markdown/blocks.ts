import { Lexer, type Token, type Tokens, type TokensList } from 'marked';
import { mend } from './mend.js';

export type { Token, Tokens };

/** One block of a text: its tokens, and a key that stays while the block does. */
export interface Block {
	readonly key: number;
	readonly token: Token;
}

/** Reads Markdown; HTML in it stays text, because no token becomes markup by itself. */
function lex(text: string): TokensList {
	return new Lexer({ gfm: true, breaks: false, async: false }).lex(text);
}

/**
 * Blocks reads a text that grows. Blocks that are closed keep their identity and are
 * never read again; only the last one is, so the cost of a delta is the size of the
 * block it falls into and not of the whole answer.
 */
export class Blocks {
	#text = '';
	#closed: Block[] = [];
	#closedEnd = 0;
	#nextKey = 0;

	/** Reads the text as it is now; live says that more may come. */
	read(raw: string, live: boolean): readonly Block[] {
		const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
		if (!text.startsWith(this.#text)) this.#reset();
		this.#text = text;
		const rest = text.slice(this.#closedEnd);
		const tokens = lex(rest);
		// The last token may still change its kind (a paragraph can become a heading),
		// and so may one that only blank lines divide from the end (a list goes on).
		let last = tokens.length - 1;
		while (last > 0 && tokens[last]?.type === 'space') last--;
		let at = this.#closedEnd;
		for (let i = 0; i < last; i++) {
			const token = tokens[i]!;
			at += token.raw.length;
			if (token.type !== 'space') this.#closed = [...this.#closed, { key: this.#nextKey++, token }];
		}
		if (text.slice(0, at).length !== at || !sameStart(rest, tokens, last)) return this.#whole(text);
		this.#closedEnd = at;
		const open = text.slice(at);
		if (open.trim() === '') return this.#closed;
		const tail = (live ? lex(mend(open)) : tokens.slice(last)).filter((t) => t.type !== 'space');
		const key = this.#nextKey;
		return [...this.#closed, ...tail.map((token, i) => ({ key: key + i, token }))];
	}

	/** Where raw does not add up to the text, blocks cannot be frozen: read it all. */
	#whole(text: string): readonly Block[] {
		this.#reset();
		const tokens = lex(text).filter((t) => t.type !== 'space');
		return tokens.map((token, key) => ({ key, token }));
	}

	#reset(): void {
		this.#closed = [];
		this.#closedEnd = 0;
		this.#nextKey = 0;
		this.#text = '';
	}
}

function sameStart(text: string, tokens: readonly Token[], count: number): boolean {
	let at = 0;
	for (let i = 0; i < count; i++) {
		const raw = tokens[i]!.raw;
		if (!text.startsWith(raw, at)) return false;
		at += raw.length;
	}
	return true;
}
