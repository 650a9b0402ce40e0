import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, rest, say, settled, Stand, toChange } from './harness.ts';

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
const cards = (page: Page) => page.getByRole('region', { name: /^Proposed change/ });
const bar = (page: Page) => page.getByRole('group', { name: 'Changes to review' });
/** The name of the change that has the focus, or of what else has it. */
const at = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
const change = (n: number) => `Proposed change: Changed slide ${n}`;

/** Asks for three changes and waits until they can be answered. */
async function three(page: Page) {
	await say(page, 'three slides please');
	await bar(page).getByText('3 of 3 waiting').waitFor();
	await expect.poll(() => accept(page).last().isEnabled()).toBe(true);
}

describe('several changes', () => {
	it('are gone through by j and k, around both ends, and answered by a and d', async () => {
		const page = await stand.page();
		await three(page);
		await toChange(page);
		expect(await at(page)).toBe(change(2));
		await page.keyboard.press('j');
		expect(await at(page)).toBe(change(5));
		await page.keyboard.press('j');
		await page.keyboard.press('j');
		expect(await at(page)).toBe(change(2));
		await page.keyboard.press('k');
		expect(await at(page)).toBe(change(8));
		await settled(page);
		await page.keyboard.press('a');
		await bar(page).getByText('2 of 3 waiting').waitFor();
		await expect.poll(() => at(page)).toBe(change(2));
		await settled(page);
		await page.keyboard.press('d');
		await bar(page).getByText('1 of 3 waiting').waitFor();
		await expect.poll(() => at(page)).toBe(change(5));
		await settled(page);
		await page.keyboard.press('a');
		await page.getByText('They were discarded, accepted, accepted.').waitFor();
		await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
		expect(await bar(page).count()).toBe(0);
	});

	it.each([640, 480])('are read from their start, the first one and each next one, at %i px of height', async (height) => {
		const page = await stand.page({ height });
		await three(page);
		const below = (n: number) =>
			cards(page).nth(n).evaluate((el) => Math.round(el.getBoundingClientRect().top - el.closest('section.list')!.getBoundingClientRect().top));
		await expect.poll(() => below(0)).toBeGreaterThanOrEqual(0);
		await toChange(page);
		await page.keyboard.press('a');
		await bar(page).getByText('2 of 3 waiting').waitFor();
		await cards(page).first().getByText('Look at the change').waitFor();
		await expect.poll(() => below(1)).toBeGreaterThanOrEqual(0);
		expect(await below(1)).toBeLessThan(120);
		await page.keyboard.press('j');
		await page.keyboard.press('k');
		await settled(page);
		await page.keyboard.press('d');
		await bar(page).getByText('1 of 3 waiting').waitFor();
		await page.getByText('Look at the change').nth(1).waitFor();
		await expect.poll(() => at(page)).toBe(change(8));
		await expect.poll(() => below(2)).toBeGreaterThanOrEqual(0);
	});

	it('are skipped by the buttons of the bar, which count from the change in view', async () => {
		const page = await stand.page();
		await three(page);
		await bar(page).getByRole('button', { name: 'Next change' }).click();
		expect(await at(page)).toBe(change(5));
		await bar(page).getByRole('button', { name: 'Previous change' }).click();
		expect(await at(page)).toBe(change(2));
		await bar(page).getByRole('button', { name: 'Previous change' }).click();
		expect(await at(page)).toBe(change(8));
		expect(await cards(page).last().evaluate((el) => el.getBoundingClientRect().top >= 0)).toBe(true);
	});

	it('are accepted all at once by what is left after one was discarded', async () => {
		const page = await stand.page();
		await three(page);
		await cards(page).nth(1).getByRole('button', { name: 'Discard' }).click();
		await bar(page).getByText('2 of 3 waiting').waitFor();
		await bar(page).getByRole('button', { name: 'Accept all 2' }).click();
		await page.getByText('They were accepted, discarded, accepted.').waitFor();
	});

	it('are discarded all at once', async () => {
		const page = await stand.page();
		await three(page);
		await bar(page).getByRole('button', { name: 'Discard all' }).click();
		await page.getByText('They were discarded, discarded, discarded.').waitFor();
	});

	it('are not answered together while one is being edited', async () => {
		const page = await stand.page();
		await three(page);
		await toChange(page);
		await page.keyboard.press('e');
		await page.getByRole('form', { name: 'Edit before you accept' }).waitFor();
		const all = bar(page).getByRole('button', { name: /^Accept all/ });
		expect([await all.isDisabled(), await all.getAttribute('title')]).toEqual([true, 'Finish or cancel your edit first']);
		await page.keyboard.press('Escape');
		await expect.poll(() => all.isEnabled()).toBe(true);
	});

	it('take no letter that is written into the message or on a button', async () => {
		const page = await stand.page();
		await three(page);
		await page.locator('textarea').pressSequentially('a dj');
		expect(await page.locator('textarea').inputValue()).toBe('a dj');
		await cards(page).first().getByRole('button', { name: 'Discard' }).focus();
		await page.keyboard.press('a');
		expect(await bar(page).innerText()).toContain('3 of 3 waiting');
		expect(stand.agent.requests.some((r) => r.includes('confirm'))).toBe(false);
	});
});

