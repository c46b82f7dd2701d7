/** What a reviewer said of a call, in one line for the human: the same on every front end. */
import type { ApprovalRequest, CallReview, ReviewBar } from '../../../index.js';
import { oneLine } from '../in-a-line.js';

/** `undefined`: none was asked. */
export function reviewLine({ review = null }: Pick<ApprovalRequest, 'review'>): string | undefined {
  if (review === null) return undefined;
  const { model, answer, reason, bar, decides } = review;
  const who = model === null ? 'The reviewer' : `The reviewer (${oneLine(model)})`;
  const why = decides || bar === null ? '' : ` It does not decide: ${BARS[bar] ?? 'only a person does'}.`;
  // Between marks of its own: what it says is not ours.
  return `${who} ${SAYS[answer] ?? 'said'}: “${oneLine(reason).replaceAll(/[“”]/g, '"')}”.${why}`;
}

const SAYS: Readonly<Record<CallReview['answer'], string>> = {
  approve: 'would approve it',
  reject: 'would reject it',
  unsure: 'is not sure',
  failed: 'gave no answer',
};

const BARS: Readonly<Record<ReviewBar, string>> = {
  question: 'it is a question to you',
  people: 'people are named who must agree',
  managed: 'the administrator leaves it to a person',
  beside: 'something beside the rules asks',
  unmarked: 'no rule leaves all of it to a reviewer',
  advises: 'it only advises',
  started: 'the call was started before',
  'not-allowed': 'it may not be approved as it is',
  cut: 'it has not seen the whole call',
  repeated: 'it is its third rejection in a row',
  refused: 'another call of this tool was not approved in this run',
  open: 'another call of this tool waits for an answer',
};
