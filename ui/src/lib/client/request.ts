import { OPERATIONS, type Operation } from '../protocol.gen.js';
import { checkAbort, type World } from './clock.js';
import { AgentError, errorOf, isAbort, unreachable } from './error.js';
import type { CallOptions } from './types.js';

/** How long a plain request may take; storing a key makes a model call and may take longer. */
export const REQUEST_MS = 30_000;
export const MODEL_CALL_MS = 90_000;

/** What goes into one request beside its route. */
export interface Ask extends CallOptions {
	params?: Record<string, string>;
	query?: Record<string, string | number | boolean | undefined>;
	body?: unknown;
	accept?: string;
	headers?: Record<string, string>;
	timeoutMs?: number;
	/** A path that replaces the table's, as a host may mount chat elsewhere. */
	url?: string;
}

/** Requester sends the operations of the table to one base URL. */
export class Requester {
	constructor(
		readonly baseUrl: string,
		readonly world: World
	) {}

	/** The address of an operation. */
	url(op: Operation, ask: Ask): string {
		const path = OPERATIONS[op].path.replace(/\{(\w+)\}/g, (_, name: string) => {
			const value = ask.params?.[name];
			if (!value) throw new AgentError('invalid_request', `An id is missing: ${name}.`);
			return encodeURIComponent(value);
		});
		const query = new URLSearchParams();
		for (const [key, value] of Object.entries(ask.query ?? {})) {
			if (value !== undefined && value !== '' && value !== false) query.set(key, String(value));
		}
		const tail = query.size > 0 ? `?${query}` : '';
		return (ask.url ?? this.baseUrl.replace(/\/+$/, '') + path) + tail;
	}

	/** Sends a request; what a failed fetch throws passes through. */
	async raw(op: Operation, ask: Ask, signal?: AbortSignal): Promise<Response> {
		const headers: Record<string, string> = {
			accept: ask.accept ?? 'application/json',
			...ask.headers
		};
		if (ask.body !== undefined) headers['content-type'] = 'application/json';
		return this.world.fetch(this.url(op, ask), {
			method: OPERATIONS[op].method,
			headers,
			body: ask.body === undefined ? undefined : JSON.stringify(ask.body),
			credentials: 'same-origin',
			cache: 'no-store',
			// A redirect of the API is a sign-in page or a mistake, never an answer.
			redirect: 'error',
			signal
		});
	}

	/** Sends a request with a deadline and gives its good answer. */
	async send(op: Operation, ask: Ask): Promise<Response> {
		const response = await this.#within(op, ask, (r) => Promise.resolve(r));
		if (!response.ok) throw await errorOf(response);
		return response;
	}

	/** Sends a request and reads the JSON of its answer, of any status in also. */
	async json<T>(op: Operation, ask: Ask = {}, also: readonly number[] = []): Promise<T> {
		const { response, text } = await this.#within(op, ask, async (r) => ({
			response: r,
			text: await r.text()
		}));
		if (!response.ok && !also.includes(response.status)) {
			throw await errorOf(new Response(text, response));
		}
		try {
			return JSON.parse(text) as T;
		} catch (cause) {
			throw new AgentError('unavailable', 'The answer cannot be read.', { status: 0 }, cause);
		}
	}

	async #within<T>(op: Operation, ask: Ask, read: (r: Response) => Promise<T>): Promise<T> {
		const deadline = new AbortController();
		const over = new AbortController();
		const relay = () => deadline.abort();
		ask.signal?.addEventListener('abort', relay);
		if (ask.signal?.aborted) relay();
		let late = false;
		void this.world
			.sleep(ask.timeoutMs ?? REQUEST_MS, over.signal)
			.then(() => {
				late = true;
				deadline.abort();
			})
			.catch(() => {});
		try {
			return await read(await this.raw(op, ask, deadline.signal));
		} catch (thrown) {
			if (ask.signal) checkAbort(ask.signal);
			if (late) throw new AgentError('timeout', 'The server took too long.', {}, thrown);
			if (thrown instanceof AgentError && !isAbort(thrown)) throw thrown;
			throw unreachable(thrown);
		} finally {
			ask.signal?.removeEventListener('abort', relay);
			over.abort();
		}
	}
}
