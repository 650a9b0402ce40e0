import { isTerminal, type Artifact, type Event, type EventOf } from '../../protocol.gen.js';
import { AgentError, isCode } from '../error.js';
import type { AgentClient } from '../types.js';
import type { Bench } from './bench.js';

/** A promise that was not kept. */
export class Broken extends Error {
	override name = 'Broken';
}

export function check(holds: unknown, what: string): asserts holds {
	if (!holds) throw new Broken(what);
}

export function same(got: unknown, want: unknown, what: string): void {
	const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
	if (a !== b) throw new Broken(`${what}: got ${a?.slice(0, 300)}, want ${b?.slice(0, 300)}`);
}

/** Waits for a promise, but not for ever. */
export async function within<T>(bench: Bench, promise: Promise<T>, what: string): Promise<T> {
	const ms = bench.patienceMs ?? 10_000;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Broken(`${what} did not happen within ${ms} ms`)), ms);
	});
	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}

/** Reads a stream to its end, or until enough was seen. */
export async function collect(
	bench: Bench,
	stream: AsyncIterable<Event>,
	enough: (events: readonly Event[]) => boolean | void | Promise<boolean | void> = () => false
): Promise<Event[]> {
	const events: Event[] = [];
	const reading = (async () => {
		for await (const event of stream) {
			events.push(event);
			if (await enough(events)) break;
		}
	})();
	const last = () => events.at(-1)?.kind ?? 'nothing';
	await within(bench, reading, 'the end of the stream').catch((e: unknown) => {
		if (e instanceof Broken) throw new Broken(`${e.message}; ${events.length} events, last ${last()}`);
		throw e;
	});
	return events;
}

/** Checks that events are of one turn, each once, in order, without gaps, from a place on. */
export function inOrder(events: readonly Event[], after = 0): void {
	let at = after;
	for (const e of events) {
		if (e.kind === 'thread.changed') continue;
		if (e.kind === 'step.restarted') {
			at = e.seq;
			continue;
		}
		const from = e.from ?? e.seq;
		check(from === at + 1, `${e.kind} starts at seq ${from}, want ${at + 1}`);
		at = e.seq;
	}
}

/** Checks that events are a whole turn: started first, one terminal event, last. */
export function wholeTurn(events: readonly Event[]): void {
	inOrder(events);
	check(events[0]?.kind === 'turn.started', `a turn starts with ${events[0]?.kind}`);
	const ends = events.filter(isTerminal).length;
	check(ends === 1, `${ends} terminal events`);
	check(isTerminal(events.at(-1)!), `the last event is ${events.at(-1)?.kind}`);
	check(new Set(events.map((e) => e.turn)).size === 1, 'events of several turns in one');
	const last = events.at(-1)!;
	if (last.kind === 'turn.completed') sameText(events, last as EventOf<'turn.completed'>);
}

/** Checks that the deltas say what the terminal event says. */
function sameText(events: readonly Event[], last: EventOf<'turn.completed'>): void {
	const deltas: { seq: number; block: number; text: string }[] = [];
	for (const e of events) {
		if (e.kind === 'text.delta') {
			const { block, text } = e.data as { block: number; text: string };
			deltas.push({ seq: e.from ?? e.seq, block, text });
		} else if (e.kind === 'step.restarted') {
			const { from } = e.data as { from: number };
			while ((deltas.at(-1)?.seq ?? -1) >= from) deltas.pop();
		}
	}
	for (const { block, text } of last.data.blocks ?? []) {
		const told = deltas.filter((d) => d.block === block).map((d) => d.text);
		same(told.join(''), text, `the deltas of block ${block}`);
	}
}

/** Checks that a call fails with one of these codes, in our words. */
export async function refuses(
	bench: Bench,
	what: string,
	call: () => Promise<unknown>,
	...codes: string[]
): Promise<AgentError> {
	const thrown = await within(
		bench,
		call().then(
			() => undefined,
			(e: unknown) => e
		),
		what
	);
	check(thrown !== undefined, `${what}: was accepted`);
	check(thrown instanceof AgentError, `${what}: threw ${String(thrown)}, no AgentError`);
	check(isCode(thrown.code), `${what}: the code ${thrown.code} is not of the list`);
	check(codes.includes(thrown.code), `${what}: code ${thrown.code}, want ${codes.join(' or ')}`);
	check(thrown.message.length > 0 && !/[{}<>]|\bat \w+ \(/.test(thrown.message), `${what}: raw text`);
	return thrown;
}

let ids = 0;

/** A message id that no other case uses. */
export const freshId = (): string => `conf_${Date.now().toString(36)}_${++ids}`;

/** A message of a bench, under an id of its own. */
export const ask = (b: Bench, text: string | (() => string), more = {}) => ({
	projectId: b.projectId,
	projectKind: b.projectKind,
	messageId: freshId(),
	text: typeof text === 'string' ? text : text(),
	...more
});

/** What a preview asks for. */
export interface Asked {
	callId: string;
	receiptId: string;
	summary: string;
	artifacts: Artifact[];
	input?: unknown;
	replaces?: string;
}

/** Answers the preview that was just seen. */
export async function answer(
	client: AgentClient,
	seen: readonly Event[],
	decision: string
): Promise<void> {
	const last = seen.at(-1);
	if (last?.kind !== 'preview') return;
	const { callId, receiptId } = last.data as Asked;
	await client.confirm({ turnId: last.turn, decisions: [{ callId, receiptId, decision }] });
}

export const is =
	(kind: string) =>
	(events: readonly Event[]): boolean =>
		events.at(-1)?.kind === kind;
