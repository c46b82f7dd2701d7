/** What a terminal shows: how wide it is, colours, and texts that cannot do anything to it. */
import type { WriteStream } from 'node:tty';

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

/** Columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

function widthOfOne(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (/\p{Mark}|\u200d|[\ufe00-\ufe0f]/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** East Asian wide characters and those that are shown as pictures. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** A text in at most so many columns: its beginning and its end, since what matters may stand in either. */
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
