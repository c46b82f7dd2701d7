/** Keeps the process alive while somebody in it waits for a human, and what will tell them from being collected. */
export class KeepAlive {
  readonly #owner: object;
  #holders = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(owner: object) {
    this.#owner = owner;
  }

  hold(): void {
    // The longest delay a timer takes; it only has to be there, and to hold on to the owner: what waits may be all that is
    // left of it, and cannot hold it itself.
    if (this.#holders++ === 0) this.#timer = setInterval(() => this.#owner, 0x7fff_ffff);
  }

  release(): void {
    if (--this.#holders === 0) clearInterval(this.#timer);
  }
}
