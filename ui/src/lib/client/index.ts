/** Clients of the agent: the port, and its implementation over HTTP. */
import { makeHttpClient } from './http.js';
import type { AgentClient } from './types.js';

export { makeHttpClient, type HttpClientOptions } from './http.js';
export { AgentError } from './error.js';
export type { Position } from './sequence.js';
export type { World } from './clock.js';
export type {
	AgentClient,
	ApprovalQuery,
	CallOptions,
	Download,
	Line,
	StreamOptions,
	ThreadQuery,
	WatchOptions
} from './types.js';

/** The ready client of a page whose server answers under /api/agent. */
export const webClient: AgentClient = makeHttpClient();
