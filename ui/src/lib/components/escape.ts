/**
 * Leaves the innermost layer by Escape. The key is used up with that: no layer around
 * it, and no host around the panel, closes by the same press.
 */
export function leaveBy(e: KeyboardEvent, leave: () => void): void {
	if (e.key !== 'Escape' || e.isComposing || e.defaultPrevented) return;
	e.preventDefault();
	e.stopPropagation();
	leave();
}
