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
	const { errors } = stand;
	await stand.close();
	expect(errors, 'errors of the page').toEqual([]);
});

const hint = (page: Page) => page.getByText('Enter sends, Shift+Enter makes a new line');

describe('the hint about keys', () => {
	it('is shown where there is a keyboard, and not where one writes by touch', async () => {
		expect(await hint(await stand.page()).isVisible()).toBe(true);
		const touch = await browser.newContext({ viewport: { width: 430, height: 820 }, hasTouch: true, isMobile: true });
		expect(await hint(await stand.page({ context: touch })).isVisible()).toBe(false);
	});
});

describe('an answer of the scripted model', () => {
	it('has no cost in its details, and one that a provider gave has none reported', async () => {
		const cost = async (page: Page) => {
			await say(page, 'hello');
			await rest(page);
			await page.getByRole('button', { name: 'Details' }).click();
			return page.locator('dl div', { hasText: 'Cost' }).locator('dd').innerText();
		};
		expect(await cost(await stand.page())).toBe('none');
		stand.agent.knobs.scripted = false;
		expect(await cost(await stand.page())).toBe('not reported');
	});
});

describe('a new conversation', () => {
	it('does not tell of the answer of the one before', async () => {
		const page = await stand.page();
		await say(page, 'hello');
		const told = page.getByRole('status').filter({ hasText: 'The answer is finished.' });
		await told.waitFor({ state: 'attached' });
		await page.getByRole('button', { name: 'New conversation', exact: true }).click();
		await told.waitFor({ state: 'detached' });
		expect(await told.count()).toBe(0);
	});
});
