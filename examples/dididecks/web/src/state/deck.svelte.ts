import { api, asProblem, type Deck, type Problem, type Slide } from './api.js';
import { linkedSlide, linkTo } from './link.js';
import { numberOf } from './number.js';
import { Pages } from './pages.js';

const LOOK_MS = 20_000;
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];
const FLASH_MS = 2200;

/** A line that is told once, with something to do where there is. */
export interface Told {
	text: string;
	link?: { words: string; href: string };
}

/** DeckState is the open deck: its slides, the selected one, and whether the server answers. */
export class DeckState {
	deck = $state.raw<Deck | undefined>();
	phase = $state<'loading' | 'ready' | 'none' | 'failed'>('loading');
	problem = $state.raw<Problem | undefined>();
	reachable = $state(true);
	selected = $state('');
	/** The slides that have just changed. */
	flashing = $state.raw<ReadonlySet<string>>(new Set());
	told = $state.raw<Told | undefined>();

	readonly slides = $derived<readonly Slide[]>(this.deck?.slides ?? []);
	readonly index = $derived(this.slides.findIndex((s) => s.id === this.selected));
	readonly slide = $derived<Slide | undefined>(this.slides[this.index]);
	readonly pages = $derived.by(() => new Pages(this.#id));

	#id = $state('');
	/** A change that was made here and is not shown yet. */
	#change: { slide?: string } | undefined;
	#turn = 0;
	#tries = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#flash: ReturnType<typeof setTimeout> | undefined;

	constructor(private readonly onended: () => void) {}

	/** Opens the deck of whoever is here, and gives what ends it. */
	start(): () => void {
		void this.refresh();
		const back = () => document.visibilityState === 'visible' && void this.refresh();
		const follow = () => this.select(linkedSlide(), false);
		document.addEventListener('visibilitychange', back);
		addEventListener('online', back);
		addEventListener('hashchange', follow);
		return () => {
			this.#turn++;
			clearTimeout(this.#timer);
			clearTimeout(this.#flash);
			document.removeEventListener('visibilitychange', back);
			removeEventListener('online', back);
			removeEventListener('hashchange', follow);
		};
	}

	/** Loads the deck anew; a change that the user made here is also gone to. */
	async refresh(change?: { slide?: string }): Promise<void> {
		const turn = ++this.#turn;
		clearTimeout(this.#timer);
		// Whichever answer comes shows it, also where this one is overtaken.
		this.#change = change ?? this.#change;
		let wait: number = LOOK_MS;
		try {
			const id = this.#id || (await api.decks())[0]?.id;
			if (turn !== this.#turn) return;
			if (!id) this.phase = 'none';
			else {
				const deck = await api.deck(id);
				if (turn !== this.#turn) return;
				this.#id = id;
				this.#take(deck);
			}
			this.reachable = true;
			this.problem = undefined;
			this.#tries = 0;
		} catch (thrown) {
			if (turn !== this.#turn) return;
			wait = this.#failed(asProblem(thrown));
		}
		if (wait) this.#timer = setTimeout(() => this.#look(), wait);
	}

	/** Goes to a slide; an unknown id goes nowhere. */
	select(id: string, link = true): void {
		if (!this.slides.some((s) => s.id === id)) return;
		this.selected = id;
		if (link) linkTo(id);
	}

	/** Goes to the slide at a place, as far as there are slides. */
	goto(index: number): void {
		const at = Math.max(0, Math.min(this.slides.length - 1, index));
		const slide = this.slides[at];
		if (slide) this.select(slide.id);
	}

	tell(told: Told | undefined): void {
		this.told = told;
	}

	#look(): void {
		if (document.visibilityState === 'visible' || !this.reachable) void this.refresh();
		else this.#timer = setTimeout(() => this.#look(), LOOK_MS);
	}

	#failed(problem: Problem): number {
		this.problem = problem;
		if (problem.status === 401) {
			this.onended();
			return 0;
		}
		if (problem.status === 404) {
			this.#id = '';
			this.deck = undefined;
			this.phase = 'none';
			return LOOK_MS;
		}
		this.reachable = !problem.unreachable;
		if (!this.deck) this.phase = 'failed';
		return RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)] ?? LOOK_MS;
	}

	#take(deck: Deck): void {
		const before = this.deck;
		const change = this.#change;
		this.#change = undefined;
		this.phase = 'ready';
		if (before?.headCommit === deck.headCommit && before.id === deck.id) {
			if (change?.slide) this.select(change.slide);
			return;
		}
		this.deck = deck;
		const have = (id: string) => deck.slides.some((s) => s.id === id);
		if (!before) {
			const linked = linkedSlide();
			this.selected = have(linked) ? linked : (deck.slides[0]?.id ?? '');
			return;
		}
		// The selected slide is gone: whatever took its place is next.
		if (!have(this.selected)) this.goto(before.slides.findIndex((s) => s.id === this.selected));
		this.#show(changedIn(before, deck, change?.slide), change !== undefined);
	}

	#show(changed: string[], here: boolean): void {
		if (changed.length === 0) return;
		if (here && changed[0] && !changed.includes(this.selected)) this.select(changed[0]);
		this.flashing = new Set(changed);
		clearTimeout(this.#flash);
		this.#flash = setTimeout(() => (this.flashing = new Set()), FLASH_MS);
		const names = changed.map((id) => numberOf(id, this.slides.findIndex((s) => s.id === id)));
		const list = new Intl.ListFormat('en').format(names.slice(0, 4));
		const text = changed.length === 1 ? `Slide ${list} was changed` : `Slides ${list} were changed`;
		this.tell({ text: changed.length > 4 ? `${changed.length} slides were changed` : text });
	}
}

/** The ids of slides that are new or differ; the named one is among them. */
function changedIn(before: Deck, after: Deck, named: string | undefined): string[] {
	const was = new Map(before.slides.map((s) => [s.id, s.version]));
	const ids = after.slides.filter((s) => was.get(s.id) !== s.version).map((s) => s.id);
	if (named && !ids.includes(named) && after.slides.some((s) => s.id === named)) ids.unshift(named);
	return ids;
}
