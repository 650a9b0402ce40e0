import { api, asProblem, type Problem } from './api.js';
import { onRemembered, recall, remember } from './memory.js';
import { personOf } from './people.js';

const RETRY_MS = [1000, 2000, 4000, 8000];

/** How far signing in is. */
export type Stage = 'starting' | 'in' | 'choosing' | 'unreachable';

/** Session says who is here; a newcomer is Demo at once. */
export class Session {
	stage = $state<Stage>('starting');
	/** The person of the demo, or whom the server named. */
	user = $state('');
	name = $state('');
	/** Names of the capabilities of this person. */
	may = $state.raw<ReadonlySet<string>>(new Set());
	/** True when the server knows us no longer. */
	ended = $state(false);
	busy = $state('');
	problem = $state.raw<Problem | undefined>();
	/** Counts sign-ins: whatever belongs to a person is made anew with it. */
	epoch = $state(0);
	#tries = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;

	/** Begins, and gives what ends it. */
	start(): () => void {
		const asked = new URLSearchParams(location.search).get('user');
		if (asked !== null) history.replaceState(null, '', location.pathname + location.hash);
		if (asked !== null && !personOf(asked)) this.stage = 'choosing';
		else void this.#begin(asked ?? undefined);
		// Another tab signed in as someone else: the cookie is ours as well.
		const quiet = onRemembered('user', (user) => user && user !== this.user && void this.#begin());
		return () => {
			quiet();
			clearTimeout(this.#timer);
		};
	}

	/** Signs in as one of the people of the demo. */
	async signIn(user: string): Promise<void> {
		this.busy = user;
		this.problem = undefined;
		try {
			await api.signIn(user);
			await this.#know();
		} catch (thrown) {
			this.problem = asProblem(thrown);
			if (this.stage !== 'in') this.stage = 'choosing';
		} finally {
			this.busy = '';
		}
	}

	/** Signs the same person in again; what is open here stays as it is. Throws a Problem. */
	async renew(): Promise<void> {
		try {
			await api.signIn(this.user);
			await this.#know(true);
		} catch (thrown) {
			this.problem = asProblem(thrown);
			throw this.problem;
		}
	}

	choose(): void {
		this.problem = undefined;
		this.stage = 'choosing';
	}

	retry(): void {
		clearTimeout(this.#timer);
		void this.#begin();
	}

	async #begin(asked?: string): Promise<void> {
		try {
			if (asked) await api.signIn(asked);
			await this.#know();
			this.#tries = 0;
		} catch (thrown) {
			const problem = asProblem(thrown);
			if (problem.status === 401 && !asked) {
				const before = recall('user') ?? 'demo';
				await this.signIn(personOf(before) ? before : 'demo');
				return;
			}
			this.problem = problem;
			this.stage = problem.unreachable ? 'unreachable' : 'choosing';
			if (!problem.unreachable) return;
			const wait = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)];
			this.#timer = setTimeout(() => void this.#begin(asked), wait);
		}
	}

	/** Finds out who is here; whatever belongs to the same person is kept when asked to. */
	async #know(keep = false): Promise<void> {
		const me = await api.me();
		if (!keep || this.user !== me.user.name) this.epoch++;
		this.user = me.user.name;
		this.name = personOf(me.user.name)?.name ?? me.user.name;
		this.may = new Set((me.capabilities ?? []).map((c) => c.name));
		this.problem = undefined;
		this.ended = false;
		this.stage = 'in';
		remember('user', this.user);
	}
}
