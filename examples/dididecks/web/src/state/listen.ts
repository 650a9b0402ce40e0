import type { Display, Event, EventOf } from '@lossless/in-app-agent';
import type { AgentClient } from '@lossless/in-app-agent/clients';

/** What the host follows beside accepted changes. */
export interface Heard {
	/** The slide that a result wants to be opened. */
	slide?: string;
	/** The path of the slide that a preview would change. */
	path?: string;
	/** True where the deck turned out to be another than is shown. */
	moved?: boolean;
	/** A file that was made, and its format. */
	file?: { href: string; format: string };
}

/**
 * Gives a client that tells what happens in the conversation. Chat tells its host of
 * accepted changes only; a deck also follows "show slide 4", exports, and previews:
 * the slide as it is stands beside the slide as it would be.
 */
export function listening(client: AgentClient, deck: () => string, told: (heard: Heard) => void): AgentClient {
	return {
		...client,
		async *watchThread(thread, after, options) {
			const open = new Set<string>();
			for await (const event of client.watchThread(thread, after, options)) {
				const heard = read(event, deck(), open);
				if (heard) told(heard);
				yield event;
			}
		}
	};
}

/** Open are the previews that wait: the deck turns to the first of several only, beside which its card stands. */
function read(event: Event, deck: string, open: Set<string>): Heard | undefined {
	if (event.kind === 'decision') {
		const { receiptId, decision } = (event as EventOf<'decision'>).data;
		open.delete(receiptId);
		return decision === 'stale' ? { moved: true } : undefined;
	}
	if (event.kind.startsWith('turn.')) open.clear();
	if (event.kind === 'preview') {
		const { artifacts, receiptId } = (event as EventOf<'preview'>).data;
		const others = open.size > 0;
		open.add(receiptId);
		if (others) return undefined;
		return { path: artifacts?.find((a) => a.path?.startsWith('slides/'))?.path };
	}
	if (event.kind !== 'capability.done') return undefined;
	const { data } = event as EventOf<'capability.done'>;
	// An accepted change comes the other way, with the deck loaded anew.
	if (data.state === 'applied') return undefined;
	if (!data.ok) return data.phase === 'apply' || data.phase === 'undo' ? { moved: true } : undefined;
	return { slide: slideOf(data.display, deck), file: fileOf(data.output, deck) };
}

/** The slide of this deck that a result wants to be opened. */
export function slideOf(display: Display | undefined, deck: string): string | undefined {
	if (display?.mount !== 'deck.slide' || !isRecord(display.props)) return undefined;
	const { deckId, slideId } = display.props;
	return deckId === deck && typeof slideId === 'string' ? slideId : undefined;
}

/** Where the files of a deck are that one may fetch. */
export const exportsOf = (deck: string): string => `/api/decks/${encodeURIComponent(deck)}/exports/`;

/** The file of this deck that was made; an address from anywhere else is not offered. */
function fileOf(output: unknown, deck: string): Heard['file'] {
	if (!isRecord(output) || typeof output['url'] !== 'string') return undefined;
	const href = output['url'];
	// Its name is one plain segment: no dots lead out of the folder.
	if (!href.startsWith(exportsOf(deck)) || !/^[\w-]+(\.[\w-]+)*$/.test(href.slice(exportsOf(deck).length))) return undefined;
	return { href, format: String(output['format'] ?? 'file').toUpperCase() };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
