import type { ArgumentLimit } from '../protocol.gen.js';
import type { Strings } from '../strings/en.js';
import { labelOf } from './form.js';

/** One line of what a rule covers. */
export interface ScopeLine {
	readonly name: string;
	readonly value: string;
}

const MOST_LENGTH = 80;

/** What the arguments may be, in words; the schema of the capability names them where it is known. */
export function limitLines(limits: readonly ArgumentLimit[], schema: unknown, strings: Strings): ScopeLine[] {
	const properties = (schema as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};
	return limits.map((limit) => ({
		name: labelOf(Object.hasOwn(properties, limit.argument) ? properties[limit.argument] : undefined, limit.argument),
		value: limitWords(limit, strings)
	}));
}

function limitWords({ any, max, equal }: ArgumentLimit, { rules, edit }: Strings): string {
	if (any) return rules.anything;
	if (max !== undefined) return rules.atMost(max);
	if (typeof equal === 'boolean') return equal ? edit.yes : edit.no;
	return cut(typeof equal === 'string' ? equal : JSON.stringify(equal ?? null));
}

function cut(text: string): string {
	const flat = text.replace(/\s+/g, ' ').trim();
	const letters = [...flat];
	return letters.length > MOST_LENGTH ? `${letters.slice(0, MOST_LENGTH).join('')}…` : flat;
}

/** A list of names of which the first few are told. */
export function few(names: readonly string[], most: number, more: (count: number) => string): string {
	const shown = names.slice(0, most);
	return [...shown, ...(names.length > most ? [more(names.length - most)] : [])].join(', ');
}
