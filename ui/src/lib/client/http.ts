import type {
	ApprovalPage,
	AuditEntryPage,
	BudgetList,
	CacheReport,
	ChatRequest,
	ConfirmAnswer,
	Description,
	KeyInfoPage,
	KeyTest,
	OrgPolicy,
	PermissionPage,
	RedactionPreview,
	Reminder,
	ReminderHistory,
	SettingsView,
	StoredKey,
	Thread,
	ThreadPage,
	ThreadView,
	Transparency,
	Turn,
	TurnAnswer,
	UsageReport
} from '../protocol.gen.js';
import { realWorld, type World } from './clock.js';
import { cursorOf, parseCursor } from './cursor.js';
import { errorOf, errorOfProblem } from './error.js';
import { newId } from './id.js';
import { MODEL_CALL_MS, Requester } from './request.js';
import { Sequence } from './sequence.js';
import { shareThreads } from './share.js';
import { endsWithTurn, follow } from './stream.js';
import type { AgentClient, Download, StreamOptions, WatchOptions } from './types.js';

/** Options of the HTTP client. */
export interface HttpClientOptions {
	/** Where the agent's routes are; the default is /api/agent. */
	baseUrl?: string;
	/** Where chat and confirm are, when the host mounted them elsewhere. */
	chatEndpoint?: string;
	confirmEndpoint?: string;
	fetch?: typeof fetch;
	/** The clock, the network and the luck; the default is the browser's. */
	world?: World;
}

const EVENTS = 'text/event-stream';

/** Makes a client that speaks to a server with fetch. */
export function makeHttpClient(options: HttpClientOptions = {}): AgentClient {
	const world = options.world ?? realWorld(options.fetch);
	const http = new Requester(options.baseUrl ?? '/api/agent', world);
	const client: AgentClient = {
		chat: (request, o) => chat(http, options.chatEndpoint, request, o),
		async send(request, o) {
			const ask = { ...o, url: options.chatEndpoint, body: withId(request) };
			return (await http.json<TurnAnswer>('chat', ask)).turn;
		},
		turn: (id, o) => http.json<Turn>('turn', { ...o, params: { id } }),
		attach: (id, after = { run: 0, seq: 0 }, o) => {
			const sequence = new Sequence();
			sequence.start(id, after);
			return follow(turnSource(http, sequence, () => id), world, o);
		},
		watchThread: (id, after, o) => watchThread(http, id, after, o),
		async cancel(id, o) {
			await http.send('cancel', { ...o, params: { id } });
		},
		confirm: (body, o) => confirm(http, options.confirmEndpoint, body, o),
		async undo(id, o) {
			return (await http.json<TurnAnswer>('undo', { ...o, params: { id } })).turn;
		},

		async threads(query = {}, o) {
			const page = await http.json<ThreadPage>('threads', { ...o, query: { ...query } });
			return { ...page, items: page.items ?? [] };
		},
		thread: (id, page = {}, o) =>
			http.json<ThreadView>('thread', { ...o, params: { id }, query: page }),
		patchThread: (id, body, o) =>
			http.json<Thread>('patchThread', { ...o, params: { id }, body }),
		async deleteThread(id, o) {
			await http.send('deleteThread', { ...o, params: { id } });
		},
		async exportThread(id, format, o) {
			const r = await http.send('exportThread', { ...o, params: { id }, query: { format } });
			return download(r, `conversation.${format}`);
		},
		threadCache: (id, page = {}, o) =>
			http.json<CacheReport>('threadCache', { ...o, params: { id }, query: page }),

		async approvals(query = {}, o) {
			const page = await http.json<ApprovalPage>('approvals', { ...o, query: { ...query } });
			return { ...page, items: page.items ?? [] };
		},
		async permissions(query = {}, o) {
			const page = await http.json<PermissionPage>('permissions', { ...o, query: { ...query } });
			return { ...page, items: page.items ?? [] };
		},
		async revokePermission(id, o) {
			await http.send('revokePermission', { ...o, params: { id } });
		},
		capabilities: (o) => http.json<Description>('capabilities', { ...o }),
		async listKeys(o) {
			return (await http.json<KeyInfoPage>('listKeys', { ...o })).items ?? [];
		},
		setKey: (body, o) =>
			http.json<StoredKey>('setKey', { ...o, body, timeoutMs: MODEL_CALL_MS }),
		rotateKey: (id, key, o) =>
			http.json<StoredKey>('rotateKey', {
				...o,
				params: { id },
				body: { key },
				timeoutMs: MODEL_CALL_MS
			}),
		async revokeKey(id, o) {
			await http.send('revokeKey', { ...o, params: { id } });
		},
		testKey: (id, o) =>
			http.json<KeyTest>('testKey', { ...o, params: { id }, timeoutMs: MODEL_CALL_MS }),
		settings: (o) => http.json<SettingsView>('settings', { ...o }),
		putSettings: (body, o) => http.json<SettingsView>('putSettings', { ...o, body }),
		reminder: (file, version, o) =>
			http.json<Reminder>('reminder', { ...o, params: { file }, query: { version } }),
		putReminder: (file, body, o) =>
			http.json<Reminder>('putReminder', { ...o, params: { file }, body }),
		async reminderHistory(file, query = {}, o) {
			const ask = { ...o, params: { file }, query };
			const page = await http.json<ReminderHistory>('reminderHistory', ask);
			return { ...page, items: page.items ?? [] };
		},
		usage: (month, o) => http.json<UsageReport>('usage', { ...o, query: { month } }),
		async transparency(threadId, o) {
			const told = await http.json<Transparency>('transparency', { ...o, query: { threadId } });
			return { ...told, items: told.items ?? [] };
		},
		adminUsage: (month, o) => http.json<UsageReport>('adminUsage', { ...o, query: { month } }),
		budgets: (o) => http.json<BudgetList>('budgets', { ...o }),
		putBudgets: (body, o) => http.json<BudgetList>('putBudgets', { ...o, body }),
		policy: (o) => http.json<OrgPolicy>('policy', { ...o }),
		putPolicy: (body, o) => http.json<OrgPolicy>('putPolicy', { ...o, body }),
		async audit(query = {}, o) {
			const page = await http.json<AuditEntryPage>('audit', { ...o, query: { ...query } });
			return { ...page, items: page.items ?? [] };
		},
		exportAudit: async (o) => download(await http.send('exportAudit', { ...o, accept: '*/*' }), 'audit.ndjson'),
		previewRedaction: (text, o) =>
			http.json<RedactionPreview>('previewRedaction', { ...o, body: { text } }),
		async feedback(body, o) {
			await http.send('feedback', { ...o, body });
		},
		async artifact(id, digest, o) {
			const r = await http.send('artifact', { ...o, params: { id, digest }, accept: '*/*' });
			return r.blob();
		}
	};
	return shareThreads(client, world);
}

