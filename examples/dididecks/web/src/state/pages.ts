import { api } from './api.js';

const AT_ONCE = 3;
const MAX_CHARS = 24 << 20;

interface Waiting {
	run: () => Promise<void>;
	urgent: boolean;
}

/**
 * Pages fetches slides as documents: few at once, the urgent ones first, each once a
 * commit, and forgets the ones that were not looked at for long.
 */
export class Pages {
	readonly #held = new Map<string, { head: string; html: string }>();
	readonly #coming = new Map<string, Promise<string>>();
	readonly #waiting: Waiting[] = [];
	#running = 0;
	#chars = 0;

	constructor(
		private readonly deck: string,
		private readonly fetchSlide: (deck: string, slide: string) => Promise<string> = api.slide
	) {}

	/** The document of a slide as of a commit, where it is at hand. */
	at(slide: string, head: string): string | undefined {
		const held = this.#held.get(slide);
		if (held?.head !== head) return undefined;
		this.#held.delete(slide);
		this.#held.set(slide, held);
		return held.html;
	}

	/** Fetches a slide as of a commit; throws a Problem. */
	load(slide: string, head: string, urgent: boolean): Promise<string> {
		const html = this.at(slide, head);
		if (html !== undefined) return Promise.resolve(html);
		const key = `${head} ${slide}`;
		let coming = this.#coming.get(key);
		if (!coming || urgent) {
			coming = this.#queue(slide, head, urgent).finally(() => this.#coming.delete(key));
			this.#coming.set(key, coming);
		}
		return coming;
	}

	#queue(slide: string, head: string, urgent: boolean): Promise<string> {
		return new Promise((done, failed) => {
			const run = async () => {
				try {
					const html = this.at(slide, head) ?? (await this.fetchSlide(this.deck, slide));
					this.#hold(slide, head, html);
					done(html);
				} catch (thrown) {
					failed(thrown);
				}
			};
			this.#waiting.push({ run, urgent });
			this.#next();
		});
	}

	#next(): void {
		// An urgent one never waits behind thumbnails.
		const urgent = this.#waiting.findIndex((w) => w.urgent);
		if (this.#waiting.length === 0 || (urgent < 0 && this.#running >= AT_ONCE)) return;
		const [next] = this.#waiting.splice(Math.max(0, urgent), 1);
		this.#running++;
		void next!.run().finally(() => {
			this.#running--;
			this.#next();
		});
		this.#next();
	}

	#hold(slide: string, head: string, html: string): void {
		this.#drop(slide);
		this.#held.set(slide, { head, html });
		this.#chars += html.length;
		for (const oldest of this.#held.keys()) {
			if (this.#chars <= MAX_CHARS || oldest === slide) break;
			this.#drop(oldest);
		}
	}

	#drop(slide: string): void {
		this.#chars -= this.#held.get(slide)?.html.length ?? 0;
		this.#held.delete(slide);
	}
}
