/** What of a call needs a second look before it is approved: that it may have run, what may deceive the eye, and what a rule marks as a risk. */
import type { ApprovalRequest } from '../../index.js';
import { oneLine } from './in-a-line.js';

/** These do not deceive. Any other flag may, also an unknown one. */
const PLAIN: readonly string[] = ['long', 'multiline'];

type FlaggedCall = Pick<ApprovalRequest, 'flags'>;

/** What is looked at of a call. */
export type AskedCall = FlaggedCall & Partial<Pick<ApprovalRequest, 'verdict' | 'startedBefore'>>;

/** What may make a call another one than it seems to be: what deceives the eye, and what is not shown at all. */
export const standsOut = ({ flags }: FlaggedCall): string[] => flags.filter((flag) => !PLAIN.includes(flag));

/** What a yes may do a second time: it stands first wherever a person is asked, behind "it" as all dangers do. */
export const startedInWords = ({ startedBefore }: Partial<Pick<ApprovalRequest, 'startedBefore'>>): string[] =>
  startedBefore === true ? [STARTED] : [];

const STARTED = 'it was started before and may have run already';

/** What stands first, and what stands in its own place behind that. */
export const startedFirst = (doubts: readonly string[]): { first: string[]; others: string[] } => ({
  first: doubts.filter((doubt) => doubt === STARTED),
  others: doubts.filter((doubt) => doubt !== STARTED),
});

/**
 * What a yes says nothing about that was written before the call was there, in words: that it may have run, and what deceives the eye.
 * What a call does, its writer knows.
 *
 * @param isWhole whether all of the call is shown
 */
export function unforeseen(asked: AskedCall, isWhole: boolean): string[] {
  const flags = standsOut(asked).filter((flag) => !isWhole || flag !== 'hidden');
  const how =
    !isWhole && isHidden(asked) ? 'it is not shown whole here, or is not what it seems' : 'it may not be what it seems';
  return [...startedInWords(asked), ...(flags.length === 0 ? [] : [`${how} (${flags.join(', ')})`])];
}

/** Whether a rule that speaks of the call marks it as a high risk. */
export const isHighRisk = ({ verdict }: Partial<Pick<ApprovalRequest, 'verdict'>>): boolean =>
  (verdict?.risks ?? []).length > 0;

/** What rules that speak of the call mark as a risk, each in a few words behind "it", safe to show. */
export const risksInWords = ({ verdict }: Partial<Pick<ApprovalRequest, 'verdict'>>): string[] =>
  (verdict?.risks ?? []).map(({ because, rule: { source, line } }) => {
    const place = oneLine(line === null ? source : `${source}:${line}`);
    return `it is a high risk${because === null ? '' : `: ${oneLine(because)}`} (${place})`;
  });

/** Whether a call stands out: one yes is not enough for it. */
export const needsSecondYes = (asked: AskedCall): boolean =>
  standsOut(asked).length > 0 || isHighRisk(asked) || startedInWords(asked).length > 0;

/** Said in front of the second question about a call that stands out. */
export function beware(asked: AskedCall): string {
  const flags = standsOut(asked);
  const seems = isHidden(asked) ? 'it is not shown whole at first, or is not' : 'it may not be';
  const whatItSeems = flags.length === 0 ? [] : [`${seems} what it seems (${flags.join(', ')})`];
  return `Look twice: ${[...startedInWords(asked), ...whatItSeems, ...risksInWords(asked)].join('; ')}`;
}

/** Whether the preview leaves out a part of the call. */
export const isHidden = ({ flags }: FlaggedCall): boolean => flags.includes('hidden');