const withId = (request: ChatRequest): ChatRequest => ({
	...request,
	messageId: request.messageId || newId()
});

/** Opens a turn's stream after the place that the sequence reached. */
function turnSource(http: Requester, sequence: Sequence, id: () => string) {
	return {
		sequence,
		ends: endsWithTurn,
		open: (signal: AbortSignal) => {
			const { run, seq } = sequence.position(id());
			const after = run > 0 ? `${run}:${seq}` : String(seq);
			const ask = { params: { id: id() }, query: { after }, accept: EVENTS };
			return http.raw('attach', ask, signal);
		}
	};
}

/**
 * Posts the message and follows its turn. Until the server accepted it a failure
 * is the caller's; afterwards the stream connects again by the turn's id, or, when
 * not even that was heard, by the same message id.
 */
function chat(
	http: Requester,
	url: string | undefined,
	request: ChatRequest,
	options?: StreamOptions
) {
	const body = withId(request);
	let turn = '';
	let accepted = false;
	const source = turnSource(http, new Sequence(), () => turn);
	const open = async (signal: AbortSignal) => {
		if (turn) return source.open(signal);
		const response = await http.raw('chat', { body, url, accept: EVENTS }, signal);
		if (response.ok) accepted = true;
		return response;
	};
	return follow(
		{
			...source,
			open,
			firm: () => !accepted,
			took: (event) => {
				turn ||= event.turn;
			}
		},
		http.world,
		options
	);
}

/** Follows a thread; a thread that was deleted ends its stream. */
function watchThread(http: Requester, id: string, after: string, options?: WatchOptions) {
	const sequence = new Sequence();
	let cursor = after;
	const at = parseCursor(after);
	if (at) sequence.start(at.turn, at);
	return follow(
		{
			sequence,
			ends: (e) => e.kind === 'thread.changed' && (e.data as { deleted?: boolean }).deleted === true,
			open: (signal) =>
				http.raw('watchThread', { params: { id }, query: { after: cursor }, accept: EVENTS }, signal),
			took: (e) => {
				if (e.kind !== 'thread.changed') cursor = cursorOf(e);
			}
		},
		http.world,
		options
	);
}

async function confirm(
	http: Requester,
	url: string | undefined,
	body: Parameters<AgentClient['confirm']>[0],
	o: Parameters<AgentClient['confirm']>[1]
): Promise<ConfirmAnswer> {
	const answer = await http.json<ConfirmAnswer>('confirm', { ...o, url, body }, [409]);
	if (answer.results) return answer;
	throw errorOfProblem(answer, 409) ?? (await errorOf(new Response('', { status: 409 })));
}

async function download(r: Response, name: string): Promise<Download> {
	return {
		name: fileName(r.headers) ?? name,
		mime: r.headers.get('content-type') ?? 'application/octet-stream',
		data: await r.blob()
	};
}

/** Reads the name of a download; only its last part counts. */
function fileName(headers: Headers): string | undefined {
	const text = headers.get('content-disposition') ?? '';
	const star = /filename\*=utf-8''([^;]+)/i.exec(text)?.[1];
	let name = /filename="([^"]+)"/i.exec(text)?.[1];
	try {
		if (star) name = decodeURIComponent(star);
	} catch {
		// A badly encoded name: the plain one, if any, will do.
	}
	return name?.split(/[\\/]/).pop();
}
