// Builds a working chat page and compares the JavaScript that it loads first, gzipped,
// with its budget. What is loaded when it is opened (the settings) is told beside it.
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET = 96 * 1024;
const config = new URL('./page/vite.config.ts', import.meta.url).pathname;
await build({ configFile: config });

const page = new URL('../.svelte-kit/page/', import.meta.url).pathname;
const read = (file) => readFileSync(page + file);
/** The scripts of the page, and all that they import before they run. */
const first = new Set();
const follow = (file) => {
	if (first.has(file)) return;
	first.add(file);
	const text = read(file).toString();
	for (const [, name] of text.matchAll(/(?:^|[;}\s])(?:import|export)[^;("']*["']\.\/([^"']+\.js)["']/g)) follow(`assets/${name}`);
};
for (const [, file] of read('index.html').toString().matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g)) follow(file);
if (first.size === 0) throw new Error('the page loads no script');
const weigh = (files) => files.reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);
const size = weigh([...first]);
const later = weigh(readdirSync(`${page}assets`).map((f) => `assets/${f}`).filter((f) => f.endsWith('.js') && !first.has(f)));
const kib = (n) => (n / 1024).toFixed(1);
console.log(`ui-size: a working chat page, JavaScript gzipped: ${kib(size)} of ${kib(BUDGET)} KiB first, ${kib(later)} KiB when it is opened`);
if (size > BUDGET) process.exit(1);
