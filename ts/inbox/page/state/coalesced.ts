/** Runs one at a time: what is asked for while it runs is done once more when it is over, however often it was asked for. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    running = work().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (running === null) return start();
    next ??= running.then(() => {
      next = null;
      return start();
    });
    return next;
  };
}
