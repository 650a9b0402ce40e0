import { asAgentError, isAbort, type AgentError } from '../client/error.js';

/** Asked is one thing that is asked of the server, and asked again. */
export class Asked<T> {
	value = $state.raw<T | undefined>();
	loading = $state(false);
	failure = $state.raw<AgentError | undefined>();
	#asked = 0;

	constructor(private readonly ask: () => Promise<T>) {}

	/** Asks; the last question wins, and a failed one takes nothing away. */
	async load(): Promise<void> {
		const asked = ++this.#asked;
		this.loading = true;
		this.failure = undefined;
		try {
			const value = await this.ask();
			if (asked === this.#asked) this.value = value;
		} catch (thrown) {
			if (asked === this.#asked && !isAbort(thrown)) this.failure = asAgentError(thrown);
		} finally {
			if (asked === this.#asked) this.loading = false;
		}
	}
}
