/** Whether a call still is what was shown of it, as it was found with its approval. */
import type { CallStaleness } from '../native.js';

/**
 * What was found with the latest decision, until the next one, or until this turn of the event loop ends: who decides about another
 * call may change what this one does.
 */
export class TurnStaleness {
  #last: { approvalId: string; found: CallStaleness } | undefined;

  keep(approvalId: string, found: CallStaleness): void {
    const last = { approvalId, found };
    this.#last = last;
    setImmediate(() => {
      if (this.#last === last) this.#last = undefined;
    });
  }

  /** A request is decided. */
  decided(approvalId: string): void {
    if (this.#last?.approvalId !== approvalId) this.#last = undefined;
  }

  /** @returns `undefined`: it was not looked at, or some time ago */
  take(approvalId: string): CallStaleness | undefined {
    const last = this.#last;
    if (last?.approvalId !== approvalId) return undefined;
    this.#last = undefined;
    return last.found;
  }
}
