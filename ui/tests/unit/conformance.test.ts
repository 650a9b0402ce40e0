import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceCases, missing, type Bench } from '../../src/lib/client/conformance.js';
import { makeHttpClient } from '../../src/lib/client/http.js';
import { OPERATIONS } from '../../src/lib/protocol.gen.js';
import { FakeAgent } from '../fake/server.ts';
import { benchOf } from '../fake/bench.ts';

describe('the HTTP client keeps the promises of AgentClient', () => {
	const agent = new FakeAgent({ pace: 2 });
	let bench: Bench;
	beforeAll(async () => {
		const base = await agent.listen();
		bench = benchOf(agent, () => makeHttpClient({ baseUrl: `${base}/api/agent` }));
	});
	afterAll(() => agent.close());

	for (const c of conformanceCases) {
		it(c.name, async () => {
			expect(missing(c, bench)).toBeUndefined();
			await c.run(bench);
		});
	}

	it('has a case for every operation', () => {
		const covered = new Set(conformanceCases.flatMap((c) => c.covers));
		for (const op of Object.keys(OPERATIONS)) expect(covered).toContain(op);
		expect(covered).toContain('send');
	});
});
