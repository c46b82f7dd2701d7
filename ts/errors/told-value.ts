/** Longer ones are cut, in UTF-16 units. */
const LONGEST = 100;

/** Any value as a message shows it: a wrong one may throw when it is looked at, or be none that JSON knows. */
export function toldValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
  } catch {
    // Said by its type.
  }
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

/** What a value is, without what it says: that may quote what somebody was asked. */
export function toldKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** The name that something of a user's has, as {@link toldValue}. */
export function toldName(given: { name?: unknown } | null | undefined): string {
  try {
    return toldValue(given?.name);
  } catch {
    return 'one that cannot be read';
  }
}
