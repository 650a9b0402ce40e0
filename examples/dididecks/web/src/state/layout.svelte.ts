import { recall, remember } from './memory.js';

/** The chat's width in CSS pixels. */
export const CHAT = { min: 360, max: 560, usual: 420 } as const;

/** Layout says where the chat is and how wide; narrow pages show it as a sheet. */
export class Layout {
	docked = $state(true);
	chatOpen = $state(false);
	chatWidth = $state<number>(CHAT.usual);
	/** The chat is made when it is first opened, and kept from then on. */
	chatMade = $state(false);

	/** Begins, and gives what ends it. */
	start(): () => void {
		const roomy = matchMedia('(min-width: 860px)');
		const read = () => {
			this.docked = roomy.matches;
			// A sheet covers the deck: it never opens by itself.
			if (!this.docked) this.chatOpen = false;
			else if (recall('chat') !== 'closed') this.openChat();
		};
		const width = Number(recall('chat-width'));
		if (width) this.#width(width);
		read();
		roomy.addEventListener('change', read);
		return () => roomy.removeEventListener('change', read);
	}

	openChat(): void {
		this.chatOpen = true;
		this.chatMade = true;
		if (this.docked) remember('chat', 'open');
	}

	closeChat(): void {
		this.chatOpen = false;
		if (this.docked) remember('chat', 'closed');
	}

	resize(width: number): void {
		this.#width(width);
		remember('chat-width', String(this.chatWidth));
	}

	#width(width: number): void {
		this.chatWidth = Math.round(Math.min(CHAT.max, Math.max(CHAT.min, width)));
	}
}
