import type {
	Budget,
	BudgetStanding,
	EgressLine,
	OrgPolicy,
	Reminder,
	ReminderEdit,
	ReminderHistory,
	UsageSum
} from '../../src/lib/protocol.gen.ts';
import { Refusal } from './refusal.ts';

const FILES = ['client_profile', 'our_decisions', 'gotchas'];
const MAX_REMINDER = 16 << 10;
const SECRET = /\bsk-[a-z0-9-]{20,}\b/gi;
const MAIL = /[\w.+-]+@[\w-]+\.[a-z]{2,}/gi;

/** One request to the office, as the server took it apart. */
export interface Ask {
	/** Method and path, with an id where one stands. */
	key: string;
	id: string;
	query: URLSearchParams;
	/** True for an admin of the org. */
	admin: boolean;
	body(): Promise<unknown>;
}

/** Office keeps what an org has besides its conversations: reminders, usage, policy. */
export class Office {
	/** The versions of each reminder file, oldest first. */
	reminders = new Map<string, Reminder[]>(FILES.map((f) => [f, []]));
	/** The caller may only look. */
	viewer = false;
	used: UsageSum = { calls: 0, unpricedCalls: 0, estimatedCalls: 0, tokensIn: 0, tokensOut: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costNanoUsd: 0 };
	budgets: Budget[] = [];
	/** What left, by thread. */
	egress = new Map<string, EgressLine[]>();
	policy: OrgPolicy = {
		version: 1,
		disabledCapabilities: [],
		defaultModel: '',
		allowModelChoice: true,
		billing: 'lingering',
		remember: 'off',
		rememberDays: 30,
		responseMode: '',
		redaction: { kinds: ['secret'] },
		crossClientSearch: ''
	};
	#log: unknown[] = [];

	/** Answers a request, undefined where it is not for the office. */
	async answer(ask: Ask): Promise<unknown> {
		if (ask.key.includes(' admin/') && !ask.admin) throw new Refusal('forbidden', 'Only an admin of the organisation may do this.');
		switch (ask.key) {
			case 'GET reminders/id':
				return this.#reminder(ask.id, Number(ask.query.get('version') ?? 0));
			case 'PUT reminders/id':
				return this.#put(ask.id, (await ask.body()) as ReminderEdit);
			case 'GET reminders/id/history':
				return this.#history(ask.id, ask.query);
			case 'GET usage':
			case 'GET admin/id/usage':
				return this.#usage(ask);
			case 'POST redaction/id':
				return this.#preview((await ask.body()) as { text?: string });
			case 'GET admin/id/budgets':
				return { items: this.budgets };
			case 'PUT admin/id/budgets':
				return this.#putBudgets((await ask.body()) as { items: Budget[] });
			case 'GET admin/id/policy':
				return this.policy;
			case 'PUT admin/id/policy':
				return this.#putPolicy((await ask.body()) as { version: number; set: Partial<OrgPolicy> });
			case 'GET admin/id/audit':
				return { items: [...this.#log].reverse() };
		}
		return undefined;
	}

	/** The audit log as a file: a row a line. */
	auditFile(): string {
		return [...this.#log, { anchor: this.#log.length }].map((row) => `${JSON.stringify(row)}\n`).join('');
	}

	/** Stores a version, as a person, a seed or an accepted suggestion does. */
	store(file: string, text: string, via: Reminder['via'] = 'hand'): Reminder {
		const list = this.#versions(file);
		const kept: Reminder = { file: file as Reminder['file'], version: list.length + 1, text, by: 'user_1', byName: 'Lin', via, at: Date.now() };
		list.push(kept);
		return kept;
	}

	#versions(file: string): Reminder[] {
		const list = this.reminders.get(file);
		if (!list) throw new Refusal('not_found', 'There is no such reminder file.');
		return list;
	}

	#reminder(file: string, version: number): Reminder {
		const list = this.#versions(file);
		if (version > list.length) throw new Refusal('not_found', 'There is no such version.');
		return list[(version || list.length) - 1] ?? { file: file as Reminder['file'], version: 0, text: '' };
	}

	#put(file: string, edit: ReminderEdit): Reminder {
		const now = this.#reminder(file, 0);
		if (this.viewer) throw new Refusal('forbidden', 'A viewer cannot change the reminders.');
		const trimmed = edit.text.replace(/\r\n?/g, '\n').trimEnd();
		const text = trimmed && `${trimmed}\n`;
		if (new TextEncoder().encode(text).length > MAX_REMINDER) throw new Refusal('too_large', 'A reminder file holds at most 16 KiB: it is in every prompt.');
		if (now.version === edit.version && now.text === text) return now;
		if (now.version !== edit.version) throw new Refusal('conflict', 'Somebody stored another version since.');
		return this.store(file, text);
	}

