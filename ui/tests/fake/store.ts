import type {
	Approval,
	Event,
	EventData,
	KeyInfo,
	KnownKind,
	OpenCall,
	Permission,
	Thread,
	ThreadView,
	Turn,
	TurnState
} from '../../src/lib/protocol.gen.ts';

/** How a preview was answered. */
export type Word =
	| { say: 'accept' | 'discard' | 'expired' | 'superseded'; rule?: string }
	| { say: 'edit'; input: unknown };

/** A change that was made. */
export interface AppliedChange {
	t: StoredTurn;
	name: string;
	title: string;
	summary: string;
	undoUntil: number;
	undone: boolean;
	/** True when the app has moved since, so that it cannot be taken back. */
	moved: boolean;
}

/** One turn of the fake server with all of its events. */
export interface StoredTurn {
	turn: Turn;
	events: Event[];
	/** Resolvers of the previews that wait, by receipt. */
	waiting: Map<string, (word: Word) => void>;
	/** The decisions that were taken, by receipt. */
	taken: Map<string, string>;
	/** The rules that accepts made, by receipt. */
	remembered: Map<string, string>;
	/** The previews whose accept will find that the app has moved. */
	moved: Set<string>;
	canceled: boolean;
	onCancel: (() => void)[];
}

/** Store keeps what the fake server knows, and wakes who reads it. */
export class Store {
	threads = new Map<string, Thread>();
	turns = new Map<string, StoredTurn>();
	order = new Map<string, string[]>(); // thread -> turns in order of starting
	keys: KeyInfo[] = [];
	permissions: Permission[] = [];
	applied = new Map<string, AppliedChange>(); // by call
	#wakers = new Set<() => void>();
	#ids = 0;
	now = Date.now();
	/** thread.changed, which has no seq: told to whoever listens now. */
	changes: { thread: string; event: Event }[] = [];

	id(prefix: string): string {
		return `${prefix}_${(++this.#ids).toString(36).padStart(4, '0')}`;
	}

	at(): number {
		return (this.now += 1);
	}

	wake(): void {
		for (const w of [...this.#wakers]) w();
	}

	/** Resolves at the next change, or when the signal is aborted. */
	change(signal: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const done = () => {
				this.#wakers.delete(done);
				signal.removeEventListener('abort', done);
				resolve();
			};
			this.#wakers.add(done);
			signal.addEventListener('abort', done);
			if (signal.aborted) done();
		});
	}

	append<K extends KnownKind>(t: StoredTurn, kind: K, data: EventData[K], extra: Partial<Event> = {}): Event {
		const seq = (t.turn.lastSeq += 1);
		const event: Event = {
			seq,
			run: t.turn.run,
			turn: t.turn.id,
			thread: t.turn.threadId,
			at: Date.now(),
			kind,
			data,
			...extra
		};
		t.events.push(event);
		this.wake();
		return event;
	}

	setState(t: StoredTurn, state: TurnState): void {
		t.turn.state = state;
		const thread = this.threads.get(t.turn.threadId);
		if (!thread) return;
		const states = this.ofThread(thread.id).map((x) => x.turn.state);
		thread.running = states.includes('running');
		thread.waiting = states.includes('awaiting_confirmation');
		thread.updatedAt = this.at();
	}

	setOpen(t: StoredTurn, open: OpenCall[]): void {
		t.turn.open = open.length > 0 ? open : undefined;
	}

	ofThread(id: string): StoredTurn[] {
		return (this.order.get(id) ?? []).map((x) => this.turns.get(x)!);
	}

	/** The turns of the path that ends in the thread's head. */
	path(thread: Thread): StoredTurn[] {
		const out: StoredTurn[] = [];
		let at = thread.head;
		while (at) {
			const t = this.turns.get(at);
			if (!t) break;
			out.unshift(t);
			at = t.turn.parentTurnId;
		}
		return out;
	}

	/** What waits for the user, newest first. */
	approvals(): Approval[] {
		const out: Approval[] = [];
		for (const t of this.turns.values()) {
			const thread = this.threads.get(t.turn.threadId);
			for (const { callId, receiptId, capability, summary, expiresAt } of thread ? (t.turn.open ?? []) : []) {
				const shown = t.events.find((e) => e.kind === 'preview' && (e.data as { receiptId: string }).receiptId === receiptId)!;
				const { title, artifacts } = shown.data as EventData['preview'];
				out.push({
					turnId: t.turn.id,
					threadId: thread!.id,
					threadTitle: thread!.title,
					projectId: thread!.projectId,
					projectKind: thread!.projectKind,
					callId,
					receiptId,
					capability,
					title,
					summary,
					artifacts: (artifacts ?? []).map(({ text, ...a }) => ({ ...a, bytes: a.bytes ?? text?.length ?? 0 })),
					createdAt: shown.at,
					expiresAt
				});
			}
		}
		return out.reverse();
	}

	tellChanged(thread: Thread, deleted = false): void {
		this.changes.push({
			thread: thread.id,
			event: {
				seq: 0,
				run: 0,
				turn: '',
				thread: thread.id,
				at: Date.now(),
				kind: 'thread.changed',
				data: { title: thread.title, head: thread.head, deleted: deleted || undefined }
			}
		});
		this.wake();
	}

	view(thread: Thread, before: string | null, limit: number): ThreadView {
		let path = this.path(thread);
		if (before) path = path.slice(0, path.findIndex((t) => t.turn.id === before));
		const page = path.slice(-limit);
		const last = this.ofThread(thread.id).at(-1);
		return {
			thread,
			turns: page.map((t) => ({ turn: { ...t.turn }, events: compact(t.events) })),
			cursor: last ? `${last.turn.id}:${last.turn.run}:${last.turn.lastSeq}` : '',
			before: path.length > page.length ? page[0]?.turn.id : undefined
		};
	}
}

/** Joins neighbouring deltas of one block, as the real server does. */
export function compact(events: Event[]): Event[] {
	const out: Event[] = [];
	for (const e of events) {
		const last = out.at(-1);
		const delta = e.kind === 'text.delta' || e.kind === 'reasoning.delta';
		const a = last?.data as { block: number; text: string } | undefined;
		const b = e.data as { block: number; text: string };
		if (last && delta && last.kind === e.kind && last.run === e.run && a?.block === b.block) {
			out[out.length - 1] = {
				...e,
				from: last.from ?? last.seq,
				data: { block: b.block, text: a.text + b.text }
			};
		} else {
			out.push(e);
		}
	}
	return out;
}
