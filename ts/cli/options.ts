/** Options of a command, read strictly: what is not known is an error. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './exit.js';

export type OptionTypes = NonNullable<ParseArgsConfig['options']>;

export function readOptions<const OPTIONS extends OptionTypes>(args: readonly string[], options: OPTIONS) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node goes on about how an argument may begin with a dash, and stops in the middle of it.
    throw new UsageError(message.split('. To specify a positional argument')[0] ?? message);
  }
}

export function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${(error as Error).message}`);
  }
}

/** @throws {UsageError} */
export function wholeNumber(option: string, text: string, least: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least) return number;
  throw new UsageError(`${option} must be a whole number from ${least}, not ${JSON.stringify(text)}`);
}
