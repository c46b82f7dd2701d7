/** The words that a human says yes and no with, wherever one is read. */
const YES: ReadonlySet<string> = new Set(['y', 'yes', 'ok', 'okay']);
const NO: ReadonlySet<string> = new Set(['n', 'no']);

/** Keys of the choices that any prompt has. One alone was meant as such, also where it is not offered: it is no reason for a no. */
const KEY = /^[yslednErApx?1-9]$/;

export const isKeyAlone = (text: string): boolean => KEY.test(text);

/** What is said of one that is not offered. */
export const notOffered = (key: string): string => `${key} is not offered here: nothing was decided`;

export const isYes = (text: string): boolean => YES.has(text.trim().toLowerCase());
export const isNo = (text: string): boolean => NO.has(text.trim().toLowerCase());
