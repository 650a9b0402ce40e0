import type { AgentClient } from '../types.js';

/** What the cases need of the side that answers; texts are messages that it understands. */
export interface Bench {
	/** Makes the client under test; each case makes its own. */
	client(): AgentClient;
	/** The same for an admin of an org, which need not be the same org. */
	admin?(): AgentClient;
	projectId: string;
	projectKind?: string;
	texts: {
		/** A short answer without capability calls. */
		plain: string;
		/** An answer that goes on until it is cancelled, or for many seconds. */
		slow: string;
		/** A change with one preview; a function where the same words change only once. */
		preview: string | (() => string);
		/** A preview with an artifact that is stored by digest. */
		stored?: string;
		/** A change that can be taken back once it is applied. */
		undo?: string | (() => string);
		/** A change whose first accept finds that the app has moved. */
		moved?: string;
		/** A turn whose owner is overtaken in the middle of a step. */
		restarted?: string;
	};
	/** A key that can be stored, and one that the provider rejects. */
	key?: { provider: string; good: string; bad: string };
	/** A change whose arguments can be edited: how, and how not. */
	edit?: {
		text: string | (() => string);
		change(input: unknown): unknown;
		spoil(input: unknown): unknown;
	};
	/** Closes every open stream without ending any turn. */
	cut(): void | Promise<void>;
	/** How many streams are open on the other side. */
	streams?(): number | Promise<number>;
	/** How long a case waits for something that should come; the default is 10 s. */
	patienceMs?: number;
}

/** One promise of AgentClient, as a check over any implementation. */
export interface ConformanceCase {
	name: string;
	/** The methods that it speaks for. */
	covers: readonly (keyof AgentClient)[];
	/** What the bench must offer; without it the case cannot run. */
	needs?: 'key' | 'stored' | 'restarted' | 'streams' | 'undo' | 'edit' | 'moved' | 'admin';
	run(bench: Bench): Promise<void>;
}

/** Why a case cannot run on a bench; undefined when it can. */
export function missing(c: ConformanceCase, bench: Bench): string | undefined {
	switch (c.needs) {
		case 'key':
			return bench.key ? undefined : 'the bench has no keys';
		case 'stored':
			return bench.texts.stored ? undefined : 'the bench has no stored artifact';
		case 'restarted':
			return bench.texts.restarted ? undefined : 'the bench cannot overtake a turn';
		case 'streams':
			return bench.streams ? undefined : 'the bench cannot count streams';
		case 'undo':
			return bench.texts.undo ? undefined : 'the bench has no change that can be taken back';
		case 'edit':
			return bench.edit ? undefined : 'the bench has no change that can be edited';
		case 'moved':
			return bench.texts.moved ? undefined : 'the bench cannot move under a preview';
		case 'admin':
			return bench.admin ? undefined : 'the bench has no admin';
		default:
			return undefined;
	}
}
