import type { Description } from '../../src/lib/protocol.gen.ts';
import { schemas } from './schemas.ts';

/** The models that a user can choose from. */
export function models(scripted: boolean) {
	return [
		...(scripted ? [{ name: 'scripted', provider: 'scripted', scripted: true }] : []),
		{ name: 'claude-sonnet-4-6', provider: 'anthropic' },
		{ name: 'gpt-5.2', provider: 'openai' }
	];
}

/** What the caller may use. */
export function description(scripted: boolean): Description {
	const cap = (name: string, title: string, kind: 'read' | 'mutate') => ({
		name,
		title,
		description: `${title}.`,
		kind,
		requiredTier: 'user' as const,
		requiresConfirmation: kind === 'mutate',
		input: schemas[name]
	});
	return {
		app: 'Dididecks',
		protocol: 1,
		spineHash: 'b1946ac92492d2347c6235b4d2611184',
		capabilities: [
			cap('slide.read', 'Read a slide', 'read'),
			cap('slide.edit', 'Edit a slide', 'mutate'),
			cap('slide.variant', 'Variant of a slide', 'mutate')
		],
		models: models(scripted),
		user: { id: 'user_1', name: 'Lin', org: 'lingering-client', tier: 'user', billing: 'lingering' }
	};
}
