/** Which calls need a second look, as the rest of the package has it: a test holds the two equal. */
import type { ApprovalDetails } from '../../index.js';

/** What needs no second look: it is seen for what it is. */
const PLAIN_FLAGS = ['long', 'multiline'];

interface ShownCall {
  details?: (Pick<ApprovalDetails, 'flags'> & Partial<Pick<ApprovalDetails, 'dangers'>>) | undefined;
  preview: string;
}

/** Whether the preview leaves out a part of the call. A preview made here says so itself: no text can. */
export const isHidden = ({ details, preview }: ShownCall): boolean =>
  details === undefined ? preview.includes('…[') : details.flags.includes('hidden');

/** Whether it may be another call than it seems to be, or do what may not be undone. */
export const standsOut = (call: ShownCall): boolean =>
  isHidden(call) ||
  call.details?.flags.some((flag) => !PLAIN_FLAGS.includes(flag)) === true ||
  // A server of an earlier version says none.
  (call.details?.dangers ?? []).length > 0;
