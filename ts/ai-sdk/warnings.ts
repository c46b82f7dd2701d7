/** Warnings that a process shows once, even when this package is loaded twice. */
const SHOWN = Symbol.for('countersign.warnings');

export function warnOnce(key: string, message: string): void {
  const shown = ((globalThis as Record<symbol, unknown>)[SHOWN] ??= new Set<string>()) as Set<string>;
  if (shown.has(key)) return;
  shown.add(key);
  process.emitWarning(message, { type: 'CountersignWarning' });
}

/** Names in `interruptOn` that no tool has. */
export function warnUnknown(names: readonly string[]): void {
  const shown = ((globalThis as Record<symbol, unknown>)[SHOWN] ??= new Set<string>()) as Set<string>;
  const fresh = names.filter((name) => !shown.has(`unknown:${name}`));
  if (fresh.length === 0) return;
  for (const name of fresh) shown.add(`unknown:${name}`);
  process.emitWarning(
    `interruptOn names tools that these tools do not have: ${fresh.map((name) => JSON.stringify(name)).join(', ')}. ` +
      `They are not gated. Set unknownTools to 'ignore' if that is intended, or to 'error' to be stopped by it.`,
    { type: 'CountersignWarning' },
  );
}
