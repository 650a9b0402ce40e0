import type { Event, EventOf } from '@lossless/in-app-agent';
import type { AgentClient } from '@lossless/in-app-agent/clients';

/** A capability that has finished, whether it changed something or only looked. */
export interface Finished {
	capability: string;
	changed: boolean;
	/** The slide that its result wants to be opened. */
	slide?: string;
	/** The address of a file that it made. */
	file?: string;
	output: Record<string, unknown>;
}

/**
 * Gives a client that tells when a capability has finished. Chat tells its host of
 * accepted changes only; a deck also wants to follow "show slide 4" and exports.
 */
export function listening(client: AgentClient, deck: () => string, told: (f: Finished) => void): AgentClient {
	const names = new Map<string, string>();
	return {
		...client,
		async *watchThread(thread, after, options) {
			for await (const event of client.watchThread(thread, after, options)) {
				const done = read(event, names, deck());
				if (done) told(done);
				yield event;
			}
		}
	};
}

function read(event: Event, names: Map<string, string>, deck: string): Finished | undefined {
	if (event.kind === 'capability.started') {
		const { callId, name } = (event as EventOf<'capability.started'>).data;
		names.set(callId, name);
		return undefined;
	}
	if (event.kind !== 'capability.done') return undefined;
	const { data } = event as EventOf<'capability.done'>;
	if (!data.ok) return undefined;
	const output = isRecord(data.output) ? data.output : {};
	const props = data.display?.mount === 'deck.slide' && isRecord(data.display.props) ? data.display.props : {};
	const url = output['url'];
	return {
		capability: names.get(data.callId) ?? '',
		changed: data.state === 'applied',
		slide: props['deckId'] === deck && typeof props['slideId'] === 'string' ? props['slideId'] : undefined,
		// Files of this deck only: an address that a model made up is not offered.
		file: typeof url === 'string' && url.startsWith(`/api/decks/${deck}/exports/`) ? url : undefined,
		output
	};
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
