/**
 * Calls that a conversation has left behind: the user wrote something else while they waited for an answer, or before they had
 * a result. Nothing runs them any more, and the SDK takes no conversation in which a call has no result.
 */
import type { ModelMessage, UIMessage } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { partsOf, type MessagePart } from './messages.js';
import { NO_RESULT, type SettledCall } from './settled-calls.js';
import { lastOfUser, needsResult, partsIn, type AnyMessage } from './spoken-calls.js';

type SettledCalls = ReadonlyMap<string, SettledCall>;

/** The messages with a denial for each call that was left behind; the very same if no call was. */
export function closeLeft<MESSAGE extends AnyMessage>(
  messages: readonly MESSAGE[],
  settled: SettledCalls,
): readonly MESSAGE[] {
  const last = lastOfUser(messages);
  const closed: AnyMessage[] = [];
  let changes = false;
  for (const [index, message] of messages.entries()) {
    const wentOn = index < last && message.role === 'assistant';
    const parts = wentOn ? closedParts(message, settled) : undefined;
    closed.push(parts === undefined ? message : ({ ...message, parts } as UIMessage));
    changes ||= parts !== undefined;
    if (index >= last || messages[index + 1]?.role === 'tool') continue;
    // Behind the last message with results of the step.
    const answer = answerTo(messages, index, settled);
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

const reasonFor = (toolCallId: unknown, settled: SettledCalls): string =>
  settled.get(String(toolCallId))?.reason ?? NO_RESULT;

/** The parts of a UI message; `undefined`: no call of it is left. */
function closedParts(message: AnyMessage, settled: SettledCalls): unknown[] | undefined {
  const parts = partsIn(message, 'parts');
  if (!parts.some(needsResult)) return undefined;
  return parts.map((part) => (needsResult(part) ? closedPart(part, reasonFor(part['toolCallId'], settled)) : part));
}

function closedPart(part: MessagePart, reason: string): MessagePart {
  const approval = part['approval'] as Record<string, unknown> | null | undefined;
  if (approval === null || approval === undefined) return { ...part, state: 'output-error', errorText: reason };
  return { ...part, state: 'output-denied', approval: { ...approval, approved: false, reason } };
}

/** The results of the calls that have none, of the step whose last message this is; `undefined`: there is no such call. */
function answerTo(messages: readonly AnyMessage[], last: number, settled: SettledCalls): ModelMessage | undefined {
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
  const content = left.map(({ toolCallId, toolName }) => ({
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: 'execution-denied', reason: reasonFor(toolCallId, settled) },
  }));
  return { role: 'tool', content } as unknown as ModelMessage;
}
