import type { Position } from './sequence.js';

/** The text form of a place in a thread's stream: turn:run:seq. */
export function cursorOf(event: { turn: string; run: number; seq: number }): string {
	return `${event.turn}:${event.run}:${event.seq}`;
}

/** Reads turn:run:seq or turn:seq; undefined for the start and for what is no cursor. */
export function parseCursor(text: string): ({ turn: string } & Position) | undefined {
	const parts = text.split(':');
	const seq = Number(parts.at(-1));
	const run = parts.length === 3 ? Number(parts[1]) : 0;
	const turn = parts[0];
	if (!turn || parts.length < 2 || parts.length > 3) return undefined;
	if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(run) || seq < 0 || run < 0) return undefined;
	return { turn, run, seq };
}
