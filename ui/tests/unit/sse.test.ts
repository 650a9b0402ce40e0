import { describe, expect, it } from 'vitest';
import { readSse, SseParser, SseTooLong, type SseFrame } from '../../src/lib/client/sse.js';
import { random } from './random.ts';

const all = (...pieces: string[]): SseFrame[] => {
	const p = new SseParser();
	return pieces.flatMap((x) => p.push(x));
};

describe('the event stream parser', () => {
	const cases: [string, string, SseFrame[]][] = [
		['reads id, event and data', 'id: 1:2\nevent: cast\ndata: {}\n\n', [{ id: '1:2', event: 'cast', data: '{}' }]],
		['joins data lines', 'data: a\ndata: b\n\n', [{ id: '', event: 'message', data: 'a\nb' }]],
		['takes CR and CRLF', 'data: a\r\rdata: b\r\n\r\n', [{ id: '', event: 'message', data: 'a' }, { id: '', event: 'message', data: 'b' }]],
		['ignores comments and unknown fields', ': beat\nfoo: bar\nretry: 5\ndata: a\n\n', [{ id: '', event: 'message', data: 'a' }]],
		['takes off one space only', 'data:  a\n\n', [{ id: '', event: 'message', data: ' a' }]],
		['keeps the last id', 'id: 7\ndata: a\n\ndata: b\n\n', [{ id: '7', event: 'message', data: 'a' }, { id: '7', event: 'message', data: 'b' }]],
		['ignores an id with a null', 'id: 1\0\ndata: a\n\n', [{ id: '', event: 'message', data: 'a' }]],
		['gives no frame without data', 'event: x\n\nid: 1\n\n', []],
		['drops a frame that the end cuts', 'data: a\n', []],
		['skips a byte order mark', '\ufeffdata: a\n\n', [{ id: '', event: 'message', data: 'a' }]],
		['reads a field without a colon', 'data\n\n', [{ id: '', event: 'message', data: '' }]]
	];
	it.each(cases)('%s', (_, text, want) => {
		expect(all(text)).toEqual(want);
	});

	it.each(cases)('%s, cut after every character', (_, text, want) => {
		expect(all(...text)).toEqual(want);
	});

	it('accepts a frame at its limit and refuses one over it', () => {
		const under = new SseParser(20);
		expect(under.push(`data: ${'x'.repeat(14)}\n\n`)).toHaveLength(1);
		const line = new SseParser(20);
		expect(() => line.push(`data: ${'x'.repeat(30)}`)).toThrow(SseTooLong);
		const many = new SseParser(20);
		expect(() => many.push('data: 12345678\n'.repeat(3))).toThrow(SseTooLong);
	});

	it('gives the same frames however the stream is cut (3,000 seeds)', () => {
		const alphabet = ['data', 'id', 'event', ':', ' ', '\n', '\r', '\r\n', '\n\n', 'x', '\0', '{"a":1}', 'é', '😀', '\ufeff'];
		for (let seed = 1; seed <= 3000; seed++) {
			const next = random(seed);
			const text = Array.from({ length: 1 + next(60) }, () => alphabet[next(alphabet.length)]).join('');
			const whole = all(text);
			const pieces: string[] = [];
			for (let at = 0; at < text.length; ) {
				const n = 1 + next(7);
				pieces.push(text.slice(at, at + n));
				at += n;
			}
			expect(all(...pieces), `seed ${seed}: ${JSON.stringify(text)}`).toEqual(whole);
		}
	});

	it('reads bytes cut inside a character, and closes the body when left early', async () => {
		const bytes = new TextEncoder().encode('data: 😀\n\ndata: b\n\n');
		let closed = false;
		let at = 0;
		const body = new ReadableStream<Uint8Array>({
			pull(c) {
				if (at < bytes.length) c.enqueue(bytes.slice(at, ++at));
				else c.close();
			},
			cancel() {
				closed = true;
			}
		});
		for await (const { frames } of readSse(body)) {
			if (frames.length === 0) continue;
			expect(frames[0]?.data).toBe('😀');
			break;
		}
		expect(closed).toBe(true);
	});
});
