import { describe, expect, it } from 'vitest';
import { AgentError } from '../../src/lib/client/error.js';
import type { AgentClient, ApprovalQuery } from '../../src/lib/client/types.js';
import type { Approval, ApprovalPage } from '../../src/lib/protocol.gen.js';
import { Inbox } from '../../src/lib/state/inbox.svelte.js';

const waits = (threadId: string, receiptId: string): Approval => ({
	turnId: `t-${threadId}`,
	threadId,
	threadTitle: `About ${threadId}`,
	projectId: 'p',
	projectKind: 'deck',
	callId: `c-${receiptId}`,
	receiptId,
	capability: 'slide.edit',
	title: 'Edit a slide',
	summary: `Changed ${receiptId}`,
	artifacts: [],
	createdAt: 1,
	expiresAt: 9e12
});

/** An inbox over a client that answers page by page, as asked. */
function inboxOf(answer: (query: ApprovalQuery) => ApprovalPage | Promise<ApprovalPage>) {
	const asked: ApprovalQuery[] = [];
	const client = {
		approvals: async (query: ApprovalQuery) => {
			asked.push(query);
			return answer(query);
		}
	} as unknown as AgentClient;
	return { inbox: new Inbox(client), asked };
}

describe('the inbox', () => {
	it('has the changes by conversation, the newest conversation first, its changes as they were asked for', async () => {
		const { inbox } = inboxOf(() => ({ items: [waits('a', '4'), waits('b', '3'), waits('a', '2'), waits('a', '1')] }));
		await inbox.load();
		expect(inbox.threads.map((t) => [t.threadId, t.title, ...t.open.map((a) => a.receiptId)])).toEqual([
			['a', 'About a', '1', '2', '4'],
			['b', 'About b', '3']
		]);
		expect([inbox.beside('a'), inbox.beside('b'), inbox.beside(''), inbox.more]).toEqual([1, 3, 4, false]);
	});

	it('follows the pages, also a short or an empty one', async () => {
		const pages: Record<string, ApprovalPage> = {
			'': { items: [waits('a', '1')], next: 'x' },
			x: { items: null, next: 'y' },
			y: { items: [waits('b', '2')] }
		};
		const { inbox, asked } = inboxOf(({ cursor = '' }) => pages[cursor]!);
		await inbox.load();
		expect(inbox.items.map((a) => a.receiptId)).toEqual(['1', '2']);
		expect(asked).toEqual([{ limit: 200 }, { limit: 200, cursor: 'x' }, { limit: 200, cursor: 'y' }]);
	});

	it('counts no further than five pages, and says that there is more', async () => {
		let n = 0;
		const { inbox, asked } = inboxOf(() => ({ items: [waits('a', String(++n))], next: n < 6 ? 'on' : undefined }));
		await inbox.load();
		expect([asked.length, inbox.items.length, inbox.more]).toEqual([5, 5, true]);
		n = 1;
		await inbox.load();
		expect([inbox.items.length, inbox.more]).toEqual([5, false]);
	});

	it('keeps what it knew when it cannot ask', async () => {
		let fails = false;
		const { inbox } = inboxOf(() => {
			if (fails) throw new AgentError('unavailable', '', { status: 0 });
			return { items: [waits('a', '1')] };
		});
		await inbox.load();
		fails = true;
		await inbox.load();
		expect(inbox.items.length).toBe(1);
	});

	it('shows the answer to the last question, whatever comes later', async () => {
		const answers: ((page: ApprovalPage) => void)[] = [];
		const { inbox } = inboxOf(() => new Promise<ApprovalPage>((resolve) => answers.push(resolve)));
		const first = inbox.load();
		const second = inbox.load();
		answers[1]!({ items: [] });
		await second;
		answers[0]!({ items: [waits('a', 'old')] });
		await first;
		expect(inbox.items).toEqual([]);
	});
});
