import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, rest, say, Stand } from './harness.ts';
import { pages, payloads } from './payloads.ts';

let browser: Browser;
let stand: Stand;
let page: Page;
beforeAll(async () => {
	browser = await launch();
});
afterAll(() => browser.close());

/** A page without any policy of its own, where every way to run something is written down. */
beforeEach(async () => {
	stand = await Stand.open(browser, { pace: 0 });
	const context = await stand.context();
	await context.addInitScript(() => {
		const ran: string[] = [];
		Object.assign(window, { ran });
		for (const name of ['alert', 'confirm', 'prompt', 'print'] as const) {
			Object.assign(window, { [name]: () => ran.push(`${name} at ${location.href.slice(0, 40)}`) });
		}
		addEventListener('message', (e) => ran.push(`message ${String(e.data)}`));
	});
	page = await stand.page({ context, bare: true, height: 1000 });
});
afterEach(() => stand.close());

async function harmless(): Promise<void> {
	expect(await page.evaluate(() => (window as never as { ran: string[] }).ran), 'what ran').toEqual([]);
	expect(stand.foreign, 'what was asked of other places').toEqual([]);
	expect(new URL(page.url()).pathname, 'where the page is').toBe('/');
	const asked = stand.agent.requests.filter((r) => !/^(GET|POST) \/(chat|capabilities|settings|threads\/|approvals|confirm|turns)/.test(r));
	expect(asked, 'what was asked of our own server').toEqual([]);
	const bad = await page.evaluate(() => {
		const out: string[] = [];
		for (const el of document.querySelectorAll('.iaa *')) {
			if (/^(script|object|embed|base|meta|link|form:not(.composer)|video|audio)$/i.test(el.localName)) out.push(el.localName);
			for (const { name, value } of el.attributes) {
				if (name.startsWith('on')) out.push(`${el.localName} ${name}`);
				if (/^\s*(javascript|vbscript|data:text)/i.test(value)) out.push(`${name}=${value.slice(0, 30)}`);
			}
			if (el instanceof HTMLImageElement && !el.src.startsWith('data:') && !el.src.startsWith('blob:')) out.push(`img ${el.src}`);
			if (el instanceof HTMLAnchorElement && !/^(https?|mailto):/.test(el.protocol)) out.push(`a ${el.href}`);
		}
		return out;
	});
	expect(bad, 'what stands in the panel').toEqual([]);
}

describe('hostile text of a model', () => {
	it(`runs nothing and asks for nothing (${payloads.length} payloads, streamed)`, async () => {
		expect(payloads.length).toBeGreaterThanOrEqual(100);
		const capabilities = () => stand.agent.requests.filter((r) => r === 'GET /capabilities').length;
		const waiting = () => stand.agent.requests.filter((r) => r === 'GET /approvals').length;
		// The panel itself looks what waits elsewhere, at first and when a conversation begins.
		await say(page, 'echo:hello');
		await rest(page);
		await expect.poll(waiting).toBe(2);
		const before = [capabilities(), waiting()];
		for (let i = 0; i < payloads.length; i += 24) {
			await say(page, `echo:${payloads.slice(i, i + 24).join('\n\n')}`);
			await rest(page);
		}
		// Each on its own too: neighbours could have kept one from being read as it is.
		const thread = [...stand.agent.store.threads.keys()][0]!;
		for (const text of payloads) {
			const t = stand.agent.start({ projectId: 'demo-deck', threadId: thread, text: `echo:${text}` });
			await expect.poll(() => t.turn.state, { interval: 2 }).toBe('completed');
		}
		await expect.poll(() => page.locator('.turn').count()).toBeGreaterThan(payloads.length);
		await page.waitForTimeout(500);
		expect([capabilities(), waiting()], 'images and links of our own server').toEqual(before);
		await harmless();
	}, 120_000);

	it('opens no refused link when it is clicked', async () => {
		await say(page, 'echo:[a](javascript:alert(1)) [b](//evil.example) [c](data:text/html,x) [d](/api/agent/keys)');
		await rest(page);
		expect(await page.locator('.markdown a').count()).toBe(0);
		for (const span of await page.locator('.markdown .refused').all()) await span.click();
		await harmless();
	});

	it('shows the host of a link, and opens it apart from this page', async () => {
		await say(page, 'echo:[your bank](https://evil.example/login) and [example.com](https://example.com/)');
		await rest(page);
		const link = page.locator('.markdown a').first();
		expect(await link.innerText()).toBe('your bank\u00a0(evil.example)');
		expect(await link.getAttribute('rel')).toContain('noopener');
		expect(await link.getAttribute('target')).toBe('_blank');
		expect(await page.locator('.markdown a').last().innerText()).toBe('example.com');
	});

	it('loads an image only when it is asked for', async () => {
		await say(page, 'echo:![a chart](https://images.example/c.png)');
		await rest(page);
		await page.waitForTimeout(200);
		expect(stand.foreign).toEqual([]);
		await page.getByRole('button', { name: /Show image from images.example/ }).click();
		await expect.poll(() => stand.foreign).toEqual(['https://images.example/c.png']);
		stand.foreign.length = 0;
	});
});

describe('hostile previews', () => {
	it.each(['html', 'diff', 'markdown', 'json', 'file', 'image', 'unknown'])('of kind %s run nothing and ask for nothing', async (kind) => {
		for (const [i, text] of (kind === 'html' ? pages : pages.slice(0, 12)).entries()) {
			await say(page, `artifact ${kind}:${text}`);
			// The change of this message, and not the one before that it supersedes.
			await page.locator('.turn').nth(i).locator('.preview.open').waitFor();
			if (kind === 'html') await page.waitForTimeout(60);
		}
		await page.waitForTimeout(300);
		await harmless();
	}, 90_000);

	it('cannot be clicked or focused through the frame', async () => {
		await say(page, 'artifact html:<a href=https://evil.example/ style="position:fixed;inset:0;display:block">x</a><input autofocus>');
		await page.locator('iframe').waitFor();
		const box = (await page.locator('iframe').boundingBox())!;
		await page.mouse.click(box.x + 20, box.y + 20);
		await page.waitForTimeout(200);
		expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('IFRAME');
		await harmless();
	});
});
