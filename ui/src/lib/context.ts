import type { Suggestion } from './protocol.gen.js';

/** A thing of the host app that a user can attach. */
export interface NounItem {
	id: string;
	title?: string;
	name?: string;
}

/** All things of one kind. */
export interface AttachableNouns {
	kind: string;
	/** The word for one of them; the default is its kind. */
	label?: string;
	list: readonly NounItem[];
}

/** A character of the cast that tells who is working. */
export interface Character {
	id: string;
	name: string;
	/** An address of a picture of the host's own, or nothing for initials. */
	portrait?: string;
}

/** What the host app tells the panel. Keys, model and prompt are the server's. */
export interface ChatContext {
	projectId: string;
	projectKind?: string;
	attachableNouns?: readonly AttachableNouns[];
	/** Globs of the capabilities that may be used here; absent means all. */
	capabilityWhitelist?: readonly string[];
	characterCast?: readonly Character[];
	/**
	 * Places of the app's own that an answer may link to: paths of this origin, such as
	 * "/api/decks/demo/exports/". What lies under one is a link in the text, and a
	 * download where a result names it as its url. None by default.
	 */
	linkPrefixes?: readonly string[];
	/** First steps, offered while a conversation is empty. */
	suggestions?: readonly Suggestion[];
}

/** The words for a thing. */
export const titleOf = (noun: NounItem): string => noun.title || noun.name || noun.id;
