import { AgentError } from './error.js';
import type { AgentClient } from './types.js';

/** Tells whether a server refused because it does not know who asks. */
export const isSignedOut = (thrown: unknown): boolean =>
	thrown instanceof AgentError && thrown.code === 'unauthenticated';

/**
 * Gives a client that behaves as the given one and tells when the server does not
 * know its user any more, whatever was asked and whether or not the caller minds.
 */
export function heed(client: AgentClient, told: () => void): AgentClient {
	const note = (thrown: unknown): never => {
		if (isSignedOut(thrown)) told();
		throw thrown;
	};
	async function* through(stream: AsyncIterable<unknown>) {
		try {
			yield* stream;
		} catch (thrown) {
			note(thrown);
		}
	}
	return new Proxy(client, {
		get(target, name) {
			const own: unknown = Reflect.get(target, name);
			if (typeof own !== 'function') return own;
			return (...args: unknown[]) => {
				const out: unknown = own.apply(target, args);
				if (out instanceof Promise) return out.catch(note);
				return typeof out === 'object' && out !== null && Symbol.asyncIterator in out
					? through(out as AsyncIterable<unknown>)
					: out;
			};
		}
	});
}
