// Builds the page anew and compares it with the committed dist.
import { readdirSync, readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const fresh = mkdtempSync(join(tmpdir(), 'dididecks-page-'));

const files = (dir) =>
	readdirSync(dir, { recursive: true, withFileTypes: true })
		.filter((f) => f.isFile())
		.map((f) => join(f.parentPath, f.name).slice(dir.length + 1))
		.sort();

try {
	await build({ root, logLevel: 'error', build: { outDir: fresh, emptyOutDir: true } });
	const [was, is] = [files(dist), files(fresh)];
	const wrong = [
		...is.filter((f) => !was.includes(f)).map((f) => `missing  ${f}`),
		...was.filter((f) => !is.includes(f)).map((f) => `too many ${f}`),
		...is
			.filter((f) => was.includes(f) && !readFileSync(join(dist, f)).equals(readFileSync(join(fresh, f))))
			.map((f) => `differs  ${f}`)
	];
	if (wrong.length > 0) {
		console.error(`dist is not what the source gives:\n  ${wrong.join('\n  ')}`);
		console.error('Run `npm run build` in examples/dididecks/web (after `npm ci` there and in ui) and commit dist.');
		process.exitCode = 1;
	} else console.log(`dist is fresh: ${is.length} files`);
} finally {
	rmSync(fresh, { recursive: true, force: true });
}
