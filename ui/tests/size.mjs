// Builds a working chat page and compares its JavaScript, gzipped, with its budget.
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET = 96 * 1024;
const config = new URL('./page/vite.config.ts', import.meta.url).pathname;
await build({ configFile: config });

const assets = new URL('../.svelte-kit/page/assets/', import.meta.url).pathname;
let size = 0;
for (const file of readdirSync(assets)) {
	if (file.endsWith('.js')) size += gzipSync(readFileSync(assets + file), { level: 9 }).length;
}
const kib = (n) => (n / 1024).toFixed(1);
console.log(`ui-size: a working chat page, JavaScript gzipped: ${kib(size)} of ${kib(BUDGET)} KiB`);
if (size > BUDGET) process.exit(1);
