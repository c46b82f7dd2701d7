/**
 * Calls that a conversation has left behind: the user wrote something else while they waited for an answer, or before they had
 * a result. Nothing runs them any more, and the SDK takes no conversation in which a call has no result.
 */
import type { ModelMessage, UIMessage } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { partsOf, type MessagePart } from './messages.js';
import { NO_RESULT, type SettledCall } from './settled-calls.js';
import {
  endOf,
  isBehind,
  needsResult,
  partsIn,
  uiAnswer,
  withSteps,
  type AnyMessage,
  type ConversationPlace,
} from './spoken-calls.js';

type SettledCalls = ReadonlyMap<string, SettledCall>;

/**
 * The messages with a denial for each call that was left behind; the very same if no call was.
 *
 * @param asked calls at the end of the messages that are left as well: their requests have no answer
 */
export function closeLeft<MESSAGE extends AnyMessage>(
  messages: readonly MESSAGE[],
  settled: SettledCalls,
  asked: ReadonlySet<string> = NONE,
): readonly MESSAGE[] {
  const end = endOf(messages);
  const isLeft = (part: MessagePart, place: ConversationPlace) =>
    isBehind(place, end) || asked.has(String(part['toolCallId']));
  const closed: AnyMessage[] = [];
  let changes = false;
  for (const [index, message] of messages.entries()) {
    const parts = message.role === 'assistant' ? closedParts(message, index, settled, isLeft) : undefined;
    closed.push(parts === undefined ? message : ({ ...message, parts } as UIMessage));
    changes ||= parts !== undefined;
    if (messages[index + 1]?.role === 'tool') continue;
    // Behind the last message with results of the step.
    const answer = answerTo(messages, index, settled, (part, step) => isLeft(part, { index: step, step: 0 }));
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

const NONE: ReadonlySet<string> = new Set();

/** What is said of a call without a result. Of one before another with its id, that is what its own answer says. */
function reasonFor(part: MessagePart, settled: SettledCalls, place: ConversationPlace): string {
  const { reason, earlier } = settled.get(String(part['toolCallId'])) ?? {};
  const isEarlier = earlier !== undefined && isBehind(place, earlier.until);
  return (isEarlier ? uiAnswer(part)?.reason : reason) ?? NO_RESULT;
}

/** The parts of a UI message; `undefined`: no call of it is left. */
function closedParts(
  message: AnyMessage,
  index: number,
  settled: SettledCalls,
  isLeft: (part: MessagePart, place: ConversationPlace) => boolean,
): unknown[] | undefined {
  const parts = withSteps(partsIn(message, 'parts'));
  const left = new Set(
    parts.flatMap(([part, step]) => (needsResult(part) && isLeft(part, { index, step }) ? [part] : [])),
  );
  if (left.size === 0) return undefined;
  return parts.map(([part, step]) =>
    left.has(part) ? closedPart(part, reasonFor(part, settled, { index, step })) : part,
  );
}

function closedPart(part: MessagePart, reason: string): MessagePart {
  const approval = part['approval'] as Record<string, unknown> | null | undefined;
  if (approval === null || approval === undefined) return { ...part, state: 'output-error', errorText: reason };
  return { ...part, state: 'output-denied', approval: { ...approval, approved: false, reason } };
}

/** The results of the calls that have none, of the step whose last message this is; `undefined`: there is no such call. */
function answerTo(
  messages: readonly AnyMessage[],
  last: number,
  settled: SettledCalls,
  isLeft: (part: MessagePart, index: number) => boolean,
): ModelMessage | undefined {
  let step = last;
  while (messages[step]?.role === 'tool') step--;
  if (messages[step]?.role !== 'assistant') return undefined;
  const [parts = [], ...results] = (messages.slice(step, last + 1) as ModelMessage[]).map(partsOf);
  const ended = new Set(
    [parts, ...results].flat().flatMap((part) => (part.type === 'tool-result' ? [part['toolCallId']] : [])),
  );
  const left = parts.filter(
    (part) =>
      part.type === 'tool-call' &&
      part['providerExecuted'] !== true &&
      !ended.has(part['toolCallId']) &&
      isLeft(part, step),
  );
  if (left.length === 0) return undefined;
  const content = left.map((part) => ({
    type: 'tool-result',
    toolCallId: part['toolCallId'],
    toolName: part['toolName'],
    output: { type: 'execution-denied', reason: reasonFor(part, settled, { index: step, step: 0 }) },
  }));
  return { role: 'tool', content } as unknown as ModelMessage;
}
