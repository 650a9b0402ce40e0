import type { AgentClient } from '../client/types.js';
import type { ChatContext } from '../context.js';
import type { Code, Display, KeySource } from '../protocol.gen.js';
import type { Strings } from '../strings/en.js';
import type { Store } from './storage.js';

/** What a host is told when a change was made or taken back, so that it loads its data anew. */
export interface Applied {
	callId: string;
	capability: string;
	output?: unknown;
	display?: Display;
	/** True when the change was not made but taken back. */
	undone?: boolean;
}

/** Which panel lies over the conversation; usage is the settings, opened at that part. */
export type Panel = 'none' | 'settings' | 'usage' | 'threads';

/** Why the settings were opened by themselves. */
export interface KeyNeed {
	code: 'key_required' | 'key_invalid';
	provider: string;
	keyId?: string;
	/** What goes on by itself once a key is stored. */
	resume?: 'draft' | 'turn';
}

/** Whether a key of the user's own would help: the organisation's is not theirs to replace. */
export const wantsOwnKey = (code: Code | undefined, source?: KeySource): code is KeyNeed['code'] =>
	code === 'key_required' || (code === 'key_invalid' && source !== 'org');

/** What a chat needs of its surroundings. */
export interface ChatSetup {
	client: AgentClient;
	context: () => ChatContext;
	strings: () => Strings;
	store?: Store;
	onapplied?: (applied: Applied) => void;
	/** How the host signs its user in again, if it can. */
	onsignin?: () => (() => unknown) | undefined;
	now?: () => number;
}
