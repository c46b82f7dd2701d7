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
  return [...startedInWords(asked), ...seemsInWords({ flags: isWhole ? shownFlags(asked) : asked.flags }, 'here')];
}

const shownFlags = ({ flags }: FlaggedCall): string[] => flags.filter((flag) => flag !== 'hidden');

/** What may make it another call than it seems to be, in a few words, behind "it". */
export function seemsInWords(asked: FlaggedCall, where: 'here' | 'at first'): string[] {
  const flags = standsOut(asked);
  const how = isHidden(asked) ? `it is not shown whole ${where}, or is not` : 'it may not be';
  return flags.length === 0 ? [] : [`${how} what it seems (${flags.join(', ')})`];
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

/** Whether it is decided by itself, and for now only: the words of a rule made of it may deceive as well. */
export const standsApart = (asked: AskedCall): boolean =>
  standsOut(asked).length > 0 || isHighRisk(asked) || startedInWords(asked).length > 0;

/** Whether the preview leaves out a part of the call. */
export const isHidden = ({ flags }: FlaggedCall): boolean => flags.includes('hidden');
