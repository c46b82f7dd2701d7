/** Answers to approval requests as they stand in a conversation. */
import type { ModelMessage } from 'ai';
import { ownValue } from '../../values/own-value.js';

export type MessagePart = { type: string; [more: string]: unknown };

/** @param message of any loop: it may be anything */
export function partsOf(message: unknown): MessagePart[] {
  const content = (message as { content?: unknown } | null | undefined)?.content;
  return Array.isArray(content) ? (content as MessagePart[]) : [];
}

/** What somebody answered. */
export interface MessageAnswer {
  approved: boolean;
  reason: string | undefined;
  /** It says neither yes nor no, which counts as a no. */
  isUnclear?: boolean;
}

/** The answer in a part or an approval that a client has written: only `true` is a yes. `undefined`: no answer. */
export function answerIn(given: Readonly<Record<string, unknown>> | null | undefined): MessageAnswer | undefined {
  const { approved = null, reason } = given ?? ({} as Record<string, unknown>);
  if (approved === null) return undefined;
  if (typeof approved !== 'boolean') return UNCLEAR;
  return { approved, reason: typeof reason === 'string' ? reason : undefined };
}

/** Of what should have an answer, and has none that can be read. */
export const UNCLEAR: MessageAnswer = {
  approved: false,
  reason: 'The answer in the messages says neither yes nor no: approved must be true or false.',
  isUnclear: true,
};

/**
 * Whether the SDK looks at this call because its answer is in the last message: it is about to run it. With the result beside the
 * answer that call is over, and another one has its id.
 */
export function isResume(messages: unknown, toolCallId: string): boolean {
  if (!Array.isArray(messages)) return false;
  const last = (messages as ModelMessage[]).at(-1);
  if (last?.role !== 'tool') return false;
  if (partsOf(last).some((part) => part.type === 'tool-result' && part['toolCallId'] === toolCallId)) return false;
  const answered = new Set(
    partsOf(last).flatMap((part) => (part.type === 'tool-approval-response' ? [part['approvalId']] : [])),
  );
  return (messages as ModelMessage[]).some((message) =>
    partsOf(message).some(
      (part) =>
        part.type === 'tool-approval-request' && part['toolCallId'] === toolCallId && answered.has(part['approvalId']),
    ),
  );
}

/** The conversation that the SDK hands on beside a call; `undefined`: it does not. */
export function messagesIn(context: object | undefined): readonly unknown[] | undefined {
  const messages = ownValue(context, 'messages');
  return Array.isArray(messages) ? (messages as unknown[]) : undefined;
}

/** Whether a call of this id is in the conversation. */
export const hasCall = (messages: readonly unknown[] | undefined, toolCallId: string): boolean =>
  ((messages ?? []) as ModelMessage[]).some((message) =>
    partsOf(message).some((part) => part.type === 'tool-call' && part['toolCallId'] === toolCallId),
  );
