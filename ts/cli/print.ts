import { seenJson } from '../values/seen-json.js';
import { write } from './output.js';

/** What is printed, as fast as it is read. */
export async function print(...lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await write(`${lines.join('\n')}\n`);
}

/** Of everything that is printed as JSON; `schemas/` has what it looks like. */
const SCHEMA_VERSION = 1;

/** One line of JSON Lines. What a terminal could act on or hide stands escaped, which is the same JSON. */
export const printJson = (value: object): Promise<void> => print(json(value));

export const json = (value: object): string => seenJson({ schemaVersion: SCHEMA_VERSION, ...value });

/** `1 request`, `2 requests`. */
export const count = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`;
