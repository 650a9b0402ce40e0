/** How a member of a capability's arguments is written. */
export type FieldKind = 'line' | 'text' | 'number' | 'choice' | 'yesno' | 'json';

/** One member of the arguments, as a form shows it. */
export interface Field {
	readonly name: string;
	readonly kind: FieldKind;
	readonly label: string;
	readonly description: string;
	readonly required: boolean;
	/** Whole numbers only. */
	readonly whole: boolean;
	readonly min?: number;
	readonly max?: number;
	/** The values of a choice. */
	readonly options: readonly string[];
	/** What it was, as text; '' where it was left out. */
	readonly was: string;
}

/** Why what was written cannot be sent. */
export type Fault = 'required' | 'number' | 'whole' | 'range' | 'json';

type Values = Readonly<Record<string, unknown>>;

/** A text that may not be longer than this is a word or a name, on one line. */
const SHORT = 60;

/**
 * Makes the fields of a form from a JSON Schema and the arguments that it is to
 * change. Members that the schema does not tell of stay as JSON, so that none is lost;
 * undefined when the arguments are no object.
 */
export function fieldsOf(schema: unknown, input: unknown): Field[] | undefined {
	if (!isObject(input)) return undefined;
	const root = isObject(schema) ? schema : {};
	const properties = isObject(root.properties) ? root.properties : {};
	const required = Array.isArray(root.required) ? root.required : [];
	const more = Object.keys(input).filter((name) => !Object.hasOwn(properties, name));
	return [...Object.keys(properties), ...more].map((name) => {
		const value = Object.hasOwn(input, name) ? input[name] : undefined;
		return fieldOf(name, own(properties, name), value, required.includes(name));
	});
}

/** What a name ends with that says which thing is meant, and not what becomes of it. */
const NAMES_A_THING = /(?:^|[_-])(?:id|key|ref)$|[a-z0-9](?:Id|ID|Key|Ref)$/;

/**
 * The field that takes the focus when a form opens. It is the first that the model
 * filled, is required and does not name a thing, such as a deck's id; else the first
 * that was filled and names none; else the first.
 */
export function firstToEdit(fields: readonly Field[]): Field | undefined {
	const filled = fields.filter((f) => f.was !== '' && !NAMES_A_THING.test(f.name));
	return filled.find((f) => f.required) ?? filled[0] ?? fields[0];
}

function fieldOf(name: string, schema: unknown, value: unknown, required: boolean): Field {
	const s = isObject(schema) ? schema : {};
	const types = (Array.isArray(s.type) ? s.type : [s.type]).filter((t) => t !== 'null');
	const type = types.length === 1 ? types[0] : undefined;
	const kind = kindOf(type, s, value);
	return {
		name,
		kind,
		label: labelOf(s, name),
		description: typeof s.description === 'string' ? s.description : '',
		required,
		whole: type === 'integer',
		min: typeof s.minimum === 'number' ? s.minimum : undefined,
		max: typeof s.maximum === 'number' ? s.maximum : undefined,
		options: kind === 'choice' ? (s.enum as string[]) : [],
		was: textOf(kind, value)
	};
}

/** What a member of the arguments is called, by its schema or else by its name. */
export function labelOf(schema: unknown, name: string): string {
	const title = isObject(schema) ? schema.title : undefined;
	return typeof title === 'string' && title !== '' ? title : words(name);
}

function kindOf(type: unknown, s: Values, value: unknown): FieldKind {
	const fits = (t: string) => value === undefined || typeof value === t;
	const choice = Array.isArray(s.enum) && s.enum.length > 0 && s.enum.every((v) => typeof v === 'string');
	if (choice && (value === undefined || (s.enum as unknown[]).includes(value))) return 'choice';
	if (type === 'string' && !Array.isArray(s.enum) && fits('string')) {
		return isOneLine(s) && !/[\r\n]/.test(String(value ?? '')) ? 'line' : 'text';
	}
	if ((type === 'number' || type === 'integer') && fits('number')) return 'number';
	if (type === 'boolean' && fits('boolean')) return 'yesno';
	return 'json';
}

