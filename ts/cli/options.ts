/** Options of a command, read strictly: what is not known is an error. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestOf } from '../options/nearest.js';
import { UsageError } from './exit.js';
import { typedJson } from '../values/typed-json.js';

export type OptionTypes = NonNullable<ParseArgsConfig['options']>;

export function readOptions<const OPTIONS extends OptionTypes>(args: readonly string[], options: OPTIONS) {
  const { tokens, ...read } = parsed(args, options);
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined || options[token.name]?.multiple === true) continue;
    // The last one would count, and the first be silently ignored.
    if (given.has(token.name)) throw new UsageError(`--${token.name} is given twice: it takes one value`);
    given.add(token.name);
  }
  return read;
}

function parsed<const OPTIONS extends OptionTypes>(args: readonly string[], options: OPTIONS) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    throw new UsageError(inOurWords(error, options));
  }
}

/** The folder that an option names, absolute; without one this one. @throws {UsageError} */
export function folderOf(option: string, given: string | undefined): string {
  const folder = resolve(given ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new UsageError(`${option} must be a folder: ${folder}`);
}

/** Node's own words are about its own function. */
function inOurWords(error: unknown, options: OptionTypes): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
  if (unknown !== undefined) {
    const meant = nearestOf(unknown.replace(/^--?/, ''), Object.keys(options));
    return `there is no option ${unknown}${meant === undefined ? '' : `: did you mean --${meant}?`}`;
  }
  const [, flag, takes] =
    /^Option '(.+?)(?: <value>)?' (argument missing|argument is ambiguous|does not take)/.exec(message) ?? [];
  const name = flag?.split(', ').at(-1);
  if (name === undefined) return message.split('. To specify a positional argument')[0] ?? message;
  if (takes === 'does not take') return `${name} takes no value`;
  return takes === 'argument missing'
    ? `${name} needs a value`
    : `${name} needs a value; one that begins with a dash is written ${name}=VALUE`;
}

export function readJson(text: string, what: string): unknown {
  try {
    return typedJson(text);
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
