// Builds the programs that the tests run, where the environment names none.
import { spawnSync } from 'node:child_process';
import { programs, root } from './program.mjs';

const wanted = [
	['IN_APP_AGENT', programs.agent, './cmd/in-app-agent', '-ldflags=-s -w'],
	['FAKEPROVIDER', programs.provider, './e2e/fakeprovider'],
	['E2E_ROWS', programs.rows, './e2e/browser/rows']
];

for (const [variable, path, source, ...flags] of wanted) {
	if (process.env[variable]) continue;
	const go = spawnSync('go', ['build', '-trimpath', ...flags, '-o', path, source], {
		cwd: root,
		env: { ...process.env, CGO_ENABLED: '0' },
		stdio: 'inherit'
	});
	if (go.error || go.status !== 0) {
		console.error(`${source} was not built. Is Go installed and on the PATH?`);
		process.exit(1);
	}
}
