// Programs as processes: started, waited for, killed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the module. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Where the programs are; the environment may name others. */
export const programs = {
	agent: process.env.IN_APP_AGENT ?? `${root}bin/in-app-agent`,
	provider: process.env.FAKEPROVIDER ?? `${root}bin/fakeprovider`,
	rows: process.env.E2E_ROWS ?? `${root}bin/e2e-rows`
};

/** How long anything may take on a busy machine. */
export const PATIENCE_MS = Number(process.env.E2E_PATIENCE_MS ?? 60_000);

const EVERY_MS = 15;

const ends = [];
/** Has something done when this process ends, however it does: nothing may stay behind. */
export const atEnd = (end) => ends.push(end);
process.once('exit', () => ends.reverse().forEach((end) => end()));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** What a process may see of ours: enough to run, and nobody's keys. */
export function environment(more = {}) {
	const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];
	return { ...Object.fromEntries(kept.flatMap((n) => (process.env[n] ? [[n, process.env[n]]] : []))), ...more };
}

/** Looks again and again until look gives something, and gives that. */
export async function until(what, look, patience = PATIENCE_MS) {
	const late = Date.now() + patience;
	for (;;) {
		const found = await look();
		if (found) return found;
		if (Date.now() > late) throw new Error(`After ${patience / 1000} s it still is not so that ${what}.`);
		await new Promise((done) => setTimeout(done, EVERY_MS));
	}
}

/** Program is a running process that told where it listens. */
export class Program {
	/** Where it listens, such as http://127.0.0.1:41234. */
	url = '';
	#child;
	#said = '';
	#ended;

	/** Starts a program and waits until it says "listening on". */
	static async start(path, args, env = {}) {
		if (!existsSync(path)) throw new Error(`There is no ${path}. Run \`npm run build\` in e2e/browser.`);
		const program = new Program();
		const child = spawn(path, args, { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
		program.#child = child;
		atEnd(() => child.kill('SIGKILL'));
		program.#ended = new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)));
		program.url = await new Promise((done, failed) => {
			const late = setTimeout(() => failed(new Error(`${path} does not listen.\n${program.#said}`)), PATIENCE_MS);
			const hear = (chunk) => {
				program.#said += chunk;
				const found = /listening on (http:\S+)/.exec(program.#said);
				if (!found) return;
				clearTimeout(late);
				done(found[1]);
			};
			child.stdout.on('data', hear);
			child.stderr.on('data', (chunk) => (program.#said += chunk));
			child.once('error', failed);
			void program.#ended.then((how) => {
				clearTimeout(late);
				failed(new Error(`${path} ended with ${how}.\n${program.#said}`));
			});
		});
		return program;
	}

	/** Everything that it said. */
	get log() {
		return this.#said;
	}

	/** Ends it as a power cut would. */
	async kill() {
		this.#child.kill('SIGKILL');
		await this.#ended;
	}

	/** Asks it to end, and gives its exit code. */
	async stop() {
		this.#child.kill('SIGTERM');
		return this.#ended;
	}
}
