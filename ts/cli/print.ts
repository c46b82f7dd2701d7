import { seenJson } from '../values/seen-json.js';
import { write } from './output.js';

/** What is printed, as fast as it is read. */
export async function print(...lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await write(`${lines.join('\n')}\n`);
}

/** One line of JSON Lines. What a terminal could act on or hide stands escaped, which is the same JSON. */
export const printJson = (value: unknown): Promise<void> => print(json(value));

export const json = (value: unknown): string => seenJson(value);

/** `1 request`, `2 requests`. */
export const count = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`;
