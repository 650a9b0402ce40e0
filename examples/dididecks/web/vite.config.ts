import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const server = process.env['DECK_SERVER'] ?? 'http://127.0.0.1:8787';

export default defineConfig({
	plugins: [svelte({ configFile: false, compilerOptions: { runes: true, cssHash } })],
	// The chat is taken from its source, so that this page builds without a build of it.
	resolve: {
		alias: [
			{ find: /^@lossless\/in-app-agent$/, replacement: here('../../../ui/src/lib/index.ts') },
			{ find: /^@lossless\/in-app-agent\/ui$/, replacement: here('../../../ui/src/lib/ui.ts') },
			{ find: /^@lossless\/in-app-agent\/clients$/, replacement: here('../../../ui/src/lib/client/index.ts') }
		],
		dedupe: ['svelte']
	},
	build: {
		outDir: 'dist',
		emptyOutDir: true,
		target: 'es2022',
		// The page's policy allows files of its own only.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false
	},
	server: {
		fs: { allow: [here('.'), here('../../../ui')] },
		// The development login answers to the server's own origin only.
		proxy: { '/api': { target: server, changeOrigin: true, headers: { Origin: server } } }
	}
});

/** Names scoped styles by what they say, not by where the checkout lies: builds are alike everywhere. */
function cssHash({ hash, css }: { hash: (text: string) => string; css: string }): string {
	return `s${hash(css)}`;
}
