import { SvelteMap } from 'svelte/reactivity';
import { asAgentError, isAbort, type AgentError } from '../client/error.js';
import type { AgentClient } from '../client/types.js';
import type { KeyInfo, KeyTest, SettingsView } from '../protocol.gen.js';

/** No provider has shorter keys, and the server takes none. */
const KEY_LEAST = 8;

/** Tells whether what is written is long enough to be a key. */
export const isKeyLong = (key: string): boolean => key.trim().length >= KEY_LEAST;

/** KeysState is the settings panel: the caller's keys, the model, the response mode. */
export class KeysState {
	settings = $state.raw<SettingsView | undefined>();
	keys = $state.raw<readonly KeyInfo[]>([]);
	/** What runs now: the id of a key, "add", "settings", or "". */
	busy = $state('');
	failure = $state.raw<{ at: string; error: AgentError } | undefined>();
	/** How the last test of each key went. */
	readonly tests = new SvelteMap<string, KeyTest>();

	constructor(
		private readonly client: AgentClient,
		private readonly onstored: () => void = () => {},
		private readonly onsettings: (settings: SettingsView) => void = () => {}
	) {}

	async load(): Promise<void> {
		await this.#run('settings', async () => {
			await this.#reload();
		});
	}

	/** Tests and stores a key. The key is kept nowhere in this page. */
	add(provider: string, label: string, key: string): Promise<boolean> {
		return this.#run('add', async () => {
			const stored = await this.client.setKey({ provider, label, key });
			this.tests.set(stored.id, stored.test);
			await this.#reload();
			this.onstored();
		});
	}

	rotate(id: string, key: string): Promise<boolean> {
		return this.#run(id, async () => {
			const stored = await this.client.rotateKey(id, key);
			this.tests.set(stored.id, stored.test);
			await this.#reload();
			this.onstored();
		});
	}

	test(id: string): Promise<boolean> {
		return this.#run(id, async () => {
			this.tests.set(id, await this.client.testKey(id));
		});
	}

	revoke(id: string): Promise<boolean> {
		return this.#run(id, async () => {
			await this.client.revokeKey(id);
			await this.#reload();
		});
	}

	choose(change: { model?: string; responseMode?: string }): Promise<boolean> {
		return this.#run('settings', async () => {
			const now = this.settings;
			this.#show(
				await this.client.putSettings({
					model: change.model ?? now?.model ?? '',
					responseMode: change.responseMode ?? now?.responseMode ?? ''
				})
			);
		});
	}

	async #reload(): Promise<void> {
		const [keys, settings] = await Promise.all([this.client.listKeys(), this.client.settings()]);
		this.keys = keys;
		this.#show(settings);
	}

	#show(settings: SettingsView): void {
		this.settings = settings;
		this.onsettings(settings);
	}

	async #run(what: string, run: () => Promise<void>): Promise<boolean> {
		if (this.busy !== '') return false;
		this.busy = what;
		this.failure = undefined;
		try {
			await run();
			return true;
		} catch (thrown) {
			if (!isAbort(thrown)) this.failure = { at: what, error: asAgentError(thrown) };
			return false;
		} finally {
			this.busy = '';
		}
	}
}