describe('a change that moved while it waited', () => {
	it.each([
		[430, 'below'],
		[900, 'beside']
	])('is refused, and its new preview stands with the old one in view, at %i px %s it', async (width, where) => {
		const page = await stand.page({ width, height: 1000 });
		await say(page, 'stale please');
		await accept(page).click();
		await page.getByText('Not accepted: the app has changed since you saw this. Nothing was applied.').waitFor();
		const [now, saw] = [page.getByRole('group', { name: 'What it is now' }), page.getByRole('group', { name: 'What you saw' })];
		await now.locator('td.text', { hasText: '4 paid' }).first().waitFor();
		expect(await now.locator('.lines').innerText()).toContain('4 paid');
		expect(await saw.locator('.lines').innerText()).not.toContain('4 paid');
		const [a, b] = [(await now.boundingBox())!, (await saw.boundingBox())!];
		if (where === 'beside') expect(a.x).toBeGreaterThan(b.x + b.width - 1);
		else expect(b.y).toBeGreaterThan(a.y + a.height - 1);
		expect(await page.evaluate(() => (window as never as { seenByHost: { applied: unknown[] } }).seenByHost.applied)).toEqual([]);
		await page.getByRole('button', { name: 'What it is now' }).click();
		expect(await saw.count()).toBe(0);
		await accept(page).click();
		await page.getByText('It was accepted.').waitFor();
	});

	it('says so while the new preview is made, which keeps the focus that the old one had', async () => {
		stand.agent.knobs.pace = 400;
		const page = await stand.page();
		await say(page, 'stale please');
		await expect.poll(() => accept(page).isEnabled().catch(() => false), { timeout: 10_000 }).toBe(true);
		await toChange(page);
		await page.keyboard.press('a');
		await page.getByText('A new preview is being made…').waitFor();
		await page.getByText('This is the new preview').waitFor();
		await expect.poll(() => at(page)).toMatch(/^Proposed change/);
		await expect
			.poll(() => page.locator('.preview').evaluate((el) => el.getBoundingClientRect().top - el.closest('section.list')!.getBoundingClientRect().top))
			.toBeGreaterThanOrEqual(0);
	});
});

