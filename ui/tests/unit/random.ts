/** A small generator of numbers that are the same for the same seed. */
export function random(seed: number): (below: number) => number {
	let a = seed * 0x9e3779b9;
	return (below) => {
		a |= 0;
		a = (a + 0x6d2b79f5) | 0;
		let t = Math.imul(a ^ (a >>> 15), 1 | a);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % below;
	};
}
