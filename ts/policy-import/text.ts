/** The text that is imported: its places, and the characters that count as blanks there. */

/** Where something stands, from 1; `0`: nowhere in particular. Columns are characters. */
export interface Place {
  line: number;
  column: number;
}

export const NOWHERE: Place = { line: 0, column: 0 };

/** Why a text cannot be imported at all. */
export class ImportFault extends Error {
  readonly at: Place;

  constructor(message: string, at: Place) {
    super(message);
    this.at = at;
  }
}

/** A text whose places are asked for mostly in order. */
export class SourceText {
  readonly text: string;
  /** Where the last place was. */
  #offset = 0;
  #place: Place = { line: 1, column: 1 };

  constructor(text: string) {
    this.text = text;
  }

  /** The place of a unit of UTF-16. Linear in the way from the last one, or from the beginning when it lies before. */
  place(offset: number): Place {
    if (offset < this.#offset) {
      this.#offset = 0;
      this.#place = { line: 1, column: 1 };
    }
    let { line, column } = this.#place;
    for (const character of this.text.slice(this.#offset, offset)) {
      if (character === '\n') {
        line++;
        column = 1;
      } else column++;
    }
    this.#offset = offset;
    this.#place = { line, column };
    return this.#place;
  }
}

/** White space as Unicode has it. `\s` of JavaScript has the byte order mark too, and lacks U+0085. */
const BLANK = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const BLANKS = new RegExp(`${BLANK}+`, 'u');
const IS_BLANK = new RegExp(BLANK, 'u');

export const wordsOf = (text: string): string[] => text.split(BLANKS).filter((word) => word !== '');

/** Without blanks at both ends. An expression for that would take quadratic time. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && IS_BLANK.test(text.charAt(start))) start++;
  while (end > start && IS_BLANK.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Without all of these characters at the end. */
export function withoutAtEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Without the end, when the text has it. */
export const withoutEnd = (text: string, end: string): string | undefined =>
  text.endsWith(end) ? text.slice(0, text.length - end.length) : undefined;

/** Without the beginning, when the text has it. */
export const withoutStart = (text: string, start: string): string | undefined =>
  text.startsWith(start) ? text.slice(start.length) : undefined;

/** What stands before and behind the first of these, when it is there. */
export function splitOnce(text: string, sign: string): [before: string, behind: string] | undefined {
  const at = text.indexOf(sign);
  return at === -1 ? undefined : [text.slice(0, at), text.slice(at + sign.length)];
}
