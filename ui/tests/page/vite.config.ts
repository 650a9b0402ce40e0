import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
	name: string;
	exports: Record<string, string | { default: string }>;
};

/** Every export of the package, at the place in dist that its manifest names. */
const alias = Object.entries(manifest.exports).map(([name, where]) => ({
	find: new RegExp(`^${manifest.name}${name.slice(1)}$`),
	replacement: root + (typeof where === 'string' ? where : where.default).slice(1)
}));

export default defineConfig({
	root: fileURLToPath(new URL('.', import.meta.url)),
	plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
	resolve: { alias },
	build: {
		outDir: fileURLToPath(new URL('../../.svelte-kit/page', import.meta.url)),
		emptyOutDir: true,
		minify: true,
		reportCompressedSize: false
	},
	logLevel: 'warn'
});
