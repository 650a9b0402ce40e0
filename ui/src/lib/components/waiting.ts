/** The card of a change that waits for its user; a card that is being answered is none. */
const WAITING = '[data-waiting="yes"]';

/**
 * The next change that waits, in the order of the page and around its end; from
 * itself is never given.
 */
export function nextWaiting(root: Element | null | undefined, from: Element | undefined, step: 1 | -1): HTMLElement | undefined {
	const cards = [...(root?.querySelectorAll<HTMLElement>(WAITING) ?? [])];
	const others = cards.filter((c) => c !== from);
	if (!from) return step > 0 ? others[0] : others.at(-1);
	const is = step > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
	const ahead = others.filter((c) => from.compareDocumentPosition(c) & is);
	return step > 0 ? (ahead[0] ?? others[0]) : (ahead.at(-1) ?? others.at(-1));
}

/** The card that has the focus, or something in it has. */
export function focusedCard(): HTMLElement | undefined {
	return document.activeElement?.closest<HTMLElement>(WAITING) ?? undefined;
}

/** Moves the focus to a card and its start into view. */
export function goTo(card: HTMLElement | undefined): void {
	card?.focus({ preventScroll: true });
	card?.scrollIntoView({ block: 'start' });
}

/** Finds the card of a call below an element. */
export function cardOf(root: Element | undefined, callId: string | undefined): HTMLElement | undefined {
	if (!callId) return undefined;
	return [...(root?.querySelectorAll<HTMLElement>('.preview') ?? [])].find((c) => c.dataset.call === callId);
}

/** True when nothing has the focus: what had it is gone, and nobody went elsewhere. */
export function focusLost(): boolean {
	return document.activeElement === null || document.activeElement === document.body;
}

/** True where letters are written and not pressed. */
export function takesText(target: EventTarget | null): boolean {
	return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}
