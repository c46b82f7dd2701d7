/** The user's callbacks that are told how the whole run ended, not one `streamText` call of it. */
import { inTime, untilAborted } from '../../values/in-time.js';
import { messageOf } from '../../errors/message-of.js';
import { warnSeldom } from '../../errors/warn-once.js';
import type { RunConversation } from './conversation.js';
import type { FindCallbacks } from './run-options.js';
import type { SdkVersion, SdkStep } from '../sdk/sdk.js';

export class RunCallbacks {
  readonly #find: FindCallbacks;
  readonly #signal: AbortSignal;
  #toldAbort = false;
  /** Steps that were not reported: their approved calls have not run. */
  #held: SdkStep[] = [];

  /** @param signal of the run */
  constructor(find: FindCallbacks, signal: AbortSignal) {
    this.#find = find;
    this.#signal = signal;
  }

  /** A step has finished. One that stopped at an approval is told with what comes of it. */
  async step(version: SdkVersion, step: SdkStep, isStopped: boolean): Promise<void> {
    if (isStopped) this.#held.push(step);
    else await this.#tellStep(version, step);
  }

  /** What was approved has run. */
  async heldSteps(version: SdkVersion): Promise<void> {
    const held = this.#held;
    this.#held = [];
    for (const step of held) await this.#tellStep(version, step);
  }

  async #tellStep({ onStep }: SdkVersion, step: SdkStep): Promise<void> {
    for (const callback of this.#find(onStep)) await quietly(onStep, () => callback(step as never));
  }

  /** The run has finished. Without a call of the model there is nothing to tell. */
  async finish(version: SdkVersion, { finish, steps, usage, added }: RunConversation): Promise<void> {
    await this.left(version);
    const callbacks = this.#find(version.onFinish);
    if (finish === undefined || callbacks.length === 0) return;
    const event = version.finishEvent(finish, { steps, usage, messages: added });
    for (const callback of callbacks) {
      const told = quietly(version.onFinish, () => callback(event as never));
      await untilAborted(told, this.#signal);
    }
  }

  /** What went wrong, where the SDK has not told it. */
  async error(error: unknown): Promise<void> {
    const heard = (callback: (event: never) => unknown) => tellingError(callback)({ error });
    for (const callback of this.#find(['onError'])) await quietly(['onError'], () => this.#ended(heard(callback)));
  }

  /** The run does not go on: what comes of its steps is not to be known here. */
  async left(version: SdkVersion): Promise<void> {
    await this.heldSteps(version);
  }

  /** Once: both the SDK and the run come by it. */
  async abort(event: { steps: SdkStep[]; [more: string]: unknown }): Promise<void> {
    if (this.#toldAbort) return;
    this.#toldAbort = true;
    for (const callback of this.#find(['onAbort']))
      await quietly(['onAbort'], () => this.#ended(callback(event as never)));
  }

  /** What is told at the end holds nothing up that was aborted: it has a moment then, to write down where the run was. */
  #ended(told: unknown): Promise<unknown> {
    return this.#signal.aborted ? inTime(told, undefined) : untilAborted(told, this.#signal);
  }
}

/**
 * `onError`, which is the only one to hear of an error: one that throws loses it, so that both are told. What it answers is for the
 * SDK: AI SDK 7 makes the call of the model once more for `{ retry: true }`.
 */
export const tellingError = (callback: (event: never) => unknown) => async (event: { error: unknown }) => {
  try {
    return await callback(event as never);
  } catch (cause) {
    const [failure, told] = [messageOf(cause), messageOf(event.error)];
    warnSeldom(`onError:${failure}:${told}`, `onError failed: ${failure}. The error that it was told: ${told}`);
  }
};

/** Callbacks live under several names: only the first is passed on, so that each is called once. */
export function only<T>(names: readonly string[], callback: T): Record<string, T | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, index === 0 ? callback : undefined]));
}

/** As in the SDK, a callback that throws does not end the run. It is told. @param names which it may have */
export async function quietly(names: readonly string[], call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    // What it was to do, such as to save the conversation, may not have been done.
    const failure = `${names.join('/')} failed: ${messageOf(error)}`;
    warnSeldom(`callback:${failure}`, `${failure}. It changes nothing of the run.`);
  }
}
