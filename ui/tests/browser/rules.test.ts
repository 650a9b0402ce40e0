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
	stand = await Stand.open(browser, { pace: 3, remember: true });
});
afterEach(async () => {
	const { errors, foreign } = stand;
	await stand.close();
	expect(errors, 'errors of the page').toEqual([]);
	expect(foreign, 'requests to other places').toEqual([]);
});

const TEXT = 'give me a variant of slide 4';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const card = (page: Page) => page.getByRole('region', { name: /^Proposed change/ }).last();
const choice = (page: Page) => page.getByRole('group', { name: 'Always allow this?' });
const settings = (page: Page) => page.getByRole('dialog', { name: 'Settings' });
const rows = (page: Page) => settings(page).getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Revoke: / }) });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, ' ').trim() ?? '');
const confirms = () => stand.agent.requests.filter((r) => r === 'POST /confirm').length;

/** Asks for a change and waits until it can be answered. */
async function propose(page: Page, text = TEXT) {
	await say(page, text);
	await expect.poll(() => button(page, 'Accept').last().isEnabled()).toBe(true);
}

/** Accepts a change for always. */
async function allow(page: Page, text = TEXT) {
	await propose(page, text);
	await button(page, 'Always allow…').click();
	await button(page, 'Accept and always allow').click();
	await card(page).getByText('Always allowed from now on.').waitFor();
	await rest(page);
}

describe('"always allow"', () => {
	it('is offered only where the preview says that it may be', async () => {
		stand.agent.knobs.remember = false;
		const page = await stand.page();
		await propose(page);
		expect(await button(page, 'Always allow…').count()).toBe(0);
	});

	it('says before what it would cover, and does nothing until that is pressed', async () => {
		const page = await stand.page();
		await propose(page);
		await button(page, 'Always allow…').click();
		const text = (await choice(page).innerText()).replace(/\s+/g, ' ');
		expect(text).toContain('What Variant of a slide');
		expect(text).toContain('Only on slides/04-traction.html, in this project');
		expect(text).toContain('Slide 04 Style chroma Layout keep Warmth at most 7 Dark Yes Colours ["#1b1147","#c2247c"] Notes anything');
		expect(text).toContain('Until 30 days from now, or until you revoke it');
		await button(page, 'Cancel').click();
		await expect.poll(() => focused(page)).toBe('Always allow…');
		expect([await choice(page).count(), confirms()]).toEqual([0, 0]);
		await button(page, 'Accept').click();
		await card(page).getByText('Applied.').waitFor();
		expect(stand.agent.store.permissions).toEqual([]);
		expect(await card(page).getByText('Always allowed').count()).toBe(0);
	});

	it('is not taken by a double press that opens it', async () => {
		const page = await stand.page();
		await propose(page);
		await button(page, 'Always allow…').dblclick();
		await choice(page).waitFor();
		await expect.poll(() => button(page, 'Accept and always allow').isEnabled()).toBe(true);
		expect([confirms(), stand.agent.store.permissions]).toEqual([0, []]);
	});

	it('is reached, left and taken by keyboard, and leads to the rule and back', async () => {
		const page = await stand.page();
		await propose(page);
		const always = button(page, 'Always allow…');
		await always.focus();
		await page.keyboard.press('Enter');
		await choice(page).waitFor();
		await page.waitForTimeout(300); // whatever follows the end of the list has done so
		expect(await choice(page).evaluate((g) => g.getBoundingClientRect().bottom <= g.closest('.list')!.getBoundingClientRect().bottom)).toBe(true);
		await page.keyboard.press('Enter'); // a second press of the same key means nothing
		expect(await choice(page).evaluate((group) => group === document.activeElement)).toBe(true);
		await page.keyboard.press('Escape');
		await expect.poll(() => focused(page)).toBe('Always allow…');
		expect([await choice(page).count(), confirms()]).toEqual([0, 0]);
		expect(await page.evaluate(() => (window as never as { seenByHost: { escaped(): number } }).seenByHost.escaped())).toBe(0);
		await page.keyboard.press('Enter');
		await expect.poll(() => button(page, 'Accept and always allow').isEnabled()).toBe(true);
		await page.keyboard.press('Tab');
		expect(await focused(page)).toBe('Accept and always allow');
		await page.keyboard.press('Enter');
		await card(page).getByText('Applied.').waitFor();
		expect(stand.agent.store.permissions.length).toBe(1);
		await rest(page);
		await button(page, 'See in Settings').focus();
		await page.keyboard.press('Enter');
		await rows(page).waitFor();
		await expect.poll(() => focused(page)).toContain('Variant of a slide');
		await page.keyboard.press('Escape');
		await expect.poll(() => focused(page)).toBe('See in Settings');
		await stand.load(page);
		await card(page).getByText('Always allowed from now on.').waitFor();
	});

	it('is not decided where it may not be remembered any more: the change still waits', async () => {
		const page = await stand.page();
		await propose(page);
		stand.agent.knobs.remember = false;
		await button(page, 'Always allow…').click();
		await button(page, 'Accept and always allow').click();
		const alert = card(page).getByRole('alert');
		await alert.getByText('Your organization does not let this be remembered.').waitFor();
		await alert.getByText('Accept it without remembering it.').waitFor();
		await button(page, 'Accept').click();
		await card(page).getByText('Applied.').waitFor();
	});

	it('is dropped with an accept of what has moved: the new preview asks again', async () => {
		const page = await stand.page();
		await propose(page, 'stale please');
		await button(page, 'Always allow…').click();
		await button(page, 'Accept and always allow').click();
		await page.getByText('This is the new preview').waitFor();
		expect([await choice(page).count(), stand.agent.store.permissions.length]).toEqual([0, 0]);
	});
});

