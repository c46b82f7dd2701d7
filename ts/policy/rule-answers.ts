/** What the functions of rules said of one call at one moment. */

/** By the number of the condition; `null`: the function failed. */
export type ConditionAnswers = Readonly<Record<string, boolean | null>>;

/** Asks each function once, so that the verdict and all that is made of it rest on the same answers. */
export class RuleAnswers {
  readonly #said = new Map<object, Promise<ConditionAnswers>>();

  /** @param policies whose functions they are */
  of(policies: object, ask: () => Promise<ConditionAnswers>): Promise<ConditionAnswers> {
    const said = this.#said.get(policies) ?? ask();
    this.#said.set(policies, said);
    return said;
  }
}
