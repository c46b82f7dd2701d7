/** What a terminal shows: how wide it is, colours, and texts that cannot do anything to it. */
import type { WriteStream } from 'node:tty';
import { plainLine } from '../terminal/plain-line.js';

/** Columns of the terminal; of what is no terminal there are as many as a line needs. */
export function columns(stream: Pick<WriteStream, 'isTTY' | 'columns'> = process.stdout): number {
  if (!stream.isTTY) return Infinity;
  return Math.max(20, stream.columns || 80);
}

/** Not with NO_COLOR, and only on a terminal that has them. */
export const hasColour = (): boolean =>
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

const CODES = { bold: 1, dim: 2, underline: 4, red: 31, green: 32, yellow: 33, cyan: 36, inverse: 7 } as const;
export type TextStyle = keyof typeof CODES;

export const style = (how: TextStyle | readonly TextStyle[], text: string): string => {
  const codes = (typeof how === 'string' ? [how] : how).map((each) => CODES[each]).join(';');
  return hasColour() && codes !== '' ? `\u001b[${codes}m${text}\u001b[0m` : text;
};

/** The lines of a diff, each in its colour. */
export const colouredDiff = (lines: readonly string[]): string[] => lines.map(colouredLine);

function colouredLine(line: string): string {
  if (line.startsWith('@@')) return style('cyan', line);
  if (/^(?:---|\+\+\+) /.test(line)) return style('bold', line);
  return line.startsWith('+') ? style('green', line) : line.startsWith('-') ? style('red', line) : line;
}

export { oneLine } from '../gate/in-a-line.js';
export { plainLine } from '../terminal/plain-line.js';

/**
 * Columns that a text takes, at most: terminals differ, and what is counted as less than one of them draws would push the end of a
 * line out of the window. So a mark that is no accent counts as one, although most terminals draw it above a letter. All that is not
 * known to be narrow counts as two, marks too.
 */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** Columns that a text takes in most terminals: where the cursor is behind it. */
export function usualWidthOf(text: string): number {
  let width = 0;
  for (const character of text) if (!OVER.test(character)) width += widthOfOne(character);
  return width;
}

function widthOfOne(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  // Accents of Latin, Greek and Cyrillic: all agree about these.
  if (code < 0x370) return 0;
  if (/^\p{Mark}$/u.test(character)) return NARROW.test(character) || NARROW_MARK.test(character) ? 1 : 2;
  return NARROW.test(character) && !WIDE.test(character) ? 1 : 2;
}

/** What most terminals draw over the character before it. */
const OVER = /[\p{Nonspacing_Mark}\p{Enclosing_Mark}\u200d]/u;

/** Blocks of narrow characters: letters up to Georgian, others up to Greek with accents, punctuation and signs, half width forms. */
const NARROW =
  /[\u0370-\u10ff\u1200-\u2bff\u2c00-\u2e39\u2e3c-\u2e7f\ua4d0-\ua95f\ua980-\uabff\ufb00-\ufdef\ufe70-\ufefe\uff61-\uffdc\uffe8-\uffee\ufffd]/u;

/**
 * Blocks outside of these whose marks are all narrow: Cyrillic and Bamum, those of half the width and variation selectors, scripts of
 * India and others, notes of music, and signs of writing with the hands. Marks of Chinese, Japanese and Korean are not in them.
 */
const NARROW_MARK =
  // oxlint-disable-next-line no-misleading-character-class -- each is a block of its own
  /[\ua640-\ua6ff\ufe00-\ufe0f\ufe20-\ufe2f\u{10000}-\u{11fff}\u{13000}-\u{1345f}\u{16100}-\u{16faf}\u{1bc00}-\u{1bcaf}\u{1cf00}-\u{1d24f}\u{1da00}-\u{1e95f}\u{e0100}-\u{e01ef}]/u;

/** What is wide among them: brackets, pictures, the signs that Unicode 16 made wide, and what has no character yet. */
const WIDE = /[\u2329\u232a\u2630-\u2637\u268a-\u268f]|\p{Emoji_Presentation}|\p{Unassigned}/u;

/** Whether the end of a line may be out of the window: then it was not seen. */
export const isCut = (lines: readonly string[], columns: number): boolean =>
  lines.some((line) => widthOf(plainLine(line)) > columns);

/** With less than this there is no room for a call and its choices, and nothing counts as seen. */
export const LEAST = { columns: 20, rows: 4 } as const;

/** Why a window has not enough room; `undefined`: it has. */
export function tooSmall({ columns, rows }: { columns: number; rows: number }): string | undefined {
  if (columns < LEAST.columns) return `too narrow: the window needs ${LEAST.columns} columns for a yes`;
  return rows < LEAST.rows ? `too low: the window needs ${LEAST.rows} rows for a yes` : undefined;
}

/** What is said of a window that was too small, once it is not: nothing. */
export const unlessRoomy = (said: string, room: string | undefined): string =>
  /^too (?:narrow|low|small):/.test(said) && said !== room ? (room ?? '') : said;

/** A text in at most `most` columns: its beginning and its end, since what matters may stand in either. */
export function fit(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  if (most < 3) return '…'.slice(0, most);
  const tail = Math.floor((most - 1) / 3);
  return `${take([...text], most - 1 - tail).join('')}…${take([...text].toReversed(), tail)
    .toReversed()
    .join('')}`;
}

function take(characters: readonly string[], most: number): string[] {
  const taken: string[] = [];
  let width = 0;
  for (const character of characters) {
    width += widthOfOne(character);
    if (width > most) break;
    taken.push(character);
  }
  return taken;
}
