import { asAgentError, isAbort, type AgentError } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import type { Permission } from '../protocol.gen.js';

const PAGE = 200;
/** One user has at most 200; more pages than these are never asked for. */
const MOST_PAGES = 5;

/** RulesState is what the user had remembered as "always allow": the list, and revoking. */
export class RulesState {
	items = $state.raw<readonly Permission[]>([]);
	/** False until it was told once what there is. */
	known = $state(false);
	loading = $state(false);
	/** The id of the rule that is being revoked, or "". */
	revoking = $state('');
	/** What went wrong: at the id of a rule, or "" for the list. */
	failure = $state.raw<{ at: string; error: AgentError } | undefined>();
	#asked = 0;

	constructor(private readonly client: AgentClient) {}

	/** Asks for all rules; the last question wins, and a failed one takes nothing away. */
	async load(): Promise<void> {
		const asked = ++this.#asked;
		this.loading = true;
		try {
			const items = await this.#all();
			if (asked !== this.#asked) return;
			this.items = items;
			this.known = true;
			this.failure = undefined;
		} catch (thrown) {
			if (asked === this.#asked) this.#failed('', thrown);
		} finally {
			if (asked === this.#asked) this.loading = false;
		}
	}

	/** Ends a rule; true once it is not there any more, whoever ended it. */
	async revoke(id: string): Promise<boolean> {
		if (this.revoking !== '') return false;
		this.revoking = id;
		this.failure = undefined;
		try {
			await this.client.revokePermission(id);
		} catch (thrown) {
			if (isAbort(thrown) || asAgentError(thrown).code !== 'not_found') {
				this.#failed(id, thrown);
				return false;
			}
		} finally {
			this.revoking = '';
		}
		this.#asked++; // what is asked for meanwhile may still hold it
		this.loading = false;
		this.items = this.items.filter((p) => p.id !== id);
		return true;
	}

	async #all(): Promise<Permission[]> {
		const found: Permission[] = [];
		let cursor: string | undefined;
		for (let page = 0; page < MOST_PAGES; page++) {
			const { items, next } = await this.client.permissions({ limit: PAGE, cursor });
			found.push(...(items ?? []));
			cursor = next || undefined;
			if (!cursor) break;
		}
		return found;
	}

	#failed(at: string, thrown: unknown): void {
		if (!isAbort(thrown)) this.failure = { at, error: asAgentError(thrown) };
	}
}
