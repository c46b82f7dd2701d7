/** Draws on a terminal: finished lines go into the scrollback, and the frame below them is drawn over the last one. */
import type { ScreenFrame } from './frame.js';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** The terminal cuts a line that is too wide, by its own measure: each line stays one row, and the rows can be counted. */
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
/** A terminal that knows these marks shows what is between them at once. */
const FRAME_BEGINS = '\u001b[?2026h';
const FRAME_ENDS = '\u001b[?2026l';
const ERASE_LINE = '\u001b[2K';
const ERASE_BELOW = '\u001b[J';

/** Begins where the cursor is. One that lost its place, as after a resize, is replaced by a new one. */
export class ScreenPainter {
  readonly #write: (text: string) => void;
  /** Rows of the frame above the cursor. */
  #above = 0;
  /** The frame as it was last written. */
  #drawn = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Writes the finished lines once, and the frame below them. Each line is one row. */
  draw(finished: readonly string[], { lines, cursor }: Pick<ScreenFrame, 'lines' | 'cursor'>): void {
    const below = cursor === undefined ? lines.length : cursor.y;
    const frame = [
      lines.map(asRow).join(''),
      ERASE_BELOW,
      WRAP_ON,
      up(lines.length - below),
      cursor === undefined ? '' : `\u001b[${cursor.x + 1}G${SHOW_CURSOR}`,
      FRAME_ENDS,
    ].join('');
    if (finished.length === 0 && frame === this.#drawn) return;
    // In one piece: a frame is never seen half drawn.
    const start = [FRAME_BEGINS, HIDE_CURSOR, up(this.#above), '\r', WRAP_OFF];
    this.#write([...start, ...finished.map(asRow), frame].join(''));
    [this.#above, this.#drawn] = [below, frame];
  }
}

/** Spaces at the end are not written: they are invisible, and would be copied along. */
const asRow = (line: string): string => `${ERASE_LINE}${line.trimEnd()}\r\n`;
const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');
