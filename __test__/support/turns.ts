/** Turns of the event loop, by which a test knows that nothing more happens. */

/** Timers and everything else due have run. */
export const aTurn = (): Promise<void> =>
  new Promise<void>((resolve) => setTimeout(resolve, 0)).then(
    () => new Promise<void>((resolve) => setImmediate(resolve)),
  );

/** Waits until this number has stayed as it is for 20 turns of the event loop: all that may go on has done so. */
export async function settled(count: () => number): Promise<number> {
  let last = count();
  for (let same = 0; same < 20; same++) {
    await aTurn();
    if (count() === last) continue;
    last = count();
    same = 0;
  }
  return last;
}
