/** The conversation as the SDK continues it: the answers of a step go into one tool message behind it. */
import type { ModelMessage } from 'ai';
import type { DecisionOutcome } from '../../../index.js';

/** How one call of a step was answered. */
export interface CallAnswer {
  /** The id that the SDK gave the request. */
  requestId: string;
  toolCallId: string;
  toolName: string;
  decision: DecisionOutcome;
  /** Whether a human has changed its arguments. */
  isEdited: boolean;
  /** Whether the SDK is to run the tool. */
  runs: boolean;
  reason: string | undefined;
  providerExecuted: boolean;
  /** Whether there is an `execute` that the SDK could run. */
  executable: boolean;
  /** What stands in the call from now on: our own copy. */
  input: unknown;
  /** For an edit: what the human wrote, when the schema made something else of it. */
  schemaInput?: { value: unknown } | undefined;
  signature?: string | undefined;
  /** What the model is told beside the result. */
  note?: string | undefined;
}

type HistoryPart = { type: string; [more: string]: unknown };

/** The messages with each answered call set to what was decided about it, and the one tool message with the answers. */
export function answered(history: readonly ModelMessage[], answers: readonly CallAnswer[]): ModelMessage[] {
  const byCall = new Map(answers.map((answer) => [answer.toolCallId, answer]));
  const last = history.findLastIndex((message) => message.role === 'assistant' && mentions(message, byCall));
  const rewritten = history.map((message, index) => (index === last ? rewrite(message, byCall) : message));
  const content = answers.flatMap(partsOf);
  return [...rewritten, { role: 'tool', content } as ModelMessage];
}

/** Ends the turn here: no call is left without a result, so that the conversation can go on later. */
export function closed(history: readonly ModelMessage[], reasonOf: (toolCallId: string) => string): ModelMessage[] {
  const open = new Map<string, HistoryPart>();
  for (const message of history) {
    for (const part of partsIn(message)) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) open.set(part.toolCallId as string, part);
      if (part.type === 'tool-result') open.delete(part.toolCallId as string);
    }
  }
  if (open.size === 0) return [...history];
  const content = [...open.values()].map(({ toolCallId, toolName }) => ({
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: 'execution-denied', reason: reasonOf(toolCallId as string) },
  }));
  return [...history, { role: 'tool', content } as unknown as ModelMessage];
}

/** What came of a call that the SDK did not run. */
export interface CallResult {
  toolCallId: string;
  toolName: string;
  /** What the model gets. */
  output: { type: string; [more: string]: unknown };
  /** The arguments that it ran with, where they are not those of the model. */
  input?: { value: unknown } | undefined;
}

/** The messages with these results behind the step that made the calls. */
export function withResults(history: readonly ModelMessage[], results: readonly CallResult[]): ModelMessage[] {
  if (results.length === 0) return [...history];
  const inputs = new Map(
    results.flatMap(({ toolCallId, input }) => (input === undefined ? [] : [[toolCallId, input]])),
  );
  const last = history.findLastIndex(({ role }) => role === 'assistant');
  const messages = history.map((message, index) => {
    if (index !== last || inputs.size === 0) return message;
    const content = partsIn(message).map((part) => {
      const input = part.type === 'tool-call' ? inputs.get(part.toolCallId as string) : undefined;
      return input === undefined ? part : { ...part, input: input.value };
    });
    return { ...message, content } as ModelMessage;
  });
  const content = results.map(({ toolCallId, toolName, output }) => ({
    type: 'tool-result',
    toolCallId,
    toolName,
    output,
  }));
  return [...messages, { role: 'tool', content } as unknown as ModelMessage];
}

/**
 * Requests that ask no human: they have the SDK run a call once more, as if it had been approved. A run that is left before that
 * has them in its messages, and is not to take them for real requests when it goes on.
 */
const RERUN = 'countersign-rerun:';

export const rerunId = (): string => `${RERUN}${crypto.randomUUID()}`;

const isRerun = ({ approvalId }: HistoryPart): boolean =>
  typeof approvalId === 'string' && approvalId.startsWith(RERUN);

