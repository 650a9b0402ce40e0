/** The part of JSON Schema that the fake server checks. */
export interface Schema {
	type?: string | string[];
	enum?: unknown[];
	description?: string;
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	minLength?: number;
	minimum?: number;
	maximum?: number;
	additionalProperties?: boolean;
}

const slide: Schema = { type: 'string', description: "the slide's number, such as 04", minLength: 2 };

/** The arguments of the capabilities whose changes are shown first. */
export const schemas: Record<string, Schema> = {
	'slide.read': { type: 'object', properties: { slide }, required: ['slide'], additionalProperties: false },
	'slide.edit': {
		type: 'object',
		properties: { slide, instruction: { type: 'string', description: 'what to change, in plain words' } },
		required: ['slide', 'instruction'],
		additionalProperties: false
	},
	'slide.variant': {
		type: 'object',
		properties: {
			slide,
			style: { type: 'string', description: 'the look, in a word or two', minLength: 3 },
			layout: { type: 'string', enum: ['keep', 'wide', 'split'] },
			warmth: { type: 'integer', minimum: 0, maximum: 10 },
			dark: { type: 'boolean', description: 'light text on a dark ground' },
			colours: { type: 'array', items: { type: 'string' }, description: 'colours to use' },
			notes: { type: 'string', description: "what the house's notes say about the style" }
		},
		required: ['slide', 'style'],
		additionalProperties: false
	}
};

/** What the model asks for in a script. */
export const inputs: Record<string, unknown> = {
	'slide.edit': { slide: '04', instruction: 'Make the title shorter' },
	'slide.variant': {
		slide: '04',
		style: 'chroma',
		layout: 'keep',
		warmth: 7,
		dark: true,
		colours: ['#1b1147', '#c2247c'],
		notes: 'Chroma means a deep gradient, one big line and little else. Numbers may glow; nothing else does.'
	}
};

/** The place and the words of what is wrong with a value, or undefined. */
export function fault(schema: Schema, value: unknown, at = ''): { pointer: string; message: string } | undefined {
	const types = ([] as string[]).concat(schema.type ?? []);
	const is = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
	const fits = types.some((t) => t === is || (t === 'integer' && Number.isInteger(value)));
	if (types.length > 0 && !fits) return { pointer: at, message: `This must be of type ${types.join(' or ')}.` };
	if (schema.enum && !schema.enum.includes(value)) return { pointer: at, message: `This must be one of ${schema.enum.join(', ')}.` };
	if (typeof value === 'string' && value.length < (schema.minLength ?? 0)) {
		return { pointer: at, message: `This needs at least ${schema.minLength} characters.` };
	}
	if (typeof value === 'number' && (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity))) {
		return { pointer: at, message: `This must be between ${schema.minimum} and ${schema.maximum}.` };
	}
	if (Array.isArray(value) && schema.items) {
		for (const [i, item] of value.entries()) {
			const bad = fault(schema.items, item, `${at}/${i}`);
			if (bad) return bad;
		}
	}
	if (is !== 'object' || !schema.properties) return undefined;
	const object = value as Record<string, unknown>;
	for (const name of schema.required ?? []) {
		if (object[name] === undefined) return { pointer: `${at}/${name}`, message: 'This is needed.' };
	}
	for (const [name, member] of Object.entries(object)) {
		const known = schema.properties[name];
		if (!known) return { pointer: `${at}/${name}`, message: 'There is no such member.' };
		const bad = fault(known, member, `${at}/${name}`);
		if (bad) return bad;
	}
	return undefined;
}
