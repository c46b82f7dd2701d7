/** Whether a question is seen by the person who answers it. */
import type { Readable, Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

type TerminalStream = { isTTY?: boolean };

/**
 * Where a question is put whose answer is typed on `input`: on `output`, unless that is turned away from the terminal; then on
 * the terminal itself. `undefined`: it would not be seen. An answer that does not come from a terminal is not typed.
 */
export function seenOutput(input: Readable & TerminalStream, output: Writable & TerminalStream): Writable | undefined {
  if (input.isTTY !== true || output.isTTY === true) return output;
  // It is unknown where a custom terminal shows its output.
  if (input !== process.stdin) return undefined;
  return [process.stderr, process.stdout].find(({ isTTY }) => isTTY === true) ?? terminalItself();
}

let itself: WriteStream | null | undefined;

/** The terminal that controls this process. Windows has none that a file stands for. */
function terminalItself(): WriteStream | undefined {
  if (itself === undefined) {
    try {
      // They are slow to load, and most programs need neither.
      const [fs, tty] = [process.getBuiltinModule('node:fs'), process.getBuiltinModule('node:tty')];
      itself = new tty.WriteStream(fs.openSync('/dev/tty', 'w'));
    } catch {
      itself = null;
    }
  }
  return itself ?? undefined;
}

/** A stream that questions are put on. */
export class SeenOutput {
  readonly stream: Writable;
  #isUnread = false;

  constructor(stream: Writable) {
    this.stream = stream;
  }

  write(text: string): void {
    // The standard streams of Node forget that a write failed: only the writer is told.
    this.stream.write(text, (error) => {
      if (error) this.#isUnread = true;
    });
  }

  /** Whether what was written by now did not come through: its reader is gone. */
  async isUnread(): Promise<boolean> {
    // What goes wrong with a write is told after it.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#isUnread || this.stream.destroyed === true;
  }
}
