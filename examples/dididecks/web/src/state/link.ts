/** The slide that the address names, as in #/slides/04. */
export function linkedSlide(hash = location.hash): string {
	const found = /^#\/slides\/([^/]+)$/.exec(hash)?.[1];
	try {
		return found ? decodeURIComponent(found) : '';
	} catch {
		return '';
	}
}

/** Names a slide in the address; turning pages makes no trail of its own. */
export function linkTo(slide: string): void {
	if (linkedSlide() !== slide) history.replaceState(null, '', `#/slides/${encodeURIComponent(slide)}`);
}
