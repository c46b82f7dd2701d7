/** Calls of a run that are reviewed at the same time. */

/** A call that a reviewer is asked about. */
export interface OpenReview {
  /** What it would say of those of the same tool that are reviewed beside it: whether it would approve each. */
  others: () => Promise<boolean[]>;
  /** What it would say of this one. */
  tell: (approves: boolean) => void;
  /** It is over, and what was not told is no yes. */
  end: () => void;
}

export class OpenReviews {
  readonly #open = new Map<string, Set<Promise<boolean>>>();

  begin(toolName: string): OpenReview {
    let tell: OpenReview['tell'] = () => {};
    const said = new Promise<boolean>((resolve) => (tell = resolve));
    const all = this.#open.get(toolName) ?? new Set();
    this.#open.set(toolName, all.add(said));
    return {
      others: () => Promise.all([...all].filter((other) => other !== said)),
      tell,
      end: () => {
        tell(false);
        all.delete(said);
        if (all.size === 0) this.#open.delete(toolName);
      },
    };
  }
}
