import { whenAborted } from './when-aborted.js';

/** How long a user's function that judges or describes may think, in ms. */
const DEADLINE_MS = 10_000;

/** The value, unless it takes too long or the run is aborted first. */
export async function inTime(value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !('then' in value)) return value;
  signal?.throwIfAborted();
  let giveUp: () => void = () => {};
  const timely = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
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
