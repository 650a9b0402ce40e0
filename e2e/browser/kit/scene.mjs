// A scene: the real program, the provider behind it, and browsers before it.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { atEnd, environment, PATIENCE_MS, Program, programs } from './program.mjs';
import { Provider } from './provider.mjs';
import { Repo } from './repo.mjs';
import { Visitor } from './visitor.mjs';

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** A key that nobody has; its letters do not occur by chance. */
export const newKey = (prefix = 'sk-ant-api03-') => prefix + randomBytes(32).toString('hex');

/** A folder that goes with the process. */
export function temporary() {
	const dir = mkdtempSync(join(tmpdir(), 'in-app-agent-e2e-'));
	atEnd(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
	return dir;
}

/** Starts the browser; one a file of tests. */
export const startBrowser = () =>
	chromium.launch({
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

/** Scene is what the tests of one file play in. */
export class Scene {
	/** The key of the server, used for paying orgs. */
	orgKey = newKey();
	#program;
	#options;
	#visitors = [];

	/**
	 * Starts everything. A deck is a folder or a page; further arguments go to the
	 * program as they are.
	 */
	static async start({ deck } = {}) {
		const s = new Scene();
		s.#options = { deck, listen: '127.0.0.1:0' };
		s.data = join(temporary(), 'data');
		[s.browser, s.provider] = await Promise.all([startBrowser(), Provider.start()]);
		await s.provider.play();
		await s.#launch();
		return s;
	}

	get url() {
		return this.#program.url;
	}

	/** What the program said in this life. */
	get log() {
		return this.#program.log;
	}

	async #launch() {
		const { deck, listen } = this.#options;
		this.#program = await Program.start(
			programs.agent,
			['demo', '--listen', listen, '--data', this.data, '-v', ...(deck ? ['--deck', deck] : [])],
			{
				ANTHROPIC_API_KEY: this.orgKey,
				IN_APP_AGENT_ANTHROPIC_BASE_URL: `${this.provider.url}/`,
				IN_APP_AGENT_OPENAI_BASE_URL: `${this.provider.url}/v1/`,
				IN_APP_AGENT_GROQ_BASE_URL: 'http://127.0.0.1:9/'
			}
		);
		this.#options.listen = new URL(this.#program.url).host;
	}

	/** Ends the server as kill -9 does. */
	async kill() {
		await this.#program.kill();
	}

	/** Asks the server to end. */
	async stop() {
		return this.#program.stop();
	}

	/** Starts an ended server again: the same data, the same port. */
	async restart() {
		await this.#launch();
	}

	/** Runs another verb of the program on the same data, and gives what it said. */
	run(...args) {
		return execFileSync(programs.agent, [...args, '--data', this.data], { env: environment(), encoding: 'utf8' });
	}

	repo(org) {
		return Repo.of(this.data, org);
	}

	/** Gives a browser of its own: cookies, storage and all. */
	async context(options = {}) {
		const context = await this.browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', ...options });
		context.setDefaultTimeout(PATIENCE_MS);
		return context;
	}

	/** Opens the deck as somebody, in a browser of their own or the one that is given. */
	async visit(user, { context, path = '', ...options } = {}) {
		const page = await (context ?? (await this.context(options))).newPage();
		const visitor = new Visitor(page, this.url);
		this.#visitors.push(visitor);
		await page.goto(`${this.url}/${user ? `?user=${user}` : ''}${path}`);
		return visitor;
	}

	/** Stores a key for somebody without a browser, and gives it. */
	async storeKey(user, key = newKey()) {
		const headers = { 'Content-Type': 'application/json', Origin: this.url, 'Sec-Fetch-Site': 'same-origin' };
		const post = async (path, body, cookie = '') => {
			const answer = await fetch(this.url + path, {
				method: 'POST',
				headers: { ...headers, Cookie: cookie },
				body: JSON.stringify(body)
			});
			if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
			return answer;
		};
		const login = await post('/api/dev/login', { user });
		const cookie = login.headers.get('set-cookie').split(';')[0];
		await post('/api/agent/keys', { provider: 'anthropic', label: 'personal', key }, cookie);
		return key;
	}

	/**
	 * Closes the browsers and gives what their pages complained about. E2E_SHOTS names a
	 * folder that gets a picture of each page first.
	 */
	async leave(name = 'page') {
		if (process.env.E2E_SHOTS) {
			for (const [i, { page }] of this.#visitors.entries()) {
				const path = join(process.env.E2E_SHOTS, `${name.slice(0, 60).replace(/\W+/g, '-')}-${i}.png`);
				await page.screenshot({ path, timeout: 5000 }).catch(() => {});
			}
		}
		const complaints = this.#visitors.flatMap((v) => v.complaints);
		await Promise.all(this.browser.contexts().map((c) => c.close()));
		this.#visitors = [];
		return complaints;
	}

	/** Ends everything. */
	async end() {
		await this.browser?.close();
		await this.#program?.kill();
		await this.provider?.stop();
	}
}
