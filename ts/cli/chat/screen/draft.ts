/** A text that is being written, and where the cursor is in it. Nothing here reads or writes. */
import { safeText } from '../../../native.js';
import { usualWidthOf, widthOf } from '../../style.js';
import type { KeyName } from './keys.js';

export interface TextDraft {
  readonly text: string;
  /** A place in `text`, never within a character. */
  readonly cursor: number;
}

export const EMPTY: TextDraft = { text: '', cursor: 0 };
export const draftOf = (text: string): TextDraft => ({ text, cursor: text.length });

/** A draft has no more characters than this: what is longer belongs into a file. */
export const MOST = 50_000;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const charactersOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** Composed, so that an accented letter is one character, which can be shown as it is. */
export function insert({ text, cursor }: TextDraft, more: string): TextDraft {
  const added = more
    .normalize('NFC')
    .slice(0, Math.max(0, MOST - text.length))
    .toWellFormed();
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

/** What a key does to it; `undefined`: nothing. Up and down go from line to line of the text. */
export function edited(draft: TextDraft, key: KeyName): TextDraft | undefined {
  const { text, cursor } = draft;
  const [before, after] = [text.slice(0, cursor), text.slice(cursor)];
  const start = before.lastIndexOf('\n') + 1;
  const end = cursor + (after.indexOf('\n') === -1 ? after.length : after.indexOf('\n'));
  const to = (place: number): TextDraft => ({ text, cursor: place });
  switch (key) {
    case 'left':
      return to(cursor - (charactersOf(before).at(-1)?.length ?? 0));
    case 'right':
      return to(cursor + (charactersOf(after)[0]?.length ?? 0));
    case 'word-left':
      return to(wordBefore(before));
    case 'word-right':
      return to(cursor + (/^\s*\S+/.exec(after)?.[0].length ?? after.length));
    case 'home':
    case 'ctrl-a':
      return to(start);
    case 'end':
    case 'ctrl-e':
      return to(end);
    case 'up':
      return start === 0 ? undefined : to(Math.min(start - 1, text.lastIndexOf('\n', start - 2) + 1 + cursor - start));
    case 'down': {
      if (end === text.length) return undefined;
      const next = text.indexOf('\n', end + 1);
      return to(Math.min(end + 1 + cursor - start, next === -1 ? text.length : next));
    }
    case 'newline':
      return insert(draft, '\n');
    case 'backspace': {
      const left = before.slice(0, before.length - (charactersOf(before).at(-1)?.length ?? 0));
      return { text: left + after, cursor: left.length };
    }
    case 'delete':
      return { text: before + after.slice(charactersOf(after)[0]?.length ?? 0), cursor };
    case 'ctrl-w': {
      const left = before.slice(0, wordBefore(before));
      return { text: left + after, cursor: left.length };
    }
    case 'ctrl-u':
      return { text: text.slice(0, start) + after, cursor: start };
    case 'ctrl-k':
      return { text: before + text.slice(end), cursor };
    default:
      return undefined;
  }
}

const wordBefore = (before: string): number => before.replace(/\S+\s*$|\s+$/, '').length;

export interface DraftLayout {
  /** Each fits into the width. */
  readonly rows: readonly string[];
  /** Where the cursor is: a row, and columns from its beginning. */
  readonly cursor: { readonly row: number; readonly column: number };
}

/** The draft in rows of `width` columns, with what deceives the eye made visible. */
export function laid({ text, cursor }: TextDraft, width: number): DraftLayout {
  const rows = [''];
  let [used, column, at] = [0, 0, 0];
  let place = { row: 0, column: 0 };
  for (const character of charactersOf(text)) {
    if (at === cursor) place = { row: rows.length - 1, column };
    at += character.length;
    if (character === '\n') {
      rows.push('');
      [used, column] = [0, 0];
      continue;
    }
    const shown = PLAIN.test(character) ? character : safeText(character);
    const wide = widthOf(shown);
    if (used + wide > width && used > 0) {
      // The cursor is where the character will be.
      if (at - character.length === cursor) place = { row: rows.length, column: 0 };
      rows.push('');
      [used, column] = [0, 0];
    }
    rows[rows.length - 1] += shown;
    used += wide;
    column += usualWidthOf(shown);
  }
  if (cursor >= text.length) place = { row: rows.length - 1, column };
  // A full row has no place for the cursor behind it.
  if (place.column >= width) {
    if (place.row === rows.length - 1) rows.push('');
    place = { row: place.row + 1, column: 0 };
  }
  return { rows, cursor: place };
}

const PLAIN = /^[ -~]$/;
