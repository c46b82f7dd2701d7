/**
 * Keeps the model from running ahead of a slow reader. AI SDK 6 reads a model to its end as fast as it comes and keeps what
 * nobody has read yet; here the model is read on only while a part is waited for, and by a few parts more.
 */

/** How many parts are taken from the model while nobody waits for one. */
const AHEAD = 32;

export class Flow {
  #waited = false;
  #ahead = 0;
  #over = false;
  #resume: (() => void) | undefined;

  /** A part is waited for from here on. */
  wait(): void {
    this.#waited = true;
    this.#ahead = 0;
    this.#goOn();
  }

  /** It has come. */
  arrived(): void {
    this.#waited = false;
  }

  /** Nobody will ever wait again. */
  stop(): void {
    this.#over = true;
    this.#goOn();
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Resolves when the model may be read on; `undefined`: at once. */
  mayRead(): Promise<void> | undefined {
    if (this.#waited || this.#over || this.#ahead++ < AHEAD) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #goOn(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}
