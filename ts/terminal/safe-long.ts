import { safeText } from '../native.js';

/** `safeText` leaves out the middle of what is much longer. */
const PIECE = 1_000;

/** All of a text, however long. Tabs, and line ends of other systems, do no harm: they are shown as what they are. */
export function safeLong(given: string): string {
  const text = given.replaceAll('\r\n', '\n').replaceAll('\t', '    ');
  if (text.length <= PIECE) return safeText(text);
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE);
    // Never between the two halves of a character.
    if (isHighHalf(text.charCodeAt(to - 1))) to--;
    pieces.push(safeText(text.slice(from, to > from ? to : from + 1)));
    from = to > from ? to : from + 1;
  }
  return pieces.join('');
}

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
