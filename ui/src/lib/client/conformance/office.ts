import type { ConformanceCase } from './bench.js';
import { ask, check, collect, freshId, refuses, same } from './checks.js';

const FILE = 'gotchas';

/** The cases about an org: what it reminds of, what it uses, what it allows. */
export const officeCases: readonly ConformanceCase[] = [
	{
		name: 'a reminder file is written from the version that was read, and keeps its history',
		covers: ['reminder', 'putReminder', 'reminderHistory'],
		async run(b) {
			const client = b.client();
			const before = await client.reminder(FILE);
			const line = `- ${freshId()}`;
			const text = `${before.text}${line}\n`;
			const kept = await client.putReminder(FILE, { text, version: before.version });
			same([kept.version, kept.text, kept.via], [before.version + 1, text, 'hand'], 'what was kept');
			same((await client.putReminder(FILE, { text, version: kept.version })).version, kept.version, 'the same text again');
			const late = () => client.putReminder(FILE, { text: 'other', version: before.version });
			await refuses(b, 'writing from an old version', late, 'conflict');
			same((await client.reminder(FILE)).text, text, 'the newest');
			same((await client.reminder(FILE, kept.version)).text, text, 'that version');
			const history = await client.reminderHistory(FILE, { limit: 1, to: kept.version });
			same(history.items?.map((v) => v.version), [kept.version], 'the first page');
			same([history.diff?.from, history.diff?.to], [before.version, kept.version], 'what is compared');
			check(history.diff?.text.includes(`+${line}`), `the difference ${history.diff?.text}`);
			await refuses(b, 'a file that is none', () => client.reminder('diary'), 'not_found');
			await refuses(b, 'a long one', () => client.putReminder(FILE, { text: 'x'.repeat(17 << 10), version: kept.version }), 'too_large');
			await client.putReminder(FILE, { text: before.text, version: kept.version });
		}
	},
	{
		name: 'what was used is told for a month',
		covers: ['usage'],
		async run(b) {
			const client = b.client();
			const now = await client.usage();
			check(now.renewsAt > Date.now() && Number.isInteger(now.total.costNanoUsd), `the report ${JSON.stringify(now)}`);
			same((await client.usage('2020-01')).total.calls, 0, 'the calls of a month long ago');
			await refuses(b, 'a month that is none', () => client.usage('January'), 'invalid_input');
		}
	},
	{
		name: 'what left is told for a conversation',
		covers: ['transparency'],
		async run(b) {
			const client = b.client();
			const [first] = await collect(b, client.chat(ask(b, b.texts.plain)));
			const told = await client.transparency(first!.thread);
			same([told.threadId, Array.isArray(told.items)], [first!.thread, true], 'the answer');
			await refuses(b, 'another one', () => client.transparency('thr_nowhere'), 'not_found');
		}
	},
	{
		name: 'only an admin sees and changes what the org allows, and it is recorded',
		covers: ['policy', 'putPolicy', 'audit', 'exportAudit'],
		needs: 'admin',
		async run(b) {
			await refuses(b, 'the policy', () => b.client().policy(), 'forbidden');
			await refuses(b, 'the log', () => b.client().audit(), 'forbidden');
			await refuses(b, 'the file', () => b.client().exportAudit(), 'forbidden');
			const admin = b.admin!();
			const before = await admin.policy();
			const rememberDays = before.rememberDays === 7 ? 8 : 7;
			const after = await admin.putPolicy({ version: before.version, set: { rememberDays } });
			same([after.rememberDays, after.version > before.version], [rememberDays, true], 'the new policy');
			const late = () => admin.putPolicy({ version: before.version, set: { rememberDays } });
			await refuses(b, 'changing an old one', late, 'conflict');
			const log = await admin.audit({ limit: 5 });
			check(log.items?.some((e) => e.action === 'policy.changed'), `the log ${JSON.stringify(log.items)}`);
			const file = await (await admin.exportAudit()).data.text();
			check(file.trim().split('\n').every((line) => typeof JSON.parse(line) === 'object'), 'a line of the file is no JSON');
			await admin.putPolicy({ version: after.version, set: { rememberDays: before.rememberDays } });
		}
	},
	{
		name: 'an admin sets budgets and sees what the org used',
		covers: ['budgets', 'putBudgets', 'adminUsage'],
		needs: 'admin',
		async run(b) {
			await refuses(b, 'the budgets', () => b.client().budgets(), 'forbidden');
			const admin = b.admin!();
			const before = await admin.budgets();
			const items = [{ scope: 'org' as const, subject: '', softNanoUsd: 40_000_000_000, hardNanoUsd: 50_000_000_000 }];
			same((await admin.putBudgets({ items })).items, items, 'the answer');
			same((await admin.budgets()).items, items, 'what was kept');
			const used = await admin.adminUsage();
			same(used.budgets?.map((s) => [s.scope, s.hardNanoUsd]), [['org', 50_000_000_000]], 'how far it is used');
			const wrong = () => admin.putBudgets({ items: [{ ...items[0]!, scope: 'planet' as 'org' }] });
			await refuses(b, 'a scope that is none', wrong, 'invalid_input');
			await admin.putBudgets({ items: before.items ?? [] });
		}
	}
];
