/**
 * An abort whose signal is made for those who ask for it. Most who are given one never look at it, and a signal with its listeners and
 * its reason takes long to make.
 */
import { once } from './lazily.js';

export class LateAbort {
  readonly #calls = new Set<() => void>();
  #reason: (() => unknown) | undefined;
  #controller: AbortController | undefined;

  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  /** Why; `undefined` until it is aborted. */
  get reason(): unknown {
    return this.#reason?.();
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isAborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** The first one counts. @param reason makes it, for who asks */
  abort(reason: () => unknown): void {
    if (this.isAborted) return;
    this.#reason = once(reason);
    const calls = [...this.#calls];
    this.#calls.clear();
    for (const call of calls) call();
    this.#controller?.abort(this.reason);
  }

  /** Calls it once, when it is aborted. Before that, `call` may be taken back. @returns what does so */
  onAbort(call: () => void): () => void {
    if (!this.isAborted) this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }
}
