import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
	CODE_STATUS,
	isTerminal,
	type ChatRequest,
	type Code,
	type Decision,
	type DecisionRequest,
	type Event,
	type KeyBody,
	type KeyInfo,
	type SettingsView,
	type Thread,
	type Turn
} from '../../src/lib/protocol.gen.ts';
import { outcomeOf, shownAs, takeBack } from './change.ts';
import { body } from './body.ts';
import { cacheOf } from './cache.ts';
import { Office } from './office.ts';
import { Refusal } from './refusal.ts';
import { remember } from './rules.ts';
import { description, models } from './description.ts';
import { fault, schemas } from './schemas.ts';
import { PIXEL, scripts } from './scripts.ts';
import { Stage, Stopped } from './stage.ts';
import { compact, Store, type StoredTurn } from './store.ts';

/** What a test can set on the fake server while it runs. */
export interface Knobs {
	/** Milliseconds between two things of a turn. */
	pace: number;
	/** Ends every stream after so many events of it; 0 means never. */
	cutAfter: number;
	/** True when a usable key is needed and none is stored yet. */
	needsKey: boolean;
	scripted: boolean;
	/** Answers the next requests of an operation with a code. */
	refuse: { match: RegExp; code: Code; times: number } | undefined;
	/** Holds the headers of streams back, as a buffering proxy does. */
	holdHeadersMs: number;
	/** Answers no request at all. */
	down: boolean;
	modelChoice: boolean;
	/** The session of the user has ended: every request is refused. */
	signedOut: boolean;
	/** How long an applied change can be taken back; 0 means not at all. */
	undoMs: number;
	/** The org lets accepts be remembered. */
	remember: boolean;
	/** The most that one page of the inbox holds. */
	approvalPage: number;
}

/** FakeAgent is a small faithful server of the wire contract, for tests only. */
export class FakeAgent {
	store = new Store();
	office = new Office();
	readonly knobs: Knobs;
	/** Every request that came: method and path. */
	requests: string[] = [];
	streams = new Set<ServerResponse>();
	blobs = new Map<string, { mime: string; data: string }>();
	notes: unknown[] = [];
	userModel = '';
	responseMode = '';
	readonly server: Server;
	/** Serves what is not of the agent: pages of a browser test. */
	pages: ((req: IncomingMessage, res: ServerResponse) => boolean) | undefined;

	constructor(knobs: Partial<Knobs> = {}) {
		this.knobs = {
			pace: 4,
			cutAfter: 0,
			needsKey: false,
			scripted: true,
			refuse: undefined,
			holdHeadersMs: 0,
			down: false,
			modelChoice: true,
			signedOut: false,
			undoMs: 600_000,
			remember: false,
			approvalPage: 200,
			...knobs
		};
		this.server = createServer((req, res) => void this.#serve(req, res));
		this.server.keepAliveTimeout = 1000;
	}

	async listen(port = 0): Promise<string> {
		await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async close(): Promise<void> {
		for (const t of this.store.turns.values()) this.#cancel(t, 'system', 'deleted');
		this.cutStreams();
		this.server.closeAllConnections();
		await new Promise<void>((resolve) => this.server.close(() => resolve()));
	}

	/** Closes every open stream, as a restart or a proxy does. */
	cutStreams(): void {
		for (const res of this.streams) res.destroy();
	}

	async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
		const url = new URL(req.url ?? '/', 'http://fake');
		if (!url.pathname.startsWith('/api/agent')) {
			if (this.pages?.(req, res)) return;
			res.writeHead(404).end();
			return;
		}
		const path = url.pathname.slice('/api/agent'.length);
		this.requests.push(`${req.method} ${path}`);
		if (this.knobs.down) {
			req.socket.destroy();
			return;
		}
		try {
			if (this.knobs.signedOut) throw new Refusal('unauthenticated', 'You are not signed in.');
			const r = this.knobs.refuse;
			if (r && r.times > 0 && r.match.test(`${req.method} ${path}`)) {
				r.times--;
				throw new Refusal(r.code, `Refused with ${r.code}.`, { hint: 'Try it in another way.' });
			}
			await this.#route(req, res, path, url.searchParams);
		} catch (thrown) {
			if (!(thrown instanceof Refusal)) throw thrown;
			this.#problem(res, thrown);
		}
	}

	#problem(res: ServerResponse, p: Refusal): void {
		const status = CODE_STATUS[p.code] || 500;
		const body = {
			type: 'about:blank',
			title: p.code,
			status,
			code: p.code,
			message: p.message,
			requestId: 'req_fake',
			...p.more
		};
		if (res.headersSent) return;
		res.writeHead(status, { 'content-type': 'application/problem+json' });
		res.end(JSON.stringify(body));
	}

