import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Builds the test page against the built package. */
export async function setup(): Promise<void> {
	await build({ configFile: fileURLToPath(new URL('../page/vite.config.ts', import.meta.url)) });
}
