import { describe, expect, it } from 'vitest';
import { errorOf } from '../../src/lib/client/error.js';
import { requestOf } from '../../src/lib/state/drafts.js';
import { isScripted } from '../../src/lib/state/model.js';
import { wantsOwnKey } from '../../src/lib/state/setup.js';
import type { Code, KeySource } from '../../src/lib/protocol.gen.js';

describe('who answers and who pays', () => {
	it.each([
		['a scripted model', 'scripted', true],
		['a real model that needs no key', 'qwen3', false],
		['a turn by hand after a real model', 'claude-sonnet-4-6', false]
	])('%s', (_, model, scripted) => {
		expect(isScripted({ model })).toBe(scripted);
	});

	it.each<[string, Code, KeySource | undefined, boolean]>([
		['no key is there', 'key_required', undefined, true],
		['their own key was refused', 'key_invalid', 'user-byok', true],
		['it is not known whose key was refused', 'key_invalid', undefined, true],
		['the organisation’s key was refused', 'key_invalid', 'org', false],
		['something else failed', 'provider_error', 'user-byok', false]
	])('one is asked for a key of one’s own where %s: %s', (_, code, source, asked) => {
		expect(wantsOwnKey(code, source)).toBe(asked);
	});
});

it('an error tells whose key was refused', async () => {
	const body = { code: 'key_invalid', message: 'No.', keySource: 'org' };
	expect(await errorOf(new Response(JSON.stringify(body), { status: 402 }))).toMatchObject({ code: 'key_invalid', keySource: 'org' });
});

it('a character that no server takes is not sent', () => {
	const unsent = { text: 'make\0 it blue', attachments: [], messageId: 'm' };
	expect(requestOf(unsent, '', { projectId: 'p' }).text).toBe('make it blue');
});
