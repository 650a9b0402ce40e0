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

const box = (page: Page) => page.locator('textarea');
const menu = (page: Page) => page.getByRole('button', { name: /^Switch conversation/ });
const fresh = (page: Page) => page.getByRole('button', { name: 'New conversation', exact: true }).first();

describe('the composer', () => {
	it('does not send while an input method composes', async () => {
		const page = await stand.page();
		await box(page).fill('にほん');
		await box(page).evaluate((el) => {
			const key = (init: KeyboardEventInit) => el.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init }));
			key({ isComposing: true });
			key({ keyCode: 229 } as KeyboardEventInit);
		});
		expect(stand.agent.store.turns.size).toBe(0);
		expect(await box(page).inputValue()).toBe('にほん');
		await box(page).press('Enter');
		await page.getByText('You said: にほん').waitFor();
	});

	it('breaks the line with Shift+Enter and grows', async () => {
		const page = await stand.page();
		const before = (await box(page).boundingBox())!.height;
		await box(page).pressSequentially('one');
		await box(page).press('Shift+Enter');
		await box(page).pressSequentially('two');
		expect(await box(page).inputValue()).toBe('one\ntwo');
		expect((await box(page).boundingBox())!.height).toBeGreaterThan(before);
	});

	it('keeps a draft for each conversation, over reloads', async () => {
		const page = await stand.page();
		await say(page, 'first');
		await rest(page);
		await box(page).fill('draft in first');
		await fresh(page).click();
		expect(await box(page).inputValue()).toBe('');
		await box(page).fill('draft in new');
		await menu(page).click();
		await page.getByRole('button', { name: /^first/ }).click();
		await page.getByText('You said: first').waitFor();
		expect(await box(page).inputValue()).toBe('draft in first');
		await stand.load(page);
		await page.getByText('You said: first').waitFor();
		expect(await box(page).inputValue()).toBe('draft in first');
	});

	it('attaches things of the app by @, by keyboard', async () => {
		const page = await stand.page();
		await box(page).pressSequentially('Look at @trac');
		await page.getByRole('option', { name: /Traction/ }).waitFor();
		await box(page).press('Enter');
		await box(page).pressSequentially('please');
		expect(await box(page).inputValue()).toBe('Look at 4 Traction please');
		await box(page).press('Enter');
		await rest(page);
		const turn = [...stand.agent.store.turns.values()][0]!.turn;
		expect(turn.message.attachments).toEqual([{ kind: 'slide', id: '04', title: 'slide 04' }]);
		await page.locator('.bubble .nouns').getByText('slide 04').waitFor();
	});

	it('brings the last message back with the up arrow, and branches from it', async () => {
		const page = await stand.page();
		await say(page, 'one');
		await rest(page);
		await say(page, 'twoo');
		await rest(page);
		await box(page).press('ArrowUp');
		expect(await box(page).inputValue()).toBe('twoo');
		await box(page).fill('two');
		await box(page).press('Enter');
		await page.getByText('You said: two', { exact: true }).waitFor();
		expect(await page.locator('.bubble p').allInnerTexts()).toEqual(['one', 'two']);
	});

	it('shows the limit: at it a message is sent, over it not', async () => {
		const page = await stand.page();
		const most = 200 * 1024;
		await box(page).fill('x'.repeat(most + 1));
		await page.getByText('too long to send').waitFor();
		await box(page).press('Enter');
		expect(stand.agent.store.turns.size).toBe(0);
		await box(page).fill('é'.repeat(most / 2));
		await box(page).press('Enter');
		await expect.poll(() => stand.agent.store.turns.size).toBe(1);
	});
});

