import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, say, settled, Stand, toChange } from './harness.ts';

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
const send = (page: Page) => page.getByRole('button', { name: 'Preview my edit' });
const form = (page: Page) => page.getByRole('form', { name: 'Edit before you accept' });
const card = (page: Page) => page.getByRole('region', { name: /^Proposed change/ }).last();

/** Opens the form of a waiting change by keyboard. */
async function edit(page: Page) {
	await say(page, 'give me a variant of slide 4');
	await accept(page).waitFor();
	await expect.poll(() => accept(page).isEnabled()).toBe(true);
	await toChange(page);
	await page.keyboard.press('e');
	await form(page).waitFor();
}

describe('a change that is edited before it is accepted', () => {
	it('has a form made of its schema, and the focus in its first field', async () => {
		const page = await stand.page();
		await edit(page);
		await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('04');
		const f = form(page);
		expect(await f.getByRole('textbox', { name: 'Style' }).inputValue()).toBe('chroma');
		expect(await f.getByRole('combobox', { name: /^Layout/ }).inputValue()).toBe('keep');
		expect(await f.getByRole('combobox', { name: /^Dark/ }).inputValue()).toBe('true');
		expect(await f.getByRole('textbox', { name: /^Warmth/ }).inputValue()).toBe('7');
		expect(await f.getByRole('textbox', { name: /^Colours/ }).inputValue()).toContain('#1b1147');
		expect(await f.getByRole('textbox', { name: /^Notes/ }).evaluate((el) => el.tagName)).toBe('TEXTAREA');
		await expect(send(page).isDisabled()).resolves.toBe(true);
		expect(await accept(page).count()).toBe(0);
	});

	it('is sent by keyboard, previewed anew with what was changed, and accepted', async () => {
		const page = await stand.page();
		await edit(page);
		await form(page).getByRole('textbox', { name: 'Style' }).fill('calm');
		await form(page).getByText('was: chroma').waitFor();
		await page.keyboard.press('Control+Enter');
		await page.getByText('This is the change with your edits. Nothing was applied before.').waitFor();
		const changes = card(page).locator('dl[aria-label="What you changed"]');
		expect((await changes.innerText()).replace(/\s+/g, ' ')).toBe('Style chroma calm');
		await expect.poll(() => page.evaluate(() => document.activeElement?.className ?? '')).toContain('preview');
		await page.getByRole('button', { name: 'Before your edit' }).click();
		await page.getByRole('button', { name: 'Both' }).click();
		await expect.poll(() => accept(page).isEnabled()).toBe(true);
		await card(page).focus();
		await settled(page);
		await page.keyboard.press('a');
		await page.getByText('Done: slide 4 has its new look.').waitFor();
		expect(await card(page).innerText()).toContain('as edited');
	});

	it('keeps every line that is pasted or written, in a box that looks like one line and grows', async () => {
		const page = await stand.page();
		await edit(page);
		const style = form(page).getByRole('textbox', { name: 'Style' });
		const tall = () => style.evaluate((el) => el.clientHeight);
		const before = await tall();
		expect(before).toBeLessThan(44);
		await page.evaluate(() => navigator.clipboard.writeText('alpha\nbeta\ngamma'));
		await style.selectText();
		await page.keyboard.press('Control+V');
		expect(await style.inputValue()).toBe('alpha\nbeta\ngamma');
		expect(await tall()).toBeGreaterThan(before * 1.8);
		await page.keyboard.press('Enter');
		await page.keyboard.type('delta');
		expect(await style.inputValue()).toBe('alpha\nbeta\ngamma\ndelta');
		await page.keyboard.press('Control+Enter');
		await page.getByText('This is the change with your edits.').waitFor();
		await card(page).getByText('Exact input').first().click();
		expect(await card(page).innerText()).toContain('alpha\\nbeta\\ngamma\\ndelta');
		expect(await card(page).locator('ins').innerText()).toBe('alpha\nbeta\ngamma\ndelta');
	});

	it('is checked while one writes, and cannot be sent while something is wrong', async () => {
		const page = await stand.page();
		await edit(page);
		const warmth = form(page).getByRole('textbox', { name: /^Warmth/ });
		for (const [text, words] of [
			['warm', 'Write a number.'],
			['1.5', 'Write a whole number.'],
			['11', 'Between 0 and 10.'],
			['-1', 'Between 0 and 10.']
		] as const) {
			await warmth.fill(text);
			await form(page).getByText(words).waitFor();
			expect(await warmth.getAttribute('aria-invalid')).toBe('true');
			expect(await send(page).isDisabled()).toBe(true);
		}
		for (const text of ['0', '10']) {
			await warmth.fill(text);
			expect(await warmth.getAttribute('aria-invalid')).toBe('false');
			expect(await send(page).isEnabled()).toBe(true);
		}
		await form(page).getByRole('textbox', { name: /^Colours/ }).fill('[');
		await form(page).getByText('This is not JSON.').waitFor();
		expect(await send(page).isDisabled()).toBe(true);
	});

	it('that the server refuses says why at the field, which takes the focus', async () => {
		const page = await stand.page();
		await edit(page);
		const style = form(page).getByRole('textbox', { name: 'Style' });
		await style.fill('x');
		await send(page).click();
		const wrong = form(page).getByRole('alert');
		await wrong.getByText('This needs at least 3 characters.').waitFor();
		await expect.poll(() => style.evaluate((el) => el === document.activeElement)).toBe(true);
		expect(await style.getAttribute('aria-invalid')).toBe('true');
		const described = await style.evaluate((el) => document.getElementById(el.getAttribute('aria-describedby')!)!.textContent);
		expect(described).toContain('This needs at least 3 characters.');
		await style.fill('calm');
		expect(await wrong.count()).toBe(0);
		await send(page).click();
		await page.getByText('This is the change with your edits.').waitFor();
	});

	it('inside a value of its own kind shows the error there as well', async () => {
		const page = await stand.page();
		await edit(page);
		const colours = form(page).getByRole('textbox', { name: /^Colours/ });
		await colours.fill('["#fff", 4]');
		await send(page).click();
		await form(page).getByText('This must be of type string.').waitFor();
		expect(await colours.getAttribute('aria-invalid')).toBe('true');
	});

	it('keeps what was written when the server is not reached', async () => {
		const page = await stand.page();
		await edit(page);
		await form(page).getByRole('textbox', { name: 'Style' }).fill('calm');
		stand.agent.knobs.refuse = { match: /confirm/, code: 'storage_busy', times: 1 };
		await send(page).click();
		await form(page).getByRole('alert').waitFor();
		expect(await form(page).getByRole('textbox', { name: 'Style' }).inputValue()).toBe('calm');
		await send(page).click();
		await page.getByText('This is the change with your edits.').waitFor();
	});

	it('is left by Escape and by Cancel as it was, with the focus on Edit', async () => {
		const page = await stand.page();
		await edit(page);
		const button = page.getByRole('button', { name: 'Edit', exact: true }).last();
		for (const leave of [() => page.keyboard.press('Escape'), () => page.getByRole('button', { name: 'Cancel' }).click()]) {
			await form(page).getByRole('textbox', { name: 'Style' }).fill('never sent');
			await leave();
			await expect.poll(() => button.evaluate((el) => el === document.activeElement)).toBe(true);
			await page.keyboard.press('Enter');
			expect(await form(page).getByRole('textbox', { name: 'Style' }).inputValue()).toBe('chroma');
		}
		await page.keyboard.press('Escape');
		await accept(page).click();
		await page.getByText('Done: slide 4 has its new look.').waitFor();
		expect(stand.agent.requests.filter((r) => r.includes('confirm'))).toHaveLength(1);
	});
});
