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

const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true });
const bubbles = (page: Page) => page.locator('.bubble p').allInnerTexts();
const box = (page: Page) => page.locator('textarea');

describe('an ended session', () => {
	it('is said when a message is sent, which goes by itself once one is signed in', async () => {
		const page = await stand.page({ signin: true });
		await say(page, 'hello');
		await rest(page);
		stand.agent.knobs.signedOut = true;
		await say(page, 'and more');
		await page.getByRole('alert').getByText('You are signed out').waitFor();
		expect(await page.getByRole('alert').count()).toBe(1);
		await page.getByText('Sent once you are signed in').waitFor();
		await box(page).fill('my next thought');
		await box(page).press('Enter');
		expect(await bubbles(page)).toEqual(['hello', 'and more']);
		await signIn(page).click();
		await page.getByText('You said: and more').waitFor();
		expect(await box(page).inputValue()).toBe('my next thought');
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
		expect(stand.agent.store.turns.size).toBe(2);
		await box(page).press('Enter');
		await page.getByText('You said: my next thought').waitFor();
	});

	it('in the middle of an answer goes on where it was, every word once', async () => {
		stand.agent.knobs.pace = 12;
		const page = await stand.page({ signin: true });
		await say(page, 'stream 60');
		await page.getByText('w5 ').first().waitFor();
		stand.agent.knobs.signedOut = true;
		stand.agent.cutStreams();
		await signIn(page).click();
		await page.getByText('w59').waitFor();
		await rest(page);
		expect((await page.locator('.answer').innerText()).match(/w\d+/g)).toEqual(Array.from({ length: 60 }, (_, i) => `w${i}`));
	});

	it('is said where a change is answered, which can be answered afterwards', async () => {
		const page = await stand.page({ signin: true });
		await say(page, 'give me a variant of slide 4');
		const accept = page.getByRole('button', { name: 'Accept', exact: true });
		await accept.waitFor();
		stand.agent.knobs.signedOut = true;
		await accept.click();
		await signIn(page).waitFor();
		expect(await page.getByRole('alert').count()).toBe(1);
		await signIn(page).click();
		await signIn(page).waitFor({ state: 'detached' });
		await accept.click();
		await page.getByText('Done: slide 4 has its new look.').waitFor();
	});

	it('is said in the settings as well, which load once one is signed in', async () => {
		const page = await stand.page({ signin: true });
		stand.agent.knobs.signedOut = true;
		await page.getByRole('button', { name: 'Settings' }).click();
		const settings = page.getByRole('dialog', { name: 'Settings' });
		await signIn(page).last().click();
		await settings.getByText('Your model keys').waitFor();
		expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('dialog');
	});

	it('is said before anything is there, and what was typed stays', async () => {
		stand.agent.knobs.signedOut = true;
		const page = await stand.page({ signin: true });
		await box(page).fill('typed while signed out');
		await signIn(page).click();
		await page.getByText('What shall we do in Dididecks?').waitFor();
		expect(await box(page).inputValue()).toBe('typed while signed out');
	});

	it('that lasts says so, and is over when another tab signed in', async () => {
		const page = await stand.page({ signin: true });
		await say(page, 'hello');
		await rest(page);
		await page.route('**/test/sign-in', (route) => route.fulfill({ status: 204 }));
		stand.agent.knobs.signedOut = true;
		await say(page, 'and more');
		await signIn(page).click();
		await page.getByText('You are still signed out. Try again.').waitFor();
		stand.agent.knobs.signedOut = false;
		await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
		await page.getByText('You said: and more').waitFor();
	});

	it('without a host that can sign in is left by loading the page anew, and the message is kept', async () => {
		const page = await stand.page();
		await say(page, 'hello');
		await rest(page);
		stand.agent.knobs.signedOut = true;
		await say(page, 'and more');
		const reload = page.getByRole('button', { name: 'Reload to sign in' });
		await reload.waitFor();
		stand.agent.knobs.signedOut = false;
		await reload.click();
		await page.getByRole('button', { name: 'Send again' }).click();
		await page.getByText('You said: and more').waitFor();
	});
});
