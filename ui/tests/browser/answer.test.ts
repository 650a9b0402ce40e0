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
	stand = await Stand.open(browser, { pace: 4 });
});
afterEach(async () => {
	const { errors } = stand;
	await stand.close();
	expect(errors, 'errors of the page').toEqual([]);
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const box = (page: Page) => page.locator('.composer textarea');
const card = (page: Page) => page.getByRole('region', { name: /^Proposed change/ }).last();
const has = (page: Page, name: string) => expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe(name);
const confirms = () => stand.agent.requests.filter((r) => r === 'POST /confirm').length;
const variant = 'give me a variant of slide 4';

/** Asks for a change and waits until it can be answered. */
async function asked(page: Page, text = variant) {
	await say(page, text);
	await button(page, 'Accept').last().waitFor();
	await expect.poll(() => button(page, 'Accept').last().isEnabled()).toBe(true);
}

/** Answers the first change that waits as another tab does. */
async function elsewhere(press: string) {
	const { turn } = [...stand.agent.store.turns.values()].at(-1)!;
	const { callId, receiptId } = turn.open![0]!;
	const body = JSON.stringify({ turnId: turn.id, decisions: [{ callId, receiptId, decision: press.toLowerCase() }] });
	const answer = await fetch(`${stand.base}/api/agent/confirm`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
	expect(answer.status).toBe(200);
}

describe('a change that comes', () => {
	it('leaves the focus in the message box: what is typed is a message and no answer', async () => {
		const page = await stand.page();
		await asked(page);
		await page.keyboard.type('and make it blue, dear');
		expect(await box(page).inputValue()).toBe('and make it blue, dear');
		expect(confirms()).toBe(0);
	});

	it('is announced, when it comes and after a reload, and takes no focus there either', async () => {
		const page = await stand.page();
		await asked(page);
		const told = page.locator('[aria-live="polite"]', { hasText: /^A change needs your approval: / });
		await told.waitFor({ state: 'attached' });
		await stand.load(page);
		await told.waitFor({ state: 'attached' });
		await expect.poll(() => button(page, 'Accept').isEnabled()).toBe(true);
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
		for (const key of ['a', 'd', 'e', 'Control+Enter']) await page.keyboard.press(key);
		expect(confirms()).toBe(0);
		expect(await button(page, 'Accept').isVisible()).toBe(true);
	});

	it('takes no letter that is held down, or follows at once on the focus', async () => {
		const page = await stand.page();
		await asked(page);
		for (const key of ['a', 'd', 'e', 'Control+Enter']) {
			await page.evaluate(() => document.querySelector<HTMLElement>('.composer textarea')!.focus());
			await page.keyboard.press('ArrowUp');
			await page.keyboard.press(key);
		}
		await settled(page);
		for (const init of [{ key: 'a' }, { key: 'd' }, { key: 'e' }, { key: 'Enter', ctrlKey: true }]) {
			await card(page).evaluate((el, press) => el.dispatchEvent(new KeyboardEvent('keydown', { ...press, repeat: true, bubbles: true })), init);
		}
		expect(confirms()).toBe(0);
		expect(await page.getByRole('form').count()).toBe(0);
		await page.keyboard.press('a');
		await page.getByText('Applied.').waitFor();
		expect(confirms()).toBe(1);
	});

	it('is not accepted with the one before it by a key that is held', async () => {
		const page = await stand.page();
		await asked(page, 'three slides please');
		await toChange(page);
		await page.keyboard.down('a');
		await page.getByText('2 of 3 waiting').waitFor();
		for (let i = 0; i < 5; i++) await page.keyboard.down('a');
		await page.keyboard.up('a');
		await settled(page);
		expect(confirms()).toBe(1);
	});
});

describe('an answer that another tab was before', () => {
	it.each([
		['Accept', 'Discard', 'This was already accepted in another tab or on another device. Your “Discard” was not taken.'],
		['Discard', 'Accept', 'This was already discarded in another tab or on another device. Your “Accept” was not taken.']
	])('with %s says so to whoever pressed %s, before and after the stream tells it', async (first, second, words) => {
		for (const order of ['answer first', 'stream first']) {
			const page = await stand.page();
			await asked(page);
			const verdict = page.getByText(first === 'Accept' ? 'Applied.' : 'Discarded', { exact: true });
			if (order === 'answer first') {
				stand.agent.knobs.holdHeadersMs = 1500;
				stand.agent.cutStreams();
				await elsewhere(first);
				await button(page, second).click();
				await card(page).getByText(words).waitFor();
				expect(await verdict.count()).toBe(0);
				stand.agent.knobs.holdHeadersMs = 0;
			} else {
				let release = () => {};
				const held = new Promise<void>((go) => (release = go));
				await page.route('**/confirm', async (route) => (await held, route.continue()));
				await button(page, second).click();
				await elsewhere(first);
				await verdict.waitFor();
				release();
			}
			await verdict.waitFor();
			await card(page).getByText(words).waitFor();
			await page.context().close();
		}
	});

	it('is seen to say so, though the next change waits below', async () => {
		const page = await stand.page({ height: 640 });
		await asked(page, 'three slides please');
		let release = () => {};
		const held = new Promise<void>((go) => (release = go));
		await page.route('**/confirm', async (route) => (await held, route.continue()));
		await button(page, 'Accept').first().click();
		await elsewhere('Discard');
		await page.getByText('2 of 3 waiting').waitFor();
		release();
		const words = page.getByText('Your “Accept” was not taken.');
		await words.waitFor();
		const within = () =>
			words.evaluate((el) => {
				const [a, list] = [el.getBoundingClientRect(), el.closest('section.list')!.getBoundingClientRect()];
				return a.top >= list.top && a.bottom <= list.bottom;
			});
		await expect.poll(within).toBe(true);
		await settled(page);
		expect(await within()).toBe(true);
	});

	it('takes nothing from the others of the same press', async () => {
		const page = await stand.page();
		await asked(page, 'three slides please');
		stand.agent.knobs.holdHeadersMs = 1500;
		stand.agent.cutStreams();
		await elsewhere('Discard');
		await page.getByRole('button', { name: 'Accept all 3' }).click();
		await page.getByText('They were discarded, accepted, accepted.').waitFor();
		expect(await page.getByText('Your “Accept” was not taken.').count()).toBe(1);
	});
});

describe('an answer that does not get through', () => {
	it('says so in words of its own, keeps the focus, and is given again by Try again', async () => {
		const page = await stand.page();
		await asked(page);
		stand.agent.knobs.down = true;
		await button(page, 'Accept').focus();
		await page.keyboard.press('Enter');
		const told = card(page).getByRole('alert');
		await told.getByText('Your answer was not sent.').waitFor();
		expect(await told.innerText()).not.toContain('message');
		await has(page, 'Accept');
		const [notice, accept] = [(await told.boundingBox())!, (await button(page, 'Accept').boundingBox())!];
		expect(accept.y - (notice.y + notice.height)).toBeGreaterThanOrEqual(8);
		stand.agent.knobs.down = false;
		await told.getByRole('button', { name: 'Try again' }).click();
		await page.getByText('Applied.').waitFor();
		expect(await told.count()).toBe(0);
	});

	it('goes as it was meant: a discard stays a discard', async () => {
		const page = await stand.page();
		await asked(page);
		stand.agent.knobs.refuse = { match: /confirm/, code: 'storage_busy', times: 1 };
		await button(page, 'Discard').click();
		await button(page, 'Try again').click();
		await page.getByText('I left slide 4 as it was.').waitFor();
	});

	it('is not told of any longer when the connection is back', async () => {
		const page = await stand.page();
		await asked(page);
		stand.agent.knobs.down = true;
		stand.agent.cutStreams();
		await button(page, 'Accept').click();
		await card(page).getByText('Your answer was not sent.').waitFor();
		stand.agent.knobs.down = false;
		await card(page).getByText('Your answer was not sent.').waitFor({ state: 'detached', timeout: 20_000 });
		await button(page, 'Accept').click();
		await page.getByText('Applied.').waitFor();
	});
});

describe('an accept that could not be made', () => {
	it.each([
		['unmade', 'Accepted, but it could not be applied.'],
		['unmade again', 'Accepted, but not applied: the app has changed since, and the change could not be made again.']
	])('(%s) says that it was accepted and why nothing was applied', async (text, words) => {
		const page = await stand.page();
		await asked(page, text);
		await button(page, 'Accept').click();
		await card(page).getByText(words).waitFor();
		await card(page).getByText('There is no slide 4.').waitFor();
		expect(await card(page).innerText()).not.toMatch(/Not answered|Start a new conversation/);
	});
});

describe('a message that never arrived', () => {
	it('stays with the conversation that it began, and New conversation begins another', async () => {
		const page = await stand.page();
		stand.agent.knobs.down = true;
		await say(page, 'the first');
		await page.getByText('The server cannot be reached.').waitFor();
		stand.agent.knobs.down = false;
		await button(page, 'New conversation').click();
		expect(await page.locator('.bubble').count()).toBe(0);
		await say(page, 'the second');
		await page.getByText('You said: the second').waitFor();
		expect(await page.locator('.bubble p').allInnerTexts()).toEqual(['the second']);
		await stand.load(page);
		await page.getByText('You said: the second').waitFor();
		await page.getByRole('button', { name: /^Switch conversation/ }).click();
		await page.getByRole('button', { name: 'the first not sent' }).click();
		expect(await page.locator('.bubble p').allInnerTexts()).toEqual(['the first']);
		await button(page, 'Send again').click();
		await page.getByText('You said: the first').waitFor();
		await page.getByRole('button', { name: /^Switch conversation/ }).click();
		await page.getByRole('button', { name: /^the second/ }).waitFor();
		expect(await page.getByText('not sent').count()).toBe(0);
	});
});
