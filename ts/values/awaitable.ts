/**
 * What comes now or later. A ledger in memory answers at once, a durable one answers when the answer is durable; what
 * works on both waits only where there is something to wait for.
 */
export type Awaitable<T> = T | Promise<T>;

export function isLater<T>(value: Awaitable<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Whether `await` would wait for it: any thenable counts. */
export const isThenable = (given: unknown): given is PromiseLike<unknown> =>
  ((typeof given === 'object' && given !== null) || typeof given === 'function') &&
  typeof (given as { then?: unknown }).then === 'function';

/** Goes on with the value: at once when it is there. */
export function after<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return isLater(value) ? value.then(goOn) : goOn(value);
}

/** Does it, and goes on with what went wrong; at once when nothing has to be waited for. */
export function attempt<T>(work: () => Awaitable<T>, failed: (error: unknown) => Awaitable<T>): Awaitable<T> {
  let value: Awaitable<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return isLater(value) ? value.catch(failed) : value;
}
