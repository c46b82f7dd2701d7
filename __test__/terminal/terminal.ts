/**
 * A program in a real pseudo-terminal, and an emulated screen that shows what a human would see.
 *
 * Nothing here waits for a time: {@link Terminal.waitFor} looks at the screen again and again until it shows what is meant.
 */
import { mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn, type IPty } from '@lydell/node-pty';
import headless from '@xterm/headless';

/** How long a screen may take, in ms: for what hangs alone, and less than a test may take. */
const LIMIT = Number(process.env['COUNTERSIGN_WAIT_MS'] ?? 200_000);
/** How long to wait before looking again, in ms. */
const AGAIN = 15;

/** Keys as terminals send them. */
export const KEYS = {
  enter: '\r',
  newline: '\n',
  tab: '\t',
  shiftTab: '\u001b[Z',
  escape: '\u001b',
  backspace: '\u007f',
  delete: '\u001b[3~',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  pageUp: '\u001b[5~',
  pageDown: '\u001b[6~',
  ctrlA: '\u0001',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlE: '\u0005',
  ctrlK: '\u000b',
  ctrlL: '\u000c',
  ctrlU: '\u0015',
  ctrlW: '\u0017',
} as const;

export interface TerminalOptions {
  columns?: number;
  rows?: number;
  cwd?: string;
  /** The whole environment, but for `PATH`, `TERM` and `LANG`, which have defaults. */
  env?: Readonly<Record<string, string>>;
}

/** What is waited for: a part of the screen's text, a pattern, or a question about it. */
export type Wanted = string | RegExp | ((screen: string) => boolean);

const WRAPPED_PASTE = (text: string): string => `\u001b[200~${text}\u001b[201~`;

export type Ink = 'bold' | 'dim' | 'underline' | (typeof COLOURS)[number];
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** Characters beside each other that look alike. A wide one stands alone. */
export interface Span {
  text: string;
  /** Where it begins, and how wide it is, in columns. */
  x: number;
  width: number;
  inks: readonly Ink[];
}

export interface Picture {
  rows: readonly (readonly Span[])[];
  /** `undefined`: it is not shown. */
  cursor: { x: number; y: number } | undefined;
}

export class Terminal {
  /** All that the program wrote, as it came. */
  raw = '';
  /** Its exit code, when it has ended. */
  code: number | undefined;
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof headless.Terminal>;

