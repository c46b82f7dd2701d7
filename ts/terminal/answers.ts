/** A line as the answer to what waits. Nothing here reads or writes. */
import type { ApprovalRequest, Decision, DecisionType, Question } from '../../index.js';
import { CountersignError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { dangersInWords, type DangerousCall } from '../gate/danger.js';
import { isUnchanged, NOTHING_CHANGED } from '../gate/edited-call.js';
import { isHidden, standsOut, startedFirst, unforeseen } from '../gate/stands-out.js';
import { textOfCall, withText } from '../gate/text-field.js';
import { revive, snapshot } from '../values/snapshot.js';
import { safeLong } from './safe-long.js';
import { argumentLines } from './whole.js';
import { isKeyAlone, isNo, isYes, notOffered } from './words.js';
import { typedJson } from '../values/typed-json.js';

/** A line that decides nothing. `broken`: it was meant to, and cannot. */
export interface UntakenLine {
  type: 'say';
  lines: string[];
  broken?: string;
  /** It gives the arguments that were asked for as an edit. */
  isUnchanged?: true;
}

/** Other arguments. `isText`: the line is the new text of the call, and no JSON: it is shown before it runs. */
export type EditAnswer = Extract<Decision, { type: 'edit' }> & { isText?: true };

/** What a line means. `say`: nothing is decided yet. */
export type LineAnswer = Exclude<Decision, { type: 'edit' }> | EditAnswer | UntakenLine;

type AnswerableCall = Pick<ApprovalRequest, 'args' | 'allowedDecisions' | 'flags'>;

/** What is said with each request. */
export const SHORT = 'y = run, n = reject, e = edit, ? = help; other text rejects and is the reason';

/** The same on a pipe, where nothing can be asked back. */
export const SHORT_PIPED = 'y = run, n = reject; other text rejects and is the reason. One line answers one call';

/** The same, and how to see all of what is not shown whole. */
export const shortFor = (asked: Pick<ApprovalRequest, 'flags'>): string =>
  isHidden(asked) ? `${SHORT}; d shows all of it` : SHORT;

/**
 * What is said when a call that stands out, or may do what cannot be undone, was approved.
 *
 * @param away what is not in sight of it
 */
export function secondLook(asked: DangerousCall & Pick<ApprovalRequest, 'flags'>, away?: string): string {
  const doubts = standsOut(asked).join(', ');
  const { first, others } = startedFirst(dangersInWords(asked));
  const risks = [...others, ...(away === undefined ? [] : [away])].join('; ');
  const started = first.map((each) => `Careful: ${each}. `).join('');
  return `${started}${lookAt(asked, doubts, risks)}`.trimEnd();
}

function lookAt(asked: Pick<ApprovalRequest, 'flags'>, doubts: string, risks: string): string {
  if (doubts === '') return risks === '' ? '' : `Careful: ${risks}.`;
  const seems = isHidden(asked)
    ? `Careful (${doubts}): a part of it is not shown above. d shows all of it.`
    : `Careful: it may not be what it seems (${doubts}).`;
  return risks === '' ? seems : `${seems} ${risks}.`;
}

const may = ({ allowedDecisions }: AnswerableCall, type: DecisionType): boolean => allowedDecisions.includes(type);

/** The possible answers. */
export function answersTo(asked: AnswerableCall): string[] {
  return [
    ...(may(asked, 'approve') ? ['y       run it; yes and ok do the same'] : []),
    'n       reject it; no does the same',
    ...(may(asked, 'edit') && textOfCall(asked.args) !== undefined
      ? [`e TEXT  run it with this ${textNameOf(asked)} instead`]
      : []),
    ...(may(asked, 'edit') ? ['e JSON  run it with these arguments instead'] : []),
    ...(may(asked, 'respond') ? ['r TEXT  do not run it: this is its result'] : []),
    ...(isHidden(asked) ? ['d       show all of it, also what is not shown above'] : []),
  ];
}

/** Asked on a terminal where a call was rejected without a reason: the next line gives it. */
export const WHY = 'Why? What you write goes to the agent; an empty line gives no reason.';

/**
 * The line behind {@link WHY}. A yes, or the key of another choice, is no reason, and leads back to the choices.
 */
export function readReason(line: string): Decision | UntakenLine {
  const reason = line.trim();
  if (reason === '' || isNo(reason)) return { type: 'reject' };
  if (isYes(reason) || isKeyAlone(reason)) return { type: 'say', lines: ['Nothing was decided.', SHORT] };
  return { type: 'reject', reason };
}

/** Whether a no has no reason yet. */
export const isBareNo = (answer: { type: string; reason?: string | undefined }): boolean =>
  answer.type === 'reject' && answer.reason === undefined;

/** What is said of all others. */
export const OTHERS = 'Other text rejects and is the reason. An empty line decides nothing.';

/**
 * An empty line decides nothing. What is no answer is a rejection with that reason.
 *
 * @param shown the call as it was shown last, where that was with other arguments
 */
export function readAnswer(line: string, asked: AnswerableCall, shown = asked): LineAnswer {
  const text = line.trim();
  const [, letter = '', rest = ''] = /^([er])\s+([^]*)$/.exec(text) ?? [];
  if (letter === 'e') return edited(rest, asked);
  if (letter === 'r') return { type: 'respond', output: rest };
  if (isYes(text)) return { type: 'approve' };
  if (isNo(text)) return { type: 'reject' };
  switch (text) {
    case '':
      return { type: 'say', lines: ['Nothing was decided.', SHORT] };
    case 'e':
      return { type: 'say', lines: howToEdit(shown) };
    case 'r':
      return { type: 'say', lines: ['To answer instead of running it, give its result: r text'] };
    case 'd':
      if (!isHidden(shown)) return unoffered(text);
      return { type: 'say', lines: argumentLines(shown) };
    case '?':
      return { type: 'say', lines: [...answersTo({ ...asked, flags: shown.flags }), OTHERS] };
    default:
      return isKeyAlone(text) ? unoffered(text) : { type: 'reject', reason: text };
  }
}

/** The key of a choice that other prompts have. */
export const unoffered = (key: string): LineAnswer & { type: 'say' } => ({
  type: 'say',
  lines: [`${notOffered(key)}.`, SHORT],
});

/** Why the text of a call, written behind `e`, does not run at once: it may be a reason that begins like it. */
export const asText = (answer: { type: string; isText?: true | undefined }): string[] =>
  answer.isText === true ? ['look at it'] : [];

const textNameOf = ({ args }: Pick<ApprovalRequest, 'args'>): string => safeLong(textOfCall(args)?.name ?? '');

function howToEdit(shown: Pick<ApprovalRequest, 'args'>): string[] {
  const json = `e ${safeLong(JSON.stringify(shown.args))}`;
  const text = textOfCall(shown.args)?.text;
  if (text === undefined) return [`To edit, give the new arguments as JSON: ${json}`];
  const now = text.includes('\n') ? '' : ` Now it is: e ${safeLong(text)}`;
  return [
    `To edit, give the new ${textNameOf(shown)} behind e, in one line.${now}`,
    `Or all arguments as JSON: ${json}`,
  ];
}

/** What a human wrote as another call: its text, or all arguments as JSON. */
export function edited(written: string, asked: Pick<ApprovalRequest, 'args'>): LineAnswer {
  const field = /^\s*[{["]/.test(written) ? undefined : textOfCall(asked.args);
  if (field === undefined) return editedJson(written, asked);
  const before = snapshot(asked.args).json;
  const args = withText(before, field.name, written);
  return isUnchanged(before, revive(args)) ? UNCHANGED : { type: 'edit', args, isText: true };
}

/** Arguments that a human wrote as JSON. Those that were asked for are no answer. */
function editedJson(json: string, { args: before }: Pick<ApprovalRequest, 'args'>): LineAnswer {
  try {
    const args = typedJson(json);
    return isUnchanged(snapshot(before).json, revive(args)) ? UNCHANGED : { type: 'edit', args };
  } catch (error) {
    const isJson = CountersignError.isInstance(error);
    const broken = isJson ? safeLong(error.message) : `That is not JSON: ${safeLong(messageOf(error))}`;
    return { type: 'say', lines: [broken], broken };
  }
}

const UNCHANGED: LineAnswer = {
  type: 'say',
  lines: [`${NOTHING_CHANGED}.`, SHORT],
  broken: 'The edit changes nothing.',
  isUnchanged: true,
};

/** Why a piped line that decides nothing is a rejection: there it cannot be asked for another one. */
export const untaken = (line: string, { broken }: { broken?: string }): string =>
  `The piped line for this call, ${JSON.stringify(line.trim())}, does not answer it${broken === undefined ? '' : `. ${broken.replace(/\.$/, '')}`}.`;

/**
 * Why a piped yes does not run this call: the line may have been written before the call was there. `undefined`: it runs it. A second
 * line would be another call's.
 */
export function unpiped(call: PipedCall): string | undefined {
  const doubts = unforeseen(call, true);
  return doubts.length === 0 ? undefined : `A piped line does not run it: ${doubts.join('; ')}. ${ANSWER_ELSEWHERE}`;
}

/** Where a call is answered that no piped line answers. */
export const ANSWER_ELSEWHERE = 'Answer it on a terminal, or at a gate: countersign approve asks, or takes --yes.';

/** A call, as much of it as says whether a piped line may run it. */
export type PipedCall = Parameters<typeof unforeseen>[0];

/** What is said when a question that is not in sight from its beginning was answered. */
export const ANSWERS_TWICE = 'Give the answer again to confirm it. /no: you do not want to answer.';

/** What a line means to a question. `none`: the human does not want to answer at all. */
export type QuestionReply =
  | { type: 'answer'; answer: string | readonly string[] | null }
  | { type: 'none' }
  | { type: 'say'; lines: string[] };

export function readQuestionAnswer(line: string, question: Question): QuestionReply {
  const text = line.trim();
  if (text === '/no') return { type: 'none' };
  if (text === '') {
    if (question.required === false) return { type: 'answer', answer: null };
    return { type: 'say', lines: ['An answer is needed. /no: you do not want to answer.'] };
  }
  if (question.kind === 'text') return { type: 'answer', answer: text };
  const labels = question.options.map(({ label }) => label);
  const labelOf = (word: string): string | undefined =>
    labels.find((label) => label.toLowerCase() === word.toLowerCase()) ??
    (/^\d+$/.test(word) ? labels[Number(word) - 1] : undefined);
  if (question.kind === 'multiple_choice') return { type: 'answer', answer: labelOf(text) ?? text };
  const words = text.split(',').map((word) => word.trim());
  const chosen = words.map(labelOf);
  const wrong = words.find((_, at) => chosen[at] === undefined);
  if (wrong !== undefined)
    return { type: 'say', lines: [`There is no ${safeLong(JSON.stringify(wrong))} among them.`] };
  return { type: 'answer', answer: [...new Set(chosen as string[])] };
}
