/** What was shown last of a call that waits, and what the next yes would do: a yes confirms that, and nothing else. */
import { isSame } from '../values/same.js';

/** An answer, by what it decides. */
interface TypedAnswer {
  type: string;
  /** It gives the arguments that were asked for as an edit. */
  isUnchanged?: true;
}

/**
 * The decision about one call that is looked at twice. What was said of one answer says nothing of another one: that is shown by
 * itself, and confirmed by itself.
 */
export class ShownDecision<ANSWER extends TypedAnswer> {
  readonly #yes: ANSWER;
  #last: ANSWER | undefined;

  /** @param yes a plain yes, to the call as it was asked for */
  constructor(yes: ANSWER) {
    this.#yes = yes;
  }

  /** What was shown last, and is not confirmed yet; `undefined`: the call as it was asked for, without a word to it. */
  get last(): ANSWER | undefined {
    return this.#last;
  }

  /**
   * What a line answers to what was shown last. A plain yes to an edit is that edit. An edit back to what was asked for is a yes to
   * that, which is then shown again.
   */
  meant(answer: ANSWER): ANSWER {
    if (this.#last?.type !== 'edit') return answer;
    if (answer.type === this.#yes.type) return this.#last;
    return answer.isUnchanged === true ? this.#yes : answer;
  }

  /** Whether it is what was shown last. */
  isLast(answer: ANSWER): boolean {
    return isSame(answer, this.#last);
  }

  /**
   * Whether it runs at once: nothing is doubted, and nothing else was shown since the call was. If not, it is what is shown from now
   * on.
   */
  runsAtOnce(answer: ANSWER, doubts: readonly string[]): boolean {
    if (doubts.length === 0 && this.#last === undefined) return true;
    this.#last = answer;
    return false;
  }

  /** The call is shown as it was asked for, and no answer to it. */
  startOver(): void {
    this.#last = undefined;
  }
}

/** How what is shown is confirmed. */
export function confirming({ type }: TypedAnswer): string {
  if (type === 'approve') return 'y again runs it.';
  return type === 'edit' ? 'y runs it like this.' : 'Give the same answer again to confirm it.';
}

/** Said above a call with other arguments. */
export const LIKE_THIS = 'It would run like this:';

/** Said above a call that is shown again, after it was shown with other arguments. */
export const AS_ASKED = 'It would run as it was asked for:';
