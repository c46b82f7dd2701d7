/** The time that a command has. */
import { LONGEST_TIMER_MS } from '../../values/longest-timer.js';

/** How long a command may take, but for what it waits for a human. */
export class CommandTime {
  #left: number;
  #waiting = 0;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stop: (() => void) | undefined;

  constructor(most: number) {
    this.#left = Math.min(most, LONGEST_TIMER_MS);
  }

  start(stop: () => void): void {
    this.#stop = stop;
    this.#go();
  }

  /** Its time stands still until the promise is settled. */
  async without<T>(waits: () => Promise<T>): Promise<T> {
    this.#halt();
    this.#waiting += 1;
    try {
      return await waits();
    } finally {
      this.#waiting -= 1;
      this.#go();
    }
  }

  end(): void {
    this.#halt();
    this.#stop = undefined;
  }

  #go(): void {
    if (this.#stop === undefined || this.#waiting > 0 || this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#stop, this.#left);
  }

  #halt(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - (this.#since ?? 0)));
  }
}
