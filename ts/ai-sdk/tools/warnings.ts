import type { ToolSet } from 'ai';
import { newWarnings, warn, warnOnce } from '../../errors/warn-once.js';

/** Where names stand that no tool has. */
export interface NamingPlace {
  /** Who has the tools. */
  place: string;
  tools: ToolSet;
  /** Whose names they are. */
  option: string;
  /** What follows from it. */
  so?: string;
}

/** Names in `interruptOn`, or in another option, that no tool has. Once for each set of tools: at another one it is another mistake. */
export function warnUnknown(names: readonly string[], naming: NamingPlace): void {
  if (names.length === 0) return;
  const { place, tools, option, so = 'They are not gated.' } = naming;
  const keyOf = (name: string) =>
    `unknown:${JSON.stringify([place, option, name, ...Object.getOwnPropertyNames(tools)])}`;
  const fresh = new Set(newWarnings(names.map(keyOf)));
  const told = names.filter((name) => fresh.has(keyOf(name)));
  if (told.length === 0) return;
  warn(
    `${option} names tools that these tools do not have: ${told.map((name) => JSON.stringify(name)).join(', ')}. ` +
      `${so} Set unknownTools to 'ignore' if that is intended, or to 'error' to be stopped by it.`,
  );
}

/** The model's turn was cut short: its calls are neither asked about nor run, and it alone would hear of that. */
export function warnCut(finishReason: string, calls: readonly { toolName: string }[]): void {
  const names = [...new Set(calls.map(({ toolName }) => JSON.stringify(toolName)))].join(', ');
  warnOnce(
    `cut:${finishReason}:${names}`,
    `The model's turn is incomplete (${finishReason}), so its calls may be cut short: ${names} did not run, and nobody was ` +
      `asked. Where the reason is "length", give the model more room (maxOutputTokens).`,
  );
}
