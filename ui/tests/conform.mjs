// Runs the promises of AgentClient against a running server with a development login:
// node tests/conform.mjs http://127.0.0.1:8787 [USER]
import { runnerImport } from 'vite';

const [base, user = 'demo'] = process.argv.slice(2);
if (!base) {
	console.error('usage: node tests/conform.mjs URL [USER]');
	process.exit(2);
}
const { module } = await runnerImport(new URL('./server/bench.ts', import.meta.url).pathname);
const failed = await module.run(base.replace(/\/$/, ''), user);
console.log(failed.length === 0 ? 'conformance: every case holds' : `conformance: ${failed.length} fail`);
process.exit(failed.length === 0 ? 0 : 1);
