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

describe('a file that a call made', () => {
	it('is fetched from the card of the call, also after a reload', async () => {
		const page = await stand.page();
		await say(page, 'export the deck');
		for (let i = 0; i < 2; i++) {
			const link = page.getByRole('link', { name: 'Download demo-deck.html' });
			await link.waitFor();
			const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
			expect(download.suggestedFilename()).toBe('demo-deck.html');
			expect(await page.locator('details.tool').first().evaluate((d: HTMLDetailsElement) => d.open)).toBe(false);
			await stand.load(page);
		}
	});

	it('is a link in the text where the host allows its place, and nothing else is', async () => {
		const page = await stand.page();
		await say(page, 'export the deck');
		await rest(page);
		const links = page.locator('.markdown a');
		expect(await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')))).toEqual(['/files/demo-deck.html']);
		expect(await page.locator('.markdown .refused').allInnerTexts()).toEqual(['keys', 'up', 'there']);
		expect(await links.first().getAttribute('rel')).toContain('noopener');
	});

	it('is not offered from any other place', async () => {
		const page = await stand.page();
		await say(page, 'foreign files please');
		await rest(page);
		expect(await page.locator('details.tool').count()).toBe(3);
		expect(await page.getByRole('link').count()).toBe(0);
	});
});

describe('a card of a call', () => {
	it('that cuts its words shows all of them when it is opened, and all of a long result when asked', async () => {
		const page = await stand.page({ width: 390 });
		await say(page, 'long output please');
		await rest(page);
		const tool = page.locator('details.tool');
		await tool.locator('summary').click();
		const body = tool.locator('.body');
		expect(await body.innerText()).toContain('lockers and the last mile over water');
		expect(await body.innerText()).toContain('archive.search_everything_twice');
		expect(await body.innerText()).not.toContain('the end');
		await tool.getByRole('button', { name: /^Show all 25,\d+ characters$/ }).click();
		expect(await body.innerText()).toContain('the end');
		expect(await page.locator('section.list').evaluate((el) => el.scrollWidth - el.clientWidth)).toBe(0);
	});

	it('says what the model does, and no longer that it thinks once it writes', async () => {
		stand.agent.knobs.pace = 25;
		const page = await stand.page();
		const caption = page.locator('.cast p');
		await say(page, 'agent thinks');
		await caption.getByText('Thinking').waitFor();
		await page.getByText('word3').waitFor();
		expect(await caption.innerText()).toContain('Writing…');
		expect(await page.getByText('Thinking').count()).toBe(0);
	});
});
