import { describe, expect, it } from 'vitest';
import { differences, edited, faultOf, fieldAt, fieldsOf, firstToEdit, type Field } from '../../src/lib/state/form.js';

const schema = {
	type: 'object',
	properties: {
		slide_id: { type: 'string', description: "the slide's number" },
		notes: { type: 'string' },
		layout: { type: 'string', enum: ['keep', 'wide'] },
		warmth: { type: 'integer', minimum: 0, maximum: 10 },
		ratio: { type: ['null', 'number'] },
		dark: { type: 'boolean' },
		colours: { type: 'array', items: { type: 'string' } },
		size: { type: 'integer', enum: [1, 2] },
		title: { type: 'string', title: 'Big title' }
	},
	required: ['slide_id', 'warmth']
};
const input = { slide_id: '04', notes: 'a\nb', layout: 'keep', warmth: 7, colours: ['#fff'], extra: { a: 1 } };
const fields = fieldsOf(schema, input)!;
const field = (name: string): Field => fields.find((f) => f.name === name)!;

describe('the fields of a form', () => {
	it('are of the kind that the schema and the value ask for, with nothing left out', () => {
		expect(fields.map((f) => `${f.name} ${f.kind}`)).toEqual([
			'slide_id text', 'notes text', 'layout choice', 'warmth number', 'ratio number',
			'dark yesno', 'colours json', 'size number', 'title text', 'extra json'
		]);
	});

	it('have names that people read', () => {
		expect([field('slide_id').label, field('title').label, field('notes').description]).toEqual(['Slide id', 'Big title', '']);
		expect(fieldsOf({}, { deckId: 1, __x__: 2 })!.map((f) => f.label)).toEqual(['Deck id', 'X']);
	});

	it('are JSON where a value is not what the schema says', () => {
		const odd = fieldsOf(schema, { slide_id: 4, layout: 'other', dark: 'yes', warmth: null })!;
		expect(odd.filter((f) => f.was !== '').map((f) => `${f.name} ${f.kind} ${f.was}`)).toEqual([
			'slide_id json 4', 'layout json "other"', 'warmth json null', 'dark json "yes"'
		]);
	});

	it.each([undefined, null, 'text', [1]])('are none for the arguments %j', (none) => {
		expect(fieldsOf(schema, none)).toBeUndefined();
	});

	it('are those of the arguments where nothing is known of them', () => {
		for (const nothing of [undefined, null, true, 'x', { properties: [] }]) {
			expect(fieldsOf(nothing, { a: 1 })!.map((f) => f.kind)).toEqual(['json']);
		}
	});
});

describe('a text', () => {
	const kind = (schema: object, value?: string) => fieldsOf({ properties: { a: { type: 'string', ...schema } } }, value === undefined ? {} : { a: value })![0]!.kind;

	it.each([{}, { maxLength: 4000 }, { minLength: 1 }, { pattern: '^.+$' }, { format: 'markdown' }])('%j may be written on several lines, however short it is', (schema) => {
		expect([kind(schema), kind(schema, ''), kind(schema, 'Ask'), kind(schema, 'a\nb')]).toEqual(['text', 'text', 'text', 'text']);
	});

	it.each([{ format: 'date' }, { format: 'uri' }, { maxLength: 60 }])('%j is on one line, unless it has several', (schema) => {
		expect([kind(schema), kind(schema, 'Ask'), kind(schema, 'a\nb'), kind(schema, 'a\rb')]).toEqual(['line', 'line', 'text', 'text']);
	});
});

describe('the field that takes the focus', () => {
	const first = (names: string[], required: string[], values: object) =>
		firstToEdit(fieldsOf({ properties: Object.fromEntries(names.map((n) => [n, { type: 'string' }])), required }, values)!)?.name;

	it.each<[string, string[], string[], object]>([
		['instruction', ['deck_id', 'slide_id', 'style', 'instruction'], ['deck_id', 'slide_id', 'instruction'], { deck_id: 'd', slide_id: '1', style: 's', instruction: 'i' }],
		['style', ['deckId', 'style', 'note'], ['deckId'], { deckId: 'd', style: 's', note: 'n' }],
		['note', ['id', 'style', 'note'], ['id', 'style'], { id: 'd', note: 'n' }],
		['grid', ['id', 'grid'], [], { id: 'd', grid: 'g' }],
		['id', ['id', 'project_key'], ['id'], { id: 'd', project_key: 'k' }]
	])('is %s of %j', (want, names, required, values) => {
		expect(first(names, required, values)).toBe(want);
	});
});

describe('what is written', () => {
	it.each<[string, string, string | undefined]>([
		['warmth', '7', undefined],
		['warmth', '0', undefined],
		['warmth', '10', undefined],
		['warmth', '-1', 'range'],
		['warmth', '11', 'range'],
		['warmth', '7.5', 'whole'],
		['warmth', 'warm', 'number'],
		['warmth', '', 'required'],
		['ratio', '', undefined],
		['ratio', '0.5', undefined],
		['colours', '["#000"]', undefined],
		['colours', '[', 'json'],
		['colours', '', undefined],
		['slide_id', '', undefined]
	])('%s = %j is refused as %s', (name, text, want) => {
		expect(faultOf(field(name), text)).toBe(want);
	});

	it('becomes values, and what was not touched stays as it was', () => {
		const texts = { slide_id: '05', warmth: '3', dark: 'true', colours: '["#000"]', notes: '', ratio: '', layout: 'wide' };
		const out = edited(fields, texts, input);
		expect(out).toEqual({ slide_id: '05', layout: 'wide', warmth: 3, dark: true, colours: ['#000'], extra: { a: 1 } });
		expect(out.extra).toBe(input.extra);
		expect(edited(fields, {}, input)).toEqual(input);
	});

	it('of a required text may be empty, which is for the server to judge', () => {
		expect(edited(fields, { slide_id: '' }, input).slide_id).toBe('');
	});

	it('under the name __proto__ is a member like others', () => {
		const odd = JSON.parse('{"__proto__": "x"}') as unknown;
		const out = edited(fieldsOf({ properties: odd }, odd)!, JSON.parse('{"__proto__": "\\"y\\""}') as object as never, odd);
		expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
		expect(JSON.stringify(out)).toBe('{"__proto__":"y"}');
	});
});

describe('what differs', () => {
	it('is told member by member', () => {
		expect(differences(schema, input, { ...input, warmth: 3, layout: undefined, dark: true })).toEqual([
			{ label: 'Layout', from: 'keep', to: '' },
			{ label: 'Warmth', from: '7', to: '3' },
			{ label: 'Dark', from: '', to: 'true' }
		]);
		expect(differences(schema, input, { ...input })).toEqual([]);
	});
});

describe('the place of an error', () => {
	it.each([
		['/decisions/input/warmth', 'warmth'],
		['/decisions/input/colours/0', 'colours'],
		['/decisions/input/nowhere', ''],
		['/decisions/input', ''],
		['/decisions', ''],
		[undefined, '']
	])('%s is the field %j', (pointer, want) => {
		expect(fieldAt(pointer, fields)).toBe(want);
	});
});
