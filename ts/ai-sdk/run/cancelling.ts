/** Takes back what a run has asked and started: nothing of it may start any more. */
import type { CallAsker } from '../../gate/asker.js';
import type { Awaitable } from '../../values/awaitable.js';
import type { ChildRuns } from '../gating/children.js';
import type { Keeping } from './keeping.js';
import { CANCELLED } from '../messages/reasons.js';

export class RunCancelling {
  readonly #asker: CallAsker;
  readonly #keeping: Keeping | undefined;
  readonly #children: ChildRuns;

  constructor(asker: CallAsker, keeping: Keeping | undefined, children: ChildRuns) {
    this.#asker = asker;
    this.#keeping = keeping;
    this.#children = children;
  }

  /** What waits. What another process has asked in a run of this id is not ours to cancel. */
  cancel(reason: string, via: 'abort' | 'system'): Awaitable<void> {
    if (this.#keeping?.isOurs === false) return undefined;
    return this.#asker.gate.cancelRun(this.#asker.runId, reason, via);
  }

  /**
   * It was aborted. A durable ledger is told at once, even if no one reads on or the gate closes. Never rejects.
   */
  abort(): Awaitable<void> {
    const cancelled = this.cancel(CANCELLED, 'abort');
    if (this.#keeping === undefined) return cancelled;
    return this.#asker.gate.beforeClose(this.#kept(this.#keeping, cancelled));
  }

  async #kept(keeping: Keeping, cancelled: Awaitable<void>): Promise<void> {
    await Promise.all([keeping.cancelled(cancelled), this.#children.drop()]);
  }
}
