/** Lets what else is due come round in long work on this thread, whose length somebody else decides. */
export class Breaks {
  #since = performance.now();

  /** To be awaited between two pieces of the work. Costs nothing until it is time for a break. */
  async take(): Promise<void> {
    if (performance.now() - this.#since < MOST) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

/** In ms. */
const MOST = 20;
