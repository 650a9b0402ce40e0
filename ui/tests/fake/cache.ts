import type { CacheReport, CacheStep, Turn } from '../../src/lib/protocol.gen.ts';

const NAMES = ['tools', 'spine', 'reminders', 'history', 'tail'] as const;

/** What the cache doctor says of a conversation that made one model call. */
export function cacheOf(threadId: string, turn: Turn | undefined): CacheReport {
	if (!turn) return { threadId, steps: [] };
	const step: CacheStep = {
		turnId: turn.id,
		turnIndex: 0,
		step: 0,
		at: turn.createdAt,
		model: turn.model,
		provider: turn.provider,
		tokensIn: null,
		tokensOut: null,
		cacheReadTokens: null,
		cacheCreationTokens: null,
		rewrittenTokens: null,
		segments: NAMES.map((name) => ({ name, hash: '0123456789abcdef', bytes: 1 })),
		changed: [],
		findings: [{ cause: 'first_call', expected: true, message: 'This is the first model call.' }]
	};
	return { threadId, steps: [step] };
}
