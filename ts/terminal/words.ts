/** The words that a human says yes and no with, wherever one is read. */
const YES: ReadonlySet<string> = new Set(['y', 'yes', 'ok', 'okay']);
const NO: ReadonlySet<string> = new Set(['n', 'no']);

/**
 * Keys of the choices that any prompt has. One alone was meant as such, also where it is not offered, and so was a yes or a no that
 * was pressed again and again: it is no reason for a no.
 */
const KEY = /^(?:[yslednErApx?1-9]|[yY]+|[nN]+)$/;

export const isKeyAlone = (text: string): boolean => KEY.test(text);

/** Whether it may become a yes, or is one. */
export const beginsYes = (text: string): boolean =>
  /\S/.test(text) && [...YES].some((word) => word.startsWith(text.trim().toLowerCase()));

/** What is said of one that is not offered. */
export const notOffered = (key: string): string => `${key} is not offered here: nothing was decided`;

export const isYes = (text: string): boolean => YES.has(text.trim().toLowerCase());
export const isNo = (text: string): boolean => NO.has(text.trim().toLowerCase());
