import type { Event, EventData, KnownKind } from '../../src/lib/protocol.gen.js';

/** Tells a turn: numbers its events by itself. */
export class Teller {
	seq = 0;
	run = 1;
	events: Event[] = [];
	constructor(readonly turn = 'turn_1') {}

	tell<K extends KnownKind>(kind: K, data: EventData[K], more: Partial<Event> = {}): this {
		const seq = ++this.seq;
		this.events.push({ seq, run: this.run, turn: this.turn, thread: 'thr_1', at: 1000 + seq, kind, data, ...more });
		return this;
	}

	start(text = 'hello', more: Partial<EventData['turn.started']> = {}): this {
		return this.tell('turn.started', {
			model: 'm',
			provider: 'p',
			keySource: 'org',
			capabilities: null,
			by: 'user',
			message: { text },
			messageId: `msg_${this.turn}`,
			turnIndex: 0,
			...more
		});
	}

	say(block: number, text: string): this {
		return this.tell('text.delta', { block, text });
	}

	call(callId: string, name = 'slide.edit', parentCallId?: string): this {
		return this.tell('capability.started', { callId, parentCallId, name, title: 'Edit', kind: 'mutate', input: { a: 1 } });
	}

	preview(callId: string, receiptId: string, replaces?: string): this {
		return this.tell('preview', {
			callId,
			receiptId,
			name: 'slide.edit',
			title: 'Edit',
			summary: 'Changed it',
			artifacts: [],
			expiresAt: 9e12,
			replaces
		});
	}

	decide(callId: string, receiptId: string, decision: EventData['decision']['decision']): this {
		return this.tell('decision', { callId, receiptId, decision, by: 'user_1' });
	}

	done(callId: string, more: Partial<EventData['capability.done']> = {}): this {
		return this.tell('capability.done', { callId, phase: 'handler', ok: true, durationMs: 5, ...more });
	}

	complete(...blocks: [number, string][]): this {
		return this.tell('turn.completed', {
			text: blocks.at(-1)?.[1] ?? '',
			blocks: blocks.map(([block, text]) => ({ block, text })),
			turnIndex: 0,
			costUsd: null,
			latencyMs: 77
		});
	}
}
