/** A line as the answer to what waits. Nothing here reads or writes. */
import type { Decision, Question } from '../../../index.js';
import { messageOf } from '../../errors/message-of.js';
import { argumentLines, safeLong } from './safe.js';
import type { Ask } from './view.js';

type Approval = Extract<Ask, { kind: 'approval' }>;

/** What a line means. `say`: nothing is decided yet. */
export type Answer = Decision | { type: 'always' } | { type: 'all' } | { type: 'say'; lines: string[] };

/** What is said with each ask. */
export const SHORT = 'y yes, n no, ? other answers; anything else: no, with that as the reason';

/** The answers that there are. */
export function keysOf({ request, always }: Approval): string[] {
  const may = (type: string): boolean => (request.allowedDecisions as readonly string[]).includes(type);
  return [
    ...(may('approve') ? ['y       yes'] : []),
    'n       no',
    ...(may('edit') ? ['e JSON  yes, with these arguments'] : []),
    ...(may('respond') ? ['r TEXT  do not run it: this is its result'] : []),
    ...(may('approve') && always !== null ? ['s       yes, and always for this session'] : []),
    ...(may('approve') ? ['A       approve all: turns Auto-approve on'] : []),
    'd       the whole of it, again',
    'Anything else is no, with that as the reason. An empty line decides nothing.',
  ];
}

/** An empty line decides nothing. What is no answer is a rejection with that reason. */
export function readAnswer(line: string, ask: Approval): Answer {
  const text = line.trim();
  const [, letter = '', rest] = /^([er])\s+([^]*)$/.exec(text) ?? [];
  if (letter === 'e') return edited(rest ?? '');
  if (letter === 'r') return { type: 'respond', output: rest };
  switch (text) {
    case '':
      return { type: 'say', lines: ['Nothing was decided.', SHORT] };
    case 'y':
    case 'Y':
    case 'yes':
      return { type: 'approve' };
    case 'n':
    case 'N':
    case 'no':
      return { type: 'reject' };
    case 'A':
      return { type: 'all' };
    case 's':
      return ask.always === null
        ? { type: 'say', lines: ['It cannot be allowed for the session: it would allow too much.', SHORT] }
        : { type: 'always' };
    case 'd':
      return { type: 'say', lines: [...ask.request.preview.split('\n'), ...argumentLines(ask.request), SHORT] };
    case 'e':
      return {
        type: 'say',
        lines: [`To edit, give the new arguments as JSON: e ${safeLong(JSON.stringify(ask.request.args))}`],
      };
    case 'r':
      return { type: 'say', lines: ['To answer instead of running it, give its result: r text'] };
    case '?':
      return { type: 'say', lines: keysOf(ask) };
    default:
      return { type: 'reject', reason: text };
  }
}

function edited(json: string): Answer {
  try {
    return { type: 'edit', args: JSON.parse(json) as unknown };
  } catch (error) {
    return { type: 'say', lines: [`That is not JSON: ${safeLong(messageOf(error))}`] };
  }
}

/** What a line means to a question. `none`: the human does not want to answer at all. */
export type QuestionReply =
  { type: 'answer'; answer: string | readonly string[] | null } | { type: 'none' } | { type: 'say'; lines: string[] };

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
