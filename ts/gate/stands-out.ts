/** Which findings of a preview need a second look. */
import type { ApprovalRequest } from '../../index.js';

/** What these say is seen for what it is. Any other, also one that is not known here, may deceive. */
const PLAIN: readonly string[] = ['long', 'multiline'];

/** What may make a call another one than it seems to be: what deceives the eye, and what is not shown at all. */
export const standsOut = ({ flags }: Pick<ApprovalRequest, 'flags'>): string[] =>
  flags.filter((flag) => !PLAIN.includes(flag));

/** Whether the preview leaves out a part of the call. */
export const isHidden = ({ flags }: Pick<ApprovalRequest, 'flags'>): boolean => flags.includes('hidden');
