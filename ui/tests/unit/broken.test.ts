import { describe, expect, it } from 'vitest';
import { conformanceCases, type ConformanceCase } from '../../src/lib/client/conformance.js';
import { makeHttpClient } from '../../src/lib/client/http.js';
import type { AgentClient } from '../../src/lib/client/types.js';
import { FakeAgent } from '../fake/server.ts';
import { benchOf } from '../fake/bench.ts';
import { brokenClients } from './broken-clients.ts';

/** The names of the cases that a client fails; each case has a server of its own. */
async function failing(make: (base: string) => AgentClient): Promise<string[]> {
	const one = async (c: ConformanceCase) => {
		const agent = new FakeAgent({ pace: 2 });
		const base = `${await agent.listen()}/api/agent`;
		try {
			await c.run(benchOf(agent, () => make(base), 3_000));
			return [];
		} catch {
			return [c.name];
		} finally {
			await agent.close();
		}
	};
	return (await Promise.all(conformanceCases.map(one))).flat();
}

describe('each wrong client is caught by the case for its fault, and only near it', () => {
	it.each(brokenClients)('one that $fault', { timeout: 60_000 }, async ({ make, caught, near = [] }) => {
		const failed = await failing(make);
		for (const part of caught) {
			expect(
				failed.some((name) => name.includes(part)),
				`"${part}" did not catch it; failed: ${failed.join(' | ')}`
			).toBe(true);
		}
		const far = failed.filter((name) => ![...caught, ...near].some((p) => name.includes(p)));
		expect(far, 'cases far from the fault').toEqual([]);
	});

	it('there are at least ten, and the good client fails no case', { timeout: 60_000 }, async () => {
		expect(brokenClients.length).toBeGreaterThanOrEqual(10);
		expect(await failing((base) => makeHttpClient({ baseUrl: base }))).toEqual([]);
	});
});
