/**
 * Calls that a conversation has left behind: the user wrote something else while they waited for an answer, or before they had
 * a result. Nothing runs them any more, and the SDK takes no conversation in which a call has no result.
 */
import type { ModelMessage, UIMessage } from 'ai';
import type { ApprovalRecord } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import type { LocalGate } from '../gate/gate.js';
import { Breaks } from '../values/breaks.js';
import { answerIn, partsOf, type MessageAnswer, type MessagePart } from './messages.js';
import { INTERRUPTED_TOOL, LOST_RESULT, reasonOf, REJECTED_IN_CHAT } from './reasons.js';

export interface LeftCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** Of the request in the messages, where there is one. */
  approvalId: string | undefined;
  /** What the user had answered before writing something else, e.g. to one of two questions. */
  answer: MessageAnswer | undefined;
}

type AnyMessage = UIMessage | ModelMessage;

/** What is said of such a call, for the model. */
type LeftCallText = (call: LeftCall) => Promise<string>;

/** The messages with a denial for each call that was left behind; the very same where there is none. */
export async function closeLeft<MESSAGE extends AnyMessage>(
  messages: readonly MESSAGE[],
  said: LeftCallText,
): Promise<readonly MESSAGE[]> {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const breaks = new Breaks();
  const unhurried: LeftCallText = async (call) => {
    await breaks.take();
    return said(call);
  };
  const closed: AnyMessage[] = [];
  let changes = false;
  for (const [index, message] of messages.entries()) {
    const wentOn = index < last && message.role === 'assistant';
    const parts = wentOn ? await closedParts(message, unhurried) : undefined;
    closed.push(parts === undefined ? message : ({ ...message, parts } as UIMessage));
    changes ||= parts !== undefined;
    if (index >= last || messages[index + 1]?.role === 'tool') continue;
    // Behind the last message with results of the step.
    const answer = await answerTo(messages, index, unhurried);
    if (answer === undefined) continue;
    closed.push(answer);
    changes = true;
  }
  return changes ? (closed as MESSAGE[]) : messages;
}

/** @throws {InvalidConfigError} */
export function checkUnanswered(given: 'cancel' | 'keep' | undefined, place: string): 'cancel' | 'keep' {
  if (given === undefined || given === 'cancel' || given === 'keep') return given ?? 'cancel';
  throw new InvalidConfigError({ message: `${place}: unanswered must be 'cancel' or 'keep', not ${String(given)}.` });
}

/**
 * What a request of such a call comes to at the gate: it does not run any more. A no is taken, also after somebody else's yes; a
 * yes is not, since nothing waits for it. Says why, for the model; never rejects.
 *
 * @param by who answered in the messages
 */
export async function leave(
  gate: LocalGate,
  asked: ApprovalRecord | undefined,
  { answer }: Pick<LeftCall, 'answer'>,
  unanswered: 'cancel' | 'keep',
  by: string | null,
): Promise<string> {
  if (asked === undefined) return NO_RESULT;
  const isNo = asked.status === 'pending' && answer?.approved === false;
  const record = isNo ? await rejected(gate, asked, answer.reason, by) : asked;
  const { status, approvalId, decision } = record;
  const end = async (reason: string): Promise<string> => {
    await gate.withdraw(approvalId, reason, 'messages');
    return reason;
  };
  switch (status) {
    case 'pending':
      if (answer?.approved === true) return end(TOO_LATE);
      return unanswered === 'keep' ? NOT_ANSWERED : end(WENT_ON);
    case 'approved':
    case 'edited':
      return end(answer?.approved === false ? (answer.reason ?? REJECTED_IN_CHAT) : TOO_LATE);
    case 'started':
    case 'interrupted':
      return INTERRUPTED_TOOL;
    case 'succeeded':
    case 'failed':
      return LOST_RESULT;
    default:
      return (decision === null ? undefined : reasonOf(decision)) ?? 'Rejected.';
  }
}

