/** How a tool runs what was approved, for the person who is asked. */
import type { Tool } from 'ai';

/** Where it stands in the tool. Registered: a tool may come from another copy of this package. */
const RUNS_AS = Symbol.for('countersign.runs-as');

/** The tool, marked so that its requests say how it runs: always in the same way, or depending on the arguments. */
export const saysHowItRuns = <TOOL extends object>(tool: TOOL, how: (args: unknown) => string): TOOL =>
  Object.assign(tool, { [RUNS_AS]: how });

/** In a sentence; `undefined`: as it ever does. */
export function howItRuns(tool: Tool | undefined, args: unknown): string | undefined {
  const how: unknown = tool && (tool as unknown as Record<symbol, unknown>)[RUNS_AS];
  // Of another copy of this package it may be the sentence itself.
  const said: unknown = typeof how === 'function' ? how(args) : how;
  return typeof said === 'string' ? said : undefined;
}