describe('conversations', () => {
	it('are searched, renamed, archived, exported and deleted', async () => {
		const page = await stand.page();
		for (const text of ['apples', 'pears']) {
			await fresh(page).click();
			await say(page, text);
			await rest(page);
		}
		await menu(page).click();
		await page.getByRole('searchbox').fill('appl');
		await expect.poll(() => page.locator('.open .title').allInnerTexts()).toEqual(['apples']);
		await page.getByRole('button', { name: 'Actions for apples' }).click();
		const download = page.waitForEvent('download');
		await page.getByRole('button', { name: 'Export', exact: true }).click();
		expect((await download).suggestedFilename()).toBe('conversation.md');
		await page.getByRole('button', { name: 'Rename' }).click();
		await page.getByLabel('Rename').fill('apples and more');
		await page.getByLabel('Rename').press('Enter');
		await page.getByText('apples and more').waitFor();
		await page.getByRole('button', { name: 'Actions for apples and more' }).click();
		await page.getByRole('button', { name: 'Archive', exact: true }).click();
		await page.getByText('No conversation matches.').waitFor();
		await page.getByRole('button', { name: 'Archived' }).click();
		await page.getByText('apples and more').waitFor();
		await page.getByRole('button', { name: 'Actions for apples and more' }).click();
		await page.getByRole('button', { name: 'Delete' }).click();
		await page.getByText('Really delete?').waitFor();
		await page.getByRole('button', { name: 'Delete' }).click();
		await expect.poll(() => stand.agent.store.threads.size).toBe(1);
	});

	it('may be switched while one is being written, and nothing mixes', async () => {
		stand.agent.knobs.pace = 15;
		const page = await stand.page();
		await say(page, 'stream 60');
		await page.getByText('w4 ').first().waitFor();
		await fresh(page).click();
		await say(page, 'hello');
		await page.getByText('You said: hello').waitFor();
		expect(await page.locator('.answer').allInnerTexts()).toHaveLength(1);
		await menu(page).click();
		await page.getByRole('button', { name: /^stream 60/ }).click();
		await page.getByText('w59').waitFor();
		await rest(page);
		const words = (await page.locator('.answer').innerText()).match(/w\d+/g);
		expect(words).toEqual(Array.from({ length: 60 }, (_, i) => `w${i}`));
	});

	it('that are deleted elsewhere make room for a new one', async () => {
		const page = await stand.page();
		await say(page, 'hello');
		await rest(page);
		const id = [...stand.agent.store.threads.keys()][0];
		await page.evaluate((x) => fetch(`/api/agent/threads/${x}`, { method: 'DELETE' }), id);
		await page.getByText('What shall we do in Dididecks?').waitFor();
	});

	it('open at their end, and older turns come when one scrolls up', async () => {
		for (let i = 0, thread = ''; i < 45; i++) {
			const t = stand.agent.start({ projectId: 'demo-deck', text: `message ${i}`, threadId: thread || undefined });
			thread = t.turn.threadId;
			await expect.poll(() => t.turn.state).toBe('completed');
		}
		const page = await stand.page();
		await menu(page).click();
		await page.getByRole('button', { name: /^message 0/ }).click();
		await page.getByText('You said: message 44').waitFor();
		const list = page.locator('section.list');
		await expect
			.poll(() => list.evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop))
			.toBeLessThan(5);
		expect(await page.locator('.turn').count()).toBe(30);
		await list.hover();
		await page.mouse.wheel(0, -100_000);
		await expect.poll(() => page.locator('.turn').count()).toBe(45);
		await page.getByRole('button', { name: 'Jump to latest' }).click();
		await expect
			.poll(() => list.evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop))
			.toBeLessThan(5);
	});

	it('do not pull down a reader who has scrolled up', async () => {
		stand.agent.knobs.pace = 8;
		const page = await stand.page({ height: 500 });
		await say(page, 'stream 900');
		await page.getByText('w300 ').first().waitFor();
		await page.locator('section.list').hover();
		await page.mouse.wheel(0, -120);
		await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
		const top = await page.locator('section.list').evaluate((el) => el.scrollTop);
		await page.getByText('w500 ').first().waitFor();
		expect(Math.abs((await page.locator('section.list').evaluate((el) => el.scrollTop)) - top)).toBeLessThan(3);
		await page.getByRole('button', { name: 'Stop' }).click();
	});
});

describe('the page around it', () => {
	it('keeps every style of its own: no rule of ours matches outside the panel', async () => {
		const page = await stand.page();
		const leaks = await page.evaluate(() => {
			const own = ['html, body', 'html', 'body', 'button', '#host', '#panel', 'body.beside #host', 'body.beside #panel'];
			const out: string[] = [];
			const visit = (rules: CSSRuleList) => {
				for (const rule of rules) {
					if (rule instanceof CSSStyleRule) {
						if (own.includes(rule.selectorText)) continue;
						const bare = rule.selectorText.replace(/::[\w-]+(\([^)]*\))?/g, '');
						for (const el of document.querySelectorAll(bare)) {
							if (!el.closest('.iaa')) out.push(`${rule.selectorText} matches ${el.tagName}`);
						}
					} else if ('cssRules' in rule) visit((rule as CSSGroupingRule).cssRules);
				}
			};
			for (const sheet of document.styleSheets) visit(sheet.cssRules);
			return out;
		});
		expect(leaks).toEqual([]);
	});

	it('does not change how the panel looks: its buttons stay as they are', async () => {
		const page = await stand.page();
		const how = await page.getByRole('button', { name: 'Settings' }).evaluate((el) => {
			const s = getComputedStyle(el);
			return [s.textTransform, s.letterSpacing, s.fontFamily.includes('Georgia')];
		});
		expect(how).toEqual(['none', 'normal', false]);
	});

	it('is told that the panel should close', async () => {
		const page = await stand.page();
		await page.getByRole('button', { name: 'Close' }).click();
		const closed = await page.evaluate(() => (window as never as { seenByHost: { closed(): number } }).seenByHost.closed());
		expect(closed).toBe(1);
	});

	it.each([320, 390, 800])('never scrolls sideways at %i px', async (width) => {
		const page = await stand.page({ width, height: 700 });
		await say(page, 'markdown');
		await rest(page);
		await say(page, 'everything');
		await page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
		const wide = await page.evaluate(() => {
			const root = document.querySelector('.iaa')!;
			const list = root.querySelector('section.list')!;
			return [root.scrollWidth - root.clientWidth, list.scrollWidth - list.clientWidth];
		});
		expect(wide).toEqual([0, 0]);
	});

	it('holds still where motion is not wanted', async () => {
		stand.agent.knobs.pace = 30;
		const page = await stand.page({ reducedMotion: 'reduce' });
		await say(page, 'give me a variant');
		await page.locator('.cast').waitFor();
		const moving = await page.evaluate(() => document.getAnimations().filter((a) => a instanceof CSSAnimation).length);
		expect(moving).toBe(0);
	});

	it('announces a turn at most three times', async () => {
		stand.agent.knobs.pace = 60;
		const page = await stand.page();
		await page.evaluate(() => {
			const said: string[] = [];
			Object.assign(window, { said });
			const live = document.querySelector('[aria-live]')!;
			new MutationObserver(() => said.push(live.textContent ?? '')).observe(live, { childList: true, characterData: true, subtree: true });
		});
		await say(page, 'give me a variant of slide 4');
		await page.getByRole('button', { name: 'Accept', exact: true }).click();
		await page.getByText('Done: slide 4').waitFor();
		await rest(page);
		const said = await page.evaluate(() => (window as never as { said: string[] }).said);
		expect(said).toEqual([
			'The agent is working.',
			'A change needs your approval: A Chroma-style variant of slide 4, on a branch of its own',
			'The answer is finished.'
		]);
	});
});
