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

/** How many presses of Escape reached a host that would close the panel. */
const reached = (page: Page) => page.evaluate(() => (window as never as { seenByHost: { escaped(): number } }).seenByHost.escaped());
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim());

describe('Escape closes the innermost layer and nothing around it', () => {
	it('an enlarged page, wherever the focus is', async () => {
		const page = await stand.page({ width: 390 });
		await say(page, 'give me a variant of slide 4');
		for (const lost of [false, true]) {
			await button(page, 'Enlarge').click();
			await page.locator('dialog[open]').waitFor();
			if (lost) await page.evaluate(() => (document.activeElement as HTMLElement).blur());
			await page.keyboard.press('Escape');
			await page.locator('dialog[open]').waitFor({ state: 'detached' });
			expect(await focused(page)).toBe('Enlarge');
		}
		expect(await reached(page)).toBe(0);
		await page.keyboard.press('Escape');
		expect(await reached(page)).toBe(1);
	});

	it('the form of an edit, from its fields and from the card around it', async () => {
		const page = await stand.page({ width: 390 });
		await say(page, 'give me a variant of slide 4');
		for (const from of ['field', 'card']) {
			await button(page, 'Edit').last().click();
			await page.getByRole('textbox', { name: 'Style' }).waitFor();
			if (from === 'card') await page.locator('.preview').focus();
			await page.keyboard.press('Escape');
			await page.getByRole('textbox', { name: 'Style' }).waitFor({ state: 'detached' });
			await expect.poll(() => focused(page)).toBe('Edit');
		}
		expect(await reached(page)).toBe(0);
	});

	it('what a conversation offers, then the list of conversations', async () => {
		const page = await stand.page({ width: 390 });
		await say(page, 'hello');
		await rest(page);
		await page.getByRole('button', { name: /^Switch conversation/ }).click();
		const list = page.getByRole('dialog', { name: 'Conversations' });
		for (const then of ['', 'Rename', 'Delete']) {
			await button(page, 'Actions for hello').click();
			if (then) await button(page, then).click();
			await page.keyboard.press('Escape');
			expect(await list.count()).toBe(1);
			await expect.poll(() => focused(page)).toBe('Actions for hello');
			expect(await list.locator('.actions, form').count()).toBe(0);
		}
		await page.keyboard.press('Escape');
		await list.waitFor({ state: 'detached' });
		expect(await reached(page)).toBe(0);
	});

	it('what a key offers, then the settings', async () => {
		stand.agent.knobs.scripted = false;
		const page = await stand.page({ width: 390 });
		await button(page, 'Settings').click();
		await page.getByPlaceholder('Paste the key here').fill('sk-ant-api03-good-0001');
		await button(page, 'Test and store').click();
		await page.getByText('••••0001').waitFor();
		const settings = page.getByRole('dialog', { name: 'Settings' });
		for (const name of ['Replace', 'Revoke']) {
			await button(page, name).first().click();
			if (name === 'Replace') await settings.locator('li input').focus();
			await page.keyboard.press('Escape');
			expect(await focused(page)).toBe(name);
			expect(await settings.locator('li form, li > .actions').count()).toBe(0);
		}
		await page.keyboard.press('Escape');
		await settings.waitFor({ state: 'detached' });
		expect(await reached(page)).toBe(0);
	});

	it('the list of what can be attached, then the edit of a message', async () => {
		const page = await stand.page({ width: 390 });
		await say(page, 'hello');
		await rest(page);
		await page.locator('textarea').press('ArrowUp');
		await page.locator('textarea').pressSequentially(' @s');
		await page.getByRole('option').first().waitFor();
		await page.keyboard.press('Escape');
		expect(await page.getByRole('option').count()).toBe(0);
		await page.getByText('Editing your last message').waitFor();
		await page.keyboard.press('Escape');
		await page.getByText('Editing your last message').waitFor({ state: 'detached' });
		expect(await reached(page)).toBe(0);
	});
});

describe('a key that is too short', () => {
	it('says so, at the limit no more, where one is added and where one is replaced', async () => {
		stand.agent.knobs.scripted = false;
		const page = await stand.page();
		await button(page, 'Settings').click();
		const key = page.getByPlaceholder('Paste the key here');
		const why = page.getByText('A key has at least 8 characters.');
		await key.fill('1234567');
		await why.waitFor();
		expect(await button(page, 'Test and store').isDisabled()).toBe(true);
		await key.fill('12345678');
		await why.waitFor({ state: 'detached' });
		expect(await button(page, 'Test and store').isDisabled()).toBe(false);
		await button(page, 'Test and store').click();
		await page.getByText('••••5678').waitFor();
		await button(page, 'Replace').click();
		await page.locator('li').getByLabel('Key', { exact: true }).fill('x');
		await page.locator('li').getByText('A key has at least 8 characters.').waitFor();
	});
});
