/** The words that a human says yes and no with, wherever one is read. */
const YES: ReadonlySet<string> = new Set(['y', 'yes', 'ok', 'okay']);
const NO: ReadonlySet<string> = new Set(['n', 'no']);

export const isYes = (text: string): boolean => YES.has(text.trim().toLowerCase());
export const isNo = (text: string): boolean => NO.has(text.trim().toLowerCase());
