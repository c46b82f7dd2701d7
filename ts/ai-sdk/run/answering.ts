/** What the SDK is told of each call that was decided. */
import type { DecisionOutcome } from '../../../index.js';
import type { LocalGate } from '../../gate/gate.js';
import { digestOf, type CheckedEdit } from '../../gate/edits.js';
import { isApproval, isTurnEnd } from '../../gate/records.js';
import { snapshot, type ValueSnapshot } from '../../values/snapshot.js';
import type { RunConversation } from './conversation.js';
import { closed, type CallAnswer, type CallResult } from '../messages/history.js';
import { partsOf } from '../messages/messages.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { answerText, type CallQuestions } from '../tools/questions.js';
import {
  CANCELLED,
  NOT_RUN_AGAIN,
  REJECTED,
  TURN_ENDED,
  noteOn,
  reasonOf,
  startedNoteWith,
} from '../messages/reasons.js';
import { callWith, valueOf, type RequestedCall, type ModelRound } from './round.js';
import type { RunSetup } from './setup.js';
import { signApproval } from '../sdk/signature.js';
import { executes } from '../tools/tools.js';

export interface AnswerOptions {
  gate: LocalGate;
  setup: RunSetup;
  conversation: RunConversation;
  tell: (event: OwnEvent) => void;
}

/** The answer of one call; what a human gave in the place of a result becomes the result. */
export function answerTo(asked: RequestedCall, options: AnswerOptions): CallAnswer {
  const { setup, conversation, tell } = options;
  const { part, toolCallId, toolName, providerExecuted, args } = asked;
  const decision = asked.decision ?? { type: 'cancelled', reason: CANCELLED };
  const isEdited = decision.type === 'edit' || asked.editedFrom !== undefined;
  const answer: CallAnswer = {
    requestId: part.approvalId as string,
    toolCallId,
    toolName,
    decision,
    runs: isApproval(decision),
    reason: isApproval(decision) ? reasonOf(decision) : reasonFor(asked, reasonOf(decision)),
    providerExecuted,
    executable: executes(setup.guard.tools, toolName),
    input: args === undefined ? part.toolCall?.input : snapshot(args.value).value,
    isEdited,
    note: besides(noteOn(decision, asked.via, { isEdited }), startedNote(asked, decision)),
  };
  setup.guard.markAnswered(toolCallId, answer.note);
  if (asked.questioning !== undefined) return answerToQuestions(answer, asked, asked.questioning, options);
  if (decision.type === 'respond') {
    tell({ type: 'call-responded', call: callWith(asked, valueOf(args)), output: decision.output });
    conversation.recordResult({ toolCallId, toolName, args: valueOf(args), outcome: { output: decision.output } });
  }
  if (decision.type === 'edit') return checkedAnswer(answer, asked, decision.args, options);
  if (decision.type !== 'approve' || asked.editedFrom === undefined || args === undefined) return answer;
  return editedAnswer(answer, asked, { args, written: asked.written ?? args }, options);
}

/** Why a call does not run. What a process that is gone had started of it the model must not take for undone. */
function reasonFor({ started, questioning }: RequestedCall, reason: string | undefined): string | undefined {
  if (started.length === 0 || questioning !== undefined) return reason;
  return reason === undefined ? NOT_RUN_AGAIN : `${reason} ${NOT_RUN_AGAIN}`;
}

/** What a process that is gone had started of a call, where the call that the model hears of is not that; `undefined`: it is. */
function startedNote(
  { started, questioning, args, edits }: RequestedCall,
  decision: DecisionOutcome,
): string | undefined {
  if (questioning !== undefined || (!isApproval(decision) && decision.type !== 'respond')) return undefined;
  const runs = decision.type === 'edit' ? edits.checked(decision.args)?.args : args;
  const isSame = (each: ValueSnapshot): boolean =>
    decision.type !== 'respond' && runs !== undefined && digestOf(each) === digestOf(runs);
  const others = started.filter((each) => !isSame(each)).map(({ json }) => JSON.stringify(json));
  return others.length === 0 ? undefined : startedNoteWith([...new Set(others)]);
}

const besides = (...notes: (string | undefined)[]): string | undefined => {
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? undefined : said.join('\n\n');
};

/** The outcome of the questions is the result of the call. */
function answerToQuestions(
  answer: CallAnswer,
  asked: RequestedCall,
  { questions, answer: output }: CallQuestions,
  { conversation, tell }: AnswerOptions,
): CallAnswer {
  const { toolCallId, toolName, args } = asked;
  tell({ type: 'call-responded', call: callWith(asked, valueOf(args)), output });
  conversation.recordResult({ toolCallId, toolName, args: valueOf(args), outcome: { output } });
  const decision = { type: 'respond', output: answerText(questions, output) } as const;
  return { ...answer, decision, runs: false, reason: undefined };
}

