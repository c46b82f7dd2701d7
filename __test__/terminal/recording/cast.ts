/** A recording as asciicast v2: https://docs.asciinema.org/manual/asciicast/v2/ */
import type { Ink, Span } from '../terminal.js';
import { COLUMNS, ROWS, type Shot } from './tour.js';

const CODES: Readonly<Record<Ink, number>> = {
  bold: 1,
  dim: 2,
  underline: 4,
  black: 30,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  white: 37,
};

/** Each shot writes the rows that are others than before. */
export function castOf(shots: readonly Shot[]): string {
  const header = { version: 2, width: COLUMNS, height: ROWS, title: 'countersign', env: { TERM: 'xterm-256color' } };
  const events: [time: number, type: 'o', data: string][] = [];
  let seen = Array.from({ length: ROWS }, () => '');
  let time = 0;
  for (const { rows, cursor, stays } of shots) {
    const now = Array.from({ length: ROWS }, (_, y) => written(rows[y] ?? []));
    const changes = now.map((row, y) => (row === seen[y] ? '' : `\u001b[${y + 1};1H${row}\u001b[0m\u001b[K`));
    const pointed = cursor === undefined ? '\u001b[?25l' : `\u001b[${cursor.y + 1};${cursor.x + 1}H\u001b[?25h`;
    events.push([time / 1000, 'o', `${changes.join('')}${pointed}`]);
    seen = now;
    time += stays;
  }
  // So that players stay at the last one.
  events.push([time / 1000, 'o', '']);
  return `${[header, ...events].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

const written = (row: readonly Span[]): string =>
  row
    .map(({ text, x, inks }) => `\u001b[${x + 1}G\u001b[${[0, ...inks.map((ink) => CODES[ink])].join(';')}m${text}`)
    .join('');
