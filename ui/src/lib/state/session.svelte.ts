import { isSignedOut } from '../client/heed.js';
import type { Description } from '../protocol.gen.js';

/** What a session needs of its surroundings. */
export interface SessionSetup {
	/** Asks who is here. */
	ask: () => Promise<Description>;
	/** How the host signs its user in; without it the page is loaded anew. */
	onsignin: () => (() => unknown) | undefined;
	/** Told who is here once the server knows somebody again. */
	back: (description: Description) => void;
	reload?: () => void;
}

/** Session knows whether the server still knows its user, and gets them signed in again. */
export class Session {
	/** True once the server said that it does not know us. */
	out = $state(false);
	phase = $state<'idle' | 'signing' | 'still' | 'failed'>('idle');

	constructor(private readonly setup: SessionSetup) {}

	/** True where the host signs in without leaving the page. */
	get stays(): boolean {
		return this.setup.onsignin() !== undefined;
	}

	lost(): void {
		this.out = true;
	}

	/** Has the host sign its user in, and goes on from there; true once somebody is known. */
	async signIn(): Promise<boolean> {
		const how = this.setup.onsignin();
		if (!how) {
			(this.setup.reload ?? (() => location.reload()))();
			return false;
		}
		if (this.phase === 'signing') return false;
		this.phase = 'signing';
		try {
			await how();
		} catch {
			this.phase = 'failed';
			return false;
		}
		return this.look('still');
	}

	/** Looks whether somebody was signed in meanwhile, in another tab or by the host. */
	async look(otherwise: 'idle' | 'still' = 'idle'): Promise<boolean> {
		if (!this.out) return true;
		let description: Description;
		try {
			description = await this.setup.ask();
		} catch (thrown) {
			this.phase = isSignedOut(thrown) ? otherwise : 'failed';
			return false;
		}
		this.out = false;
		this.phase = 'idle';
		this.setup.back(description);
		return true;
	}
}
