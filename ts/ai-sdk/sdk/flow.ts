/**
 * Keeps the model from running ahead of a slow reader. AI SDK 6 reads a model to its end as fast as it comes and keeps all unread
 * parts. Here the model is read at most a fixed number of parts ahead of the reader.
 */

/** How many parts are taken from the model that have not come to the reader. */
const AHEAD = 32;

/** What comes to the reader for one part of the model each. */
const OF_MODEL = /^(?:text|reasoning|tool-input)-|^(?:tool-call|source|file)$/;

export class StepFlow {
  #waited = false;
  #ahead = 0;
  #over = false;
  #resume: (() => void) | undefined;
  #isLooking = false;

  /** A part is waited for from here on. */
  wait(): void {
    this.#waited = true;
    this.#look();
  }

  /** It has come. */
  arrived(type: string): void {
    this.#waited = false;
    if (this.#ahead === 0 || !OF_MODEL.test(type)) return;
    this.#ahead--;
    this.#goOn();
  }

  /** No one will ever wait again. */
  stop(): void {
    this.#over = true;
    this.#goOn();
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Resolves when the model may be read on; `undefined`: at once. */
  mayRead(): Promise<void> | undefined {
    if (this.#over || this.#ahead++ < AHEAD) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
      this.#look();
    });
  }

  /**
   * The SDK drops parts, and makes one of several. Who still waits after a turn of the event loop, with nothing read meanwhile,
   * has all there was.
   */
  #look(): void {
    if (this.#isLooking || !this.#waited || this.#resume === undefined) return;
    this.#isLooking = true;
    const before = this.#ahead;
    setImmediate(() => {
      this.#isLooking = false;
      if (!this.#waited || this.#resume === undefined) return;
      if (this.#ahead !== before) return this.#look();
      this.#ahead = 1;
      this.#goOn();
    });
  }

  #goOn(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}
