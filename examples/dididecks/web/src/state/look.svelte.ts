import { recall, remember } from './memory.js';

/** Look is light, dark, or what the system has. */
export class Look {
	chosen = $state<'auto' | 'light' | 'dark'>('auto');
	#system = $state<'light' | 'dark'>('light');
	readonly now = $derived(this.chosen === 'auto' ? this.#system : this.chosen);

	/** Begins, and gives what ends it. */
	start(): () => void {
		const was = recall('look');
		if (was === 'light' || was === 'dark') this.chosen = was;
		const dark = matchMedia('(prefers-color-scheme: dark)');
		const read = () => (this.#system = dark.matches ? 'dark' : 'light');
		read();
		dark.addEventListener('change', read);
		return () => dark.removeEventListener('change', read);
	}

	/** Turns to the other one; where that is the system's, it follows the system again. */
	toggle(): void {
		const other = this.now === 'dark' ? 'light' : 'dark';
		this.chosen = other === this.#system ? 'auto' : other;
		remember('look', this.chosen === 'auto' ? undefined : this.chosen);
		if (this.chosen === 'auto') delete document.documentElement.dataset['look'];
		else document.documentElement.dataset['look'] = this.chosen;
	}
}
