/** What the parts of a gate share. */
import type { Logger } from '../../index.js';
import { GateClosedError, LedgerError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { warnSeldom } from '../errors/warn-once.js';
import type { NativeGate, NativeNote } from '../native.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { isLater, type Awaitable } from '../values/awaitable.js';
import type { GateControl } from './control.js';
import type { ApproverGroups } from './people.js';
import type { RedactedNative } from './redacted-native.js';

export class GateInternals {
  readonly native: NativeGate;
  /** The same, where secrets are not kept. */
  readonly redacted: RedactedNative | undefined;
  /** Policies, grants and the mode. */
  readonly control: GateControl;
  /** Who they are that decide. */
  readonly people: ApproverGroups;
  readonly telemetry: Telemetry | undefined;
  readonly logger: Logger | undefined;
  /** Whether, in memory, the core leaves out of what it tells what its callers know. */
  readonly isQuiet: boolean;
  readonly #closing = new AbortController();
  /** What ends requests and runs, and must be written down before the ledger is let go of. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(
    parts: Pick<GateInternals, 'native' | 'redacted' | 'control' | 'people' | 'telemetry' | 'logger' | 'isQuiet'>,
  ) {
    this.native = parts.native;
    this.redacted = parts.redacted;
    this.control = parts.control;
    this.people = parts.people;
    this.telemetry = parts.telemetry;
    this.logger = parts.logger;
    this.isQuiet = parts.isQuiet;
  }

  /** Whether what is kept outlives the process. */
  get isDurable(): boolean {
    return this.native.isDurable;
  }

  /** Aborted, with the error that says so, when nothing new is taken any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get isClosing(): boolean {
    return this.closing.aborted;
  }

  /** From here on nothing new is taken. */
  close(): void {
    if (!this.isClosing) this.#closing.abort(closed());
  }

  /** One in memory does so itself; a durable one may still have to write something down. */
  refuseIfClosed(): void {
    if (this.isDurable && this.isClosing) throw closed();
  }

  /** What ends something, and is to be written down also when the gate is closed meanwhile. It must not reject. */
  beforeClose<T>(ending: Awaitable<T>): Awaitable<T> {
    if (!isLater(ending)) return ending;
    this.#ending.add(ending);
    const forget = () => void this.#ending.delete(ending);
    ending.then(forget, forget);
    return ending;
  }

  /** Resolves when nothing is left to be written down before the end. */
  async ended(): Promise<void> {
    while (this.#ending.size > 0) await Promise.allSettled(this.#ending);
  }

  /** Whether it stands in the audit, where there is one. */
  async note(note: NativeNote): Promise<boolean> {
    try {
      await this.native.note(note);
      return true;
    } catch (error) {
      this.failed('not noted in the audit', { ...note }, error);
      return false;
    }
  }

  /** Whether something is not in a durable ledger, and should be. */
  #isLost(error: unknown): boolean {
    return LedgerError.isInstance(error) || (this.isDurable && GateClosedError.isInstance(error));
  }

  /**
   * What only the logger is told. Without one, the process is warned of what a ledger could not write down: it would go
   * unnoticed.
   *
   * @param isWarned whether it was warned of by now
   */
  failed(what: string, fields: Record<string, unknown>, error: unknown, isWarned = false): void {
    try {
      if (this.logger?.error !== undefined) this.logger.error(what, { ...fields, reason: messageOf(error) });
      else if (!isWarned && this.#isLost(error))
        warnSeldom(`gate:${what}:${messageOf(error)}`, `The gate failed: ${what}: ${messageOf(error)}`);
    } catch {
      // A logger that throws must not change what runs.
    }
  }
}

/** What those get who wait for what is not told any more. */
export const closed = () => new GateClosedError({ message: 'The gate was closed.' });