/** As it is then: a gate may take no answer of whoever gave this one. */
async function rejected(
  gate: LocalGate,
  record: ApprovalRecord,
  reason: string | undefined,
  by: string | null,
): Promise<ApprovalRecord> {
  try {
    return await gate.decideByMessage(record.approvalId, false, reason, by);
  } catch {
    return (await gate.get(record.approvalId).catch(() => undefined)) ?? record;
  }
}

const WENT_ON = 'The user did not answer whether this call may run, and went on with the conversation. It did not run.';
const NOT_ANSWERED = 'Nobody has answered yet whether this call may run. It did not run.';
const TOO_LATE =
  'It was approved when the conversation had gone on, so it did not run. Call the tool again if it is still wanted.';
/** Of a call that no gate knows: whether it had begun cannot be said. */
const NO_RESULT = 'The conversation went on before this call had a result.';

// --- UI messages ----------------------------------------------------------------------------------------------------

/** The parts of a UI message; `undefined`: no call of it is left. */
async function closedParts(message: AnyMessage, said: LeftCallText): Promise<unknown[] | undefined> {
  const { parts } = message as { parts?: unknown };
  if (!Array.isArray(parts) || !(parts as MessagePart[]).some(isLeft)) return undefined;
  const closed: MessagePart[] = [];
  for (const part of parts as MessagePart[]) closed.push(isLeft(part) ? await closedPart(part, said) : part);
  return closed;
}

async function closedPart(part: MessagePart, said: LeftCallText): Promise<MessagePart> {
  const approval = part['approval'] as Record<string, unknown> | null | undefined;
  const toolName = part.type === 'dynamic-tool' ? String(part['toolName']) : part.type.slice('tool-'.length);
  const reason = await said({
    toolCallId: String(part['toolCallId']),
    toolName,
    input: part['input'],
    approvalId: typeof approval?.['id'] === 'string' ? approval['id'] : undefined,
    answer: answerIn(approval),
  });
  if (approval === null || approval === undefined) return { ...part, state: 'output-error', errorText: reason };
  return { ...part, state: 'output-denied', approval: { ...approval, approved: false, reason } };
}

function isLeft(part: MessagePart): boolean {
  const isTool = part.type === 'dynamic-tool' || part.type.startsWith('tool-');
  return isTool && part['providerExecuted'] !== true && WITHOUT_RESULT.has(part['state'] as string);
}

/** States of a call that its model message would hold without a result. */
const WITHOUT_RESULT = new Set(['input-available', 'approval-requested', 'approval-responded']);

// --- model messages -------------------------------------------------------------------------------------------------

/** The results of the calls that have none, of the step whose last message this is; `undefined`: there is no such call. */
async function answerTo(
  messages: readonly AnyMessage[],
  last: number,
  said: LeftCallText,
): Promise<ModelMessage | undefined> {
  let step = last;
  while (messages[step]?.role === 'tool') step--;
  if (messages[step]?.role !== 'assistant') return undefined;
  const [parts = [], ...results] = (messages.slice(step, last + 1) as ModelMessage[]).map(partsOf);
  const ended = new Set(
    [parts, ...results].flat().flatMap((part) => (part.type === 'tool-result' ? [part['toolCallId']] : [])),
  );
  const left = parts.filter(
    (part) => part.type === 'tool-call' && part['providerExecuted'] !== true && !ended.has(part['toolCallId']),
  );
  if (left.length === 0) return undefined;
  const requests = new Map<unknown, string>();
  const answers = new Map<unknown, MessageAnswer>();
  for (const part of [parts, ...results].flat()) {
    const { type, toolCallId, approvalId } = part;
    if (type === 'tool-approval-request') requests.set(toolCallId, String(approvalId));
    // Of two answers that contradict each other, the no.
    const answer = type === 'tool-approval-response' ? answerIn(part) : undefined;
    if (answer !== undefined && answers.get(approvalId)?.approved !== false) answers.set(approvalId, answer);
  }
  const content: object[] = [];
  for (const { toolCallId, toolName, input } of left as unknown as LeftCall[]) {
    const approvalId = requests.get(toolCallId);
    const reason = await said({ toolCallId, toolName, input, approvalId, answer: answers.get(approvalId) });
    content.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'execution-denied', reason } });
  }
  return { role: 'tool', content } as ModelMessage;
}
