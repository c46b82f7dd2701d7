import type { UseApprovalsOptions } from '../../react.js';
import { didYouMean, refusal, unknownIn } from '../options/names.js';
import { nearestOf } from '../options/nearest.js';

const PLACE = 'useApprovals';

const NAMES = {
  messages: true,
  addToolApprovalResponse: true,
  sendEdit: true,
  status: true,
  sendMessage: true,
  details: true,
} as const satisfies Record<keyof UseApprovalsOptions, true>;

/**
 * The names of the options. All that `useChat` gives may be passed on, of any version: only a slip is refused.
 *
 * @throws {InvalidConfigError} for what is no object, and for what is nearly the name of an option
 */
export function checkNames(options: unknown): void {
  for (const name of unknownIn(NAMES, options, PLACE)) {
    const near = nearestOf(name, Object.keys(NAMES));
    if (near !== undefined) throw refusal(PLACE, name, didYouMean(near));
  }
}
