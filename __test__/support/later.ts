/**
 * A binding whose ledgers that last are ones in memory that answer later, for what the code around the core must do about
 * that: answers in any order, and events that only a wake-up tells of.
 */
import { vi } from 'vitest';
import type { NativeGate } from '../../binding/binding.js';

/** What becomes of an operation: `undefined`, it is performed; else this is the error that it fails with. */
export type Trouble = (
  operation: string,
  args: readonly unknown[],
) => { code: string; message: string } | undefined | Promise<undefined>;

export const later: {
  trouble: Trouble;
  /** Called when an operation was performed, before its answer arrives. */
  performed: (operation: string) => void;
  /** Every operation, in the order of the calls. */
  called: [operation: string, args: unknown[]][];
  /** As another process would do it to the ledger of the gate that was made last. */
  elsewhere: (operation: string, ...args: unknown[]) => Promise<unknown>;
} = {
  trouble: () => undefined,
  performed: () => {},
  called: [],
  elsewhere: () => Promise.reject(new Error('there is no gate')),
};

const GONE = { code: 'ERR_GATE_CLOSED', message: 'The gate was closed.' };
const NOTHING = JSON.stringify({ ok: null });

export async function laterBinding(): Promise<object> {
  const actual = await vi.importActual<{ NativeGate: new (options: string) => NativeGate }>('../../binding/binding.js');

  /** Stands before a gate in memory. */
  class LaterGate {
    readonly #gate: NativeGate;
    #isClosed = false;
    #wake: () => void = () => {};

    constructor(options: string) {
      this.#gate = new actual.NativeGate(JSON.stringify({ ...(JSON.parse(options) as object), ledger: 'memory:' }));
      later.elsewhere = async (operation, ...args) => {
        const { ok, error } = JSON.parse(await this.#gate.call(operation, JSON.stringify(args))) as Record<
          string,
          unknown
        >;
        if (error !== undefined) throw new Error(JSON.stringify(error));
        this.#wake();
        return ok;
      };
    }

    lasts(): boolean {
      return true;
    }

    watchAll(): void {}

    onWake(wake: () => void): void {
      this.#wake = wake;
      this.#gate.onWake(wake);
    }

    parseAnswer(answer: string, toolName: string): string {
      return this.#gate.parseAnswer(answer, toolName);
    }

    drain(): string {
      return this.#gate.drain();
    }

    async call(operation: string, payload: string): Promise<string> {
      const args = JSON.parse(payload) as unknown[];
      later.called.push([operation, args]);
      await pause();
      const error = (await later.trouble(operation, args)) ?? (this.#isClosed ? GONE : undefined);
      if (error !== undefined) return JSON.stringify({ error });
      if (operation === 'close') this.#isClosed = true;
      if (operation === 'saveRun') {
        const [{ entries }] = args as [{ entries: unknown[] }];
        return JSON.stringify({ ok: entries.map(() => '0'.repeat(64)) });
      }
      if (['close', 'note', 'releaseRun'].includes(operation)) return NOTHING;
      const answer = await this.#gate.call(operation, payload);
      later.performed(operation);
      setImmediate(() => this.#wake());
      await pause();
      return answer;
    }
  }

  const isInMemory = (options: string) => (JSON.parse(options) as { ledger: string }).ledger === 'memory:';
  return {
    ...actual,
    // A constructor that returns something else makes that.
    NativeGate: function (options: string) {
      return isInMemory(options) ? new actual.NativeGate(options) : new LaterGate(options);
    },
  };
}

/** A turn of the event loop, or a few. */
async function pause(): Promise<void> {
  for (let turns = 1 + Math.floor(Math.random() * 3); turns > 0; turns--)
    await new Promise((done) => setImmediate(done));
}
