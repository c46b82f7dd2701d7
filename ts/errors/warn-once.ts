/** Warnings that a process shows once, even when this package is loaded twice. */
const SHOWN = Symbol.for('countersign.warnings');

/** Of these, those that no warning was shown of yet; from now on one was. */
export function newWarnings(keys: readonly string[]): string[] {
  const shown = ((globalThis as Record<symbol, unknown>)[SHOWN] ??= new Set<string>()) as Set<string>;
  const fresh = keys.filter((key) => !shown.has(key));
  for (const key of fresh) shown.add(key);
  return fresh;
}

export function warn(message: string): void {
  process.emitWarning(message, { type: 'CountersignWarning' });
}

export function warnOnce(key: string, message: string): void {
  if (newWarnings([key]).length > 0) warn(message);
}
