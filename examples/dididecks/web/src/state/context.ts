import type { Character, ChatContext } from '@lossless/in-app-agent';
import type { Deck } from './api.js';
import { exportsOf } from './listen.js';
import { numberOf } from './number.js';

/** Who is at work: a face for each capability. */
const cast: Character[] = [
	{ id: 'agent', name: 'Dididecks' },
	{ id: 'corpus.search', name: 'Librarian' },
	{ id: 'slide.variant', name: 'Stylist' },
	{ id: 'slide.edit', name: 'Writer' },
	{ id: 'deck.export', name: 'Printer' },
	{ id: 'deck.diagnostics', name: 'Inspector' }
];

/** What the chat is told of the open deck: its slides and brand kits, and first steps. */
export function chatContext(deck: Deck, selected: number, may: ReadonlySet<string>): ChatContext {
	// The cover is seldom what people want to change first.
	const at = selected > 0 ? selected : Math.min(3, deck.slides.length - 1);
	const slide = deck.slides[at];
	const number = slide ? numberOf(slide.id, at) : '1';
	const offer = (capability: string, text: string) => ({ capability, hint: text, prefill: text });
	const offers = [
		offer('slide.variant', `Give me a Chroma-style variant of slide ${number}`),
		offer('slide.edit', `Make slide ${number} less corporate`),
		offer('deck.export', 'Export the deck as HTML'),
		offer('deck.diagnostics', 'Why did the build fail?')
	];
	return {
		projectId: deck.id,
		projectKind: deck.kind,
		attachableNouns: [
			{
				kind: 'slide',
				label: 'Slide',
				list: deck.slides.map((s, i) => ({ id: s.id, title: `${numberOf(s.id, i)} ${s.title}` }))
			},
			{ kind: 'brand-kit', label: 'Brand kit', list: deck.brandKits }
		],
		capabilityWhitelist: ['slide.*', 'deck.*'],
		characterCast: cast,
		linkPrefixes: [exportsOf(deck.id)],
		suggestions: offers.filter((o) => may.has(o.capability))
	};
}
