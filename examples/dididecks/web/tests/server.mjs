// Starts the real program for a test, and decks for it to serve.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = process.env.IN_APP_AGENT ?? at('../../../../bin/in-app-agent');
const READY_MS = 30_000;

export const temporary = () => mkdtempSync(join(tmpdir(), 'dididecks-test-'));

/** Starts `in-app-agent demo`; stop() ends it, and its data where it is its own. */
export async function startServer({ listen = '127.0.0.1:0', data, deck } = {}) {
	if (!existsSync(program)) throw new Error(`There is no ${program}. Run \`make build\` first.`);
	const folder = data ?? temporary();
	const args = ['demo', '--listen', listen, '--data', folder, ...(deck ? ['--deck', deck] : [])];
	const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';
	child.stderr.on('data', (chunk) => (said += chunk));
	const ended = new Promise((done) => child.once('exit', done));
	const url = await new Promise((done, failed) => {
		const late = setTimeout(() => failed(new Error(`The server was not ready in time.\n${said}`)), READY_MS);
		let out = '';
		child.stdout.on('data', (chunk) => {
			const found = /listening on (http:\S+)/.exec((out += chunk));
			if (!found) return;
			clearTimeout(late);
			done(found[1]);
		});
		void ended.then((code) => failed(new Error(`The server ended with ${code}.\n${said}`)));
	});
	const page = await (await fetch(url)).text();
	if (page !== readFileSync(at('../dist/index.html'), 'utf8')) {
		child.kill();
		throw new Error('The program holds another build of this page. Run `make build` first.');
	}
	return {
		url,
		folder,
		async stop() {
			child.kill();
			await ended;
			if (!data) rmSync(folder, { recursive: true, force: true });
		}
	};
}

/** Writes a deck of many slides. */
export function manySlides(count) {
	const folder = temporary();
	mkdirSync(join(folder, 'slides'));
	writeFileSync(join(folder, 'deck.yaml'), 'title: A long deck\n');
	for (let i = 1; i <= count; i++) {
		const number = String(i).padStart(2, '0');
		const rows = Array.from({ length: 30 }, (_, k) => `<li style="color:hsl(${k * 12} 60% 40%)">Line ${k}</li>`);
		writeFileSync(
			join(folder, 'slides', `${number}-part.html`),
			`<section class="slide"><h2>Part ${i}</h2><ul style="columns:3">${rows.join('')}</ul></section>\n`
		);
	}
	return folder;
}
