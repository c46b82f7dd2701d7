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

  /** A line of its own. @param {string} [text] Made safe. @param {Style} [style] */
  line(text = '', style) {
    this.endLine();
    this.#write(`${style ? this.style(style, text) : safe(text)}\n`);
  }

  /** Lines of their own, set in. @param {string} text Made safe. @param {Style} [style] */
  block(text, style) {
    for (const line of text.replace(/\n$/, '').split('\n')) this.line(`    ${line}`, style);
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
