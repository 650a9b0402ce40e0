import { getContext, setContext } from 'svelte';
import type { Strings } from '../strings/en.js';
import type { ChatState } from './chat.svelte.js';

/** What every component of one panel shares. */
export interface Kit {
	readonly chat: ChatState;
	readonly strings: Strings;
}

const KEY = Symbol('in-app-agent');

/** Shares a panel's state with the components under it. */
export function provideKit(kit: Kit): Kit {
	return setContext(KEY, kit);
}

/** The state of the panel that a component stands in. */
export function useKit(): Kit {
	const kit = getContext<Kit | undefined>(KEY);
	if (!kit) throw new Error('This component belongs inside <Chat>.');
	return kit;
}