/** The messages without such requests in the last step, and without their answers. */
export function withoutReruns(history: readonly ModelMessage[]): ModelMessage[] {
  const last = history.findLastIndex(({ role }) => role === 'assistant');
  return history.flatMap((message, index) => {
    const parts = partsIn(message);
    if (index < last || !parts.some(isRerun)) return [message];
    const content = parts.filter((part) => !isRerun(part));
    return content.length === 0 ? [] : [{ ...message, content } as ModelMessage];
  });
}

/** The messages with these requests in the step that made the calls. */
export function withRequests(
  history: readonly ModelMessage[],
  requests: readonly { approvalId?: string; toolCall?: { toolCallId?: string }; signature?: unknown }[],
): ModelMessage[] {
  if (requests.length === 0) return [...history];
  const last = history.findLastIndex(({ role }) => role === 'assistant');
  return history.map((message, index) => {
    if (index !== last) return message;
    const asked = requests.map(({ approvalId, toolCall, signature }) => ({
      type: 'tool-approval-request',
      approvalId,
      toolCallId: toolCall?.toolCallId,
      ...(signature === undefined ? {} : { signature }),
    }));
    return { ...message, content: [...partsIn(message), ...asked] } as ModelMessage;
  });
}

function rewrite(message: ModelMessage, byCall: Map<string, CallAnswer>): ModelMessage {
  const content = partsIn(message).map((part) => {
    const answer = byCall.get(part.toolCallId as string);
    if (answer === undefined || answer.providerExecuted || !answer.runs) return part;
    if (part.type === 'tool-call') return { ...part, input: answer.input };
    if (part.type !== 'tool-approval-request' || !answer.isEdited) return part;
    const { inputSchemaInput: _raw, signature: _signature, ...rest } = part;
    return {
      ...rest,
      ...(answer.schemaInput === undefined ? {} : { inputSchemaInput: answer.schemaInput.value }),
      ...(answer.signature === undefined ? {} : { signature: answer.signature }),
    };
  });
  return { ...message, content } as ModelMessage;
}

function partsOf(answer: CallAnswer): HistoryPart[] {
  const { requestId, toolCallId, toolName, decision, runs, reason, providerExecuted, note } = answer;
  const responds = decision.type === 'respond' && !providerExecuted;
  const response: HistoryPart = {
    type: 'tool-approval-response',
    approvalId: requestId,
    approved: runs || responds,
    ...(reason === undefined ? {} : { reason }),
    // Without it the SDK keeps the answer from the provider, which waits for it.
    ...(providerExecuted ? { providerExecuted: true } : {}),
  };
  if (!responds) return [response];
  const output = modelOutput(decision.output);
  return [
    response,
    { type: 'tool-result', toolCallId, toolName, output: note === undefined ? output : withNote(output, note) },
  ];
}

/** A tool's result as the model gets it. */
export type ModelOutput = { type: string; value?: unknown; reason?: string };

export function withNote(output: ModelOutput, note: string): ModelOutput {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: `${String(output.value)}\n\n${note}` };
    case 'json':
    case 'error-json':
      return {
        type: output.type === 'json' ? 'text' : 'error-text',
        value: `${JSON.stringify(output.value)}\n\n${note}`,
      };
    case 'content':
      return { ...output, value: [...(output.value as unknown[]), { type: 'text', text: note }] };
    default:
      return output;
  }
}

/** A value as the model gets a tool's result, the way the SDK does it. */
export function modelOutput(value: unknown): HistoryPart {
  if (typeof value === 'string') return { type: 'text', value };
  return { type: 'json', value: value === undefined ? null : (JSON.parse(JSON.stringify(value) ?? 'null') as unknown) };
}

function mentions(message: ModelMessage, byCall: Map<string, CallAnswer>): boolean {
  return partsIn(message).some((part) => part.type === 'tool-call' && byCall.has(part.toolCallId as string));
}

function partsIn(message: ModelMessage): HistoryPart[] {
  return Array.isArray(message.content) ? (message.content as unknown as HistoryPart[]) : [];
}
