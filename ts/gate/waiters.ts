import { GateClosedError, LedgerError } from '../errors/index.js';
import { KeepAlive } from './keep-alive.js';
import type { DecidedRecord } from './records.js';

interface DecisionWaiter {
  runId: string;
  decided: Promise<DecidedRecord>;
  resolve: (decided: DecidedRecord) => void;
  reject: (error: unknown) => void;
}

/** The waiters for a decision in this process. They keep it alive. */
export class DecisionWaiters {
  readonly #waiting = new Map<string, DecisionWaiter>();
  readonly #keepAlive: KeepAlive;

  /** @param owner what tells them: it is held as long as somebody waits */
  constructor(owner: object) {
    this.#keepAlive = new KeepAlive(owner);
  }

  /** The decision on this request, whenever it comes. It rejects when nothing more will be heard of it here. */
  wait(approvalId: string, runId: string): Promise<DecidedRecord> {
    const known = this.#waiting.get(approvalId);
    if (known !== undefined) return known.decided;
    const { promise: decided, resolve, reject } = deferred<DecidedRecord>();
    // An unawaited promise must not end the process.
    decided.catch(() => {});
    this.#waiting.set(approvalId, { runId, decided, resolve, reject });
    this.#keepAlive.hold();
    return decided;
  }

  has(approvalId: string): boolean {
    return this.#waiting.has(approvalId);
  }

  get areNone(): boolean {
    return this.#waiting.size === 0;
  }

  decided(approvalId: string, decided: DecidedRecord): void {
    this.#take(approvalId)?.resolve(decided);
  }

  /** It cannot be waited for any more. */
  lose(approvalId: string, error: unknown): void {
    this.#take(approvalId)?.reject(error);
  }

  /** As {@link DecisionWaiters.lose}, for all that this run waits for; for everything when `runId` is `null`. */
  loseRun(runId: string | null, error: unknown): void {
    if (runId === null && error instanceof Error) ENDS_ALL.add(error);
    for (const [approvalId, waiter] of this.#waiting)
      if (runId === null || waiter.runId === runId) this.lose(approvalId, error);
  }

  #take(approvalId: string): DecisionWaiter | undefined {
    const waiter = this.#waiting.get(approvalId);
    if (this.#waiting.delete(approvalId)) this.#keepAlive.release();
    return waiter;
  }
}

/** Errors after which nothing is heard of any request. */
const ENDS_ALL = new WeakSet<Error>();

/** Whether nothing more is heard of any request of this gate: it was closed, or its ledger cannot be read. */
export const endsAll = (error: unknown): boolean =>
  GateClosedError.isInstance(error) ||
  (LedgerError.isInstance(error) && error.code === 'ERR_LEDGER_CORRUPT') ||
  (error instanceof Error && ENDS_ALL.has(error));

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
