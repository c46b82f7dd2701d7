/** What waits, as the lines that put it. */
import type { Question } from '../../../index.js';
import { agentLine, shownPreview } from '../../gate/agent-reason.js';
import { againLine } from '../../gate/asked-again.js';
import { startedFirst } from '../../gate/stands-out.js';
import { argumentLines } from '../../terminal/whole.js';
import { told } from '../duration.js';
import { style } from '../style.js';
import type { ApprovalAsk, WaitingAsk } from './view.js';

const whichOf = ({ index, of }: WaitingAsk): string => (of > 1 ? ` (tool ${index} of ${of})` : '');

/** A call. @param isWhole all of it at once: a pipe cannot ask for the rest */
export function approvalLines(ask: ApprovalAsk, isWhole: boolean): string[] {
  const { request } = ask;
  const left = request.expiresAt === null ? [] : [`Time left: ${told(request.expiresAt - Date.now())}`];
  const { first, others } = startedFirst([...ask.dangers, ...ask.warnings]);
  const careful = (doubts: readonly string[]): string[] => doubts.map((each) => style('red', `Careful: ${each}`));
  return [
    '',
    style('yellow', `${ask.from === '' ? 'Waits' : `A call of ${ask.from} waits`} for approval${whichOf(ask)}:`),
    ...careful(first),
    ...againRows(ask),
    ...[agentLine(request) ?? []].flat(),
    ...shownPreview(request).split('\n'),
    ...(isWhole ? argumentLines(request) : []),
    `Why: ${ask.why}`,
    ...careful(others),
    ...left,
    ...(ask.always === null
      ? []
      : [`s would allow for this session: ${[ask.always.label, ...ask.always.also].join('; ')}`]),
  ];
}

const againRows = ({ request }: WaitingAsk): string[] => [againLine(request) ?? []].flat();

/** What stands above the first of the questions. */
export const questionHead = (ask: WaitingAsk): string[] => [
  '',
  `${style('yellow', `${ask.from === '' ? 'The agent' : ask.from} asks you something`)}${whichOf(ask)}. /no: you do not want to answer.`,
  ...againRows(ask),
];

/** One question, and how it is answered. */
export function questionLines(question: Question): string[] {
  const isLeftOut = question.required === false ? ' (an empty line leaves it out)' : '';
  const asked = style('bold', question.question) + isLeftOut;
  if (question.kind === 'text') return [asked];
  return [
    asked,
    ...question.options.map(
      ({ label, description }, at) => `  ${at + 1}. ${label}${description === undefined ? '' : `: ${description}`}`,
    ),
    question.kind === 'multiple_choice'
      ? 'A number, or other words of your own.'
      : 'Numbers, with commas between them.',
  ];
}
