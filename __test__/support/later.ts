/**
 * A binding whose durable ledgers are ones in memory that answer later, for what the code around the core must do about
 * that: answers in any order, and events that only a wake-up tells of.
 */
import { vi } from 'vitest';
import type { NativeGate, NativePolicies } from '../../binding/binding.js';
import { random } from '../policy/random.js';

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
  elsewhere: (operation: string, takes: object) => Promise<unknown>;
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
    /** Events of the other process, not reported here yet. */
    #others: unknown[] = [];

    constructor(options: string) {
      this.#gate = new actual.NativeGate(JSON.stringify({ ...(JSON.parse(options) as object), ledger: 'memory:' }));
      later.elsewhere = async (operation, takes) => {
        const text = JSON.stringify({ [operation]: takes });
        const { ok, error, events = [] } = JSON.parse(await this.#gate.call(text)) as Record<string, unknown>;
        this.#others.push(...(events as unknown[]));
        if (error !== undefined) throw new Error(JSON.stringify(error));
        this.#wake();
        return ok;
      };
    }

    callNow(text: string): string {
      const { operation } = asked(text);
      if (operation === 'isDurable') return JSON.stringify({ ok: true });
      if (operation === 'watchAll') return NOTHING;
      if (operation !== 'drain' || this.#others.length === 0) return this.#gate.callNow(text);
      const { ok } = JSON.parse(this.#gate.callNow(text)) as { ok: unknown[] };
      return JSON.stringify({ ok: [...this.#others.splice(0), ...ok] });
    }

    onWake(wake: () => void): void {
      this.#wake = wake;
      this.#gate.onWake(wake);
    }

    async call(text: string, policies?: NativePolicies[]): Promise<string> {
      const { operation, takes, args } = asked(text);
      later.called.push([operation, args]);
      await pause();
      const error = (await later.trouble(operation, args)) ?? (this.#isClosed ? GONE : undefined);
      if (error !== undefined) return JSON.stringify({ error });
      if (operation === 'close') this.#isClosed = true;
      if (operation === 'saveRun') {
        const { entries } = takes as { entries: unknown[] };
        return JSON.stringify({ ok: entries.map(() => '0'.repeat(64)) });
      }
      if (['close', 'note', 'releaseRun'].includes(operation)) return NOTHING;
      // A ledger in memory has no `records`: those that wait are enough here.
      const own = operation === 'records' ? JSON.stringify({ pending: takes }) : text;
      const answer = await this.#gate.call(own, policies);
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

/** The operation that a text asks for, and what it takes. */
function asked(text: string): { operation: string; takes: object; args: unknown[] } {
  const [[operation, takes] = ['', {}]] = Object.entries(JSON.parse(text) as Record<string, object>);
  return { operation, takes, args: operation === 'saveRun' ? [takes] : Object.values(takes) };
}

/** The same moments in each run of a file. */
const next = random(1);

/** A turn of the event loop, or a few. */
async function pause(): Promise<void> {
  for (let turns = 1 + Math.floor(next() * 3); turns > 0; turns--) await new Promise((done) => setImmediate(done));
}
