import { conformanceCases, missing, type Bench } from '../../src/lib/client/conformance.js';
import { makeHttpClient } from '../../src/lib/client/http.js';

/**
 * A fetch for a running server: it signs in as a development user, says where it comes
 * from as a browser would, and can break every open answer off, as a lost network does.
 */
export async function signedIn(base: string, user: string) {
	const answer = await fetch(`${base}/api/dev/login`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', origin: base },
		body: JSON.stringify({ user })
	});
	if (!answer.ok) throw new Error(`signing in as ${user} gave ${answer.status}`);
	const cookie = answer.headers.getSetCookie().map((c) => c.split(';')[0]).join('; ');
	const open = new Set<AbortController>();
	const fetcher: typeof fetch = (url, init = {}) => {
		const line = new AbortController();
		open.add(line);
		init.signal?.addEventListener('abort', () => line.abort());
		const headers = { ...(init.headers as Record<string, string>), cookie, origin: base };
		return fetch(url, { ...init, headers, signal: line.signal });
	};
	const cut = () => {
		for (const line of open) line.abort(new TypeError('the line was cut'));
		open.clear();
	};
	return { fetcher, cut };
}

/** Runs the cases against a running server and gives the names of those that fail. */
export async function run(base: string, user: string, texts: Partial<Bench['texts']> = {}): Promise<string[]> {
	const { fetcher, cut } = await signedIn(base, user);
	const office = await signedIn(base, 'adm');
	let slide = 0;
	const bench: Bench = {
		client: () => makeHttpClient({ baseUrl: `${base}/api/agent`, fetch: fetcher }),
		admin: () => makeHttpClient({ baseUrl: `${base}/api/agent`, fetch: office.fetcher }),
		projectId: 'demo-deck',
		projectKind: 'dididecks-deck',
		texts: {
			plain: 'Show slide 3.',
			slow: 'What do you know about us?',
			preview: () => `Give me a Chroma-style variant of slide ${1 + (slide++ % 9)}.`,
			...texts
		},
		cut,
		patienceMs: 15_000
	};
	const failed: string[] = [];
	for (const c of conformanceCases) {
		const why = missing(c, bench);
		if (why) {
			console.log(`  -   ${c.name}: not run, ${why}`);
			continue;
		}
		try {
			await c.run(bench);
			console.log(`  ok  ${c.name}`);
		} catch (thrown) {
			failed.push(c.name);
			console.log(`  NO  ${c.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
		}
	}
	return failed;
}