describe('a diff', () => {
	it.each([
		[390, 'Before and after'],
		[900, 'Side by side']
	])('at %i px is compared as %s, without scrolling sideways', async (width, name) => {
		const page = await stand.page({ width, height: 900 });
		await say(page, 'give me a variant of slide 4');
		await accept(page).waitFor();
		await page.getByRole('button', { name }).click();
		const lines = page.locator('.lines');
		expect(await lines.evaluate((el) => el.scrollWidth - el.clientWidth)).toBe(0);
		const heads = await lines.locator('th').allInnerTexts();
		expect(heads).toEqual(name === 'Before and after' ? ['Before', 'After', 'Before', 'After'] : []);
		await rest(page);
	});

	const head = '--- a/x\n+++ b/x\n';
	const raw = 'This is not a well-formed diff, so it is shown as it came.';
	it.each([
		['raw text of several lines under counts of one', `${head}@@ -1 +1 @@\n-one\ntwo\n+one\nsecret`],
		['a heading of a hunk that the text brought', `${head}@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-never there\n+c`],
		['lines after the last hunk', `${head}@@ -1 +1 @@\n-a\n+b\nsecret`]
	])('that is none is shown whole, as it came: %s', async (_, text) => {
		const page = await stand.page({ height: 900 });
		await say(page, `artifact diff:${text}`);
		await accept(page).waitFor();
		await page.getByText(raw).waitFor();
		expect(await page.locator('.artifact pre').textContent()).toBe(text);
		expect(await page.locator('.artifact table').count()).toBe(0);
	});

	it.each(['Unified', 'Before and after'])('has every line in its view, also those that look like headings: %s', async (mode) => {
		const lines = [' a', '--- a/y', '+++ b/y', '-@@ -1 +1 @@', '+@@ -7 +7 @@', '+\u202egnp', ' z'];
		const page = await stand.page({ height: 900, width: 390 });
		await say(page, `artifact diff:diff --git a/x b/x\n${head}@@ -1,4 +1,5 @@ part\n${lines.join('\n')}\n\\ No newline at end of file`);
		await accept(page).waitFor();
		await page.getByRole('button', { name: mode }).click();
		const shown = await page.locator('.artifact td').allTextContents();
		for (const line of lines) expect(shown.map((t) => t.replace(/^(added|removed) ?/, ''))).toContain(line.slice(1).replace('\u202e', '[U+202E]'));
		for (const other of ['diff --git a/x b/x', 'part', 'No newline at end of file']) expect(shown).toContain(other);
		expect(await page.getByText(raw).count()).toBe(0);
	});
});

describe('what a change shows besides its diff', () => {
	it.each(['html', 'markdown'])('can be read as it came where it is drawn: %s', async (kind) => {
		const text = '# Title\n<!-- a comment -->\n[unused]: https://example.com';
		const page = await stand.page({ height: 900 });
		await say(page, `artifact ${kind}:${text}`);
		await accept(page).waitFor();
		await page.getByText('As it came').click();
		expect(await page.locator('.source pre').textContent()).toBe(text);
	});

	it('shows JSON with each name that is there twice and each digit', async () => {
		const page = await stand.page({ height: 900 });
		await say(page, 'artifact json:{"a":1,"a":12345678901234567890}');
		await accept(page).waitFor();
		expect(await page.locator('.artifact pre').textContent()).toBe('{\n  "a": 1,\n  "a": 12345678901234567890\n}');
	});
});

describe('a low panel', () => {
	it.each([
		[640, 400],
		[320, 568],
		[390, 844]
	])('leaves half of its height to the change that waits, at %i by %i px', async (width, height) => {
		stand.agent.knobs.remember = true;
		const page = await stand.page({ width, height });
		await say(page, 'give me a variant of slide 4');
		await accept(page).waitFor();
		await page.waitForTimeout(400);
		const [list, panel] = [(await page.locator('section.list').boundingBox())!, (await page.locator('.iaa').boundingBox())!];
		const covered = await page.locator('.preview footer').evaluate((el) =>
			getComputedStyle(el).position === 'sticky' ? el.getBoundingClientRect().height : 0
		);
		expect((list.height - covered) / panel.height).toBeGreaterThanOrEqual(0.5);
		await expect.poll(() => accept(page).isEnabled()).toBe(true);
		await accept(page).click();
		await page.getByText('Done: slide 4 has its new look.').waitFor();
	});
});

describe('a text that turns the reading direction around', () => {
	it('is shown by the name of its character in every place', async () => {
		const page = await stand.page();
		await say(page, 'artifact file:\u202egnp.exe');
		await accept(page).waitFor();
		expect((await cards(page).innerText()).match(/\[U\+202E\]gnp\.exe/g)!.length).toBeGreaterThanOrEqual(2);
		await page.getByRole('button', { name: 'Discard' }).click();
		await page.getByText('It was discarded.').waitFor();
		expect(await page.locator('.iaa').innerText()).not.toContain('\u202e');
		await say(page, 'echo: read `a\u202eb` and **c\u202ed**');
		await rest(page);
		await page.getByRole('button', { name: /^Switch/ }).click();
		await page.getByRole('button', { name: /^Actions for/ }).first().waitFor();
		const all = await page.locator('.iaa').evaluate((el) => [el.textContent, ...[...el.querySelectorAll('[aria-label]')].map((e) => e.getAttribute('aria-label'))].join());
		expect(all).toContain('a[U+202E]b');
		expect(all).not.toContain('\u202e');
	});
});
