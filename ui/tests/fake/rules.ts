import type { ArgumentLimit, Artifact, EventData, Permission, PermissionScope } from '../../src/lib/protocol.gen.ts';
import { Refusal } from './refusal.ts';
import type { Store, StoredTurn } from './store.ts';

const DAYS = 30;
const DAY_MS = 24 * 3600_000;

/** What the capability leaves free under a rule. */
const FREE: Record<string, readonly string[]> = { 'slide.variant': ['notes'] };

/** What a preview would be remembered as. */
export function scopeOf(name: string, input: unknown, artifacts: readonly Artifact[] | null): PermissionScope {
	const resources = [...new Set((artifacts ?? []).flatMap((a) => a.path || []))];
	return { resources, limits: limitsOf(name, input as Record<string, unknown>), days: DAYS };
}

/** Makes a rule of a preview that is accepted; only where the org lets that be. */
export function remember(store: Store, t: StoredTurn, receiptId: string, allowed: boolean): Permission {
	if (!allowed) {
		throw new Refusal('policy_denied', 'Your organization does not let this be remembered.', { hint: 'Accept it without remembering it.' });
	}
	const told = t.events.find((e) => e.kind === 'preview' && (e.data as EventData['preview']).receiptId === receiptId)!;
	const { name, title, input, summary, artifacts } = told.data as EventData['preview'];
	const { resources, limits } = scopeOf(name, input, artifacts);
	const thread = store.threads.get(t.turn.threadId)!;
	const rule: Permission = {
		id: store.id('perm'),
		receiptId,
		summary,
		capability: name,
		title,
		projectId: thread.projectId,
		projectKind: thread.projectKind,
		resources,
		limits,
		createdAt: Date.now(),
		until: Date.now() + DAYS * DAY_MS,
		uses: 0,
		inForce: true
	};
	store.permissions = [rule, ...store.permissions];
	return rule;
}

function limitsOf(name: string, input: Record<string, unknown>): ArgumentLimit[] {
	return Object.entries(input).map(([argument, value]) => {
		if (FREE[name]?.includes(argument)) return { argument, any: true };
		return Number.isInteger(value) ? { argument, max: value as number } : { argument, equal: value };
	});
}

/** Finds the rule that lets a preview through, and counts its use. */
export function ruleFor(store: Store, projectId: string, capability: string, input: unknown): Permission | undefined {
	const args = input as Record<string, unknown>;
	const within = ({ argument, any, max, equal }: ArgumentLimit) =>
		any === true || (max !== undefined ? Number(args[argument]) <= max : JSON.stringify(args[argument]) === JSON.stringify(equal));
	const rule = store.permissions.find(
		(p) => p.inForce && p.capability === capability && p.projectId === projectId && (p.limits ?? []).every(within)
	);
	if (rule) {
		rule.uses++;
		rule.usedAt = Date.now();
	}
	return rule;
}
