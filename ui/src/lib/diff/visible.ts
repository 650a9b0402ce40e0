/** What turns the reading direction of all that follows it around. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
/** These as well as the marks that are usual within Arabic and Hebrew prose, and have no place in code. */
const TURNS_AND_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const name = (c: string) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;

/**
 * Shows the characters that turn the reading direction around, which can make a text
 * look like another ("gnp.exe" like "exe.png"), by their names instead of their effect.
 */
export const visible = (text: string): string => text.replace(TURNS, name);

/** The same for code, data and file names, where no mark of direction is usual. */
export const visibleCode = (text: string): string => text.replace(TURNS_AND_MARKS, name);
