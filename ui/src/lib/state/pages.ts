import type { TurnModel } from './model.js';

/** A run of neighbouring turns; its key stays when older turns come before it. */
export interface TurnPage {
	readonly key: number;
	readonly turns: readonly TurnModel[];
}

const SIZE = 16;

/**
 * Cuts a conversation into pages by the depth of its turns. A page whose turns are
 * the same as before is the same object, so that a delta in the last turn of a long
 * conversation makes nobody look at the others.
 */
export function paged(
	turns: readonly TurnModel[],
	before: readonly TurnPage[]
): readonly TurnPage[] {
	const pages: { key: number; turns: TurnModel[] }[] = [];
	for (const turn of turns) {
		const key = Math.floor(turn.index / SIZE);
		const last = pages.at(-1);
		// Keys only grow, whatever a server says of depths, so that none comes twice.
		if (last && key <= last.key) last.turns.push(turn);
		else pages.push({ key, turns: [turn] });
	}
	const old = new Map(before.map((p) => [p.key, p]));
	return pages.map((page) => {
		const same = old.get(page.key);
		return same && equal(same.turns, page.turns) ? same : page;
	});
}

function equal(a: readonly TurnModel[], b: readonly TurnModel[]): boolean {
	return a.length === b.length && a.every((turn, i) => turn === b[i]);
}
