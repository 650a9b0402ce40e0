/** The types of the package: the wire, and what a host tells the panel. */
export type * from './protocol.gen.js';
export {
	CODE_STATUS,
	EVENT_KINDS,
	isKnown,
	isTerminal,
	LIMITS,
	OPERATIONS,
	PROTOCOL_VERSION,
	TERMINAL_KINDS
} from './protocol.gen.js';
export type { AttachableNouns, Character, ChatContext, NounItem } from './context.js';
export type { Applied } from './state/setup.js';
export { en, type Strings } from './strings/en.js';
