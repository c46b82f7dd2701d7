/** Who is told that something has changed, at most once per turn of the event loop. */
export class ChangeListeners {
  readonly #all = new Set<() => void>();
  #isTelling = false;

  /** @returns what ends it */
  add(listener: () => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of this.#all) listener();
    });
  }
}
