/**
 * Calls the functions that ask the human: one at a time over a run and all that is a part of it, unless all are wanted at
 * once. The requests are open at the gate meanwhile, where others may be faster.
 */
import { InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import type { Awaitable } from '../values/awaitable.js';
import { LateAbort } from '../values/late-abort.js';
import { WorkLimit } from '../values/limit.js';
import { whenAborted } from '../values/when-aborted.js';
import { decidedElsewhere } from './decided-elsewhere.js';

export type AskOrder = 'in-turn' | 'at-once';

/** @throws {InvalidConfigError} */
export function checkAskOrder(order: unknown, place: string): AskOrder {
  if (order === undefined || order === 'in-turn') return 'in-turn';
  if (order === 'at-once') return order;
  throw new InvalidConfigError({
    message: `${place}: askOrder must be 'in-turn' or 'at-once', not ${toldValue(order)}.`,
  });
}

export class HumanTurns {
  readonly #limit: WorkLimit;
  /** Aborted when the human wants all of it to end. */
  readonly stopped = new LateAbort();

  constructor(order: AskOrder) {
    this.#limit = new WorkLimit(order === 'in-turn' ? 1 : Number.POSITIVE_INFINITY);
  }

  /** Why no one could be asked, the first time. */
  nobody: Error | undefined;

  stop(reason: unknown): void {
    this.stopped.abort(() => reason);
  }

  /**
   * Calls when it is its turn, which ends with the call, with the request, or with the run.
   *
   * @param decided settles with the decision, or when none will come
   * @param call asks, and gives what takes the answer. It is told when its request is over before it has one
   * @param skip is called in its turn instead, where the request is over by then
   */
  async ask(
    decided: Promise<unknown>,
    abortSignal: AbortSignal,
    call: (over: LateAbort) => Promise<() => Awaitable<void>>,
    skip: () => void,
  ): Promise<void> {
    const over = new LateAbort();
    const forget = whenAborted(abortSignal, () => over.abort(() => abortSignal.reason as unknown));
    const end = (outcome: unknown): void => over.abort(() => decidedElsewhere(outcome));
    decided.then(end, end);
    const isOver = new Promise<void>((resolve) => over.onAbort(resolve));
    const asked = async (): Promise<void> => {
      // What is decided by now is heard of first.
      await Promise.resolve();
      if (over.isAborted) return skip();
      const called = new LateAbort();
      const stop = over.onAbort(() => called.abort(() => over.reason));
      const take = await call(called);
      // Its own answer is no end that it must be told of.
      stop();
      await take();
    };
    try {
      // A callback that goes on after its request is over holds up no other.
      await this.#limit.run(() => Promise.race([asked(), isOver]));
    } finally {
      forget();
    }
  }
}
