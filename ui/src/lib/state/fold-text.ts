import type { EventOf } from '../protocol.gen.js';
import type { Mark, NoticePart, Part, ReasoningPart, TextPart } from './model.js';

type Prose = TextPart | ReasoningPart;

/**
 * Adds text to its block. An event that stands for several and covers what was
 * already shown replaces just that: the marks tell how long the text was before it.
 */
export function appendText(
	parts: readonly Part[],
	type: Prose['type'],
	event: EventOf<'text.delta'> | EventOf<'reasoning.delta'>
): readonly Part[] {
	const { block, text } = event.data;
	const from = event.from ?? event.seq;
	const at = parts.findLastIndex((p) => p.type === type && p.block === block);
	const old = parts[at] as Prose | undefined;
	if (!old) {
		const fresh: Prose = {
			type,
			key: `${type}-${block}-${from}`,
			block,
			from,
			text,
			marks: { seq: event.seq, length: text.length }
		};
		return [...parts, fresh];
	}
	const before = markBefore(old.marks, from);
	const grown = (before ? old.text.slice(0, before.length) : '') + text;
	const next = parts.slice();
	next[at] = { ...old, text: grown, marks: { seq: event.seq, length: grown.length, before } };
	return next;
}

function markBefore(mark: Mark | undefined, seq: number): Mark | undefined {
	while (mark && mark.seq >= seq) mark = mark.before;
	return mark;
}

/** Takes back what was told since a seq, and says so where something was shown. */
export function voidSince(
	parts: readonly Part[],
	event: EventOf<'step.restarted'>
): readonly Part[] {
	const { from, reason } = event.data;
	const kept: Part[] = [];
	let lost = false;
	for (const part of parts) {
		if (part.from < from) {
			const cut = part.type === 'text' || part.type === 'reasoning' ? cutBack(part, from) : part;
			lost ||= cut !== part;
			kept.push(cut);
		} else if (part.type !== 'notice') {
			lost = true;
		} else if (part.notice !== 'restarted') {
			kept.push(part); // written before the model was asked: it still holds
		}
	}
	return lost ? [...kept, noticeOf(event, 'restarted', reason)] : kept;
}

/** Makes the line of an event. */
export function noticeOf(
	event: Pick<EventOf<'step.restarted'>, 'run' | 'seq'>,
	notice: NoticePart['notice'],
	reason: string,
	turns?: number
): NoticePart {
	return { type: 'notice', key: `notice-${event.run}-${event.seq}`, from: event.seq, notice, reason, turns };
}

function cutBack(part: Prose, from: number): Prose {
	if (!part.marks || part.marks.seq < from) return part;
	const mark = markBefore(part.marks, from);
	return { ...part, text: part.text.slice(0, mark?.length ?? 0), marks: mark };
}

/**
 * The end of a turn brings its text whole: each block replaces its deltas, a block
 * that was never seen is put in by its number, and the marks are let go.
 */
export function replaceBlocks(
	parts: readonly Part[],
	event: EventOf<'turn.completed'>
): readonly Part[] {
	const blocks = new Map((event.data.blocks ?? []).map((b) => [b.block, b.text]));
	const next = parts.map((part): Part => {
		if (part.type !== 'text') return part.type === 'reasoning' ? { ...part, marks: undefined } : part;
		const text = blocks.get(part.block) ?? part.text;
		blocks.delete(part.block);
		return { ...part, text, marks: undefined };
	});
	for (const [block, text] of blocks) {
		const at = next.findIndex((p) => p.type === 'text' && p.block > block);
		const from = event.seq;
		const part: TextPart = { type: 'text', key: `text-${block}-${from}`, block, from, text };
		next.splice(at < 0 ? next.length : at, 0, part);
	}
	return next;
}
