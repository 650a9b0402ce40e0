import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, rest, say, Stand } from './harness.ts';

let browser: Browser;
let stand: Stand;
beforeAll(async () => {
	browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
	stand = await Stand.open(browser, { pace: 3 });
});
afterEach(async () => {
	const { errors, foreign } = stand;
	await stand.close();
	expect(errors, 'errors of the page').toEqual([]);
	expect(foreign, 'requests to other places').toEqual([]);
});

/** Opens the settings at one of their parts. */
async function part(page: Page, name: string) {
	await page.getByRole('button', { name: 'Settings', exact: true }).click();
	const fold = page.locator('details', { has: page.getByRole('heading', { name, exact: true }) });
	await fold.locator('summary').first().click();
	return fold;
}

describe('reminders', () => {
	it('are written, kept with their history, and an old text comes back', async () => {
		const page = await stand.page();
		const fold = await part(page, 'Reminders');
		await fold.getByText('Nothing is written here yet.').waitFor();
		await fold.getByRole('button', { name: 'Write' }).click();
		await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
		await page.keyboard.type('We build harbours.');
		await fold.getByRole('button', { name: 'Save', exact: true }).click();
		await fold.getByText('Saved. The agent knows it from its next answer on.').waitFor();
		await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Edit');
		await page.keyboard.press('Enter');
		await page.keyboard.press('Control+End');
		await page.keyboard.type('And lockers.');
		await fold.getByRole('button', { name: 'Save', exact: true }).click();
		await fold.getByRole('button', { name: 'History' }).click();
		await fold.getByRole('button', { name: /^Version 2/ }).click();
		await fold.getByText('And lockers.', { exact: true }).first().waitFor();
		await fold.getByRole('button', { name: /^Version 1/ }).click();
		await fold.getByRole('button', { name: 'Put this text into the editor' }).click();
		await expect.poll(() => fold.locator('textarea').inputValue()).toBe('We build harbours.\n');
		expect(stand.agent.office.reminders.get('client_profile')?.length, 'nothing is stored before Save').toBe(2);
		await fold.getByRole('button', { name: 'Save', exact: true }).click();
		await expect.poll(() => stand.agent.office.reminders.get('client_profile')?.at(-1)?.text).toBe('We build harbours.\n');
	});

	it('lose nothing when somebody else stores a version meanwhile, or another file is looked at', async () => {
		stand.agent.office.store('our_decisions', 'Serif only.\n');
		const page = await stand.page();
		const fold = await part(page, 'Reminders');
		await fold.getByRole('button', { name: 'Our decisions' }).click();
		await fold.getByRole('button', { name: 'Edit', exact: true }).click();
		await fold.locator('textarea').fill('Serif only.\nNo stock photos.');
		await fold.getByRole('button', { name: 'Watch out' }).click();
		await fold.getByRole('button', { name: 'Our decisions' }).click();
		expect(await fold.locator('textarea').inputValue()).toBe('Serif only.\nNo stock photos.');
		stand.agent.office.store('our_decisions', 'Serif only.\nOne accent.\n', 'suggestion');
		await fold.getByRole('button', { name: 'Save', exact: true }).click();
		await fold.getByText('Somebody stored another version meanwhile.').waitFor();
		await fold.getByText('One accent.').first().waitFor();
		expect(await fold.locator('textarea').inputValue()).toBe('Serif only.\nNo stock photos.');
		await fold.getByRole('button', { name: 'Save mine over it' }).click();
		await expect.poll(() => stand.agent.office.reminders.get('our_decisions')?.at(-1)?.text).toBe('Serif only.\nNo stock photos.\n');
	});

	it('say what is too long before it is sent, and what cannot be reached', async () => {
		const page = await stand.page();
		const fold = await part(page, 'Reminders');
		await fold.getByRole('button', { name: 'Write' }).click();
		await fold.locator('textarea').fill('x'.repeat((16 << 10) + 1));
		await fold.getByText('too long to save').waitFor();
		expect(await fold.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
		await fold.locator('textarea').fill('short');
		stand.agent.knobs.down = true;
		await fold.getByRole('button', { name: 'Save', exact: true }).click();
		await fold.getByText('The server cannot be reached.').waitFor();
		expect(await fold.locator('textarea').inputValue()).toBe('short');
		stand.agent.knobs.down = false;
	});
});

describe('usage', () => {
	it('says what a month took, what is unknown, and how far a budget is used', async () => {
		const { office } = stand.agent;
		office.used = { calls: 12, unpricedCalls: 2, estimatedCalls: 0, tokensIn: 40_000, tokensOut: 9_000, cacheReadTokens: 310_000, cacheCreationTokens: 22_000, costNanoUsd: 41e9 };
		office.budgets = [{ scope: 'org', subject: '', softNanoUsd: 40e9, hardNanoUsd: 50e9 }];
		const page = await stand.page();
		const fold = await part(page, 'Usage and budgets');
		await fold.getByText('$41.00', { exact: true }).waitFor();
		await fold.getByText('2 calls have no known price and are missing in the sum.').waitFor();
		await fold.getByText('$41.00 of $50.00').waitFor();
		await fold.getByText('Past the mark of $40.00 at which you are told.').waitFor();
		expect(await fold.getByRole('meter').getAttribute('aria-valuetext')).toBe('$41.00 of $50.00');
	});

	it('calls an unknown cost unknown, never nothing', async () => {
		stand.agent.office.used = { calls: 3, unpricedCalls: 3, estimatedCalls: 0, tokensIn: 100, tokensOut: 100, cacheReadTokens: 0, cacheCreationTokens: 0, costNanoUsd: 0 };
		const page = await stand.page();
		const fold = await part(page, 'Usage and budgets');
		await fold.getByText('Cost not known').waitFor();
		expect(await fold.innerText()).not.toContain('$0');
	});

	it('is where a used-up budget leads, which offers no retry that cannot help', async () => {
		const page = await stand.page();
		await say(page, 'fail budget_exceeded');
		await page.getByText('An admin of your organization can raise it.').waitFor();
		expect(await page.locator('.notice').getByRole('button', { name: 'Ask again' }).count()).toBe(0);
		await page.getByRole('button', { name: 'See what is used' }).click();
		await page.getByText('No model call yet this month.').waitFor();
	});
});

describe('what leaves', () => {
	it('is told by host, and a text is shown as a provider would see it', async () => {
		const { office } = stand.agent;
		const page = await stand.page();
		await say(page, 'hello');
		await rest(page);
		const [thread] = stand.agent.store.threads.keys();
		const line = { host: 'api.anthropic.com', purpose: 'step', requests: 1, failures: 0, bytesOut: 9_000, bytesIn: 1_200, redactions: 1, firstAt: 1, at: 2 };
		office.egress.set(thread!, [{ ...line, turnId: 'a' }, { ...line, turnId: 'b' }]);
		office.policy.redaction = { kinds: ['email', 'secret'] };
		const fold = await part(page, 'What leaves');
		await fold.getByText('2 requests, 18 KiB out, 2 KiB in').waitFor();
		await fold.getByText('2 details replaced before it left.').waitFor();
		await fold.locator('textarea').fill('Write to ada@example.com and bob@example.com');
		await fold.getByRole('button', { name: 'Show', exact: true }).click();
		await fold.getByText('Write to [EMAIL_1] and [EMAIL_2]').waitFor();
		await fold.getByText('Replaced: e-mail address (2).').waitFor();
	});
});

describe('the prompt cache', () => {
	it('is told for each model call', async () => {
		const page = await stand.page();
		await say(page, 'hello');
		await rest(page);
		const fold = await part(page, 'Prompt cache');
		await fold.getByText('This is the first model call.').waitFor();
	});
});

describe('in the chat', () => {
	it('a source opens word for word, and asks nothing of other places', async () => {
		const page = await stand.page();
		await say(page, 'search please');
		await rest(page);
		const sources = page.getByRole('list', { name: 'Sources' });
		await sources.getByText('Chroma deck aesthetic').waitFor();
		expect(await sources.innerText()).toContain('context-vigilance / aesthetics/chroma.md · 2026-03-14');
		await sources.locator('summary').first().focus();
		await page.keyboard.press('Enter');
		await sources.getByText('Never a second accent.').waitFor();
		await sources.locator('summary').nth(1).click();
		await sources.getByText('The passage goes on in its source.').waitFor();
	});

	it('a mark of a budget and a shortened past are lines that stay after a reload', async () => {
		const page = await stand.page();
		await say(page, 'warned');
		await rest(page);
		await say(page, 'compacted');
		await rest(page);
		for (const again of [false, true]) {
			if (again) await page.reload();
			await page.getByText('41.00 USD are spent this month').waitFor();
			await page.getByText('The model reads the first 12 turns in a shorter form from here on.').waitFor();
		}
	});
});
