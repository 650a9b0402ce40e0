import type { Code } from '../../src/lib/protocol.gen.ts';

/** A problem to answer with. */
export class Refusal extends Error {
	constructor(
		readonly code: Code,
		message: string,
		readonly more: Record<string, unknown> = {}
	) {
		super(message);
	}
}
