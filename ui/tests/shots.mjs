// Takes the pictures of the panel: node tests/shots.mjs [--to FOLDER] [NAME…]
import { runnerImport } from 'vite';

const args = process.argv.slice(2);
const to = args.indexOf('--to');
const folder = to >= 0 ? args.splice(to, 2)[1] : undefined;
const { module } = await runnerImport(new URL('./browser/shots.ts', import.meta.url).pathname);
await module.run(folder ?? module.IMAGES, args);
