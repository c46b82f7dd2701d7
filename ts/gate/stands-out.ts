/** Which findings of a preview need a second look. */
import type { ApprovalRequest } from '../../index.js';

/** What these say is seen for what it is. Any other, also one that is not known here, may deceive. */
const PLAIN: readonly string[] = ['long', 'multiline'];

/** What may make a call another one than it seems to be: what deceives the eye, and what is not shown at all. */
export const standsOut = ({ flags }: Pick<ApprovalRequest, 'flags'>): string[] =>
  flags.filter((flag) => !PLAIN.includes(flag));

/** Whether a call stands out: one yes is not enough for it. */
export const needsSecondYes = (asked: Pick<ApprovalRequest, 'flags'>): boolean => standsOut(asked).length > 0;

/** Said in front of the second question about a call that stands out. */
export const beware = (asked: Pick<ApprovalRequest, 'flags'>): string =>
  `Look twice: it ${isHidden(asked) ? 'is not shown whole at first, or is not' : 'may not be'} what it seems (${standsOut(asked).join(', ')})`;

/** Whether the preview leaves out a part of the call. */
export const isHidden = ({ flags }: Pick<ApprovalRequest, 'flags'>): boolean => flags.includes('hidden');
