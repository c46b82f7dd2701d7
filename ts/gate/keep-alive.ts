/** Keeps the process alive while somebody in it waits for a human. */
export class KeepAlive {
  #holders = 0;
  #timer: NodeJS.Timeout | undefined;

  hold(): void {
    // The longest delay a timer takes; it only has to be there.
    if (this.#holders++ === 0) this.#timer = setInterval(() => {}, 0x7fff_ffff);
  }

  release(): void {
    if (--this.#holders === 0) clearInterval(this.#timer);
  }
}
