import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
	plugins: [svelte()],
	// Svelte components need the browser build, also in Node.
	resolve: { conditions: ['browser'] },
	test: {
		include: ['tests/unit/**/*.test.ts'],
		testTimeout: 10_000
	}
});
