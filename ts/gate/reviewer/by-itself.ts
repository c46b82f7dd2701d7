/** Requests without a human: the mode has approved them, or a reviewer has decided. */
import type { ApprovalRecord } from '../../../index.js';
import { approvesByMode, type CallVerdict } from '../judge.js';
import type { LocalGate } from '../gate.js';

/** Whether this request is decided with no human. */
export const isByItself = (verdict: CallVerdict | undefined, record: ApprovalRecord): boolean =>
  record.review?.decides === true || approvesByMode(verdict, record);

/**
 * Decides it. Never rejects.
 *
 * @returns whether it is decided now, by this or before: a human who was faster counts
 */
export const decideByItself = (gate: LocalGate, { approvalId, review }: ApprovalRecord): Promise<boolean> =>
  review?.decides === true ? gate.decideByReviewer(approvalId, review) : gate.approveByMode(approvalId);