	async #route(req: IncomingMessage, res: ServerResponse, path: string, q: URLSearchParams): Promise<void> {
		const parts = path.split('/').slice(1).map(decodeURIComponent);
		const [head, id = '', tail = '', last = ''] = parts;
		const key = `${req.method} ${head}${id && '/id'}${tail && `/${tail}`}`;
		const ofAdmin = head === 'admin' ? `${req.method} admin/id/${id}${tail && '/id'}` : '';
		const send = (body: unknown, status = 200) => {
			res.writeHead(status, { 'content-type': 'application/json' });
			res.end(JSON.stringify(body));
		};
		const none = (status = 204) => res.writeHead(status).end();
		switch (ofAdmin || key) {
			case 'POST chat':
				return this.#chat(req, res, (await body(req)) as ChatRequest);
			case 'GET turns/id':
				return send(this.#turn(id).turn);
			case 'GET turns/id/events':
				return this.#turnEvents(req, res, this.#turn(id), q.get('after') ?? '0');
			case 'POST turns/id/cancel':
				this.#cancel(this.#turn(id), 'user_1', 'stopped');
				return send({}, 202) as never;
			case 'GET threads/id/events':
				return this.#threadEvents(req, res, this.#thread(id), q.get('after') ?? '');
			case 'POST confirm':
				return this.#confirm(res, (await body(req)) as DecisionRequest);
			case 'POST calls/id/undo':
				return send({ turn: this.#undo(id).turn }, 202);
			case 'GET threads': {
				const word = (q.get('q') ?? '').toLowerCase();
				const archived = q.get('archived') === 'true';
				const all = [...this.store.threads.values()]
					.filter((t) => !!t.archivedAt === archived)
					.filter((t) => !q.get('projectId') || t.projectId === q.get('projectId'))
					.filter((t) => t.title.toLowerCase().includes(word))
					.sort((a, b) => b.updatedAt - a.updatedAt);
				const at = Number(q.get('cursor') ?? 0);
				const n = Number(q.get('limit') ?? 50);
				return send({ items: all.slice(at, at + n), next: all.length > at + n ? String(at + n) : undefined });
			}
			case 'GET threads/id':
				return send(this.store.view(this.#thread(id), q.get('before'), Number(q.get('limit') ?? 30)));
			case 'PATCH threads/id': {
				const t = this.#thread(id);
				const patch = (await body(req)) as { title?: string; archived?: boolean };
				if (patch.title !== undefined) t.title = patch.title;
				if (patch.archived !== undefined) t.archivedAt = patch.archived ? Date.now() : undefined;
				this.store.tellChanged(t);
				return send(t);
			}
			case 'DELETE threads/id': {
				const t = this.#thread(id);
				for (const turn of this.store.ofThread(id)) this.#cancel(turn, 'user_1', 'deleted');
				this.store.threads.delete(id);
				this.store.tellChanged(t, true);
				return none() as never;
			}
			case 'GET threads/id/export': {
				const t = this.#thread(id);
				const md = q.get('format') !== 'json';
				res.writeHead(200, {
					'content-type': md ? 'text/markdown' : 'application/json',
					'content-disposition': `attachment; filename="conversation.${md ? 'md' : 'json'}"`
				});
				res.end(md ? `# ${t.title}\n` : JSON.stringify({ thread: t }));
				return;
			}
			case 'GET threads/id/cache':
				return send(cacheOf(id, this.store.ofThread(this.#thread(id).id)[0]?.turn));
			case 'GET transparency': {
				const thread = q.get('threadId');
				if (!thread) throw new Refusal('invalid_input', 'The conversation is needed.', { pointer: '/threadId' });
				return send({ threadId: this.#thread(thread).id, items: this.office.egress.get(thread) ?? [] });
			}
			case 'GET admin/id/audit/id': {
				if (!this.#isAdmin(req)) throw new Refusal('forbidden', 'Only an admin of the organisation may do this.');
				res.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-disposition': 'attachment; filename="audit.ndjson"' });
				res.end(this.office.auditFile());
				return;
			}
			case 'GET approvals': {
				const all = this.store.approvals();
				const at = Number(q.get('cursor') ?? 0);
				const n = Math.min(Number(q.get('limit') ?? 50), this.knobs.approvalPage);
				return send({ items: all.slice(at, at + n), next: all.length > at + n ? String(at + n) : undefined });
			}
			case 'GET permissions':
				return send({ items: this.store.permissions });
			case 'DELETE permissions/id':
				if (!this.store.permissions.some((p) => p.id === id)) throw new Refusal('not_found', 'There is no such permission.');
				this.store.permissions = this.store.permissions.filter((p) => p.id !== id);
				return none() as never;
			case 'GET capabilities':
				return send(description(this.knobs.scripted));
			case 'GET keys':
				return send({ items: this.store.keys });
			case 'POST keys':
				return send(this.#storeKey((await body(req)) as KeyBody), 201);
			case 'POST keys/id/rotate': {
				const k = this.#key(id);
				return send(this.#storeKey({ ...k, key: ((await body(req)) as { key: string }).key }));
			}
			case 'DELETE keys/id':
				this.#key(id);
				this.store.keys = this.store.keys.filter((k) => k.id !== id);
				return none() as never;
			case 'POST keys/id/test':
				this.#key(id);
				return send({ ok: true, model: 'claude-sonnet-4-6', latencyMs: 320 });
			case 'GET settings':
				return send(this.#settings());
			case 'PUT settings': {
				const s = (await body(req)) as { model: string; responseMode: string };
				if (!this.knobs.modelChoice && s.model) throw new Refusal('policy_denied', 'The organisation fixed the model.');
				this.userModel = s.model;
				this.responseMode = s.responseMode;
				return send(this.#settings());
			}
			case 'POST feedback':
				this.notes.push(await body(req));
				return none() as never;
			case 'GET calls/id/artifacts': {
				const blob = this.blobs.get(last);
				if (last === 'd'.repeat(64)) {
					res.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7');
					return;
				}
				if (!blob) throw new Refusal('not_found', 'There is no such artifact.');
				res.writeHead(200, { 'content-type': blob.mime, 'content-disposition': 'attachment' }).end(blob.data);
				return;
			}
		}
		const told = await this.office.answer({ key: ofAdmin || key, id, query: q, admin: this.#isAdmin(req), body: () => body(req) });
		if (told === undefined) throw new Refusal('not_found', 'There is no such page.');
		send(told);
	}

	/** Who says so is an admin: the fake has no sessions. */
	#isAdmin(req: IncomingMessage): boolean {
		return req.headers['x-fake-tier'] === 'admin';
	}

	#thread(id: string): Thread {
		const t = this.store.threads.get(id);
		if (!t) throw new Refusal('not_found', 'There is no such conversation.');
		return t;
	}

	#turn(id: string): StoredTurn {
		const t = this.store.turns.get(id);
		if (!t) throw new Refusal('not_found', 'There is no such turn.');
		return t;
	}

	#key(id: string): KeyInfo {
		const k = this.store.keys.find((x) => x.id === id);
		if (!k) throw new Refusal('not_found', 'There is no such key.');
		return k;
	}

	async #chat(req: IncomingMessage, res: ServerResponse, ask: ChatRequest): Promise<void> {
		const turn = this.start(ask);
		if (!(req.headers.accept ?? '').includes('text/event-stream')) {
			res.writeHead(202, { 'content-type': 'application/json' });
			res.end(JSON.stringify({ turn: turn.turn }));
			return;
		}
		await this.#turnEvents(req, res, turn, '0');
	}

	/** Accepts a message and plays its script; the same message id gives the same turn. */
	start(ask: ChatRequest): StoredTurn {
		const text = ask.text ?? ask.messages?.findLast((m) => m.role === 'user')?.content ?? '';
		if (!ask.projectId || !text) throw new Refusal('invalid_input', 'A project and a text are needed.', { pointer: '/text' });
		if (text.length > 200 << 10) throw new Refusal('too_large', 'The message is longer than 200 KiB.');
		for (const t of this.store.turns.values()) {
			if (ask.messageId && t.turn.messageId === ask.messageId) {
				if (t.turn.message.text !== text) throw new Refusal('conflict', 'That message id was used for another text.');
				return t;
			}
		}
		if (this.knobs.needsKey && this.store.keys.length === 0) {
			throw new Refusal('key_required', 'No key for Anthropic is stored.', { provider: 'anthropic', panel: 'byok' });
		}
		const thread = ask.threadId ? this.#thread(ask.threadId) : this.#newThread(ask, text);
		const running = this.store.ofThread(thread.id).filter((t) => t.turn.state === 'running');
		if (running.length > 0) throw new Refusal('turn_in_progress', 'A turn is running.', { turnId: running[0]!.turn.id });
		for (const t of this.store.ofThread(thread.id)) {
			if (t.turn.state === 'awaiting_confirmation') {
				for (const open of t.turn.open ?? []) {
					this.store.append(t, 'decision', { callId: open.callId, receiptId: open.receiptId, decision: 'discarded', by: 'user_1', reason: 'superseded' });
				}
				this.#cancel(t, 'user_1', 'superseded');
			}
		}
		const nouns = ask.attachments?.map((a) => ({ ...a, title: `${a.kind} ${a.id}` }));
		const t = this.#begin(thread, 'user', { text, attachments: nouns }, ask.messageId, ask.parentTurnId);
		void this.#play(t, (stage) => scripts.find((s) => s.match.test(text))!.play(stage, text));
		return t;
	}

	/** Writes the beginning of a turn. */
	#begin(thread: Thread, by: string, message: Turn['message'], messageId?: string, under?: string): StoredTurn {
		const parent = under ?? thread.head;
		const paid = this.store.keys.length > 0 ? 'user-byok' : 'org';
		const turn: Turn = {
			id: this.store.id('turn'),
			threadId: thread.id,
			parentTurnId: parent,
			turnIndex: parent ? (this.store.turns.get(parent)?.turn.turnIndex ?? 0) + 1 : 0,
			ordinal: this.store.ofThread(thread.id).length + 1,
			state: 'running',
			messageId: messageId || this.store.id('msg'),
			by,
			message,
			model: this.#model(),
			provider: this.knobs.scripted ? 'scripted' : 'anthropic',
			keySource: this.knobs.scripted || by === 'hand' ? 'none' : paid,
			run: 1,
			lastSeq: 0,
			createdAt: Date.now()
		};
		const t: StoredTurn = { turn, events: [], waiting: new Map(), taken: new Map(), remembered: new Map(), moved: new Set(), canceled: false, onCancel: [] };
		this.store.turns.set(turn.id, t);
		this.store.order.get(thread.id)!.push(turn.id);
		thread.head = turn.id;
		this.store.setState(t, 'running');
		this.store.append(t, 'turn.started', {
			model: turn.model,
			provider: turn.provider,
			keySource: turn.keySource,
			capabilities: ['slide.read', 'slide.edit', 'slide.variant'],
			by,
			message: turn.message,
			messageId: turn.messageId,
			parentTurnId: parent,
			turnIndex: turn.turnIndex
		});
		return t;
	}

	#undo(callId: string): StoredTurn {
		const change = this.store.applied.get(callId);
		const known = [...this.store.turns.values()].some((t) => t.events.some((e) => (e.data as { callId?: string }).callId === callId));
		if (!known) throw new Refusal('not_found', 'There is no such call.');
		if (!change) throw new Refusal('conflict', 'There is no applied change of this call to take back.');
		if (change.undone) throw new Refusal('conflict', 'This change was taken back already.');
		if (change.undoUntil <= Date.now()) {
			throw new Refusal('gone', 'The time to take this change back is over.', { hint: 'Ask for the opposite change.' });
		}
		const thread = this.#thread(change.t.turn.threadId);
		const busy = this.store.ofThread(thread.id).find((t) => ['running', 'awaiting_confirmation'].includes(t.turn.state));
		if (busy) throw new Refusal('turn_in_progress', 'A turn is running.', { turnId: busy.turn.id });
		const t = this.#begin(thread, 'hand', { text: `Undo: ${change.summary}` });
		void this.#play(t, (stage) => takeBack(stage, this.store.id('call'), callId));
		return t;
	}

	#newThread(ask: ChatRequest, text: string): Thread {
		const thread: Thread = {
			id: this.store.id('thr'),
			projectId: ask.projectId,
			projectKind: ask.projectKind ?? 'dididecks-deck',
			title: text.slice(0, 60),
			createdAt: this.store.at(),
			updatedAt: this.store.at()
		};
		this.store.threads.set(thread.id, thread);
		this.store.order.set(thread.id, []);
		return thread;
	}

	async #play(t: StoredTurn, script: (stage: Stage) => Promise<void>): Promise<void> {
		const stage = new Stage(this.store, t, this.knobs.pace, this.blobs, this.knobs);
		try {
			await stage.pause();
			await script(stage);
		} catch (thrown) {
			if (!(thrown instanceof Stopped)) throw thrown;
		}
	}

	#cancel(t: StoredTurn, by: string, reason: string): void {
		if (t.canceled || ['completed', 'failed', 'canceled'].includes(t.turn.state)) return;
		t.canceled = true;
		for (const answer of t.waiting.values()) answer({ say: 'superseded' });
		new Stage(this.store, t, 0, this.blobs).cancel(by, reason);
		this.store.setOpen(t, []);
		for (const f of t.onCancel) f();
	}

	#confirm(res: ServerResponse, ask: DecisionRequest): void {
		const t = this.#turn(ask.turnId);
		for (const d of ask.decisions ?? []) this.#check(t, d);
		// Where one was answered in another way before, none of the request is taken.
		const conflict = (ask.decisions ?? []).some((d) => (t.taken.get(d.receiptId) ?? d.decision) !== d.decision);
		const results = (ask.decisions ?? []).map((d) => {
			const before = t.taken.get(d.receiptId);
			if (before) return outcomeOf(t, d.callId, d.receiptId, before, t.remembered.get(d.receiptId));
			const answer = t.waiting.get(d.receiptId);
			if (conflict) return { ...outcomeOf(t, d.callId, d.receiptId, d.decision), state: undefined };
			if (!answer) throw new Refusal('gone', 'That preview can no longer be answered.');
			const rule = d.remember && !t.moved.has(d.receiptId) ? remember(this.store, t, d.receiptId, this.knobs.remember).id : undefined;
			if (rule) t.remembered.set(d.receiptId, rule);
			t.taken.set(d.receiptId, d.decision);
			answer(d.decision === 'edit' ? { say: 'edit', input: d.input } : { say: d.decision as 'accept', rule });
			return outcomeOf(t, d.callId, d.receiptId, d.decision, rule);
		});
		const body = { turnId: t.turn.id, results, ...(conflict ? { code: 'conflict', status: 409, message: 'It was answered before.' } : {}) };
		res.writeHead(conflict ? 409 : 200, { 'content-type': conflict ? 'application/problem+json' : 'application/json' });
		res.end(JSON.stringify(body));
	}

	/** Refuses a decision that cannot be taken, before any of its request is. */
	#check(t: StoredTurn, d: Decision): void {
		const name = shownAs(t, d.receiptId);
		if (!name) throw new Refusal('not_found', 'There is no such preview.');
		if ((d.input !== undefined) !== (d.decision === 'edit')) {
			throw new Refusal('invalid_input', 'An edit needs the whole input, and no other decision takes one.', { pointer: '/decisions' });
		}
		if (d.remember && d.decision !== 'accept') {
			throw new Refusal('invalid_input', 'Only an accept can be remembered.', { pointer: '/decisions' });
		}
		const wrong = d.decision === 'edit' ? fault(schemas[name] ?? {}, d.input) : undefined;
		if (wrong) throw new Refusal('invalid_input', wrong.message, { pointer: `/decisions/input${wrong.pointer}` });
	}

	async #turnEvents(req: IncomingMessage, res: ServerResponse, t: StoredTurn, after: string): Promise<void> {
		const seq = Number(after.split(':').at(-1)) || 0;
		if (t.events.length > 0 && seq >= t.turn.lastSeq && isTerminal(t.events.at(-1)!)) {
			res.writeHead(204).end();
			return;
		}
		const stream = await this.#open(req, res);
		let sent = seq;
		await stream.run(() => {
			const next = t.events.filter((e) => e.seq > sent);
			sent = next.at(-1)?.seq ?? sent;
			return next.map((e) => ({ id: `${e.run}:${e.seq}`, event: e, last: isTerminal(e) }));
		}, this.store);
	}

	async #threadEvents(req: IncomingMessage, res: ServerResponse, thread: Thread, after: string): Promise<void> {
		const stream = await this.#open(req, res);
		let [turn, seq] = after ? [after.split(':')[0]!, Number(after.split(':').at(-1))] : ['', 0];
		let heard = this.store.changes.length;
		await stream.run(() => {
			const out: { id?: string; event: Event; last: boolean }[] = [];
			const all = this.store.ofThread(thread.id);
			let at = turn ? all.findIndex((t) => t.turn.id === turn) : 0;
			for (; at < all.length; at++) {
				const t = all[at]!;
				if (t.turn.id !== turn) {
					turn = t.turn.id;
					seq = 0;
				}
				const fresh = seq === 0 ? compact(t.events) : t.events.filter((e) => e.seq > seq);
				for (const e of fresh) out.push({ id: `${e.turn}:${e.run}:${e.seq}`, event: e, last: false });
				seq = t.turn.lastSeq;
			}
			for (const c of this.store.changes.slice(heard)) {
				if (c.thread !== thread.id) continue;
				const deleted = (c.event.data as { deleted?: boolean }).deleted === true;
				out.push({ event: c.event, last: deleted });
			}
			heard = this.store.changes.length;
			return out;
		}, this.store);
	}

	/** Opens a stream with the manners of the real one. */
	async #open(req: IncomingMessage, res: ServerResponse) {
		if (this.knobs.holdHeadersMs > 0) await new Promise((r) => setTimeout(r, this.knobs.holdHeadersMs));
		res.writeHead(200, {
			'content-type': 'text/event-stream; charset=utf-8',
			'cache-control': 'no-store, no-transform',
			'x-accel-buffering': 'no'
		});
		res.write(`:${' '.repeat(2046)}\n\n`);
		this.streams.add(res);
		const gone = new AbortController();
		res.on('close', () => {
			gone.abort();
			this.streams.delete(res);
		});
		const limit = this.knobs.cutAfter;
		let count = 0;
		return {
			run: async (more: () => { id?: string; event: Event; last: boolean }[], store: Store) => {
				while (!gone.signal.aborted) {
					for (const { id, event, last } of more()) {
						if (limit > 0 && count++ >= limit) {
							res.destroy();
							return;
						}
						const head = id ? `id: ${id}\n` : '';
						res.write(`${head}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
						if (last) {
							res.end();
							return;
						}
					}
					await store.change(gone.signal);
				}
			}
		};
	}

	#model(): string {
		if (this.knobs.scripted) return 'scripted';
		return this.userModel || 'claude-sonnet-4-6';
	}

	#settings(): SettingsView {
		const effective = models(this.knobs.scripted).find((m) => m.name === this.#model())!;
		return {
			model: this.userModel,
			responseMode: this.responseMode,
			effective,
			models: models(this.knobs.scripted),
			billing: 'lingering',
			keyRequired: this.knobs.needsKey && this.store.keys.length === 0,
			keySource: this.knobs.scripted ? 'none' : this.store.keys.length > 0 ? 'user-byok' : 'none',
			providers: ['anthropic', 'openai', 'groq'],
			modelChoice: this.knobs.modelChoice
		};
	}

	#storeKey(b: Pick<KeyBody, 'provider' | 'label' | 'key'>) {
		if (!b.key || b.key.length < 8) throw new Refusal('invalid_input', 'A key has at least 8 characters.', { pointer: '/key' });
		if (b.key.includes('wrong')) {
			throw new Refusal('key_invalid', 'Anthropic rejected this key.', { provider: b.provider, panel: 'byok' });
		}
		const info: KeyInfo = {
			id: this.store.id('key'),
			provider: b.provider,
			label: b.label || 'personal',
			masked: `sk-ant-…••••${b.key.slice(-4)}`,
			lastFour: b.key.slice(-4),
			createdAt: Date.now()
		};
		this.store.keys = [info, ...this.store.keys.filter((k) => k.provider !== b.provider || k.label !== b.label)];
		return { ...info, test: { ok: true, model: 'claude-sonnet-4-6', latencyMs: 310 } };
	}

	/** A picture to serve where a page asks for one. */
	static pixel(): Buffer {
		return Buffer.from(PIXEL, 'base64');
	}
}