describe('a change that a rule accepted', () => {
	it('is made without asking, says so, and leads to the rule', async () => {
		const page = await stand.page();
		await allow(page);
		await page.evaluate(() => {
			const said: string[] = [];
			const live = document.querySelector('[aria-live]')!;
			new MutationObserver(() => said.push(live.textContent!)).observe(live, { childList: true, characterData: true, subtree: true });
			Object.assign(window, { said });
		});
		stand.agent.knobs.pace = 60; // so that what is said one after the other comes in frames of its own
		await say(page, TEXT);
		await card(page).getByText('Allowed by your rule.').waitFor();
		await rest(page);
		expect([await button(page, 'Accept').count(), confirms()]).toEqual([0, 1]);
		await card(page).getByText('Applied.').waitFor();
		const said = await page.evaluate(() => (window as never as { said: string[] }).said);
		expect(said).toContain('A change was allowed by your rule.');
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
		await button(page, 'See or revoke it').click();
		await rows(page).waitFor();
		expect((await rows(page).innerText()).replace(/\s+/g, ' ')).toContain('Used once, this minute');
	});

	it('can be taken back', async () => {
		const page = await stand.page();
		await allow(page);
		await say(page, TEXT);
		await card(page).getByText('Allowed by your rule.').waitFor();
		await rest(page);
		await card(page).getByRole('button', { name: 'Undo', exact: true }).click();
		await card(page).getByText('Undone.').waitFor();
		await card(page).getByText('Allowed by your rule.').waitFor();
	});

	it('is asked for again once the rule is revoked, and its card leads to what became of the rule', async () => {
		const page = await stand.page();
		await allow(page);
		await say(page, TEXT);
		await card(page).getByText('Allowed by your rule.').waitFor();
		await rest(page);
		stand.agent.store.permissions = [];
		await button(page, 'See or revoke it').click();
		await settings(page).getByText('That rule has ended: it was revoked, or its time is over.').waitFor();
		await expect.poll(() => focused(page)).toBe('Always allowed');
		await page.keyboard.press('Escape');
		await propose(page);
	});
});

