import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
	root: fileURLToPath(new URL('../..', import.meta.url)),
	test: {
		include: ['tests/browser/**/*.test.ts'],
		globalSetup: ['tests/browser/build.ts'],
		testTimeout: 30_000,
		hookTimeout: 60_000,
		// One browser at a time: frames and timers are part of what is tested.
		fileParallelism: false
	}
});
