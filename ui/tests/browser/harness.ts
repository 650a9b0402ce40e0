import { readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { FakeAgent, type Knobs } from '../fake/server.ts';

const built = fileURLToPath(new URL('../../.svelte-kit/page', import.meta.url));
const types: Record<string, string> = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript',
	'.css': 'text/css'
};

/** Serves the built page beside the agent, as a host would. */
export function servePage(agent: FakeAgent): void {
	agent.pages = (req, res) => {
		const { pathname: path, searchParams } = new URL(req.url ?? '/', 'http://x');
		if (path === '/test/sign-in') {
			agent.knobs.signedOut = false;
			res.writeHead(204).end();
			return true;
		}
		if (path.startsWith('/files/')) {
			res.writeHead(200, { 'content-type': 'text/html', 'content-disposition': `attachment; filename="${path.slice(7)}"` });
			res.end('<!doctype html><title>A deck</title>');
			return true;
		}
		const file = join(built, normalize(path === '/' ? '/index.html' : path));
		if (!file.startsWith(built)) return false;
		try {
			let data: string | Buffer = readFileSync(file);
			if (searchParams.has('bare')) {
				data = data.toString().replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, '');
			}
			res.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
			res.end(data);
			return true;
		} catch {
			return false;
		}
	};
}

export async function launch(): Promise<Browser> {
	return chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: [
			'--headless',
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			'--font-render-hinting=none'
		]
	});
}

/** What a page may be opened with. */
export interface Look {
	theme?: 'light' | 'dark';
	dir?: 'rtl';
	width?: number;
	height?: number;
	beside?: boolean;
	/** Without the page's own policy, so that nothing but the panel protects it. */
	bare?: boolean;
	/** The host can sign its user in again. */
	signin?: boolean;
	context?: BrowserContext;
	reducedMotion?: 'reduce';
}

/** One agent with its page, and what went wrong in it. */
export class Stand {
	readonly errors: string[] = [];
	readonly foreign: string[] = [];
	base = '';

	private constructor(
		readonly browser: Browser,
		readonly agent: FakeAgent
	) {}

	static async open(browser: Browser, knobs: Partial<Knobs> = {}): Promise<Stand> {
		const stand = new Stand(browser, new FakeAgent(knobs));
		servePage(stand.agent);
		stand.base = await stand.agent.listen();
		return stand;
	}

	async context(look: Look = {}): Promise<BrowserContext> {
		const context = await this.browser.newContext({
			viewport: { width: look.width ?? 430, height: look.height ?? 820 },
			colorScheme: look.theme ?? 'light',
			reducedMotion: look.reducedMotion,
			permissions: ['clipboard-read', 'clipboard-write'],
			deviceScaleFactor: look.width && look.width > 800 ? 1 : 2
		});
		// Nothing but the page itself and its agent is ever asked: what is, is written down.
		await context.route('**/*', (route) => {
			const url = route.request().url();
			if (url.startsWith(this.base) || url.startsWith('data:') || url.startsWith('blob:')) {
				return route.continue();
			}
			this.foreign.push(url);
			return route.abort();
		});
		return context;
	}

	async page(look: Look = {}): Promise<Page> {
		const context = look.context ?? (await this.context(look));
		const page = await context.newPage();
		page.on('pageerror', (e) => this.errors.push(String(e)));
		page.on('console', (m) => {
			if (m.type() === 'error' && !/Failed to load resource|ERR_/.test(m.text())) this.errors.push(m.text());
		});
		await this.load(page, look);
		return page;
	}

	async load(page: Page, look: Look = {}): Promise<void> {
		const query = new URLSearchParams();
		if (look.theme === 'dark') query.set('theme', 'dark');
		if (look.dir) query.set('dir', look.dir);
		if (look.beside) query.set('beside', '');
		if (look.bare) query.set('bare', '');
		if (look.signin) query.set('signin', '');
		await page.goto(`${this.base}/?${query}`);
		await page.locator('textarea').waitFor();
	}

	async close(): Promise<void> {
		for (const c of this.browser.contexts()) await c.close();
		await this.agent.close();
	}
}

/** Writes a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
	await page.locator('textarea').fill(text);
	await page.locator('textarea').press('Enter');
}

/** Waits until letters count on the change that just got the focus. */
export const settled = (page: Page): Promise<void> => page.waitForTimeout(400);

/** Goes from the message box to the first change that waits. */
export async function toChange(page: Page): Promise<void> {
	await page.locator('.composer textarea').press('ArrowUp');
	await settled(page);
}

/** Waits until no turn of the page runs. */
export async function rest(page: Page): Promise<void> {
	await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
}
