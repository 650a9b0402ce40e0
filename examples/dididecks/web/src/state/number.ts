/** How people call a slide: by the number in its name, else by its place. */
export function numberOf(id: string, index: number): string {
	return /^\d+$/.test(id) ? String(Number(id)) : String(index + 1);
}