/** The formats of JSON Schema that are all on one line. */
const ONE_LINE = /^(?:date|time|date-time|duration|(?:idn-)?(?:email|hostname)|ipv[46]|[iu]ri(?:-reference)?|uri-template|uuid|(?:relative-)?json-pointer|regex)$/;

/**
 * Tells whether a text is on one line by its kind: a date, an address, a few characters.
 * In any other a line break may be meant, and a box of one line would drop it.
 */
function isOneLine(s: Values): boolean {
	const short = typeof s.maxLength === 'number' && s.maxLength <= SHORT;
	return short || (typeof s.format === 'string' && ONE_LINE.test(s.format));
}

function textOf(kind: FieldKind, value: unknown): string {
	if (value === undefined) return '';
	return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

/** Tells why a text cannot be the value of a field. */
export function faultOf(field: Field, text: string): Fault | undefined {
	if (text === field.was) return undefined;
	if (text.trim() === '') {
		return field.required && field.kind !== 'line' && field.kind !== 'text' ? 'required' : undefined;
	}
	if (field.kind === 'json') return parsed(text) === undefined ? 'json' : undefined;
	if (field.kind !== 'number') return undefined;
	const n = Number(text);
	if (!Number.isFinite(n)) return 'number';
	if (field.whole && !Number.isInteger(n)) return 'whole';
	return n < (field.min ?? -Infinity) || n > (field.max ?? Infinity) ? 'range' : undefined;
}

/**
 * The arguments with what was written: what was not changed stays as it was, to the
 * letter, and an optional member that was emptied is left out.
 */
export function edited(fields: readonly Field[], texts: Values, input: unknown): Values {
	const out: Record<string, unknown> = {};
	const was = isObject(input) ? input : {};
	for (const field of fields) {
		const { name } = field;
		const text = String(own(texts, name) ?? field.was);
		let value = text === field.was ? own(was, name) : valueOf(field, text);
		if (text === '' && text !== field.was && !field.required) value = undefined;
		// Defined and not set: a member may be called __proto__.
		if (value !== undefined) Object.defineProperty(out, name, { value, enumerable: true });
	}
	return out;
}

function valueOf(field: Field, text: string): unknown {
	switch (field.kind) {
		case 'number':
			return text.trim() === '' ? undefined : Number(text);
		case 'yesno':
			return text === '' ? undefined : text === 'true';
		case 'json':
			return text.trim() === '' ? undefined : parsed(text);
		default:
			return text;
	}
}

/** One member that is another in two sets of arguments. */
export interface Difference {
	readonly label: string;
	readonly from: string;
	readonly to: string;
}

/** What differs between two sets of arguments, in the order of the schema. */
export function differences(schema: unknown, from: unknown, to: unknown): readonly Difference[] {
	const [before, after] = [fieldsOf(schema, from) ?? [], fieldsOf(schema, to) ?? []];
	const names = new Set([...before, ...after].map((f) => f.name));
	return [...names].flatMap((name) => {
		const [a, b] = [before, after].map((list) => list.find((f) => f.name === name));
		if ((a?.was ?? '') === (b?.was ?? '')) return [];
		return [{ label: (b ?? a)?.label ?? name, from: a?.was ?? '', to: b?.was ?? '' }];
	});
}

/** Where a server's error belongs: the field that its pointer names, or the form as a whole (""). */
export function fieldAt(pointer: string | undefined, fields: readonly Field[]): string {
	const [, , under, first = ''] = (pointer ?? '').split('/');
	if (under !== 'input') return '';
	const name = first.replaceAll('~1', '/').replaceAll('~0', '~');
	return fields.some((f) => f.name === name) ? name : '';
}

/** deck_id and deckId as people write them. */
function words(name: string): string {
	const text = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').trim().toLowerCase();
	return text === '' ? name : text[0]!.toUpperCase() + text.slice(1);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const own = (of: Values, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
