/** What the plain front end reads: the lines of a pipe, one by one, and what a person types on a terminal, as texts. */
import type { Readable } from 'node:stream';
import { SEEN, TOGETHER } from '../../terminal/typing.js';

type LineSource = Readable & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };

const CTRL_C = '\u0003';

export interface ReadLinesOptions {
  /** Something can be taken, or the input has ended. */
  changed: () => void;
  /** Whether what is typed now answers something: then the end of a paste that has no line end belongs to it. */
  isAnswer: () => boolean;
}

/**
 * One input, read line by line. On a terminal the line stays the terminal's own, with its echo and its keys: it is raw for moments
 * alone, in which what was typed without Enter comes out of it.
 */
export class ReadLines {
  readonly #input: LineSource;
  readonly #options: ReadLinesOptions;
  readonly #decoder = new TextDecoder();
  /** Whole lines that were not taken yet. */
  readonly #lines: string[] = [];
  /** A line that has no end by now. */
  #rest = '';
  /** Whether the last line has none for good: its writer may have died before it was whole. */
  #isCut = false;
  #isOver = false;
  /** While more may come with those lines. */
  #gathering: NodeJS.Timeout | undefined;
  /** While what comes is forgotten, and whether a line was. */
  #forgetting: { hadLine: boolean } | undefined;
  #isRaw = false;

  constructor(input: LineSource, options: ReadLinesOptions) {
    this.#input = input;
    this.#options = options;
    input.on('data', this.#hear);
    input.on('end', this.#end);
    input.on('close', this.#end);
    input.on('error', this.#end);
  }

  get isTerminal(): boolean {
    return this.#input.isTTY === true;
  }

  /** Nothing more can be taken, now or later. */
  get isEnded(): boolean {
    return this.#isOver && this.#lines.length === 0;
  }

  /** The first line that can be taken, which stays there; `undefined`: none by now. */
  get first(): string | undefined {
    return this.#gathering === undefined ? this.#lines[0] : undefined;
  }

  /** Takes one line that answers something; `undefined`: none is there by now. What a line that was cut was to be is unknown. */
  answer(): string | undefined {
    if (this.#isCut && this.#lines.length === 1) this.#lines.length = 0;
    return this.next();
  }

  /** Takes one line; `undefined`: none is there by now. */
  next(): string | undefined {
    return this.#gathering === undefined ? this.#lines.shift() : undefined;
  }

  /** Takes all that came together, up to a line that stands alone; `undefined`: nothing is there by now. */
  text(standsAlone: (line: string) => boolean = () => false): string | undefined {
    if (this.first === undefined) return undefined;
    const end = this.#lines.findIndex(standsAlone);
    return this.#lines.splice(0, end === -1 ? this.#lines.length : end).join('\n');
  }

  /**
   * On a terminal, what was typed by now decides nothing, nor what is typed before something new was in sight for a moment: lines, and
   * what stands on the terminal without Enter.
   *
   * @param seen called when that is over, unless something newer came into sight. `hadLine`: a line was forgotten
   */
  forget(seen: (hadLine: boolean) => void): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const forgetting = { hadLine: this.#lines.length > 0 };
    this.#forgetting = forgetting;
    this.#lines.length = 0;
    this.#rest = '';
    this.#beRaw(true);
    const over = (): void => {
      if (this.#forgetting !== forgetting) return;
      this.#forgetting = undefined;
      this.#beRaw(false);
      seen(forgetting.hadLine);
    };
    // What was typed while the program stood still is read first.
    setTimeout(() => setImmediate(over), SEEN);
  }

  close(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#forgetting = undefined;
    this.#beRaw(false);
    this.#input.off('data', this.#hear);
    this.#input.off('end', this.#end);
    this.#input.off('close', this.#end);
    this.#input.pause();
    this.#lines.length = 0;
    this.#isOver = true;
  }

  readonly #hear = (data: Buffer | string): void => {
    const text = typeof data === 'string' ? data : this.#decoder.decode(data, { stream: true });
    // A raw terminal makes no signal of it.
    if (this.#isRaw && text.includes(CTRL_C)) {
      this.#rest = '';
      process.emit('SIGINT');
      return;
    }
    if (this.#forgetting !== undefined) {
      this.#forgetting.hadLine ||= /[\r\n]/.test(text);
      return;
    }
    this.#rest += this.isTerminal ? text.replace(/\r\n?/g, '\n') : text;
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    this.#lines.push(...lines.map((line) => line.replace(/\r$/, '')));
    if (!this.isTerminal) this.#options.changed();
    else if (lines.length > 0 || this.#gathering !== undefined) this.#gather();
  };

  /** Waits until no more comes with what was read: what was pasted is one text. */
  #gather(): void {
    clearTimeout(this.#gathering);
    if (this.#options.isAnswer()) this.#beRaw(true);
    const taken = (): void => {
      this.#gathering = undefined;
      if (this.#isRaw && this.#rest.trim() !== '') this.#lines.push(this.#rest);
      if (this.#isRaw) this.#rest = '';
      this.#beRaw(false);
      this.#options.changed();
    };
    // What came while the program stood still is read first.
    this.#gathering = setTimeout(() => {
      this.#gathering = setTimeout(taken, 0);
    }, TOGETHER);
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    // A prompt of a pipe needs no end. On a terminal it was not sent, and what a pipe was to bring when it broke is unknown.
    this.#isCut = !this.isTerminal && this.#input.readableEnded && this.#rest !== '';
    if (this.#isCut) this.#lines.push(this.#rest);
    this.#rest = '';
    this.#options.changed();
  };

  #beRaw(isRaw: boolean): void {
    if (this.#isRaw === isRaw) return;
    this.#isRaw = isRaw;
    if (!this.#input.destroyed) this.#input.setRawMode?.(isRaw);
  }
}
