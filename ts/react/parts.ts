/** Reads the messages of `useChat`: which calls a human is asked about, and what the server says of them. */
import type { UIMessage } from 'ai';
import type { ApprovalDetails } from '../../index.js';
import { safeText } from './safe-text.js';

/** A tool call of the last step that a human is asked about, or was. */
export interface AskedCall {
  type: string;
  toolName: string;
  toolCallId: string;
  input: unknown;
  approvalId: string;
  /** `responded`: answered here, and not carried out yet. */
  state: 'requested' | 'responded' | 'over';
}

/** As both versions of the AI SDK have it, with all that is not sure left open. */
interface LoosePart {
  type: string;
  state?: unknown;
  toolCallId?: unknown;
  toolName?: unknown;
  input?: unknown;
  data?: unknown;
  approval?: { id?: unknown; isAutomatic?: unknown } | null;
}

/** The calls of the last step of the last message; none where the last message is not the assistant's. */
export function askedCalls(messages: readonly UIMessage[]): AskedCall[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const parts = last.parts as readonly LoosePart[];
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  return step.flatMap((part) => askedCall(part) ?? []);
}

function askedCall({ type, state, toolCallId, toolName, input, approval }: LoosePart): AskedCall | undefined {
  const name = type === 'dynamic-tool' ? toolName : type.startsWith('tool-') ? type.slice('tool-'.length) : undefined;
  // A request that a policy answered takes no other answer.
  if (typeof name !== 'string' || typeof toolCallId !== 'string' || approval?.isAutomatic === true) return undefined;
  if (typeof approval?.id !== 'string') return undefined;
  const stage = state === 'approval-requested' ? 'requested' : state === 'approval-responded' ? 'responded' : 'over';
  return { type, toolName: name, toolCallId, input, approvalId: approval.id, state: stage };
}

/** What the server says of a call: the newest of what it sent. */
export function detailsOf(
  { toolCallId, toolName }: AskedCall,
  messages: readonly UIMessage[],
  newer: readonly ApprovalDetails[] = [],
): ApprovalDetails | undefined {
  const sent = (messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === 'data-approval' ? [part.data] : []));
  return [...sent, ...newer]
    .filter(isDetails)
    .findLast((details) => details.toolCallId === toolCallId && details.toolName === toolName);
}

/** Messages are kept by others: what does not have the shape is not shown. */
function isDetails(data: unknown): data is ApprovalDetails {
  if (typeof data !== 'object' || data === null) return false;
  const found = data as Record<keyof ApprovalDetails, unknown>;
  return (
    [found.toolCallId, found.toolName, found.preview, found.description].every((text) => typeof text === 'string') &&
    [found.flags, found.origin, found.changes, found.needs, found.approvedBy].every(Array.isArray) &&
    (found.expiresAt === null || typeof found.expiresAt === 'number')
  );
}

/** A call as it came with the message, safe to show. */
export function previewOf({ toolName, input }: AskedCall): string {
  return safeText(`${toolName}\n${JSON.stringify(input, null, 2) ?? 'undefined'}`);
}
