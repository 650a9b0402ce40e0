import { PROTOCOL_VERSION } from '../../protocol.gen.js';
import type { Bench, ConformanceCase } from './bench.js';
import { ask, check, collect, freshId, is, refuses, same } from './checks.js';

async function aThread(b: Bench) {
	const client = b.client();
	const events = await collect(b, client.chat(ask(b, b.texts.plain)));
	return { client, id: events[0]!.thread, turn: events[0]!.turn };
}

/** The cases about what is kept: conversations, keys, settings. */
export const recordCases: readonly ConformanceCase[] = [
	{
		name: 'a conversation is listed, found, renamed and archived',
		covers: ['threads', 'patchThread'],
		async run(b) {
			const { client, id } = await aThread(b);
			const title = `Title ${freshId()}`;
			same((await client.patchThread(id, { title })).title, title, 'the answer');
			const found = await client.threads({ q: title, projectId: b.projectId });
			same(found.items?.map((t) => t.id), [id], 'the search');
			const all = await client.threads({ projectId: b.projectId });
			check(all.items?.some((t) => t.id === id), 'it is not listed');
			await client.patchThread(id, { archived: true });
			const rest = await client.threads({ projectId: b.projectId });
			check(!rest.items?.some((t) => t.id === id), 'it is still listed');
			const archived = await client.threads({ projectId: b.projectId, archived: true });
			check(archived.items?.some((t) => t.id === id), 'it is not in the archive');
		}
	},
	{
		name: 'a deleted conversation is gone',
		covers: ['deleteThread', 'thread'],
		async run(b) {
			const { client, id } = await aThread(b);
			same((await client.thread(id)).thread.id, id, 'the conversation');
			await client.deleteThread(id);
			await refuses(b, 'reading it', () => client.thread(id), 'not_found');
			await refuses(b, 'deleting it again', () => client.deleteThread(id), 'not_found');
		}
	},
	{
		name: 'older turns come by the page',
		covers: ['thread'],
		async run(b) {
			const { client, id, turn } = await aThread(b);
			await collect(b, client.chat({ ...ask(b, b.texts.plain), threadId: id }));
			const page = await client.thread(id, { limit: 1 });
			same(page.turns?.length, 1, 'the turns of a page of one');
			check(page.before, 'the page does not tell of an older one');
			const older = await client.thread(id, { before: page.before, limit: 1 });
			same(older.turns?.[0]?.turn.id, turn, 'the older turn');
		}
	},
	{
		name: 'a conversation is exported as a file',
		covers: ['exportThread'],
		async run(b) {
			const { client, id } = await aThread(b);
			const md = await client.exportThread(id, 'md');
			check(md.name.endsWith('.md') && md.data.size > 0, `the file ${md.name} of ${md.data.size} bytes`);
			const json = await client.exportThread(id, 'json');
			check(typeof JSON.parse(await json.data.text()) === 'object', 'the JSON is none');
		}
	},
	{
		name: 'the prompt cache of a conversation is told for each model call',
		covers: ['threadCache'],
		async run(b) {
			const { client, id, turn } = await aThread(b);
			const report = await client.threadCache(id, { limit: 1 });
			same(report.threadId, id, 'the conversation');
			check((report.steps?.length ?? 0) > 0, 'no model call is told');
			const step = report.steps?.[0];
			same(step?.turnId, turn, 'the turn');
			same(step?.segments?.length, 5, 'the segments of a prompt');
			same(step?.findings?.[0]?.cause, 'first_call', 'what is said of the first call');
		}
	},
	{
		name: 'capabilities tell the protocol and who is asking',
		covers: ['capabilities'],
		async run(b) {
			const d = await b.client().capabilities();
			same(d.protocol, PROTOCOL_VERSION, 'the protocol');
			check(d.user.id && d.app && (d.models?.length ?? 0) > 0, 'user, app or models are missing');
		}
	},
	{
		name: 'a key is stored, listed, tested, rotated and revoked, and never shown',
		covers: ['setKey', 'listKeys', 'testKey', 'rotateKey', 'revokeKey'],
		needs: 'key',
		async run(b) {
			const client = b.client();
			const { provider, good } = b.key!;
			const stored = await client.setKey({ provider, label: freshId(), key: good });
			check(!JSON.stringify(stored).includes(good), 'the answer holds the key');
			same(stored.lastFour, good.slice(-4), 'the last four');
			const list = await client.listKeys();
			check(list.some((k) => k.id === stored.id), 'it is not listed');
			check(!JSON.stringify(list).includes(good), 'the list holds the key');
			same((await client.testKey(stored.id)).ok, true, 'the test');
			const next = await client.rotateKey(stored.id, `${good}9876`);
			same([next.label, next.lastFour], [stored.label, '9876'], 'the rotated key');
			await client.revokeKey(next.id);
			check(!(await client.listKeys()).some((k) => k.id === next.id), 'it is still listed');
			await refuses(b, 'revoking it again', () => client.revokeKey(next.id), 'not_found');
		}
	},
	{
		name: 'a rejected key is not stored and points at the panel',
		covers: ['setKey'],
		needs: 'key',
		async run(b) {
			const client = b.client();
			const { provider, bad } = b.key!;
			const label = freshId();
			const e = await refuses(b, 'storing', () => client.setKey({ provider, label, key: bad }), 'key_invalid');
			same(e.panel, 'byok', 'the panel');
			check(!(await client.listKeys()).some((k) => k.label === label), 'it was stored');
		}
	},
	{
		name: 'what was remembered is listed, and nobody can revoke what is not there',
		covers: ['permissions', 'revokePermission'],
		async run(b) {
			const client = b.client();
			const { items } = await client.permissions({ limit: 200 });
			check(Array.isArray(items), 'the list is none');
			for (const p of items) check(p.id && p.capability && p.until > p.createdAt, `the line ${JSON.stringify(p)}`);
			await refuses(b, 'revoking', () => client.revokePermission('perm_nowhere'), 'not_found');
		}
	},
	{
		name: 'only an accept can be remembered',
		covers: ['confirm'],
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.preview));
			const seen = await collect(b, client.attach(turn.id), is('preview'));
			const { callId, receiptId } = seen.at(-1)!.data as { callId: string; receiptId: string };
			const decisions = [{ callId, receiptId, decision: 'discard', remember: true }];
			await refuses(b, 'confirm', () => client.confirm({ turnId: turn.id, decisions }), 'invalid_input');
			same((await client.turn(turn.id)).state, 'awaiting_confirmation', 'the turn');
			await client.cancel(turn.id);
		}
	},
	{
		name: 'settings are kept',
		covers: ['settings', 'putSettings'],
		async run(b) {
			const client = b.client();
			const before = await client.settings();
			const responseMode = before.responseMode === 'thorough' ? 'concise' : 'thorough';
			const put = await client.putSettings({ model: before.model, responseMode });
			same(put.responseMode, responseMode, 'the answer');
			same((await client.settings()).responseMode, responseMode, 'what was kept');
			await client.putSettings({ model: before.model, responseMode: before.responseMode });
		}
	},
	{
		name: 'a text is shown as a provider would see it',
		covers: ['previewRedaction'],
		async run(b) {
			const client = b.client();
			const secret = 'sk-ant-api03-abcDEF123456ghiJKL789012';
			const shown = await client.previewRedaction(`use ${secret}, then ${secret}`);
			same(shown.text, 'use [SECRET_1], then [SECRET_1]', 'the text');
			same(JSON.stringify(shown.found), '[{"kind":"secret","count":2}]', 'what was found');
			await refuses(b, 'previewRedaction', () => client.previewRedaction(''), 'invalid_input');
		}
	},
	{
		name: 'feedback is taken for a turn',
		covers: ['feedback'],
		async run(b) {
			const { client, turn } = await aThread(b);
			await client.feedback({ turnId: turn, thumb: 'up', note: 'good' });
			await client.feedback({ turnId: turn, thumb: '' });
		}
	},
	{
		name: 'a stored artifact is fetched by its digest',
		covers: ['artifact'],
		needs: 'stored',
		async run(b) {
			const client = b.client();
			const turn = await client.send(ask(b, b.texts.stored!));
			const seen = await collect(b, client.attach(turn.id), is('preview'));
			const data = seen.at(-1)!.data as {
				callId: string;
				artifacts: { digest?: string; bytes?: number }[];
			};
			const stored = data.artifacts.find((a) => a.digest);
			check(stored?.digest, 'no artifact is stored by digest');
			const blob = await client.artifact(data.callId, stored.digest);
			same(blob.size, stored.bytes, 'the size');
			const nowhere = () => client.artifact(data.callId, '0'.repeat(64));
			await refuses(b, 'another digest', nowhere, 'not_found');
			await client.cancel(turn.id);
		}
	}
];
