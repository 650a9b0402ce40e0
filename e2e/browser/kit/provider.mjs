// The fake model provider and the rounds that it plays.
import { Program, programs, until } from './program.mjs';

/** Provider is a running fake provider. */
export class Provider {
	#program;

	static async start() {
		const p = new Provider();
		p.#program = await Program.start(programs.provider, ['--listen', '127.0.0.1:0']);
		return p;
	}

	get url() {
		return this.#program.url;
	}

	/** Replaces the rounds; whatever none of them answers is answered with "OK.". */
	async play(...rounds) {
		await this.#ask('POST', 'script', { rounds: [...rounds.flat(), { text: 'OK.' }] });
	}

	/** Breaks the next requests, one after the other. */
	async break(...faults) {
		await this.#ask('POST', 'faults', faults);
	}

	/** Forgets requests, faults and the prompt cache. */
	async reset() {
		await this.#ask('POST', 'reset');
	}

	/** Every model call so far, oldest first; key.equals compares with the key. */
	async requests(key = '') {
		return (await (await this.#ask('GET', `requests?key=${encodeURIComponent(key)}`)).json()).requests;
	}

	/** Waits until a model call is being answered and its first words have left. */
	async speaking() {
		return until('the provider speaks', async () =>
			(await this.requests()).find((r) => r.endMs === undefined && r.bytes > 0)
		);
	}

	/** Waits until nothing is being answered. */
	async silent() {
		await until('the provider is silent', async () => (await this.requests()).every((r) => r.endMs !== undefined));
	}

	async stop() {
		await this.#program.kill();
	}

	async #ask(method, path, body) {
		const answer = await fetch(`${this.url}/_fake/${path}`, {
			method,
			body: body === undefined ? undefined : JSON.stringify(body)
		});
		if (!answer.ok) throw new Error(`The fake provider says ${answer.status}: ${await answer.text()}`);
		return answer;
	}
}

const exactly = (words) => `^${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;

/** Answers these words of the user with a text; a list is sent chunk by chunk. */
export const says = (words, text, more = {}) => ({
	when: { lastUser: exactly(words), purpose: 'step', step: 1 },
	text,
	...more
});

/** Answers these words of the user with calls. */
export const calls = (words, ...list) => ({
	when: { lastUser: exactly(words), purpose: 'step', step: 1 },
	calls: list
});

/** One call of a capability. */
export const call = (name, input = {}) => ({ name, input });

/** Answers the result of a capability. */
export const after = (name, answer) => ({ when: { resultOf: name, purpose: 'step' }, ...answer });

/** Writes a slide wherever one is to be written. */
export const writes = (html) => ({ when: { purpose: 'generate' }, text: html });

/** Words w0 w1 … one by one, so slowly that somebody can do something meanwhile. */
export const slowly = (count, ms = 60) => ({
	text: Array.from({ length: count }, (_, i) => `w${i} `),
	fault: { kind: 'slow', ms }
});

/** The words that slowly speaks. */
export const spoken = (count) => Array.from({ length: count }, (_, i) => `w${i}`);

/** The rounds that turn words into a variant of a slide that waits for an answer. */
export const variantOf = (words, slide, html, style = 'chroma') => [
	calls(words, call('slide.variant', { slide_id: slide, style })),
	after('slide.variant', { text: 'That is settled.' }),
	writes(html)
];

/** A slide with words of its own. */
export const slideOf = (title) => `<section class="slide">\n  <h1>${title}</h1>\n  <p>Written for a test.</p>\n</section>\n`;
