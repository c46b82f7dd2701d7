/** A line as the answer to what waits in the chat, which knows more answers than one request alone. Nothing here reads or writes. */
import type { GrantScope, Question, Remember } from '../../../index.js';
import {
  answersTo,
  OTHERS,
  readAnswer as readPlain,
  SHORT,
  unoffered,
  type LineAnswer as PlainAnswer,
  type UntakenLine,
} from '../../terminal/answers.js';
import { safeLong } from '../../terminal/safe-long.js';
import { argumentLines } from '../../terminal/whole.js';
import { slipIn, slipInReason } from './commands.js';
import type { WaitingAsk } from './view.js';

type ApprovalAsk = Extract<WaitingAsk, { kind: 'approval' }>;

/** What a line means. `say`: nothing is decided yet. */
export type LineAnswer =
  | Exclude<PlainAnswer, UntakenLine>
  | { type: 'always'; remember: Remember }
  | { type: 'like' }
  | { type: 'all' }
  | UntakenLine;

/** The possible answers. */
function keysOf({ request, always }: ApprovalAsk): string[] {
  const runs = request.allowedDecisions.includes('approve');
  return [
    ...answersTo({ ...request, flags: [] }),
    ...(runs && always !== null ? ['s       run it, and always allow the like in this session', ...FOR_HOW_LONG] : []),
    ...(runs && always !== null ? ['l       run it, and all similar calls that wait'] : []),
    ...(runs ? ['A       approve all: turns Auto-approve on'] : []),
    'd       show the whole request again',
    OTHERS,
  ];
}

const FOR_HOW_LONG: readonly string[] = [
  's run, s project   the same while this run lasts, or from now on in this project',
  's 5x    the same for the next 5 calls; s exact: only for exactly this call',
];

const SCOPES: Readonly<Record<string, GrantScope>> = { run: 'run', session: 'session', project: 'always' };

/** `s`, and for how long; `undefined`: the line says something else. */
function rememberIn(line: string): Remember | undefined {
  const [first, ...words] = line.split(/\s+/);
  if (first !== 's') return undefined;
  let remember: Exclude<Remember, string> = { scope: 'session' };
  for (const word of words) {
    const [, times] = /^([1-9]\d{0,5})x$/.exec(word) ?? [];
    const scope = Object.hasOwn(SCOPES, word) ? SCOPES[word] : undefined;
    if (times !== undefined) remember = { ...remember, times: Number(times) };
    else if (word === 'exact') remember = { ...remember, exact: true };
    else if (scope !== undefined) remember = { ...remember, scope };
    // It is a reason that begins like it.
    else return undefined;
  }
  return remember;
}

/** All of a call. */
function wholeOf({ request }: ApprovalAsk): string[] {
  const { toolCallId, step, preview } = request;
  const call = `Call: ${safeLong(toolCallId)}${step === null ? '' : `, of step ${step}`}`;
  return [...preview.split('\n'), ...argumentLines(request), call, SHORT];
}

/**
 * An empty line decides nothing. What is no answer is a rejection with that reason.
 *
 * @param shown the call as it was shown last, where that was with other arguments
 */
export function readAnswer(line: string, ask: ApprovalAsk, shown = ask): LineAnswer {
  const remember = rememberIn(line.trim());
  if (remember !== undefined)
    return ask.always === null
      ? { type: 'say', lines: ['It cannot be allowed for the session: it would allow too much.', SHORT] }
      : { type: 'always', remember };
  const mayRun = ask.request.allowedDecisions.includes('approve');
  switch (line.trim()) {
    case 'A':
      return mayRun ? { type: 'all' } : unoffered('A');
    case 'l':
      return mayRun && ask.always !== null ? { type: 'like' } : unoffered('l');
    case 'd':
      return { type: 'say', lines: wholeOf(shown) };
    case '?':
      return { type: 'say', lines: keysOf(ask) };
    default:
      return slipTold(line, SHORT) ?? readPlain(line, ask.request, shown.request);
  }
}

/** A command is no reason for a rejection. */
export function slipTold(line: string, ...next: readonly string[]): UntakenLine | undefined {
  const slip = slipInReason(line);
  return slip === undefined ? undefined : { type: 'say', lines: [`Nothing was decided: ${slip}.`, ...next] };
}

/** Why an answer in words counts only when it is given twice, see {@link slipIn}: what is one of the options is meant. */
export function slipInAnswer(
  answer: string | readonly string[] | null,
  question: Question | undefined,
): string | undefined {
  const labels = question !== undefined && 'options' in question ? question.options.map(({ label }) => label) : [];
  return typeof answer !== 'string' || labels.includes(answer) ? undefined : slipIn(answer);
}

/** The same of a line of a pipe, which answers its own call alone: how many others wait by then, its writer could not know. */
export function readPiped(line: string, ask: ApprovalAsk): LineAnswer {
  const answer = readAnswer(line, ask);
  return answer.type === 'all' || answer.type === 'like' ? OF_OTHERS : answer;
}

const OF_OTHERS: UntakenLine = {
  type: 'say',
  lines: [],
  broken:
    'It would answer other calls, too, and each line of a pipe answers one call. Auto-approve: --auto, or /approve on.',
};
