/** The terminal, as it is taken, drawn on and given back. */
import { formatWithOptions } from 'node:util';
import { TerminalWriter } from '../../terminal-writer.js';

/** What is pasted comes marked as such. */
const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';
/** What is seen, but not what has scrolled out of it. */
const CLEAR = '\u001b[H\u001b[J';

/** The terminal as it is drawn on. */
export class ScreenOutput extends TerminalWriter {
  /** Nothing is written: the terminal is somebody else's, or about to be painted anew. */
  isMute = false;

  get columns(): number {
    return process.stdout.columns || 80;
  }

  /** How many rows there are. */
  get height(): number {
    return process.stdout.rows || 24;
  }

  /** Whether what is drawn is seen: the terminal is ours, and has taken all that was written. */
  get isSeen(): boolean {
    return !this.isMute && !this.isBehind;
  }

  override write(text: string): void {
    if (!this.isMute) super.write(text);
  }

  clear(): void {
    super.write(CLEAR);
  }
}

/** Takes the keyboard, and gives it back however this process ends. */
export class KeyboardInput {
  #isOurs = false;
  readonly #onData: (data: Uint8Array) => void;
  readonly #output: TerminalWriter;
  readonly #giveBack = (): void => this.giveBack();

  constructor(onData: (data: Uint8Array) => void, output: TerminalWriter) {
    this.#onData = onData;
    this.#output = output;
    process.once('exit', this.#giveBack);
  }

  take(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.#onData);
    process.stdin.resume();
    process.stdout.write(PASTE_ON);
  }

  /** The shell that continued the program (`fg`) has set the terminal to what a shell needs. */
  takeAgain(): void {
    if (!this.#isOurs) return;
    process.stdin.setRawMode(false);
    process.stdin.setRawMode(true);
    process.stdout.write(PASTE_ON);
  }

  giveBack(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    process.stdin.off('data', this.#onData);
    process.stdin.pause();
    try {
      process.stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
    this.#output.giveBack(`${PASTE_OFF}${SHOW_CURSOR}`);
  }

  close(): void {
    this.giveBack();
    process.off('exit', this.#giveBack);
  }
}

/** The methods of the console that print. */
const PRINTING = ['debug', 'error', 'info', 'log', 'warn'] as const;

/** Has `print` print what goes to the console, since the console would write into the middle of the screen. @returns what ends it */
export function takeConsole(print: (text: string) => void): () => void {
  const before = PRINTING.map((name) => [name, console[name]] as const);
  for (const name of PRINTING) {
    console[name] = (...args: unknown[]) => print(formatWithOptions({ colors: false }, ...args));
  }
  return () => {
    for (const [name, method] of before) console[name] = method;
  };
}
