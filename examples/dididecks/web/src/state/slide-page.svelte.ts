import { untrack } from 'svelte';
import { asProblem, type Problem } from './api.js';
import type { Pages } from './pages.js';

/** Which slide is wanted, as of which commit; nothing while it is out of sight. */
export interface Wanted {
	pages: Pages;
	slide: string;
	head: string;
	urgent: boolean;
	/** Counts up to ask again after a failure. */
	again?: number;
}

/** SlidePage is the document of one slide; the last one stays until the next has come. */
export class SlidePage {
	html = $state.raw<string | undefined>();
	/** The slide that html shows. */
	slide = $state('');
	problem = $state.raw<Problem | undefined>();

	constructor(wanted: () => Wanted | undefined) {
		$effect(() => {
			const want = wanted();
			if (!want) {
				this.html = undefined;
				return;
			}
			const held = want.pages.at(want.slide, want.head);
			if (held !== undefined) return untrack(() => this.#show(want.slide, held));
			let left = false;
			want.pages.load(want.slide, want.head, want.urgent).then(
				(html) => left || this.#show(want.slide, html),
				(thrown) => left || (this.problem = asProblem(thrown))
			);
			return () => (left = true);
		});
	}

	#show(slide: string, html: string): void {
		this.problem = undefined;
		this.slide = slide;
		this.html = html;
	}
}
