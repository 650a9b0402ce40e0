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
	expect(errors).toEqual([]);
});

/** Says to a page that it is hidden or seen, as the browser does when tabs change. */
const hide = (page: Page, hidden: boolean) =>
	page.evaluate((state) => {
		Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	}, hidden ? 'hidden' : 'visible');

describe('eight tabs of one browser, where six connections are all there are', () => {
	it('share one stream of the same conversation, and each sees every word once', async () => {
		stand.agent.knobs.pace = 12;
		const context = await stand.context();
		const first = await stand.page({ context });
		await say(first, 'hello');
		await rest(first);
		const tabs = [first];
		for (let i = 1; i < 8; i++) tabs.push(await stand.page({ context }));
		await expect.poll(() => stand.agent.streams.size).toBe(1);
		await say(tabs[5]!, 'stream 60');
		for (const page of tabs) {
			await page.getByText('w59').waitFor();
			const words = (await page.locator('.answer').last().innerText()).match(/w\d+/g);
			expect(words).toEqual(Array.from({ length: 60 }, (_, i) => `w${i}`));
		}
		expect(stand.agent.streams.size).toBe(1);
	});

	it('go on when the tab that held the stream is closed', async () => {
		stand.agent.knobs.pace = 15;
		const context = await stand.context();
		const a = await stand.page({ context });
		await say(a, 'stream 100');
		await a.getByText('w5 ').first().waitFor();
		const other = await stand.page({ context });
		await other.getByText('w10 ').first().waitFor();
		await a.close();
		await other.getByText('w99').waitFor();
		const words = (await other.locator('.answer').innerText()).match(/w\d+/g);
		expect(words).toEqual(Array.from({ length: 100 }, (_, i) => `w${i}`));
	});

	it('with parked changes in conversations of their own can all still send', async () => {
		const context = await stand.context();
		const tabs: Page[] = [];
		for (let i = 0; i < 8; i++) {
			const page = await stand.page({ context });
			await page.getByRole('button', { name: 'New conversation', exact: true }).click();
			await say(page, `give me variant ${i}`);
			await page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
			await hide(page, true);
			tabs.push(page);
		}
		await expect.poll(() => stand.agent.streams.size, { message: 'hidden and parked: no connection is held' }).toBe(0);
		for (const page of tabs) {
			await hide(page, false);
			await page.getByRole('button', { name: 'Accept', exact: true }).click();
			await page.getByText('Done: slide 4 has its new look.').waitFor();
			await hide(page, true);
		}
	});
});
