import { createHash } from 'node:crypto';
import type { Artifact, Code, EventData, KnownKind, TurnFailedData } from '../../src/lib/protocol.gen.ts';
import { ask, type Change } from './change.ts';
import type { Store, StoredTurn } from './store.ts';

/** Thrown inside a script when its turn was stopped. */
export class Stopped extends Error {}

/** Stage is what a script has in its hands: one turn, and the ways to tell of it. */
export class Stage {
	#block = -1;
	#texts = new Map<number, string>();
	#started = Date.now();
	#open = false;

	constructor(
		readonly store: Store,
		readonly t: StoredTurn,
		readonly pace: number,
		readonly blobs: Map<string, { mime: string; data: string }>,
		readonly knobs: { undoMs: number; remember: boolean } = { undoMs: 0, remember: false }
	) {}

	nextSeq(): number {
		return this.t.turn.lastSeq + 1;
	}

	check(): void {
		if (this.t.canceled) throw new Stopped();
	}

	/** Waits a little, or is woken by a cancel. */
	async pause(ms = this.pace): Promise<void> {
		this.check();
		if (ms > 0) {
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, ms);
				this.t.onCancel.push(() => {
					clearTimeout(timer);
					resolve();
				});
			});
		}
		this.check();
	}

	async say(text: string): Promise<void> {
		this.check();
		if (!this.#open) {
			this.#block++;
			this.#open = true;
		}
		this.#texts.set(this.#block, (this.#texts.get(this.#block) ?? '') + text);
		this.store.append(this.t, 'text.delta', { block: this.#block, text });
		await this.pause();
	}

	async reason(text: string): Promise<void> {
		this.#block++;
		this.#open = false;
		this.store.append(this.t, 'reasoning.delta', { block: this.#block, text });
		await this.pause();
	}

	/** Says a text in pieces and ends the turn. */
	async answer(text: string): Promise<void> {
		for (let i = 0; i < text.length; i += 48) await this.say(text.slice(i, i + 48));
		await this.done();
	}

	async capability(name: string, title: string, input: unknown, output: unknown): Promise<void> {
		this.#open = false;
		const callId = this.store.id('call');
		this.store.append(this.t, 'capability.started', { callId, name, title, kind: 'read', input });
		await this.pause();
		this.store.append(this.t, 'capability.progress', { callId, fraction: 0.5, message: 'half way' });
		await this.pause();
		this.store.append(this.t, 'capability.done', { callId, phase: 'handler', ok: true, output, durationMs: 120 });
	}

	async refuse(name: string, title: string, code: Code, message: string): Promise<void> {
		this.#open = false;
		const callId = this.store.id('call');
		this.store.append(this.t, 'capability.started', { callId, name, title, kind: 'mutate', input: {} });
		this.store.append(this.t, 'capability.done', {
			callId,
			phase: 'handler',
			ok: false,
			error: { code, message, recoverable: false },
			durationMs: 0
		});
		await this.pause();
	}

	/** Leaves the script: its turn was stopped. */
	stopped(): never {
		throw new Stopped();
	}

	/** Tells an event as it is. */
	tell<K extends KnownKind>(kind: K, data: EventData[K]): void {
		this.check();
		this.#open = false;
		this.store.append(this.t, kind, data);
	}

	/** Shows a change, parks the turn and gives the word that answered it. */
	preview(name: string, title: string, summary: string, artifacts: Artifact[], how: Partial<Change> = {}): Promise<string> {
		this.#open = false;
		return ask(this, { name, title, summary, artifacts, ...how });
	}

	/** Shows changes of several slides at once. */
	previews(...slides: number[]): Promise<string>[] {
		const diff = (n: number): Artifact[] => [
			{ kind: 'diff', title: `slides/0${n}.html`, text: `--- a/slides/0${n}.html\n+++ b/slides/0${n}.html\n@@ -1 +1 @@\n-old ${n}\n+new ${n}\n` }
		];
		const all = slides.map((n) => this.preview('slide.edit', 'Edit a slide', `Changed slide ${n}`, diff(n)));
		for (const p of all) p.catch(() => {}); // the script that waits hears of it
		return all;
	}

	/** A new owner takes the turn over and asks the step again. */
	takeOver(from: number): void {
		const { store, t } = this;
		t.turn.run++;
		this.#texts.delete(this.#block);
		this.#block--;
		this.#open = false;
		store.append(t, 'step.restarted', { from, reason: 'taken over by another process' });
	}

	cast(character: string, active: boolean, caption?: string): void {
		this.store.append(this.t, 'cast', { character, active, caption });
	}

	suggest(): void {
		this.store.append(this.t, 'suggestions', {
			items: [
				{ capability: 'slide.variant', hint: 'Try another look', prefill: 'Give me a variant of slide ' },
				{ capability: 'deck.export', hint: 'Export the deck', prefill: 'Export the deck as PDF' }
			]
		});
	}

	keep(text: string, mime: string): string {
		const digest = createHash('sha256').update(text).digest('hex');
		this.blobs.set(digest, { mime, data: text });
		return digest;
	}

	async done(): Promise<void> {
		await this.pause();
		const { store, t } = this;
		store.append(t, 'usage', {
			model: t.turn.model,
			purpose: 'step',
			tokensIn: 1200,
			tokensOut: 180,
			cacheReadTokens: 900,
			cacheCreationTokens: null,
			costUsd: null
		});
		const blocks = [...this.#texts].map(([block, text]) => ({ block, text }));
		store.setState(t, 'completed');
		t.turn.endedAt = Date.now();
		store.append(t, 'turn.completed', {
			text: blocks.at(-1)?.text ?? '',
			blocks,
			turnIndex: t.turn.turnIndex,
			costUsd: null,
			latencyMs: Date.now() - this.#started
		});
	}

	/** Ends a turn that says nothing. */
	over(): void {
		const { store, t } = this;
		store.setState(t, 'completed');
		t.turn.endedAt = Date.now();
		const latencyMs = Date.now() - this.#started;
		store.append(t, 'turn.completed', { text: '', blocks: null, turnIndex: t.turn.turnIndex, costUsd: null, latencyMs });
	}

	fail(data: TurnFailedData): void {
		this.store.setState(this.t, 'failed');
		this.t.turn.errorCode = data.code;
		this.store.append(this.t, 'turn.failed', data);
	}

	cancel(by: string, reason: string): void {
		this.store.setState(this.t, 'canceled');
		this.t.turn.endedAt = Date.now();
		this.store.append(this.t, 'turn.canceled', { by, reason });
	}
}
