import type { AddressInfo } from 'node:net';
import { makeHttpClient } from '../../src/lib/client/http.js';
import type { Bench } from '../../src/lib/client/conformance.js';
import type { AgentClient } from '../../src/lib/client/types.js';
import type { FakeAgent } from './server.ts';

/** The conformance bench over the fake server. */
export function benchOf(agent: FakeAgent, client: () => AgentClient, patienceMs = 8_000): Bench {
	return {
		client,
		admin: () => {
			const { port } = agent.server.address() as AddressInfo;
			const tier = { 'x-fake-tier': 'admin' };
			const fetcher: typeof fetch = (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), ...tier } });
			return makeHttpClient({ baseUrl: `http://127.0.0.1:${port}/api/agent`, fetch: fetcher });
		},
		projectId: 'demo-deck',
		projectKind: 'dididecks-deck',
		texts: {
			plain: 'hello',
			slow: 'slow please',
			preview: 'give me a variant of slide 4',
			stored: 'big change',
			undo: 'give me a variant of slide 4',
			moved: 'stale please',
			restarted: 'restart in the middle'
		},
		edit: {
			text: 'give me a variant of slide 4',
			change: (input) => ({ ...(input as object), style: 'calm' }),
			spoil: (input) => ({ ...(input as object), style: 4 })
		},
		key: { provider: 'anthropic', good: 'sk-ant-good-0001', bad: 'sk-ant-wrong-0001' },
		cut: () => agent.cutStreams(),
		streams: () => agent.streams.size,
		patienceMs
	};
}
