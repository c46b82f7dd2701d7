/** Values that all processes of a ledger share, each under its key. They are small, and change from what they were. */
import { LedgerError } from '../errors/index.js';
import type { NativeGate } from '../native.js';

/** How often a change is tried again that others were faster with. */
const MAX_TRIES = 100;

/** A value, and what it must still be for a change to count. */
export interface VersionedValue<T> {
  value: T;
  version: number;
}

export class GateValues {
  readonly #native: Pick<NativeGate, 'value' | 'setValue'>;

  constructor(native: Pick<NativeGate, 'value' | 'setValue'>) {
    this.#native = native;
  }

  /** The value under this key; `undefined`: not set. */
  async get<T>(key: string): Promise<VersionedValue<T> | undefined> {
    const kept = await this.#native.value(key);
    if (kept === null) return undefined;
    return { value: JSON.parse(kept.text) as T, version: kept.version };
  }

  /**
   * Sets it if it was not set meanwhile. `false`: it was.
   *
   * @param value any JSON, of at most 1 MiB as text
   * @param version the one it was read with; `undefined`: it was not set
   */
  set(key: string, value: unknown, version: number | undefined): Promise<boolean> {
    return this.#native.setValue(key, version ?? null, JSON.stringify(value));
  }

  /**
   * Read, change and write, with a retry: `change` is called again after a conflict, and `undefined` from it leaves the value.
   *
   * @throws {LedgerError} `ERR_LEDGER_BUSY`: others were faster too often
   */
  async update<T>(key: string, change: (value: T | undefined) => T | undefined): Promise<T | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const kept = await this.get<T>(key);
      const changed = change(kept?.value);
      if (changed === undefined) return kept?.value;
      if (await this.set(key, changed, kept?.version)) return changed;
    }
    throw new LedgerError({
      code: 'ERR_LEDGER_BUSY',
      message: `Others change ${JSON.stringify(key)} all the time: try again.`,
    });
  }
}
