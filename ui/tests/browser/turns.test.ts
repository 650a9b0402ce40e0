import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, rest, say, Stand, toChange } from './harness.ts';

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
	const { errors, foreign } = stand;
	await stand.close();
	expect(errors, 'errors of the page').toEqual([]);
	expect(foreign, 'requests to other places').toEqual([]);
});

const accept = (page: Page) => page.getByRole('button', { name: 'Accept', exact: true });
const discard = (page: Page) => page.getByRole('button', { name: 'Discard', exact: true });
const bubbles = (page: Page) => page.locator('.bubble p').allInnerTexts();
const host = (page: Page) =>
	page.evaluate(() => {
		const { applied, closed } = (window as never as { seenByHost: { applied: { capability: string }[]; closed(): number } }).seenByHost;
		return { applied: applied.map((a) => a.capability), closed: closed() };
	});

describe('a message', () => {
	it('is shown at once, answered, and there after a reload', async () => {
		const page = await stand.page();
		await say(page, 'hello there');
		expect(await bubbles(page)).toEqual(['hello there']);
		await page.getByText('You said: hello there').waitFor();
		await page.getByText('Scripted model: no key, no cost').waitFor();
		await stand.load(page);
		await page.getByText('You said: hello there').waitFor();
	});

	it('goes on through a reload in the middle of its answer', async () => {
		stand.agent.knobs.pace = 15;
		const page = await stand.page();
		await say(page, 'stream 60');
		await page.getByText('w5 ').first().waitFor();
		await stand.load(page);
		await page.getByText('w59').waitFor();
		await rest(page);
		const text = await page.locator('.answer').innerText();
		const words = text.match(/w\d+/g)?.map((w) => Number(w.slice(1)));
		expect(words).toEqual(Array.from({ length: 60 }, (_, i) => i));
	});

	it('goes on over cut connections, every word once', async () => {
		stand.agent.knobs.pace = 10;
		const page = await stand.page();
		await say(page, 'stream 80');
		for (const at of [10, 30, 55]) {
			await page.getByText(`w${at} `).first().waitFor();
			stand.agent.cutStreams();
		}
		await rest(page);
		const words = (await page.locator('.answer').innerText()).match(/w\d+/g);
		expect(words).toEqual(Array.from({ length: 80 }, (_, i) => `w${i}`));
	});

	it('that never arrived is sent again as the same one, never twice', async () => {
		const page = await stand.page();
		await say(page, 'first');
		await rest(page);
		stand.agent.knobs.down = true;
		await say(page, 'on a train');
		await page.getByText('The server cannot be reached.').waitFor();
		await stand.load(page).catch(() => {});
		stand.agent.knobs.down = false;
		await stand.load(page);
		await page.getByRole('button', { name: 'Send again' }).click();
		await page.getByText('You said: on a train').waitFor();
		expect(stand.agent.store.turns.size).toBe(2);
	});

	it('is sent by itself when the line is back', async () => {
		const page = await stand.page();
		await say(page, 'first');
		await rest(page);
		stand.agent.knobs.down = true;
		stand.agent.cutStreams();
		await say(page, 'on a train');
		await page.getByText('Connection lost').waitFor();
		stand.agent.knobs.down = false;
		await page.getByText('You said: on a train').waitFor();
		expect(stand.agent.store.turns.size).toBe(2);
	});

	it('waits while an answer is written, at most one, and is sent when it ends', async () => {
		stand.agent.knobs.pace = 10;
		const page = await stand.page();
		await say(page, 'stream 50');
		await page.getByText('w3 ').first().waitFor();
		await page.locator('textarea').fill('and then this');
		await page.getByRole('button', { name: 'Send next' }).click();
		await page.getByText('Sent when this answer is finished').waitFor();
		await page.locator('textarea').fill('one more');
		expect(await page.getByRole('button', { name: 'Send next' }).isDisabled()).toBe(true);
		await page.getByText('You said: and then this').waitFor();
		expect(await page.locator('textarea').inputValue()).toBe('one more');
	});

	it('is stopped on the server, and what was written is kept', async () => {
		const page = await stand.page();
		await say(page, 'slow please');
		await page.getByText('word3').waitFor();
		await page.getByRole('button', { name: 'Stop' }).click();
		await page.getByText('Stopped. What was written is kept.').waitFor();
		expect([...stand.agent.store.turns.values()][0]?.turn.state).toBe('canceled');
		await page.getByText('word3').waitFor();
	});

	it('shows what went wrong inline, with what to do next', async () => {
		const page = await stand.page();
		await say(page, 'fail provider_error');
		const alert = page.getByRole('alert');
		await alert.getByText('Try again.').waitFor();
		await page.getByText('I began to').waitFor();
		await alert.getByRole('button', { name: 'Ask again' }).click();
		await expect.poll(() => stand.agent.store.turns.size).toBe(2);
	});

	it('says that a step was taken back and asked again', async () => {
		const page = await stand.page();
		await say(page, 'restart please');
		await rest(page);
		const text = await page.locator('.answer').innerText();
		expect(text).toContain('kept block.');
		expect(text).toContain('this is what counts.');
		expect(text).toContain('this part is asked again');
		expect(text).not.toContain('taken back');
	});
});

