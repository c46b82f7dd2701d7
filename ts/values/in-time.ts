import { whenAborted } from './when-aborted.js';

/** How long a user's function that judges or describes may think, in ms. */
const DEADLINE_MS = 10_000;

/** The value, unless it takes too long or the run is aborted first. */
export function inTime(value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  return before(value, signal, DEADLINE_MS);
}

/** The value, unless the run is aborted first. Without an abort it may take as long as it takes. */
export function untilAborted<T>(value: T, signal: AbortSignal | undefined): Promise<Awaited<T>> {
  return before(value, signal, null);
}

async function before<T>(value: T, signal: AbortSignal | undefined, deadline: number | null): Promise<Awaited<T>> {
  if (typeof value !== 'object' || value === null || !('then' in value)) return value as Awaited<T>;
  if (signal?.aborted) {
    // Its outcome is no longer awaited: without a listener, its rejection would end the process.
    Promise.resolve(value).catch(() => {});
    throw signal.reason;
  }
  let giveUp: () => void = () => {};
  const timely = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`no answer within ${deadline} ms`));
    const timer = deadline === null ? undefined : setTimeout(late, deadline);
    const forget = whenAborted(signal, () => reject(signal?.reason as Error));
    giveUp = () => {
      clearTimeout(timer);
      forget();
    };
  });
  try {
    return await Promise.race([value, timely]);
  } finally {
    giveUp();
  }
}
