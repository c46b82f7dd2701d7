/** Decisions of this process as they were before secrets were taken out, until they are told of. */
import type { DecisionOutcome } from '../../index.js';
import { isSame } from '../values/same.js';

/** Of decisions on requests that are not reported here. */
const MAX_PAIRS = 10_000;

interface OriginalPair {
  original: DecisionOutcome;
  kept: DecisionOutcome;
}

export class Originals {
  readonly #pairs = new Map<string, OriginalPair[]>();

  /** A decision is about to be made. Gives back how to forget it, should it not stand. */
  expect(approvalId: string, original: DecisionOutcome, kept: DecisionOutcome): () => void {
    const pair = { original, kept };
    this.#pairs.set(approvalId, [...(this.#pairs.get(approvalId) ?? []), pair]);
    const [oldest] = this.#pairs.size > MAX_PAIRS ? this.#pairs.keys() : [];
    if (oldest !== undefined) this.#pairs.delete(oldest);
    return () => {
      const others = (this.#pairs.get(approvalId) ?? []).filter((each) => each !== pair);
      if (others.length === 0) this.#pairs.delete(approvalId);
      else this.#pairs.set(approvalId, others);
    };
  }

  /** The decision that stands, in full where it was made here. One that only looks like it is taken as it is told. */
  take(approvalId: string, told: DecisionOutcome): DecisionOutcome {
    const pairs = this.#pairs.get(approvalId);
    if (pairs === undefined) return told;
    this.#pairs.delete(approvalId);
    return pairs.find(({ kept }) => isSame(plain(kept), plain(told)))?.original ?? told;
  }
}

/** Without what JSON leaves out. */
const plain = (decision: DecisionOutcome): unknown => JSON.parse(JSON.stringify(decision));
