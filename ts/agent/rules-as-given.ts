/** The rules of an agent that is made once and runs often, as they were when it was made. */
import type { InterruptOn, PolicyInput } from '../../index.js';
import { asGiven } from '../options/as-given.js';
import { isMade } from '../policy/documents.js';

/** What an agent, or one that it starts, is given of rules. */
export interface RulesGiven {
  interruptOn?: InterruptOn;
  policy?: PolicyInput | readonly PolicyInput[];
}

/** @param place who has them, for messages @throws {InvalidConfigError} as {@link asGiven} */
export const rulesAsGiven = ({ interruptOn, policy }: RulesGiven, place: string) => ({
  interruptOn: asGiven(interruptOn, `${place}: interruptOn`),
  policy: asGiven(policy, `${place}: policy`, isMade),
});
