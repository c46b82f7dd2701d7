/** Lines for a screen of a given width. */
import { plainLine, widthOf } from './style.js';

/** What stands before each line that comes from a call, and before what it is continued on: it must not pose as ours. */
const GUTTER = '│';
const CONTINUED = '│ ↪ ';

/** Each line that is too long in pieces, without its colours. */
export const foldedTo = (lines: readonly string[], columns: number): string[] =>
  lines.flatMap((line) => (widthOf(plainLine(line)) > columns ? folded(plainLine(line), columns) : [line]));

function folded(line: string, columns: number): string[] {
  const before = line.trimStart().startsWith(GUTTER) && columns > 2 * CONTINUED.length ? CONTINUED : '';
  const pieces = [''];
  for (const character of line) {
    if (widthOf(pieces.at(-1)! + character) > columns) pieces.push(before);
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}
