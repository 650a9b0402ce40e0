import type { Bench } from '../../src/lib/client/conformance.js';
import type { AgentClient } from '../../src/lib/client/types.js';
import type { FakeAgent } from './server.ts';

/** The conformance bench over the fake server. */
export function benchOf(agent: FakeAgent, client: () => AgentClient, patienceMs = 8_000): Bench {
	return {
		client,
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
