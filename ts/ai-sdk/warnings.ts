import { newWarnings, warn } from '../errors/warn-once.js';

/** Names in `interruptOn` that no tool has. */
export function warnUnknown(names: readonly string[]): void {
  const fresh = new Set(newWarnings(names.map((name) => `unknown:${name}`)));
  const told = names.filter((name) => fresh.has(`unknown:${name}`));
  if (told.length === 0) return;
  warn(
    `interruptOn names tools that these tools do not have: ${told.map((name) => JSON.stringify(name)).join(', ')}. ` +
      `They are not gated. Set unknownTools to 'ignore' if that is intended, or to 'error' to be stopped by it.`,
  );
}
