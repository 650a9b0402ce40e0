// The database of a server, seen from outside.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { programs } from './program.mjs';

const run = (data, mode, query, args) =>
	JSON.parse(
		execFileSync(programs.rows, [mode, join(data, 'agent.db'), query, ...args.map(String)], { encoding: 'utf8' })
	);

/** The rows that a query finds, each an object by column. */
export const rows = (data, query, ...args) => run(data, 'read', query, args);

/** Changes rows of a server that is not running, as time does; gives how many. */
export const edit = (data, query, ...args) => run(data, 'write', query, args);

/** The transcript rows of a data folder, oldest first. */
export const transcripts = (data) => rows(data, 'SELECT * FROM agent_transcripts ORDER BY created_at, turn_index');
