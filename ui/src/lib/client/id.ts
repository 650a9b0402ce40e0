/** Makes an id of 26 characters that nobody else makes: for messages and tabs. */
export function newId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return 'm_' + Array.from(bytes, (b) => (b % 36).toString(36)).join('') + Date.now().toString(36);
}
