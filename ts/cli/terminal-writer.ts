/** Writes on a terminal whose other end may not read: nothing waits for it, and what it did not take was not drawn. */
import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** So long may a terminal take for what gives it back, in ms. */
const PATIENCE = 200;
/** What it takes later than this was not on the screen meanwhile, in ms. */
const LATE = 100;

type TerminalHandle = { setBlocking?(isBlocking: boolean): unknown };

/** Node waits for a terminal at each write, for ever: no key, deadline or signal would count meanwhile. Windows' never block. */
function block(isBlocking: boolean): void {
  const { _handle: handle } = process.stdout as { _handle?: TerminalHandle };
  if (process.platform !== 'win32') handle?.setBlocking?.(isBlocking);
}

export class TerminalWriter {
  /** Since when there is something that it has not taken. */
  #since: number | undefined;
  readonly #onTaken: (isLate: boolean) => void;

  /** @param onTaken when it has taken all again; `isLate`: what was drawn has only just come on the screen */
  constructor(onTaken: (isLate: boolean) => void) {
    this.#onTaken = onTaken;
    block(false);
  }

  /** Whether it has yet to take some of what was written. */
  get isBehind(): boolean {
    return this.#since !== undefined;
  }

  write(text: string): void {
    process.stdout.write(text, () => this.#look());
    if (process.stdout.writableLength > 0) this.#since ??= performance.now();
  }

  #look(): void {
    if (this.#since === undefined || process.stdout.writableLength > 0) return;
    const isLate = performance.now() - this.#since > LATE;
    this.#since = undefined;
    this.#onTaken(isLate);
  }

  /** At once, since the process may be about to end; what comes after it is written as anywhere else. */
  giveBack(text: string): void {
    if (!this.isBehind) block(true);
    try {
      writeAtOnce(text);
    } catch {
      // The terminal is gone, or takes nothing: it cannot be restored.
    }
  }
}

function writeAtOnce(text: string): void {
  const terminal = unblockedTerminal();
  if (terminal === undefined) return void writeSync(1, text);
  try {
    for (const start = performance.now(); ; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)) {
      try {
        return void writeSync(terminal, text);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() - start > PATIENCE) throw error;
      }
    }
  } finally {
    closeSync(terminal);
  }
}

/** The terminal of this process, opened so that nothing waits for it; `undefined`: it has none of its own. */
function unblockedTerminal(): number | undefined {
  try {
    return openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