	#history(file: string, query: URLSearchParams): ReminderHistory {
		const list = this.#versions(file);
		const before = Number(query.get('before') ?? 0) || list.length + 1;
		const limit = Number(query.get('limit') ?? 0) || 50;
		const items = list.filter((r) => r.version < before).reverse();
		const lines = items.slice(0, limit).map(({ file: _, text, ...line }) => ({ ...line, bytes: text.length }));
		const page: ReminderHistory = { items: lines, next: items.length > limit ? lines.at(-1)!.version : undefined };
		if (query.has('to') || query.has('from')) {
			const after = this.#reminder(file, Number(query.get('to') ?? 0));
			const from = query.has('from') ? Number(query.get('from')) : Math.max(after.version - 1, 0);
			const old = from === 0 ? '' : this.#reminder(file, from).text;
			page.diff = { from, to: after.version, text: difference(`reminders/${file}.md`, old, after.text) };
		}
		return page;
	}

	#usage({ key, query }: Ask) {
		const now = new Date();
		const month = query.get('month') ?? now.toISOString().slice(0, 7);
		if (!/^\d{4}-\d\d$/.test(month)) throw new Refusal('invalid_input', 'A month is written as 2026-01.', { pointer: '/month' });
		const standing = (b: Budget): BudgetStanding => ({
			...b, month, spentNanoUsd: this.used.costNanoUsd, heldNanoUsd: 0, spentTokens: this.used.tokensIn + this.used.tokensOut, heldTokens: 0
		});
		const line = { subject: 'claude-sonnet-4-6', ...this.used };
		return {
			month,
			renewsAt: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
			total: this.used,
			models: this.used.calls ? [line] : [],
			budgets: this.budgets.map(standing),
			...(key.includes('admin') && { users: [], capabilities: [] })
		};
	}

	#preview({ text = '' }: { text?: string }) {
		if (!text) throw new Refusal('invalid_input', 'There is no text.', { pointer: '/text' });
		const found: { kind: string; count: number }[] = [];
		let shown = text;
		for (const [kind, pattern] of [['email', MAIL], ['secret', SECRET]] as const) {
			if (!this.policy.redaction.kinds?.includes(kind)) continue;
			const values: string[] = [];
			let count = 0;
			shown = shown.replace(pattern, (value) => {
				count++;
				if (!values.includes(value)) values.push(value);
				return `[${kind.toUpperCase()}_${values.indexOf(value) + 1}]`;
			});
			if (count > 0) found.push({ kind, count });
		}
		return { text: shown, found, policyVersion: this.policy.version };
	}

	#putBudgets({ items }: { items: Budget[] }) {
		const wrong = items.findIndex((b) => !['org', 'user', 'thread', 'capability'].includes(b.scope));
		if (wrong >= 0) throw new Refusal('invalid_input', 'There is no such scope.', { pointer: `/items/${wrong}/scope` });
		this.budgets = items;
		this.#note('budgets.changed', 'org');
		return { items };
	}

	#putPolicy({ version, set }: { version: number; set: Partial<OrgPolicy> }): OrgPolicy {
		if (version !== this.policy.version) throw new Refusal('conflict', 'The policy has another version by now.');
		this.policy = { ...this.policy, ...set, version: version + 1 };
		this.#note('policy.changed', 'org');
		return this.policy;
	}

	#note(action: string, object: string): void {
		const seq = this.#log.length + 1;
		this.#log.push({ seq, id: `${action}/${seq}`, at: Date.now(), actor: 'user_1', action, object, detail: {}, hash: String(seq).padStart(64, '0') });
	}
}

/** A unified difference in one hunk: all old lines, then all new ones. */
function difference(path: string, before: string, after: string): string {
	if (before === after) return '';
	const lines = (text: string) => text.split('\n').slice(0, -1);
	const [a, b] = [lines(before), lines(after)];
	let same = 0;
	while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
	const range = (n: number) => (n === 0 ? '0,0' : `1,${n}`);
	return [
		`--- a/${path}`, `+++ b/${path}`, `@@ -${range(a.length)} +${range(b.length)} @@`,
		...a.slice(0, same).map((l) => ` ${l}`), ...a.slice(same).map((l) => `-${l}`), ...b.slice(same).map((l) => `+${l}`), ''
	].join('\n');
}
