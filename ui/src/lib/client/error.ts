import { CODE_STATUS, type Code, type KeySource, type Problem } from '../protocol.gen.js';

/** The members of an AgentError beyond its code and sentence. */
export type ErrorDetails = Partial<Omit<Problem, 'code' | 'message' | 'type' | 'title'>> & {
	retryAfter?: number;
};

/**
 * AgentError is the one error that a client throws. Its code is of the closed
 * list, its message is for people. Raw text of a server, a proxy or a browser
 * never becomes a message; it stays in cause.
 */
export class AgentError extends Error {
	readonly code: Code;
	readonly status: number;
	readonly hint?: string;
	readonly requestId?: string;
	readonly pointer?: string;
	readonly provider?: string;
	readonly keyId?: string;
	/** Whose key was refused. */
	readonly keySource?: KeySource;
	readonly panel?: string;
	readonly turnId?: string;
	/** Seconds to wait before trying again. */
	readonly retryAfter?: number;

	constructor(code: Code, message: string, details: ErrorDetails = {}, cause?: unknown) {
		super(message, { cause });
		this.name = 'AgentError';
		this.code = code;
		this.status = details.status ?? CODE_STATUS[code];
		this.hint = details.hint;
		this.requestId = details.requestId;
		this.pointer = details.pointer;
		this.provider = details.provider;
		this.keyId = details.keyId;
		this.keySource = details.keySource;
		this.panel = details.panel;
		this.turnId = details.turnId;
		this.retryAfter = details.retryAfter;
	}

	/** True when the server was not reached at all, so that nothing is known. */
	get unreachable(): boolean {
		return this.status === 0;
	}

	/** True when the same request may well succeed a little later. */
	get passing(): boolean {
		return this.unreachable || PASSING.has(this.code);
	}
}

const PASSING: ReadonlySet<Code> = new Set<Code>([
	'rate_limited',
	'overloaded',
	'unavailable',
	'storage_busy',
	'timeout'
]);

/** Tells whether a word is one of the closed list of codes. */
export function isCode(word: unknown): word is Code {
	return typeof word === 'string' && Object.hasOwn(CODE_STATUS, word);
}

/** The code that stands for a bare HTTP status, as a proxy may send one. */
export function codeOfStatus(status: number): Code {
	if (status === 502) return 'unavailable'; // a proxy that reaches nobody, not a provider
	for (const [code, value] of Object.entries(CODE_STATUS)) {
		if (value === status) return code as Code;
	}
	if (status >= 400 && status < 500) return 'invalid_request';
	return status >= 500 ? 'unavailable' : 'internal';
}

const UNREACHABLE = 'The server cannot be reached.';

/** What a failed fetch becomes. */
export function unreachable(cause: unknown): AgentError {
	return new AgentError('unavailable', UNREACHABLE, { status: 0 }, cause);
}

/** Reads the problem document of an answer; anything else becomes its status' code. */
export async function errorOf(response: Response): Promise<AgentError> {
	let body: unknown;
	try {
		body = await response.json();
	} catch (cause) {
		return bare(response, cause);
	}
	const wait = retryAfter(response);
	return errorOfProblem(body, response.status, wait) ?? bare(response, body);
}

function retryAfter(response: Response): number | undefined {
	const wait = Number(response.headers.get('retry-after'));
	return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}

function bare(response: Response, cause: unknown): AgentError {
	return new AgentError(
		codeOfStatus(response.status),
		`The server answered with status ${response.status}.`,
		{ status: response.status, retryAfter: retryAfter(response) },
		cause
	);
}

/** Reads a problem document; undefined when it is none of ours. */
export function errorOfProblem(
	body: unknown,
	status: number,
	retryAfter?: number
): AgentError | undefined {
	if (typeof body !== 'object' || body === null) return undefined;
	const p = body as Partial<Record<keyof Problem, unknown>>;
	if (!isCode(p.code)) return undefined;
	const text = (v: unknown) => (typeof v === 'string' && v !== '' ? v : undefined);
	return new AgentError(p.code, text(p.message) ?? text(p.title) ?? UNREACHABLE, {
		status,
		hint: text(p.hint),
		requestId: text(p.requestId),
		pointer: text(p.pointer),
		provider: text(p.provider),
		keyId: text(p.keyId),
		keySource: text(p.keySource) as KeySource | undefined,
		panel: text(p.panel),
		turnId: text(p.turnId),
		retryAfter
	});
}

/** Makes an AgentError of whatever was thrown. */
export function asAgentError(thrown: unknown): AgentError {
	if (thrown instanceof AgentError) return thrown;
	return new AgentError('internal', 'Something went wrong in this page.', {}, thrown);
}

/** True for what an aborted fetch or stream throws. */
export function isAbort(thrown: unknown): boolean {
	return thrown instanceof Error && thrown.name === 'AbortError';
}
