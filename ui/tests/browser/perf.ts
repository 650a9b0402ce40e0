import { setup } from './build.ts';
import { launch, say, Stand } from './harness.ts';

/** What one streamed answer cost the page. */
export interface Cost {
	scriptMs: number;
	layoutMs: number;
	longTasks: number;
	worstFrameMs: number;
	heapMiB: number;
}

/**
 * Streams an answer of so many chunks, 20 ms apart, into a conversation that already
 * holds so many turns, and measures what the page spent on it.
 */
export async function run(turns: number, chunks: number, slowdown = 1): Promise<Cost> {
	await setup();
	const browser = await launch();
	const stand = await Stand.open(browser, { pace: 0 });
	try {
		let thread = '';
		for (let i = 0; i < turns; i++) {
			const t = stand.agent.start({ projectId: 'demo-deck', text: `markdown ${i}`, threadId: thread || undefined });
			thread = t.turn.threadId;
			while (t.turn.state === 'running') await new Promise((r) => setTimeout(r, 1));
		}
		const page = await stand.page({ height: 900 });
		if (thread) {
			await page.getByRole('button', { name: /^Switch/ }).click();
			await page.locator('.open').first().click();
			await page.locator('.turn').first().waitFor();
			// Everything that a reader would have scrolled through is loaded.
			while ((await page.locator('.older').count()) > 0) {
				await page.locator('section.list').evaluate((el) => (el.scrollTop = 0));
				await page.locator('.older button').click({ timeout: 2000 }).catch(() => {});
			}
			await page.locator('section.list').evaluate((el) => (el.scrollTop = el.scrollHeight));
		}
		stand.agent.knobs.pace = 20;
		const cdp = await page.context().newCDPSession(page);
		await cdp.send('Performance.enable');
		await cdp.send('HeapProfiler.collectGarbage');
		await page.waitForTimeout(1_500);
		if (slowdown > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
		await page.evaluate(() => {
			const seen = { long: 0, worst: 0 };
			Object.assign(window, { seen });
			new PerformanceObserver((l) => (seen.long += l.getEntries().length)).observe({ type: 'longtask' });
			let last = performance.now();
			const frame = () => {
				const now = performance.now();
				seen.worst = Math.max(seen.worst, now - last);
				last = now;
				requestAnimationFrame(frame);
			};
			requestAnimationFrame(frame);
		});
		const metrics = async () => new Map((await cdp.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]));
		const before = await metrics();
		await say(page, `stream ${chunks}`);
		// Looked for by what costs the page nothing: a search by role or text would make
		// it style every turn, and that is not what is measured.
		const done = `ol > li.turn:last-of-type > .foot`;
		await page.waitForFunction(
			([selector, n]) => document.querySelectorAll('li.turn').length > Number(n) && [...document.querySelectorAll(String(selector))].length > 0 && !document.querySelector('.iaa.busy'),
			[done, turns],
			{ timeout: 180_000, polling: 250 }
		);
		const after = await metrics();
		const seen = await page.evaluate(() => (window as never as { seen: { long: number; worst: number } }).seen);
		await cdp.send('HeapProfiler.collectGarbage');
		const heap = (await metrics()).get('JSHeapUsedSize') ?? 0;
		const spent = (name: string) => Math.round(((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1000);
		return {
			scriptMs: spent('ScriptDuration'),
			layoutMs: spent('LayoutDuration') + spent('RecalcStyleDuration'),
			longTasks: seen.long,
			worstFrameMs: Math.round(seen.worst),
			heapMiB: Math.round(heap / (1 << 20))
		};
	} finally {
		await stand.close();
		await browser.close();
	}
}
