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

const accept = (page: Page) => page.getByRole('button', { name: 'Accept', exact: true });
const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true });
const card = (page: Page) => page.getByRole('region', { name: /^Proposed change/ }).last();

async function apply(page: Page, text = 'give me a variant of slide 4') {
	await say(page, text);
	await accept(page).click();
	await card(page).getByText('Applied.').waitFor();
	await rest(page);
}

describe('an applied change', () => {
	it('is taken back by keyboard; the card, the conversation and the host say so', async () => {
		const page = await stand.page();
		await apply(page);
		await undo(page).focus();
		await page.keyboard.press('Enter');
		await card(page).getByText('Undone.').waitFor();
		await page.getByText('You undid: A Chroma-style variant of slide 4').waitFor();
		expect(await undo(page).count()).toBe(0);
		expect(await page.evaluate(() => document.activeElement?.className)).toContain('preview');
		await expect.poll(() => page.locator('[aria-live]').innerText()).toBe('The change was taken back.');
		const told = await page.evaluate(() => (window as never as { seenByHost: { applied: { undone?: boolean; callId: string }[] } }).seenByHost.applied);
		expect(told.map((a) => a.undone ?? false)).toEqual([false, true]);
		expect(told[1]!.callId).toBe(told[0]!.callId);
		await stand.load(page);
		await card(page).getByText('Undone.').waitFor();
		expect(await undo(page).count()).toBe(0);
	});

	it('offers it until its time is over, and says for how long', async () => {
		stand.agent.knobs.undoMs = 2_500;
		const page = await stand.page();
		await apply(page);
		await undo(page).waitFor();
		const described = await undo(page).evaluate((b) => document.getElementById(b.getAttribute('aria-describedby')!)!.textContent);
		expect(described).toBe('less than a minute left');
		await undo(page).waitFor({ state: 'detached' });
		await card(page).getByText('Applied.').waitFor();
	});

	it('offers nothing where it cannot be taken back', async () => {
		stand.agent.knobs.undoMs = 0;
		const page = await stand.page();
		await apply(page);
		expect(await undo(page).count()).toBe(0);
	});

	it('waits with it while an answer is written', async () => {
		const page = await stand.page();
		await apply(page);
		await say(page, 'slow please');
		await page.getByText('word3').waitFor();
		expect(await undo(page).isDisabled()).toBe(true);
		await page.getByRole('button', { name: 'Stop' }).click();
		await expect.poll(() => undo(page).isEnabled()).toBe(true);
	});

	it('that was changed since is not taken back: what happened and what to do next, and no second try', async () => {
		const page = await stand.page();
		await apply(page, 'moves after');
		await undo(page).click();
		const alert = card(page).getByRole('alert');
		await alert.getByText('Slide 4 has changed since.').waitFor();
		await alert.getByText('Ask for the change that you want instead.').waitFor();
		await page.getByText('Not undone, because it has changed since: Changed slide 4').waitFor();
		await card(page).getByText('Still applied: it was not undone.').waitFor();
		expect(await undo(page).count()).toBe(0);
		await expect.poll(() => page.locator('[aria-live]').innerText()).toBe('The change was not taken back.');
	});

	it('whose time is over on the server says so, with what to do next', async () => {
		const page = await stand.page();
		await apply(page);
		stand.agent.store.applied.forEach((a) => (a.undoUntil = Date.now() - 1));
		await undo(page).click();
		const alert = card(page).getByRole('alert');
		await alert.getByText('The time to take this change back is over.').waitFor();
		await alert.getByText('Ask for the opposite change.').waitFor();
		expect(await alert.innerText()).not.toContain('preview');
		expect(await undo(page).count()).toBe(0);
	});

	it('may be tried again when the server was not reached', async () => {
		const page = await stand.page();
		await apply(page);
		stand.agent.knobs.refuse = { match: /undo/, code: 'storage_busy', times: 1 };
		await undo(page).click();
		await card(page).getByRole('alert').waitFor();
		await undo(page).click();
		await card(page).getByText('Undone.').waitFor();
	});
});