describe('the settings', () => {
	const open = async (page: Page) => button(page, 'Settings').click();

	it('list what is always allowed: what, on what, with what, until when, how often', async () => {
		const page = await stand.page();
		await allow(page);
		stand.agent.store.permissions[0]!.uses = 3;
		stand.agent.store.permissions[0]!.usedAt = Date.now() - 2 * 3600_000;
		await open(page);
		await rows(page).waitFor();
		const text = (await rows(page).innerText()).replace(/\s+/g, ' ');
		expect(text).toContain('Variant of a slide Revoke A Chroma-style variant of slide 4, on a branch of its own');
		expect(text).toContain('Only on slides/04-traction.html, in this project');
		expect(text).toContain('Slide 04 Style chroma Layout keep Warmth at most 7 Dark Yes');
		expect(text).toContain('Notes anything');
		expect(text).toMatch(/Until \w{3} \d+, \d{4}/);
		expect(text).toContain('Used 3 times, last 2 hours ago');
		expect(text).not.toContain('Not in force');
	});

	it('say that nothing is, and how it comes to be', async () => {
		const page = await stand.page();
		await open(page);
		await settings(page).getByText('Nothing yet. Where a proposed change may be remembered').waitFor();
		expect(await rows(page).count()).toBe(0);
	});

	it('say of a rule that does not act why that is', async () => {
		const page = await stand.page();
		await allow(page);
		const rule = stand.agent.store.permissions[0]!;
		rule.inForce = false;
		stand.agent.store.permissions = [rule, { ...rule, id: 'perm_gone', capability: 'slide.gone', title: 'Old', projectId: 'other-deck' }];
		await open(page);
		await rows(page).nth(1).waitFor();
		const [now, gone] = await rows(page).allInnerTexts();
		expect(now).toContain('Not in force');
		expect(now).toContain('Your organisation’s policy or your role does not let it act now.');
		expect(gone).toContain('This is not offered to you here any more.');
		expect(gone).toContain('in project other-deck');
	});

	it('revoke one after asking, by keyboard, and the next time is asked for', async () => {
		const page = await stand.page();
		await allow(page);
		await open(page);
		const revoke = button(page, 'Revoke: Variant of a slide');
		await revoke.focus();
		await page.keyboard.press('Enter');
		await expect.poll(() => focused(page)).toBe('Cancel');
		await page.keyboard.press('Escape');
		expect(await revoke.evaluate((b) => b === document.activeElement)).toBe(true);
		expect([await settings(page).count(), stand.agent.store.permissions.length]).toEqual([1, 1]);
		await page.keyboard.press('Enter');
		await settings(page).getByText('Really revoke?').waitFor();
		await page.keyboard.press('Shift+Tab');
		expect(await focused(page)).toBe('Revoke');
		await page.keyboard.press('Enter');
		await settings(page).getByText('Revoked. You are asked again from now on.').waitFor();
		expect([await rows(page).count(), stand.agent.store.permissions.length, await focused(page)]).toEqual([0, 0, 'Always allowed']);
		await page.keyboard.press('Escape');
		await propose(page);
	});

	it('keep a rule that could not be revoked, and say why', async () => {
		const page = await stand.page();
		await allow(page);
		await open(page);
		stand.agent.knobs.refuse = { match: /DELETE \/permissions/, code: 'storage_busy', times: 1 };
		await button(page, 'Revoke: Variant of a slide').click();
		await rows(page).getByRole('button', { name: 'Revoke', exact: true }).click();
		await rows(page).getByRole('alert').getByText('Refused with storage_busy.').waitFor();
		await rows(page).getByRole('button', { name: 'Revoke', exact: true }).click();
		await rows(page).waitFor({ state: 'detached' });
	});

	it('say that the list could not be loaded, and load it when asked again', async () => {
		const page = await stand.page();
		await allow(page);
		stand.agent.knobs.refuse = { match: /GET \/permissions/, code: 'overloaded', times: 1 };
		await open(page);
		await settings(page).getByRole('alert').getByText('Refused with overloaded.').waitFor();
		expect(await settings(page).getByText('Nothing yet.').count()).toBe(0);
		await button(page, 'Try again').click();
		await rows(page).waitFor();
		expect(await settings(page).getByRole('alert').count()).toBe(0);
	});

	it('say once that there is no connection, and go on when there is', async () => {
		const page = await stand.page();
		await allow(page);
		stand.agent.knobs.down = true;
		await open(page);
		await settings(page).getByRole('alert').waitFor();
		expect(await settings(page).getByRole('alert').count()).toBe(1);
		stand.agent.knobs.down = false;
		await settings(page).getByRole('button', { name: 'Try again' }).click();
		await rows(page).waitFor();
		expect(await settings(page).getByRole('alert').count()).toBe(0);
	});
});
