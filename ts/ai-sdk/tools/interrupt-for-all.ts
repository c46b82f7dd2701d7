/** What `interruptOn` cannot say of all tools at once. */
import { InvalidConfigError } from '../../errors/index.js';
import { ownValue } from '../../values/own-value.js';

/**
 * @throws {InvalidConfigError} for a `shouldApprove` under `'*'`: arguments mean something to one tool alone, so it is never
 * called, and would ask even about what it lets pass
 */
export function refuseForAll(interruptOn: unknown): void {
  if (ownValue(ownValue(interruptOn, '*'), 'shouldApprove') === undefined) return;
  throw new InvalidConfigError({
    message:
      'interruptOn["*"] has shouldApprove, which knows the arguments of one tool: write { NAME: { shouldApprove: … } } for each tool that it is about, or a rule of a policy. \'*\' asks about all others.',
  });
}
