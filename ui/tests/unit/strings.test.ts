import { describe, expect, it } from 'vitest';
import { CODE_STATUS } from '../../src/lib/protocol.gen.js';
import { en } from '../../src/lib/strings/en.js';
import { codeOfStatus, errorOf, isCode } from '../../src/lib/client/error.js';

describe('the sentences', () => {
	it('speak for every code of the wire, and for no other', () => {
		expect(Object.keys(en.codes).sort()).toEqual(Object.keys(CODE_STATUS).sort());
	});

	it('say what happened and what to do next, each as a sentence', () => {
		for (const [code, { what, next }] of Object.entries(en.codes)) {
			expect(what, code).toMatch(/^[A-Z].*\.$/);
			expect(next, code).toMatch(/^[A-Z].*\.$/);
		}
	});

	it('are plain words, without the code itself', () => {
		for (const [code, { what, next }] of Object.entries(en.codes)) {
			if (code.includes('_')) expect(what + next).not.toContain(code);
		}
	});

	it('tell time and size as people do', () => {
		expect(en.when(0, 120_000)).toBe('2 minutes ago');
		expect(en.when(0, 3 * 3600_000)).toBe('3 hours ago');
		expect(en.artifact.size(512)).toBe('512 bytes');
		expect(en.artifact.size(240_000)).toBe('234 KiB');
		expect(en.artifact.size(3 << 20)).toBe('3 MiB');
		expect(en.call.seconds(40)).toBe('40 ms');
		expect(en.call.seconds(2345)).toBe('2.3 s');
	});
});

describe('errors', () => {
	it.each([
		[404, 'not_found'],
		[402, 'key_required'],
		[502, 'unavailable'],
		[503, 'overloaded'],
		[418, 'invalid_request'],
		[599, 'unavailable']
	])('a bare status %i is %s', (status, code) => {
		expect(codeOfStatus(status)).toBe(code);
	});

	it('keep raw text out of their message', async () => {
		const e = await errorOf(new Response('<html>nginx: secret</html>', { status: 502, headers: { 'retry-after': '3' } }));
		expect(e.message).not.toContain('nginx');
		expect([e.code, e.status, e.retryAfter]).toEqual(['unavailable', 502, 3]);
	});

	it('take a problem only with a code of the list', async () => {
		const e = await errorOf(Response.json({ code: '__proto__', message: 'x' }, { status: 409 }));
		expect(isCode(e.code)).toBe(true);
		expect(isCode('toString')).toBe(false);
	});
});
