import type { Event } from '../protocol.gen.js';

/** A place in a turn's stream: seq was seen while run owned the turn. */
export interface Position {
	run: number;
	seq: number;
}

/** What to do with an event that arrived. */
export type Judgement = 'take' | 'drop' | 'gap';

/**
 * Sequence judges the events of any number of turns: each is taken once, in
 * order and without gaps. An event that stands for several and overlaps what was
 * seen is taken (its reader replaces what it covers). A step.restarted of a newer
 * run may go back; anything else that goes back is dropped, and anything of an
 * overtaken run is dropped.
 */
export class Sequence {
	readonly #at = new Map<string, Position>();

	/** Starts a turn at a place that was seen before. */
	start(turn: string, position: Position): void {
		this.#at.set(turn, position);
	}

	/** The place reached in a turn. */
	position(turn: string): Position {
		return this.#at.get(turn) ?? { run: 0, seq: 0 };
	}

	/** Judges an event, and moves on when it is taken. */
	judge(event: Event): Judgement {
		const at = this.position(event.turn);
		const from = event.from ?? event.seq;
		if (event.run < at.run) return 'drop';
		if (event.kind === 'step.restarted' && event.run > at.run) {
			this.#at.set(event.turn, { run: event.run, seq: event.seq });
			return 'take';
		}
		if (event.seq <= at.seq) {
			// A newer owner that tells old numbers anew without having said so: what
			// was shown may not be what it has. Asking again brings step.restarted.
			return event.run > at.run && at.run > 0 ? 'gap' : 'drop';
		}
		if (from > at.seq + 1) return 'gap';
		this.#at.set(event.turn, { run: event.run, seq: event.seq });
		return 'take';
	}
}

/** Tells whether a value has the form of an event; its kind may be unknown. */
export function isEvent(value: unknown): value is Event {
	if (typeof value !== 'object' || value === null) return false;
	const e = value as Partial<Event>;
	return (
		typeof e.kind === 'string' &&
		typeof e.seq === 'number' &&
		typeof e.turn === 'string' &&
		typeof e.thread === 'string' &&
		typeof e.run === 'number' &&
		typeof e.data === 'object' &&
		e.data !== null &&
		(e.from === undefined || (typeof e.from === 'number' && e.from <= e.seq))
	);
}
