/** How questions are put to a human: what is asked, and by whom it is answered. */
import type { Question, QuestionRequest } from '../../index.js';
import { preview, safeText } from '../native.js';
import { againLine } from './asked-again.js';
import type { CallQuestion as Asked } from './call-question.js';
import { askedAgainOf } from './describing.js';
import type { LocalGate } from './gate.js';
import { inOneLine, QUESTION_DECISIONS, readable } from './questions.js';
import type { OpenRequest } from './requests.js';

export type QuestionCallback = (request: QuestionRequest, options: { abortSignal: AbortSignal }) => unknown;

/** A request that has no deadline, nothing to be bound to, and nothing that could be remembered. */
export function questionRequest(
  asked: Asked,
  questions: readonly Question[],
  of: Pick<OpenRequest, 'runId' | 'origin' | 'logger'>,
): OpenRequest {
  const { toolCallId, toolName, args, verdict, supersedes, step } = asked;
  const askedAgain = askedAgainOf(asked);
  const again = againLine({ askedAgain });
  const nothing = { allow: null, deny: null };
  return {
    ...of,
    toolCallId,
    toolName,
    args,
    description: `${again === undefined ? '' : `${again} `}The agent asks: ${safeText(inOneLine(questions))}`,
    allowedDecisions: QUESTION_DECISIONS,
    timeoutMs: null,
    context: null,
    details: {
      kind: 'question',
      step: step ?? null,
      verdict: verdict?.said ?? null,
      always: nothing,
      changes: [],
      ...(askedAgain === null ? {} : { askedAgain }),
    },
    page: preview(toolName, readable(questions)),
    supersedes: supersedes?.approvalId ?? null,
    ...(supersedes?.callIsGone === true ? { callIsGone: true } : {}),
  };
}

/** Why questions cannot be answered; `undefined`: they can. Only a human answers them: what approves calls does not. */
export function nobodyAnswers(gate: LocalGate, hasCallback: boolean, hasGate: boolean): string | undefined {
  if (gate.control.mode === 'deny-all-asks') return 'Nobody is there to be asked: the mode is deny-all-asks.';
  return hasCallback || hasGate ? undefined : 'Nobody can be asked: the run has neither onQuestion nor a gate.';
}
