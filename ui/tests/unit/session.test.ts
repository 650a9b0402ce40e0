import { describe, expect, it } from 'vitest';
import { AgentError } from '../../src/lib/client/error.js';
import { heed } from '../../src/lib/client/heed.js';
import type { AgentClient } from '../../src/lib/client/types.js';
import type { Description, Event } from '../../src/lib/protocol.gen.js';
import { mayPass } from '../../src/lib/state/undos.svelte.js';
import { Session } from '../../src/lib/state/session.svelte.js';

const nobody = () => new AgentError('unauthenticated', 'You are not signed in.');
const lin = { user: { id: 'lin', org: 'o' } } as Description;

describe('heed', () => {
	/** A client of which two methods are there, and a private member that needs its own this. */
	class Client {
		#calls = 0;
		constructor(private readonly thrown: unknown) {}
		async settings(): Promise<number> {
			this.#calls++;
			if (this.thrown) throw this.thrown;
			return this.#calls;
		}
		async *watchThread(): AsyncGenerator<Event> {
			yield { seq: 1 } as Event;
			if (this.thrown) throw this.thrown;
		}
	}
	async function ask(thrown?: unknown) {
		let told = 0;
		const client = heed(new Client(thrown) as unknown as AgentClient, () => told++);
		const seen: number[] = [];
		const errors: unknown[] = [];
		const settings = await client.settings().catch((e: unknown) => void errors.push(e));
		try {
			for await (const e of client.watchThread('t', '')) seen.push(e.seq);
		} catch (e) {
			errors.push(e);
		}
		return { told, seen, errors, settings };
	}

	it('passes everything on as it is', async () => {
		expect(await ask()).toEqual({ told: 0, seen: [1], errors: [], settings: 1 });
	});

	it('tells of a user that the server does not know, in answers and in streams, and throws it on', async () => {
		const e = nobody();
		expect(await ask(e)).toEqual({ told: 2, seen: [1], errors: [e, e], settings: undefined });
	});

	it('tells of nothing else', async () => {
		const e = new AgentError('forbidden', 'No.');
		expect(await ask(e)).toMatchObject({ told: 0, errors: [e, e] });
	});
});

describe('a session that has ended', () => {
	function session(onsignin?: () => unknown, ask: () => Promise<Description> = async () => lin) {
		const seen = { back: [] as Description[], loads: 0 };
		const s = new Session({ ask, onsignin: () => onsignin, back: (d) => seen.back.push(d), reload: () => seen.loads++ });
		s.lost();
		return { s, seen };
	}

	it('goes on once the host has signed in', async () => {
		const { s, seen } = session(async () => {});
		expect(await s.signIn()).toBe(true);
		expect([s.out, s.phase, seen.back, seen.loads]).toEqual([false, 'idle', [lin], 0]);
	});

	it('says that signing in did not work, and that it changed nothing', async () => {
		const failed = session(() => Promise.reject(new Error('x')));
		expect(await failed.s.signIn()).toBe(false);
		expect([failed.s.out, failed.s.phase]).toEqual([true, 'failed']);
		const still = session(() => {}, () => Promise.reject(nobody()));
		expect(await still.s.signIn()).toBe(false);
		expect([still.s.out, still.s.phase, still.seen.back]).toEqual([true, 'still', []]);
	});

	it('loads the page anew where the host cannot sign in', async () => {
		const { s, seen } = session();
		expect([s.stays, await s.signIn(), seen.loads, s.out]).toEqual([false, false, 1, true]);
	});

	it('signs in once, however often one presses', async () => {
		let calls = 0;
		let done = () => {};
		const { s } = session(() => {
			calls++;
			return new Promise<void>((resolve) => (done = resolve));
		});
		const first = s.signIn();
		expect(await s.signIn()).toBe(false);
		done();
		expect([await first, calls]).toEqual([true, 1]);
	});

	it('is looked at only while it has ended', async () => {
		let asked = 0;
		const { s } = session(undefined, async () => (asked++, lin));
		expect([await s.look(), await s.look(), asked, s.out]).toEqual([true, true, 1, false]);
	});
});

describe('an undo that was refused', () => {
	it.each(['gone', 'stale_undo', 'conflict', 'policy_denied', 'forbidden', 'not_found', 'outcome_unknown'] as const)('for %s is not offered again', (code) => {
		expect(mayPass(code)).toBe(false);
	});
	it.each(['turn_in_progress', 'unavailable', 'timeout', 'internal', 'unauthenticated'] as const)('for %s may be tried again', (code) => {
		expect(mayPass(code)).toBe(true);
	});
});
