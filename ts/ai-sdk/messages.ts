/** Answers to approval requests as they stand in a conversation. */
import type { ModelMessage } from 'ai';

export type Part = { type: string; [more: string]: unknown };

export function partsOf(message: { content?: unknown }): Part[] {
  return Array.isArray(message.content) ? (message.content as Part[]) : [];
}

/** Whether the SDK looks at this call because its answer is in the last message: it is about to run it. */
export function isResume(messages: unknown, toolCallId: string): boolean {
  if (!Array.isArray(messages)) return false;
  const last = (messages as ModelMessage[]).at(-1);
  if (last?.role !== 'tool') return false;
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
