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

const head = (page: Page) => page.getByRole('button', { name: /^Switch conversation/ });
const fresh = (page: Page) => page.getByRole('button', { name: 'New conversation', exact: true }).first();
const accept = (page: Page) => page.getByRole('button', { name: 'Accept', exact: true });
const list = (page: Page) => page.getByRole('region', { name: 'Waiting for you' });

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
/** True while the start of a change is in view. */
const shown = (page: Page, summary: string) =>
	page.getByRole('heading', { name: summary }).evaluate((h) => {
		const { top, bottom } = h.getBoundingClientRect();
		const list = h.closest('.list')!.getBoundingClientRect();
		return top >= list.top && bottom <= list.bottom;
	});

/** Begins a conversation elsewhere whose change waits. */
async function elsewhere(text: string, projectId = 'demo-deck') {
	const t = stand.agent.start({ projectId, text });
	await expect.poll(() => t.turn.state).toBe('awaiting_confirmation');
	return t;
}

describe('what waits in other conversations', () => {
	it('is counted beside the title, also for who listens', async () => {
		await elsewhere('a variant of slide 4');
		const page = await stand.page();
		await expect.poll(() => head(page).getAttribute('aria-label')).toBe('Switch conversation: New conversation. 1 change waits for you in another conversation');
		expect(await page.locator('.badge').innerText()).toBe('1');
		await elsewhere('three slides please');
		await say(page, 'hello');
		await rest(page);
		await expect.poll(() => page.locator('.badge').innerText()).toBe('4');
	});

	it('is counted over all pages, and no further', async () => {
		stand.agent.knobs.approvalPage = 2;
		for (let i = 0; i < 3; i++) await elsewhere('three slides please');
		const page = await stand.page();
		await expect.poll(() => page.locator('.badge').innerText()).toBe('9');
		await elsewhere('three slides please');
		await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
		await expect.poll(() => head(page).getAttribute('aria-label')).toContain('10 or more changes wait for you in other conversations');
	});

	it('is none where the change that waits is the one in view', async () => {
		const page = await stand.page();
		await say(page, 'give me a variant of slide 4');
		await accept(page).waitFor();
		await expect.poll(() => stand.agent.requests.filter((r) => r === 'GET /approvals').length).toBeGreaterThan(1);
		expect(await page.locator('.badge').count()).toBe(0);
		await fresh(page).click();
		await expect.poll(() => page.locator('.badge').innerText()).toBe('1');
	});

	it('is listed with its changes, opened by keyboard and answered there', async () => {
		await elsewhere('three slides please');
		const page = await stand.page();
		await head(page).focus();
		await page.keyboard.press('Enter');
		await list(page).getByText('Changed slide 5').waitFor();
		expect((await list(page).innerText()).replace(/\s+/g, ' ')).toMatch(
			/Waiting for you 3 three slides please Changed slide 2 Edit a slide this minute Changed slide 5 Edit a slide this minute Changed slide 8/
		);
		await list(page).getByRole('button', { name: /^Changed slide 5/ }).focus();
		await page.keyboard.press('Enter');
		await expect.poll(() => focused(page)).toBe('Proposed change: Changed slide 5');
		await expect.poll(() => shown(page, 'Changed slide 5')).toBe(true);
		await page.waitForTimeout(300); // whatever still moves has moved
		expect([await focused(page), await shown(page, 'Changed slide 5')]).toEqual(['Proposed change: Changed slide 5', true]);
		await page.getByRole('button', { name: 'Accept all 3' }).click();
		await page.getByText('They were accepted, accepted, accepted.').waitFor();
		await expect.poll(() => page.locator('.badge').count()).toBe(0);
		await head(page).click();
		await page.getByRole('dialog', { name: 'Conversations' }).getByText('three slides please').waitFor();
		expect(await list(page).count()).toBe(0);
	});

	it('of the open conversation is gone to, too', async () => {
		const page = await stand.page();
		await say(page, 'three slides please');
		await page.getByText('3 of 3 waiting').waitFor();
		await head(page).click();
		await list(page).getByRole('button', { name: /^Changed slide 2/ }).click();
		await expect.poll(() => focused(page)).toBe('Proposed change: Changed slide 2');
		expect(await shown(page, 'Changed slide 2')).toBe(true);
		expect(stand.agent.requests.filter((r) => r.startsWith('GET /threads/thr')).length).toBe(1);
	});

	it('names the first four of many, and leads to the others', async () => {
		await elsewhere('six slides please');
		const page = await stand.page();
		await head(page).click();
		await list(page).getByText('2 more').click();
		await expect.poll(() => focused(page)).toBe('Proposed change: Changed slide 5');
	});

	it('in another project can be answered here, but not gone on with', async () => {
		await elsewhere('a variant of slide 4', 'other-deck');
		const page = await stand.page();
		await head(page).click();
		await list(page).getByText('Project other-deck').waitFor();
		await list(page).getByRole('button').click();
		await page.getByText('This conversation belongs to project other-deck.').waitFor();
		await accept(page).click();
		await page.getByText('Done: slide 4 has its new look.').waitFor();
		await page.locator('textarea').fill('and now this');
		expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
	});

	it('goes when it is answered in another place, once one comes back', async () => {
		const t = await elsewhere('a variant of slide 4');
		const page = await stand.page();
		await page.locator('.badge').waitFor();
		t.waiting.forEach((answer) => answer({ say: 'discard' }));
		await expect.poll(() => t.turn.state).toBe('completed');
		await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
		await page.locator('.badge').waitFor({ state: 'detached' });
	});
});
