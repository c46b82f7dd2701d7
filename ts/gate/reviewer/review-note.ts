/** What a reviewer said of a call, for the audit. */
import type { CallReview } from '../../../index.js';
import type { NativeNote } from '../../native.js';
import type { CallToReview } from './reviewed-call.js';

export function reviewNote(
  { runId, origin, toolCallId, toolName, args }: CallToReview,
  { model, criteria, criteriaDigest, answer, reason, decides }: CallReview,
): NativeNote {
  const review = { model, criteria, criteriaDigest, answer, decides };
  return { kind: 'reviewed', runId, origin, toolCallId, toolName, args: args.json, reason, review };
}
