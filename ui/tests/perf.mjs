// What a streamed answer costs the page: node tests/perf.mjs [TURNS] [CHUNKS] [SLOWDOWN]
import { runnerImport } from 'vite';

const [turns = 200, chunks = 500, slowdown = 1] = process.argv.slice(2).map(Number);
const { module } = await runnerImport(new URL('./browser/perf.ts', import.meta.url).pathname);
const cost = await module.run(turns, chunks, slowdown);
console.log(JSON.stringify({ turns, chunks, slowdown, ...cost }));