describe('a change that waits', () => {
	it('is accepted by keyboard from the message box, told to the host, and gives the focus back', async () => {
		const page = await stand.page();
		await say(page, 'give me a variant of slide 4');
		await accept(page).waitFor();
		expect(await host(page)).toMatchObject({ applied: [] });
		await expect.poll(() => accept(page).isEnabled()).toBe(true);
		await page.getByText('Arrow up goes to the change that waits').waitFor();
		await toChange(page);
		for (let i = 0; i < 12 && !(await accept(page).evaluate((b) => b === document.activeElement)); i++) {
			await page.keyboard.press('Tab');
		}
		await page.keyboard.press('Enter');
		await page.getByText('Applied.').waitFor();
		await page.getByText('Done: slide 4 has its new look.').waitFor();
		expect(await host(page)).toMatchObject({ applied: ['slide.variant'] });
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
	});

	it('does not take the focus from somebody who is writing', async () => {
		stand.agent.knobs.pace = 30;
		const page = await stand.page();
		await say(page, 'give me a variant of slide 4');
		await page.locator('textarea').pressSequentially('my next thought', { delay: 20 });
		await accept(page).waitFor();
		await page.locator('textarea').pressSequentially('!');
		expect(await page.locator('textarea').inputValue()).toBe('my next thought!');
	});

	it('is discarded and nothing is applied', async () => {
		const page = await stand.page();
		await say(page, 'give me a variant of slide 4');
		await discard(page).click();
		await page.getByText('I left slide 4 as it was.').waitFor();
		expect(await host(page)).toMatchObject({ applied: [] });
	});

	it('that went stale is shown again, and the new one can be accepted', async () => {
		const page = await stand.page();
		await say(page, 'stale please');
		await accept(page).click();
		await page.getByText('This is the new preview').waitFor();
		await accept(page).click();
		await page.getByText('It was accepted.').waitFor();
	});

	it('that expired cannot be answered', async () => {
		const page = await stand.page();
		await say(page, 'expired please');
		await page.getByText('Expired. Nothing was applied.').waitFor();
		expect(await accept(page).count()).toBe(0);
	});

	it('comes with others as a set: one by one, or all at once', async () => {
		const page = await stand.page();
		await say(page, 'both');
		await page.getByRole('button', { name: 'Accept all 2' }).click();
		await page.getByText('First accepted, second accepted.').waitFor();
		await say(page, 'both');
		await accept(page).nth(1).waitFor();
		await accept(page).first().click();
		await discard(page).last().click();
		await page.getByText('First accepted, second discarded.').waitFor();
	});

	it('that is answered in another tab shows so here', async () => {
		const context = await stand.context();
		const [a, b] = [await stand.page({ context }), await stand.page({ context })];
		await say(a, 'give me a variant of slide 4');
		await accept(a).waitFor();
		await stand.load(b);
		await accept(b).waitFor();
		await discard(b).click();
		await a.getByText('I left slide 4 as it was.').waitFor();
		expect(await accept(a).count()).toBe(0);
	});

	it('is discarded by the next message, which says so before', async () => {
		const page = await stand.page();
		await say(page, 'give me a variant of slide 4');
		await accept(page).waitFor();
		await page.locator('textarea').fill('rather not, hello');
		await page.getByText('Sending discards the change that waits for you.').waitFor();
		await page.locator('textarea').press('Enter');
		await page.getByText('You said: rather not, hello').waitFor();
		await page.getByText('Replaced by a newer message.').waitFor();
	});

	it('shows every kind of artifact, and an unknown one as it came', async () => {
		const page = await stand.page();
		await say(page, 'everything');
		await accept(page).waitFor();
		await page.getByText('This panel does not know “hologram”').waitFor();
		await page.getByRole('button', { name: 'Before and after' }).click();
		expect(await page.locator('mark').count()).toBeGreaterThan(3);
		expect(await page.locator('iframe').first().getAttribute('sandbox')).toBe('');
		const download = page.waitForEvent('download');
		await page.getByRole('button', { name: 'Download' }).click();
		expect((await download).suggestedFilename()).toBe('deck.pdf');
	});

	it('fetches a big artifact by its digest and shows a huge diff step by step', async () => {
		const page = await stand.page();
		await say(page, 'big');
		await page.getByText('line 10', { exact: true }).waitFor();
		expect(await page.locator('.lines tr').count()).toBeLessThan(320);
		await page.getByRole('button', { name: /Show .* more lines/ }).click();
		expect(await page.locator('.lines tr').count()).toBeGreaterThan(1000);
	});
});

