/** Whether what was put on a terminal line by line is more than its window shows. */
import { plainLine } from './plain-line.js';

/** How big a window is. */
export interface WindowSize {
  columns: number;
  rows: number;
}

/** The window of a stream; `undefined`: it has none that is known. */
export function windowOf(stream: object | undefined): WindowSize | undefined {
  const { columns, rows } = (stream ?? {}) as Partial<WindowSize>;
  return typeof columns === 'number' && columns > 0 && typeof rows === 'number' && rows > 0
    ? { columns, rows }
    : undefined;
}

/** A text of ours whose lines are broken between words, where the window is known. */
export function inWords(text: string, window: WindowSize | undefined): string {
  if (window === undefined) return text;
  const lines = text.split('\n').flatMap((line) => {
    const broken: string[] = [];
    let rest = line;
    // The last column is left free: some terminals wrap there.
    for (let end; rest.length >= window.columns; rest = rest.slice(end + 1)) {
      end = rest.lastIndexOf(' ', window.columns - 1);
      if (end <= 0) break;
      broken.push(rest.slice(0, end));
    }
    return [...broken, rest];
  });
  return lines.join('\n');
}

/** Rows that a text takes, at most: what is not known to be narrow may be wide. */
function rowsOf(text: string, columns: number): number {
  let rows = 0;
  for (const line of plainLine(text).split('\n')) {
    let width = 0;
    for (const character of line) width += character < '\u0300' ? 1 : 2;
    rows += Math.max(1, Math.ceil(width / columns));
  }
  return rows;
}

/**
 * That the beginning of what was put has scrolled out of the window, in words; `undefined`: it has not, or that is unknown.
 * Nothing tells whether a person looked there.
 */
export function scrolledAway(text: string, window: WindowSize | undefined): string | undefined {
  if (window === undefined) return undefined;
  const rows = rowsOf(text, window.columns);
  // One more is for the answer.
  return rows < window.rows
    ? undefined
    : `it has ${rows} lines, more than the window shows: read it from its beginning`;
}