  constructor(program: string, args: readonly string[], options: TerminalOptions = {}) {
    const { columns: cols = 80, rows = 24, cwd, env } = options;
    this.#screen = new headless.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
    this.#pty = spawn(program, [...args], {
      // It becomes TERM.
      name: env?.['TERM'] ?? 'xterm-256color',
      cols,
      rows,
      ...(cwd === undefined ? {} : { cwd }),
      // Nothing of the machine's: what it has set must not change what is seen.
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...env },
    });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#screen.write(data);
    });
    this.#pty.onExit(({ exitCode, signal }) => (this.code = signal ? 128 + signal : exitCode));
    // Terminals answer questions, e.g. where the cursor is.
    this.#screen.onData((data) => this.write(data));
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** What is on the screen now, without spaces at the ends of lines and empty lines at its end. */
  screen(): string {
    const { viewportY } = this.#screen.buffer.active;
    return this.#lines(viewportY, viewportY + this.#screen.rows);
  }

  /** The screen with all that has scrolled out of it. */
  all(): string {
    return this.#lines(0, this.#screen.buffer.active.length);
  }

  #lines(from: number, to: number): string {
    const lines: string[] = [];
    for (let y = from; y < to; y += 1) {
      lines.push(this.#screen.buffer.active.getLine(y)?.translateToString(true) ?? '');
    }
    return lines.join('\n').trimEnd();
  }

  /** The cell at a place of the screen: its characters, and whether it has a colour of its own. */
  cell(x: number, y: number): { text: string; isColoured: boolean } {
    const { active } = this.#screen.buffer;
    const cell = active.getLine(active.viewportY + y)?.getCell(x);
    return { text: cell?.getChars() ?? '', isColoured: cell?.isFgDefault() === false };
  }

  /**
   * The last lines, at most as many as the screen has, with their styles. The latest output stands at the bottom, however far the
   * screen was scrolled.
   */
  picture(): Picture {
    const { active } = this.#screen.buffer;
    let end = active.length;
    while (end > 0 && active.getLine(end - 1)?.translateToString(true) === '') end -= 1;
    const first = Math.max(0, end - this.#screen.rows);
    const rows = Array.from({ length: end - first }, (_, row) => spansOf(active.getLine(first + row)));
    const isShown = this.raw.lastIndexOf('\u001b[?25h') >= this.raw.lastIndexOf('\u001b[?25l');
    const cursor = { x: active.cursorX, y: active.baseY + active.cursorY - first };
    return { rows, cursor: isShown && cursor.y >= 0 && cursor.y < this.#screen.rows ? cursor : undefined };
  }

  /** Where the cursor is on the screen. */
  get cursor(): { x: number; y: number } {
    const { cursorX: x, cursorY: y } = this.#screen.buffer.active;
    return { x, y };
  }

  /** Sends as it is, in one piece. */
  write(data: string): void {
    if (this.code === undefined) this.#pty.write(data);
  }

  /** The same, and it is there when this returns, for a program that does not read. Not on Windows. */
  writeNow(data: string): void {
    writeSync((this.#pty as unknown as { fd: number }).fd, data);
  }

  /** One key. */
  press(key: keyof typeof KEYS | (string & {})): void {
    this.write(Object.hasOwn(KEYS, key) ? KEYS[key as keyof typeof KEYS] : key);
  }

  /** The same key again and again, until this is on the screen: some keys count once what they answer has been in sight. */
  async pressUntil(key: keyof typeof KEYS, text: string): Promise<string> {
    while (!this.screen().includes(text)) {
      this.press(key);
      await sleep(1_500);
    }
    return this.screen();
  }

  /** The letter of a choice, and Enter when the cursor is there. */
  async take(letter: string): Promise<void> {
    this.press(letter);
    await this.waitFor((screen) => screen.includes(`› ${letter}`) || screen.includes(`> ${letter}`), letter);
    this.press('enter');
  }

  /** No, with a reason or without one. */
  async reject(reason = '', letter = 'n'): Promise<void> {
    await this.take(letter);
    await this.waitFor('Enter rejects it');
    if (reason !== '') {
      this.type(reason);
      await this.waitFor(`why: ${reason}`);
    }
    this.press('enter');
  }

  /** Each page of a call that does not fit, from the first to the last. @returns all of them */
  async pages(): Promise<string> {
    const pages = [this.screen()];
    for (let seen = pages[0]!; /lines \d+ to \d+ of \d+: space/.test(seen); pages.push(seen)) {
      const [at = ''] = /lines \d+ to/.exec(seen) ?? [];
      this.press(' ');
      seen = await this.waitFor((screen) => /lines \d+ to/.test(screen) && !screen.includes(at), 'the next page');
    }
    return pages.join('\n');
  }

  /** A text, all at once, as a fast typist or a slow machine has it. */
  type(text: string): void {
    this.write(text);
  }

  /** From the clipboard, as terminals mark it. */
  paste(text: string): void {
    this.write(WRAPPED_PASTE(text));
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Leaves the output of the program unread, until {@link read}. */
  leaveUnread(): void {
    this.#pty.pause();
  }

  read(): void {
    this.#pty.resume();
  }

  /** Until the screen shows it. @returns the screen */
  async waitFor(wanted: Wanted, what = String(wanted)): Promise<string> {
    return this.#until(() => {
      const screen = this.screen();
      return shows(screen, wanted) ? screen : undefined;
    }, what);
  }

  /** Until the screen no longer shows it. @returns the screen */
  async waitForNo(unwanted: string | RegExp): Promise<string> {
    return this.waitFor((screen) => !shows(screen, unwanted), `no ${String(unwanted)}`);
  }

  /** Until a condition outside the terminal holds. */
  async waitUntil(condition: () => boolean, what: string): Promise<void> {
    await this.#until(() => (condition() ? true : undefined), what);
  }

  /** Until the program has ended. @returns its exit code */
  async ended(): Promise<number> {
    const code = await this.#until(() => this.code, 'the end of the program');
    await this.#taken();
    return code;
  }

  /** Until the emulator has taken in all that was written. */
  async #taken(): Promise<void> {
    await new Promise<void>((resolve) => this.#screen.write('', resolve));
  }

  async #until<RESULT>(look: () => RESULT | undefined, what: string): Promise<RESULT> {
    for (const start = performance.now(); ; await sleep(AGAIN)) {
      const seen = look();
      if (seen !== undefined) return seen;
      const isLate = performance.now() - start > LIMIT;
      if (isLate || this.code !== undefined) await this.#fail(what, isLate, look);
    }
  }

  /** Looks once more, when the emulator has taken in the last output. */
  async #fail<RESULT>(what: string, isLate: boolean, look: () => RESULT | undefined): Promise<void> {
    await this.#taken();
    if (look() !== undefined) return;
    const why = isLate ? `${LIMIT} ms passed` : `the program ended with ${this.code}`;
    const edge = '-'.repeat(this.#screen.cols);
    throw new Error(`waited for ${what}, but ${why}. The screen:\n${edge}\n${this.screen()}\n${edge}`);
  }

  /** Ends the program, if it has not ended. */
  async close(): Promise<void> {
    if (this.code === undefined) {
      this.#pty.kill('SIGKILL');
      await this.ended();
    }
    this.#screen.dispose();
  }
}

type Line = ReturnType<InstanceType<typeof headless.Terminal>['buffer']['active']['getLine']>;
type Cell = NonNullable<ReturnType<NonNullable<Line>['getCell']>>;

/** Without the spaces at the end. */
function spansOf(line: Line): Span[] {
  const spans: Span[] = [];
  const end = line?.translateToString(true).length === 0 ? 0 : (line?.length ?? 0);
  for (let x = 0; x < end; x += 1) {
    const cell = line?.getCell(x);
    const width = cell?.getWidth() ?? 0;
    if (cell === undefined || width === 0) continue;
    const [text, inks] = [cell.getChars() || ' ', inksOf(cell)];
    const last = spans.at(-1);
    if (last !== undefined && width === 1 && last.width === last.text.length && String(last.inks) === String(inks)) {
      last.text += text;
      last.width += 1;
    } else spans.push({ text, x, width, inks });
  }
  while (spans.at(-1)?.text.trim() === '') spans.pop();
  const last = spans.at(-1);
  if (last !== undefined) {
    const text = last.text.trimEnd();
    last.width -= last.text.length - text.length;
    last.text = text;
  }
  return spans;
}

function inksOf(cell: Cell): Ink[] {
  const colour = cell.isFgDefault() ? undefined : cell.isFgPalette() ? COLOURS[cell.getFgColor() % 8] : undefined;
  if (!cell.isBgDefault() || (colour === undefined && !cell.isFgDefault())) throw new Error('an unknown colour');
  return [
    ...(cell.isBold() ? (['bold'] as const) : []),
    ...(cell.isDim() ? (['dim'] as const) : []),
    ...(cell.isUnderline() ? (['underline'] as const) : []),
    ...(colour === undefined ? [] : [colour]),
  ];
}

function shows(screen: string, wanted: Wanted): boolean {
  if (typeof wanted === 'function') return wanted(screen);
  return typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen);
}

/** Whether screens are written instead of compared: with `vitest --update`. */
const isUpdating =
  process.argv.some((arg) => arg === '-u' || arg === '--update') || process.env['COUNTERSIGN_SCREENS'] === 'write';

/**
 * Compares a screen with the stored one, `screens/<name>.txt`. Replace what differs from run to run before. `COUNTERSIGN_SCREENS=write`
 * writes it again.
 */
export function matchesScreen(name: string, screen: string): void {
  const file = join(import.meta.dirname, 'screens', `${name}.txt`);
  const text = `${screen}\n`;
  if (isUpdating) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  let kept: string;
  try {
    kept = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`there is no screen ${name}: write it with COUNTERSIGN_SCREENS=write. It would be:\n${text}`);
  }
  if (kept !== text) throw new Error(`the screen ${name} is another now.\nIt was:\n${kept}\nIt is:\n${text}`);
}
