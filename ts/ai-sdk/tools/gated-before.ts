/**
 * Tools that are gated by their own `execute`: gated once more, a human would be asked twice about one call, and what stops a loop would
 * find no approval of its own.
 */
import type { Tool } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';

/** On the function, since a copy of a tool has the same. Registered: see `call-context.ts`. */
const GATED = Symbol.for('countersign.gated');

/** Of a tool that asks about its calls wherever it runs. */
export function gatesItself(tool: Tool): Tool {
  if (typeof tool.execute === 'function') Reflect.defineProperty(tool.execute, GATED, { value: true });
  return tool;
}

export const isGatedBefore = (tool: Tool | undefined): boolean =>
  typeof tool?.execute === 'function' && Object.hasOwn(tool.execute, GATED);

/**
 * @param place who would ask about it as well
 * @throws {InvalidConfigError} for a tool that asks already
 */
export function refuseGatedBefore(tool: Tool | undefined, name: string, place: string): void {
  if (!isGatedBefore(tool)) return;
  throw new InvalidConfigError({
    message: `${place}: the tool ${JSON.stringify(name)} is gated already, by gateTools or by its agent, and would be asked about twice. Give the tool as it was, or leave it to them by interruptOn: { ${JSON.stringify(name)}: false }.`,
  });
}
