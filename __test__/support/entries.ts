/** The ways into this package through which a call of a tool goes, behind one interface. */
import type { ModelMessage, ToolSet } from 'ai';
import * as ai from 'ai';
import type { ApprovalRequest, Gate, RunOptions } from '../../index.js';
import { createGate, gateTools, streamWithEvents, toolApproval, verifyApprovals } from '../../ts/index.js';
import { collect, major, scripted, type ModelTurn } from './model.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';

export type Gating = Pick<
  RunOptions<ToolSet>,
  'interruptOn' | 'onApprovalRequest' | 'gate' | 'approvalTimeout' | 'runId' | 'logger'
>;

export interface EntryCall extends Gating {
  turns: ModelTurn[];
  tools: ToolSet;
  abortSignal?: AbortSignal;
  [streamTextOption: string]: unknown;
}

/** Runs the model to its end, whatever that is. */
export type Entry = (call: EntryCall) => Promise<unknown>;

const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 5;
const messages: ModelMessage[] = [{ role: 'user', content: 'go' }];

function split({ turns, ...call }: EntryCall) {
  const { interruptOn, onApprovalRequest, gate, approvalTimeout, runId, logger, ...rest } = call;
  const gating = withoutUndefined({ interruptOn, onApprovalRequest, gate, approvalTimeout, runId, logger });
  return { gating, rest: { model: scripted(turns).model, messages, stopWhen, maxRetries: 0, ...rest } };
}

/** Entries that wait for a human inside the call. */
export const waitingEntries: [name: string, Entry][] = [
  [
    'streamWithEvents',
    ({ turns, ...call }) => collect(streamWithEvents({ model: scripted(turns).model, messages, ...call } as never)),
  ],
  [
    'streamWithEvents with an agent',
    ({ turns, tools, ...call }) => {
      const agent = new ai.ToolLoopAgent({ model: scripted(turns).model, tools } as never);
      return collect(streamWithEvents({ agent, messages, ...call } as never));
    },
  ],
  [
    'gateTools',
    (call) => {
      const { gating, rest } = split(call);
      return ai.generateText({ ...rest, tools: gateTools(call.tools, gating as never) } as never);
    },
  ],
  ...only7([
    'toolApproval',
    (call) => {
      const { gating, rest } = split(call);
      return ai.generateText({ ...rest, toolApproval: toolApproval(gating as never) } as never);
    },
  ] as [string, Entry]),
];

/** Those that gate the tools themselves, so that they see what a tool calls in the place of the model: `toolApproval` does not. */
export const toolEntries = waitingEntries.filter(([name]) => name !== 'toolApproval');

function only7<T>(...entries: T[]): T[] {
  return major === 7 ? entries : [];
}

/** A human who gives one answer to all, and the tools that they were asked about. */
export function human(answer: boolean) {
  const asked: string[] = [];
  const onApprovalRequest = ({ toolName }: ApprovalRequest): boolean => {
    asked.push(toolName);
    return answer;
  };
  return { asked, onApprovalRequest };
}

/** A gate whose policy denies one tool, and allows all others. */
export const denying = (toolName: string): Gate =>
  createGate({
    policy: {
      version: 1,
      rule: [
        { effect: 'deny', tools: toolName },
        { effect: 'allow', tools: '*' },
      ],
    },
  });

/** A chat whose turns end at an approval, as with `useChat`: the answer comes back in the messages. */
export interface Chat {
  /** Lets the model speak, and gives the conversation afterwards. */
  speak(messages: ModelMessage[], turns: ModelTurn[]): Promise<ModelMessage[]>;
  gate: Gate;
}

export interface ChatOptions {
  gate: Gate;
  tools: ToolSet;
  interruptOn?: RunOptions<ToolSet>['interruptOn'];
  /** Without it an answer in messages counts for no call. @default 'chat' */
  runId?: string;
  approvalTimeout?: number;
}

async function speakWith(options: object, history: ModelMessage[], turns: ModelTurn[]): Promise<ModelMessage[]> {
  const result = await ai.generateText({
    model: scripted(turns).model,
    messages: history,
    stopWhen,
    maxRetries: 0,
    ...options,
  } as never);
  const added =
    major === 6
      ? result.response.messages
      : (result as unknown as { responseMessages: ModelMessage[] }).responseMessages;
  return [...history, ...added];
}

/** Entries that end the turn at an approval. Nothing of the last one's own looks at an execution: only the messages. */
export const stoppingEntries: [name: string, (options: ChatOptions) => Chat][] = [
  [
    "gateTools in mode 'stop'",
    ({ gate, tools, runId = 'chat', ...gating }) => ({
      gate,
      speak: (history, turns) =>
        speakWith({ tools: gateTools(tools, { gate, mode: 'stop', runId, ...gating } as never) }, history, turns),
    }),
  ],
  ...only7([
    'toolApproval',
    ({ gate, tools, runId = 'chat', ...gating }: ChatOptions): Chat => ({
      gate,
      speak: (history, turns) =>
        speakWith({ tools, toolApproval: toolApproval({ gate, runId, ...gating } as never) }, history, turns),
    }),
  ] as [string, (options: ChatOptions) => Chat]),
];

/** Messages in which the last request was answered. */
export function answer(history: readonly ModelMessage[], approved: unknown, more: object = {}): ModelMessage[] {
  const content = requestIn(history).map(({ approvalId }) => ({
    type: 'tool-approval-response',
    approvalId,
    approved,
    ...more,
  }));
  return [...history, { role: 'tool', content } as unknown as ModelMessage];
}

/** The approval requests of the last assistant message. */
export function requestIn(history: readonly ModelMessage[]): { approvalId: string; toolCallId: string }[] {
  const last = history.findLast(({ role }) => role === 'assistant');
  return ((last?.content ?? []) as { type: string }[]).filter(({ type }) => type === 'tool-approval-request') as never;
}

/** Continues a chat with nothing but the answers that `verifyApprovals` lets through: the tools ask, and guard nothing. */
export async function continueUnguarded(history: ModelMessage[], tools: ToolSet, turns: ModelTurn[]): Promise<unknown> {
  const asking = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, { ...tool, needsApproval: true }]),
  );
  return speakWith({ tools: asking }, history, turns);
}

export { verifyApprovals };
