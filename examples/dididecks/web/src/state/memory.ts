/** What this browser remembers; where storage is forbidden it forgets. */
const name = (key: string) => `dididecks:${key}`;

export function recall(key: string): string | undefined {
	try {
		return localStorage.getItem(name(key)) ?? undefined;
	} catch {
		return undefined;
	}
}

export function remember(key: string, value: string | undefined): void {
	try {
		if (value === undefined) localStorage.removeItem(name(key));
		else localStorage.setItem(name(key), value);
	} catch {
		// A private window: remembered as long as the page lives, by whoever asks.
	}
}

/** Tells when another tab remembers something else. */
export function onRemembered(key: string, told: (value: string | undefined) => void): () => void {
	const listen = (e: StorageEvent) => {
		if (e.key === name(key)) told(e.newValue ?? undefined);
	};
	addEventListener('storage', listen);
	return () => removeEventListener('storage', listen);
}
