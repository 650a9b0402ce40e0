const NAMED: Readonly<Record<string, string>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: '\u00a0',
	copy: '©',
	reg: '®',
	trade: '™',
	hellip: '…',
	mdash: '—',
	ndash: '–',
	lsquo: '‘',
	rsquo: '’',
	ldquo: '“',
	rdquo: '”',
	laquo: '«',
	raquo: '»',
	middot: '·',
	bull: '•',
	times: '×',
	divide: '÷',
	deg: '°',
	plusmn: '±',
	sect: '§',
	para: '¶',
	euro: '€',
	pound: '£',
	yen: '¥',
	cent: '¢',
	larr: '←',
	rarr: '→',
	uarr: '↑',
	darr: '↓',
	harr: '↔',
	ne: '≠',
	le: '≤',
	ge: '≥',
	frac12: '½',
	auml: 'ä',
	ouml: 'ö',
	uuml: 'ü',
	Auml: 'Ä',
	Ouml: 'Ö',
	Uuml: 'Ü',
	szlig: 'ß',
	eacute: 'é',
	egrave: 'è'
};

/** Reads the character references that prose uses; what is unknown stays as it is. */
export function decodeEntities(text: string): string {
	if (!text.includes('&')) return text;
	return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]\w{1,7}));/g, (all, d, x, n) => {
		if (n) return Object.hasOwn(NAMED, n) ? NAMED[n]! : all;
		const code = d ? parseInt(d, 10) : parseInt(x, 16);
		if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
		return String.fromCodePoint(code);
	});
}