describe('a key', () => {
	it('is asked for when it is missing, and the message goes on by itself once it is stored', async () => {
		stand.agent.knobs.needsKey = true;
		stand.agent.knobs.scripted = false;
		const page = await stand.page();
		await page.getByText('No model key yet').waitFor();
		await say(page, 'hello with a key');
		await page.getByText('Your message is kept').waitFor();
		await page.getByLabel('Label').fill('personal');
		await page.getByPlaceholder('Paste the key here').fill('sk-ant-api03-good-AB12');
		await page.getByRole('button', { name: 'Test and store' }).click();
		await page.getByText('You said: hello with a key').waitFor();
		await page.getByText('claude-sonnet-4-6 · your own key').waitFor();
		expect(await page.locator('textarea').inputValue()).toBe('');
	});

	it('that is rejected is told, not stored, and the message stays', async () => {
		stand.agent.knobs.needsKey = true;
		stand.agent.knobs.scripted = false;
		const page = await stand.page();
		await say(page, 'keep me');
		await page.getByPlaceholder('Paste the key here').fill('sk-ant-wrong-0001');
		await page.getByRole('button', { name: 'Test and store' }).click();
		await page.getByText('Anthropic rejected this key.').waitFor();
		await page.keyboard.press('Escape');
		expect(await page.locator('textarea').inputValue()).toBe('keep me');
		expect(stand.agent.store.keys).toEqual([]);
	});

	it('is in no storage of the page and in no text of it', async () => {
		stand.agent.knobs.scripted = false;
		const page = await stand.page();
		await page.getByRole('button', { name: 'Settings' }).click();
		await page.getByPlaceholder('Paste the key here').fill('sk-ant-api03-canary-XY77');
		await page.getByRole('button', { name: 'Test and store' }).click();
		await page.getByText('Works:').waitFor();
		const left = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }));
		expect(left).not.toContain('canary');
		expect(await page.getByPlaceholder('Paste the key here').inputValue()).toBe('');
	});

	it('that fails in the middle of a turn opens the settings', async () => {
		const page = await stand.page();
		await say(page, 'fail key_invalid');
		await page.getByText('The provider rejected the key. Replace it to go on.').waitFor();
	});

	it('is tested, replaced and revoked', async () => {
		stand.agent.knobs.scripted = false;
		const page = await stand.page();
		await page.getByRole('button', { name: 'Settings' }).click();
		await page.getByPlaceholder('Paste the key here').fill('sk-ant-api03-good-0001');
		await page.getByRole('button', { name: 'Test and store' }).click();
		await page.getByText('••••0001').waitFor();
		await page.getByRole('button', { name: 'Replace' }).click();
		await page.getByLabel('Key', { exact: true }).first().fill('sk-ant-api03-good-0002');
		await page.getByRole('button', { name: 'Replace' }).last().click();
		await page.getByText('••••0002').waitFor();
		await page.getByRole('button', { name: 'Revoke' }).click();
		await page.getByText('Really revoke?').waitFor();
		await page.getByRole('button', { name: 'Revoke' }).last().click();
		await page.getByText('No key is stored.').waitFor();
	});
});
