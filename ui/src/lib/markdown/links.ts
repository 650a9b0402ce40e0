/** Marks that turn the reading direction around, and can make a name look like another. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const BIDI_ALL = new RegExp(BIDI, 'g');
/** Characters that browsers take out of an address, or that have no place in one. */
const HIDDEN = /[\u0000-\u0020\u007f-\u009f\u00ad\u200b-\u200d\u2060\ufeff]/;

/** An address that may be opened, and the host to show beside it. */
export interface SafeLink {
	href: string;
	host: string;
}

/**
 * Gives an address that a person may follow: absolute http, https or mailto, without
 * credentials, hidden characters or marks of direction. Anything else is refused;
 * so are relative addresses, which would act inside the app that shows us.
 */
export function safeLink(raw: string): SafeLink | undefined {
	const url = parse(raw);
	if (!url) return undefined;
	if (url.protocol === 'mailto:') return { href: url.href, host: url.pathname };
	return { href: url.href, host: url.host };
}

/** What may not stand in a path that is compared: a server could read another path in it. */
const ENCODED = /%(?:2e|2f|5c|00)/i;

/**
 * Gives the path of an address in the app itself, when it lies under one of the
 * prefixes that the host allows: of this origin, written from its root, with dots
 * resolved. The prefix "/a" allows "/a" and "/a/b", and not "/ab".
 */
export function ownLink(raw: string, prefixes: readonly string[] = [], origin = globalThis.location?.origin): string | undefined {
	const text = raw.trim();
	if (text.length > 4096 || HIDDEN.test(text) || BIDI.test(text)) return undefined;
	if (!/^\/(?![/\\])/.test(text) || text.includes('\\') || !URL.canParse(text, origin)) return undefined;
	const { pathname, search, origin: of } = new URL(text, origin);
	if (of !== origin || ENCODED.test(pathname)) return undefined;
	const under = (prefix: string) =>
		/^\/[^/]/.test(prefix) && (pathname === prefix || pathname.startsWith(prefix.replace(/\/?$/, '/')));
	return prefixes.some(under) ? pathname + search : undefined;
}

/** A file that a result names as its own: where it is, and what it is called. */
export interface ResultFile {
	readonly href: string;
	readonly name: string;
}

/** Gives the file that the output of a call names by its url, where the host allows that place. */
export function fileOf(output: unknown, prefixes?: readonly string[], origin?: string): ResultFile | undefined {
	if (typeof output !== 'object' || output === null) return undefined;
	const { url, name } = output as Record<string, unknown>;
	const href = typeof url === 'string' ? ownLink(url, prefixes, origin) : undefined;
	if (href === undefined) return undefined;
	const words = typeof name === 'string' ? plain(name).trim() : '';
	return { href, name: words || (href.split(/[?#]/)[0]?.split('/').pop() ?? '') };
}

/** Gives an address of a picture that may be loaded when a person asks for it. */
export function safeImage(raw: string): SafeLink | undefined {
	const url = parse(raw);
	return url && url.protocol !== 'mailto:' ? { href: url.href, host: url.host } : undefined;
}

function parse(raw: string): URL | undefined {
	const text = raw.trim();
	if (text.length > 4096 || HIDDEN.test(text) || BIDI.test(text)) return undefined;
	if (!/^(https?:\/\/|mailto:)/i.test(text)) return undefined;
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		return undefined;
	}
	if (url.username !== '' || url.password !== '') return undefined;
	if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
	return url;
}

/** Takes the marks of direction out of a text that stands for an address. */
export const plain = (text: string): string => text.replace(BIDI_ALL, '');

/** Tells whether a link's words already name its host. */
export function namesHost(words: string, host: string): boolean {
	const text = words.trim().toLowerCase().replace(/^https?:\/\//, '');
	return text === host || text.startsWith(`${host}/`);
}
