/** A line as the answer to what waits in the chat, which knows more answers than one request alone. Nothing here reads or writes. */
import type { Decision } from '../../../index.js';
import { answersTo, OTHERS, readAnswer as readPlain, SHORT } from '../../terminal/answers.js';
import { safeLong } from '../../terminal/safe-long.js';
import { argumentLines } from '../../terminal/whole.js';
import type { WaitingAsk } from './view.js';

type ApprovalAsk = Extract<WaitingAsk, { kind: 'approval' }>;

/** What a line means. `say`: nothing is decided yet. */
export type LineAnswer = Decision | { type: 'always' } | { type: 'all' } | { type: 'say'; lines: string[] };

/** The answers that there are. */
function keysOf({ request, always }: ApprovalAsk): string[] {
  const runs = request.allowedDecisions.includes('approve');
  return [
    ...answersTo({ ...request, flags: [] }),
    ...(runs && always !== null ? ['s       yes, and always for this session'] : []),
    ...(runs ? ['A       approve all: turns Auto-approve on'] : []),
    'd       the whole of it, again',
    OTHERS,
  ];
}

/** All of a call. */
function wholeOf({ request }: ApprovalAsk): string[] {
  const { toolCallId, step, preview } = request;
  const call = `Call: ${safeLong(toolCallId)}${step === null ? '' : `, of step ${step}`}`;
  return [...preview.split('\n'), ...argumentLines(request), call, SHORT];
}

/** An empty line decides nothing. What is no answer is a rejection with that reason. */
export function readAnswer(line: string, ask: ApprovalAsk): LineAnswer {
  switch (line.trim()) {
    case 'A':
      return { type: 'all' };
    case 's':
      return ask.always === null
        ? { type: 'say', lines: ['It cannot be allowed for the session: it would allow too much.', SHORT] }
        : { type: 'always' };
    case 'd':
      return { type: 'say', lines: wholeOf(ask) };
    case '?':
      return { type: 'say', lines: keysOf(ask) };
    default:
      return readPlain(line, ask.request);
  }
}
