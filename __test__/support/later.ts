/**
 * A binding whose ledgers that last are ones in memory that answer later, for what the code around the core must do about
 * that: no order of answers, events by a wake-up only, requests of other processes told only while somebody asks for them.
 */
import { vi } from 'vitest';

type Text = (...args: unknown[]) => string;
type Methods = Record<string, Text>;

/** What a test does to the next operations: nothing, or an error instead of the answer. */
export type Trouble = (operation: string, args: readonly unknown[]) => object | undefined | Promise<object | undefined>;

export const trouble: { of: Trouble } = { of: () => undefined };
/** Every operation that was called, in order. */
export const called: [operation: string, args: unknown[]][] = [];

const GONE = JSON.stringify({ error: { code: 'ERR_GATE_CLOSED', message: 'The gate was closed.' } });

export async function laterBinding(): Promise<object> {
  const actual = await vi.importActual<{ NativeGate: new (options: string) => object }>('../../binding/binding.js');
  class LaterGate {
    readonly #gate: Methods;
    readonly #lasts: boolean;
    #wake: () => void = () => {};
    #isClosed = false;

    constructor(options: string) {
      const { ledger } = JSON.parse(options) as { ledger: string };
      this.#lasts = ledger !== 'memory:';
      this.#gate = new actual.NativeGate(options) as Methods;
      for (const name of [
        'request',
        'get',
        'find',
        'pending',
        'decide',
        'cancelRun',
        'revoke',
        'claim',
        'settle',
        'close',
      ]) {
        const method = (...args: unknown[]) => {
          if (this.#lasts) throw new Error(`${name} is called at once`);
          return this.#gate[name]!(...args);
        };
        Object.defineProperty(this, name, { value: method });
      }
    }

    lasts(): boolean {
      return this.#lasts;
    }

    watchAll(): void {}

    onWake(wake: () => void): void {
      this.#wake = wake;
      (this.#gate as unknown as { onWake(wake: () => void): void }).onWake(wake);
    }

    parseAnswer(...args: unknown[]): string {
      return this.#gate['parseAnswer']!(...args);
    }

    drain(): string {
      return this.#gate['drain']!();
    }

    async call(operation: string, payload: string): Promise<string> {
      const args = JSON.parse(payload) as unknown[];
      called.push([operation, args]);
      await pause();
      const error = await trouble.of(operation, args);
      if (error !== undefined) return JSON.stringify({ error });
      if (this.#isClosed && operation !== 'close') return GONE;
      if (operation === 'close') this.#isClosed = true;
      const does = this.#gate[operation] !== undefined && operation !== 'close';
      const answer = does ? this.#gate[operation]!(...args.slice(0, operation === 'settle' ? 2 : 3)) : '{"ok":null}';
      setImmediate(() => this.#wake());
      await pause();
      return answer;
    }
  }
  return { ...actual, NativeGate: LaterGate };
}

/** A turn of the event loop, sometimes more. */
async function pause(): Promise<void> {
  for (let turns = 1 + Math.floor(Math.random() * 3); turns > 0; turns--)
    await new Promise((done) => setImmediate(done));
}
