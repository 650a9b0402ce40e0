import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** Reads the JSON of a request. */
export async function body(req: IncomingMessage): Promise<unknown> {
	if (!(req.headers['content-type'] ?? '').startsWith('application/json')) {
		throw new Refusal('unsupported_media_type', 'Send JSON.');
	}
	let text = '';
	for await (const chunk of req) {
		text += chunk;
		if (text.length > 1 << 20) throw new Refusal('too_large', 'The body is too large.');
	}
	try {
		return JSON.parse(text);
	} catch {
		throw new Refusal('invalid_request', 'The body is not JSON.');
	}
}