function checkedAnswer(answer: CallAnswer, asked: RequestedCall, decided: unknown, options: AnswerOptions): CallAnswer {
  const { gate, setup } = options;
  const edit = asked.edits.checked(decided);
  if (edit === undefined) {
    // Decided elsewhere, unchecked: it must not run on what the schema has not seen.
    const reason = 'The edited arguments were not checked against the tool.';
    void gate.withdraw(asked.record?.approvalId ?? '', reason);
    setup.decisions.deny(asked.toolCallId, { args: decided, reason });
    return { ...answer, decision: { type: 'cancelled', reason }, runs: false, reason };
  }
  return editedAnswer(answer, asked, edit, options);
}

/** The call runs with what a human wrote: the messages have that from here on. */
function editedAnswer(
  answer: CallAnswer,
  asked: RequestedCall,
  { args, written }: Pick<CheckedEdit, 'args' | 'written'>,
  { setup, tell }: AnswerOptions,
): CallAnswer {
  const { toolCallId, toolName } = asked;
  const input = snapshot(args.value).value;
  tell({ type: 'call-edited', call: callWith(asked, valueOf(args)) });
  const secret = setup.callOptions['experimental_toolApprovalSecret'] as string | Uint8Array | undefined;
  const approval = { approvalId: answer.requestId, toolCallId, toolName, input };
  return {
    ...answer,
    input,
    schemaInput: digestOf(args) === digestOf(written) ? undefined : { value: written.value },
    signature: secret === undefined ? undefined : signApproval(setup.sdk.version, secret, approval),
  };
}

/** Whether the SDK has something to do for this answer. */
export function needsRound({ runs, executable, providerExecuted }: CallAnswer): boolean {
  return !runs || executable || providerExecuted;
}

/** Whether calls of the step are left for the client: tools without `execute`, which only it can answer. */
export function waitsForClient({ calls }: ModelRound, answers: readonly CallAnswer[], { guard }: RunSetup): boolean {
  const approved = new Map(answers.map((answer) => [answer.toolCallId, answer]));
  return calls.some(({ toolCallId, toolName, invalid, providerExecuted }) => {
    if (invalid === true || providerExecuted === true) return false;
    if (executes(guard.tools, toolName as string)) return false;
    const answer = approved.get(toolCallId as string);
    return answer === undefined || answer.runs;
  });
}

/** The calls of a step that was cut off which were not to be asked about: the SDK has run none of them, and takes none without a result. */
export function deniedBeside(
  { calls, requested, cut }: ModelRound,
  { conversation, setup, tell }: AnswerOptions,
): CallResult[] {
  if (cut === undefined) return [];
  const known = new Set(requested.map(({ toolCallId }) => toolCallId));
  for (const part of conversation.messages.flatMap(partsOf))
    if (part.type === 'tool-result') known.add(part['toolCallId'] as string);
  const left = calls.filter(
    ({ toolCallId = '', toolName = '', providerExecuted }) =>
      providerExecuted !== true && !known.has(toolCallId) && executes(setup.guard.tools, toolName),
  );
  return left.map(({ toolCallId = '', toolName = '', input }) => {
    tell({ type: 'tool-denied', toolCallId, toolName, args: input, reason: cut });
    return { toolCallId, toolName, output: { type: 'execution-denied', reason: cut } };
  });
}

/** Whether a human ended the turn with an answer of the round. */
export function endsTurn({ requested }: ModelRound): boolean {
  return requested.some(({ decision }) => isTurnEnd(decision));
}

/** A human ended the turn: no call of the step is left without a result. */
export function closeTurn(
  { requested }: ModelRound,
  conversation: RunConversation,
  tell: (event: OwnEvent) => void,
): void {
  const reasons = new Map<string, string>();
  for (const asked of requested) {
    const { toolCallId, toolName, decision, args } = asked;
    const reason = decision !== undefined && !isApproval(decision) ? (reasonOf(decision) ?? REJECTED) : TURN_ENDED;
    reasons.set(toolCallId, reasonFor(asked, reason) ?? reason);
    tell({ type: 'tool-denied', toolCallId, toolName, args: valueOf(args), reason });
  }
  conversation.messages = closed(conversation.messages, (toolCallId) => reasons.get(toolCallId) ?? TURN_ENDED);
}
