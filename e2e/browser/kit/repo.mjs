// The git repository of a deck, seen from outside.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { environment } from './program.mjs';

/** Repo looks into the repository of a deck. */
export class Repo {
	constructor(dir) {
		this.dir = dir;
	}

	/** Finds the repository of an org, or the one that all share, in a data folder. */
	static of(data, org) {
		const found = [];
		const look = (dir) => {
			if (existsSync(join(dir, '.git'))) found.push(dir);
			else for (const e of readdirSync(dir, { withFileTypes: true })) if (e.isDirectory()) look(join(dir, e.name));
		};
		look(join(data, 'decks'));
		const fit = found.length === 1 ? found : found.filter((dir) => basename(dirname(dir)) === org);
		if (fit.length !== 1) throw new Error(`The repositories of ${org} are ${found}.`);
		return new Repo(fit[0]);
	}

	git(...args) {
		const env = environment({ GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull, GIT_OPTIONAL_LOCKS: '0' });
		return execFileSync('git', args, { cwd: this.dir, env, encoding: 'utf8', maxBuffer: 64 << 20 }).trimEnd();
	}

	/** The branch that accepted changes go to. */
	get working() {
		return this.git('symbolic-ref', '--short', 'HEAD');
	}

	/** The commit of a revision. */
	tip(rev = this.working) {
		return this.git('rev-parse', '--verify', `${rev}^{commit}`);
	}

	/** The branches of proposals. */
	get sides() {
		return this.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/chat/').split('\n').filter(Boolean);
	}

	/** The merge commits of the working branch, newest first. */
	get merges() {
		return this.git('log', '--merges', '--format=%H', this.working).split('\n').filter(Boolean);
	}

	/** A file as of a revision. */
	file(path, rev = this.working) {
		return execFileSync('git', ['show', `${rev}:${path}`], { cwd: this.dir, encoding: 'utf8', maxBuffer: 64 << 20 });
	}

	/** The paths in which two revisions differ. */
	changed(from, to = this.working) {
		return this.git('diff', '--name-only', from, to).split('\n').filter(Boolean);
	}
}
