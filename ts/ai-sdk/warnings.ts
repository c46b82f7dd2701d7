import { newWarnings, warn } from '../errors/warn-once.js';

/** Names in `interruptOn`, or in another option, that no tool has. */
export function warnUnknown(names: readonly string[], option = 'interruptOn'): void {
  const fresh = new Set(newWarnings(names.map((name) => `unknown:${option}:${name}`)));
  const told = names.filter((name) => fresh.has(`unknown:${option}:${name}`));
  if (told.length === 0) return;
  warn(
    `${option} names tools that these tools do not have: ${told.map((name) => JSON.stringify(name)).join(', ')}. ` +
      `They are not gated. Set unknownTools to 'ignore' if that is intended, or to 'error' to be stopped by it.`,
  );
}
