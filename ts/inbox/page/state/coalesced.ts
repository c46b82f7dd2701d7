/**
 * Runs one at a time: what is asked for while it runs, or within `pause` ms after, is done once more then, however often it was
 * asked for. So a burst of changes stays far from the limit of requests that an inbox has. `work` does not throw.
 */
export function coalesced(work: () => Promise<void>, pause: number): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
      await new Promise((resolve) => window.setTimeout(resolve, pause));
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}
