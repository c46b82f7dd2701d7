/** Lines for a screen of so many columns. */
import { widthOf } from './style.js';

// oxlint-disable-next-line no-control-regex -- our own colours
const COLOURS = /\u001b\[\d+m/g;
const plain = (line: string): string => line.replaceAll(COLOURS, '');

/** Each line that is too long in pieces, without its colours. */
export const foldedTo = (lines: readonly string[], columns: number): string[] =>
  lines.flatMap((line) => (widthOf(plain(line)) > columns ? folded(plain(line), columns) : [line]));

function folded(line: string, columns: number): string[] {
  const pieces = [''];
  for (const character of line) {
    if (widthOf(pieces.at(-1)! + character) > columns) pieces.push('');
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}
