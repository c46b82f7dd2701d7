// @ts-check
/** What is written to the user: plain lines, in colour where the terminal can. */

/** Characters that move the cursor, hide, or turn text around: a model or a file must not draw on the screen. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with every unsafe character spelled out. @param {string} text */
export function safe(text) {
  return text.replace(UNSAFE, (char) =>
    char === '\n' || char === '\t' ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
/** @typedef {keyof typeof CODES} Style */

export class Screen {
  #atLineStart = true;

  /** @param {NodeJS.WriteStream} out */
  constructor(out) {
    this.out = out;
    this.colours = out.isTTY === true && !process.env.NO_COLOR && out.hasColors();
  }

  /** @param {Style} style @param {string} text Made safe. */
  style(style, text) {
    return this.colours ? `\x1b[${CODES[style]}m${safe(text)}\x1b[0m` : safe(text);
  }

  /** A piece of streamed text. @param {string} text Made safe. */
  text(text) {
    this.#write(safe(text));
  }

  /** A line of its own, broken between words. @param {string} [text] Made safe. @param {Style} [style] */
  line(text = '', style) {
    for (const line of safe(text).split('\n')) {
      const indent = /^ */.exec(line)?.[0] ?? '';
      this.#lines(fold(line, this.#columns, `${indent}  `, true), style);
    }
  }

  /**
   * Lines of their own, set in and marked where they go on. Left to the terminal, the rest of a long line would start at
   * the left edge, where it could pass for words of ours.
   *
   * @param {string} text Made safe.
   * @param {Style} [style]
   */
  block(text, style) {
    for (const line of safe(text).trimEnd().split('\n')) {
      const goesOn = line.startsWith('│ ') ? '    │ ↪ ' : '    ↪ ';
      this.#lines(fold(`    ${line.replaceAll('\t', '  ')}`, this.#columns, goesOn, false), style);
    }
  }

  get #columns() {
    return this.out.isTTY ? Math.max(20, this.out.columns) : Infinity;
  }

  /** @param {string[]} lines @param {Style} [style] */
  #lines(lines, style) {
    this.endLine();
    for (const line of lines) this.#write(`${style ? this.style(style, line) : line}\n`);
  }

  /** So that what comes next stands on a line of its own. */
  endLine() {
    if (!this.#atLineStart) this.#write('\n');
  }

  /** @param {string} text */
  #write(text) {
    if (text === '') return;
    this.out.write(text);
    this.#atLineStart = text.endsWith('\n');
  }
}

/**
 * The line in pieces of at most so many columns.
 *
 * @param {string} line
 * @param {number} columns
 * @param {string} goesOn Stands before each piece but the first.
 * @param {boolean} betweenWords Where possible.
 */
function fold(line, columns, goesOn, betweenWords) {
  const pieces = [];
  let rest = line;
  for (;;) {
    const fits = fitting(rest, columns);
    if (fits === rest.length) return [...pieces, rest];
    const space = betweenWords ? rest.lastIndexOf(' ', fits) : -1;
    const cut = space > goesOn.length ? space + 1 : fits;
    pieces.push(rest.slice(0, cut).trimEnd());
    rest = goesOn + rest.slice(cut);
  }
}

/** How much of the text fits. What is not ASCII may be two columns wide and is taken to be. @param {string} text @param {number} columns */
function fitting(text, columns) {
  let width = 0;
  let end = 0;
  for (const char of text) {
    width += char <= '~' ? 1 : 2;
    if (width > columns) break;
    end += char.length;
  }
  return end;
}
