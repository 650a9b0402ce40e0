/** One frame of an event stream. */
export interface SseFrame {
	/** The last id that the stream gave, with this frame or before it. */
	id: string;
	event: string;
	data: string;
}

/** The most characters that a frame may hold before it ends. */
export const MAX_FRAME = 16 << 20;

/** SseTooLong is thrown when a frame grows over MAX_FRAME. */
export class SseTooLong extends Error {
	override name = 'SseTooLong';
}

/**
 * SseParser reads the text/event-stream format from pieces cut anywhere: lines
 * end in LF, CR or CRLF, a byte order mark is skipped, comments and unknown
 * fields are ignored, a frame without data is none, and a frame that the end of
 * the stream cuts is dropped.
 */
export class SseParser {
	#rest = '';
	#data: string[] = [];
	#size = 0;
	#event = '';
	#id = '';
	#first = true;
	#skipLf = false;
	readonly #max: number;

	constructor(max = MAX_FRAME) {
		this.#max = max;
	}

	/** Takes the next piece of text and gives the frames that it completes. */
	push(piece: string): SseFrame[] {
		if (piece === '') return [];
		if (this.#first) {
			this.#first = false;
			if (piece.charCodeAt(0) === 0xfeff) piece = piece.slice(1);
		}
		if (this.#skipLf && piece !== '') {
			this.#skipLf = false;
			if (piece[0] === '\n') piece = piece.slice(1);
		}
		// Only the new piece is searched for line ends, so that a long line that
		// comes in many pieces costs no more than its length.
		const frames: SseFrame[] = [];
		let start = 0;
		for (let i = 0; i < piece.length; i++) {
			const c = piece.charCodeAt(i);
			if (c !== 10 && c !== 13) continue;
			this.#line(this.#rest + piece.slice(start, i), frames);
			this.#rest = '';
			if (c === 13) {
				if (i + 1 === piece.length) this.#skipLf = true;
				else if (piece.charCodeAt(i + 1) === 10) i++;
			}
			start = i + 1;
		}
		this.#rest += piece.slice(start);
		this.#check(this.#rest.length);
		return frames;
	}

	#check(more: number): void {
		if (this.#size + more > this.#max) throw new SseTooLong('a frame of the stream is too long');
	}

	#line(line: string, frames: SseFrame[]): void {
		if (line === '') {
			if (this.#data.length > 0) {
				frames.push({
					id: this.#id,
					event: this.#event || 'message',
					data: this.#data.join('\n')
				});
			}
			this.#data = [];
			this.#size = 0;
			this.#event = '';
			return;
		}
		const colon = line.indexOf(':');
		if (colon === 0) return;
		const field = colon < 0 ? line : line.slice(0, colon);
		let value = colon < 0 ? '' : line.slice(colon + 1);
		if (value[0] === ' ') value = value.slice(1);
		switch (field) {
			case 'data':
				this.#check(value.length);
				this.#data.push(value);
				this.#size += value.length + 1;
				break;
			case 'event':
				this.#event = value;
				break;
			case 'id':
				if (!value.includes('\0')) this.#id = value;
				break;
		}
	}
}

/** What a body yields: the frames that one read completed, and when it came. */
export interface SseBatch {
	frames: SseFrame[];
}

/**
 * Reads a body as batches of frames, one a read, also when a read completes none
 * (a heartbeat), so that the reader can watch the pulse.
 */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseBatch, void> {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	const parser = new SseParser();
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			yield { frames: parser.push(decoder.decode(value, { stream: true })) };
		}
	} finally {
		// Leaving early must close the connection, not only stop reading.
		reader.cancel().catch(() => {});
	}
}
