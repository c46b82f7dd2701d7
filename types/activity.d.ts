/** The events of subagents, questions and the tools of a deep agent. */
import type { LanguageModelUsage } from 'ai';
import type { ApprovalRequest } from './request.js';
import type {
  ErrorEvent,
  ReasoningEvent,
  TextEvent,
  ToolCallEvent,
  ToolDeniedEvent,
  ToolErrorEvent,
  ToolResultEvent,
} from './run.js';

/** One question to the human. */
export type Question = {
  question: string;
  /** A title of one or two words. */
  header?: string;
  /** Whether it must be answered. @default true */
  required?: boolean;
} & (
  | { kind: 'text' }
  /** One of the options, or something else in the human's own words, which is always offered. */
  | { kind: 'multiple_choice'; options: readonly QuestionOption[] }
  /** Any number of the options. */
  | { kind: 'multi_select'; options: readonly QuestionOption[] }
);

export interface QuestionOption {
  label: string;
  description?: string;
}

/** Questions that wait for a human: an {@link ApprovalRequest} that only `respond`, `reject` and `skip` answer. */
export type QuestionRequest = ApprovalRequest<{ questions: Question[] }>;

/** What a human answered. */
export interface QuestionsAnswered {
  status: 'answered';
  /**
   * One for each question, in their order: a text, for `multiple_choice` a label or other words, for `multi_select` labels.
   * `null` where a question that is not required was left out.
   */
  answers: readonly (string | readonly string[] | null)[];
}

/** The outcome of questions. The model gets it as text, each question with its answer. */
export type QuestionsAnswer =
  | QuestionsAnswered
  /** The human does not want to answer. */
  | { status: 'cancelled'; reason?: string }
  /** No human could be asked. */
  | { status: 'error'; reason: string };

/** The model asks the human: answer with `onQuestion`, or `gate.respond(approvalId, { answers })`. */
export type QuestionAskedEvent = { type: 'question-asked'; questions: Question[] } & Omit<QuestionRequest, 'args'>;
export type QuestionAnsweredEvent = {
  type: 'question-answered';
  approvalId: string;
  toolCallId: string;
  origin: readonly string[];
  answer: QuestionsAnswer;
  decidedBy: string;
};

/** Who an event comes from. */
interface FromSubagent {
  /** The tool call that started it. */
  toolCallId: string;
  /** What it is called. */
  name: string;
  /** Its own path of agents. */
  origin: readonly string[];
}
export type SubagentStartEvent = { type: 'subagent-start'; task: string; runId: string } & FromSubagent;
/** It has finished a step. `stepIndex` counts from 0. */
export type SubagentStepEvent = {
  type: 'subagent-step';
  stepIndex: number;
  toolCalls: { toolCallId: string; toolName: string; args: unknown }[];
} & FromSubagent;
export type SubagentFinishEvent = {
  type: 'subagent-finish';
  status: 'done' | 'failed' | 'cancelled';
  /** What the agent that started it gets. */
  result: string;
  usage: LanguageModelUsage | null;
} & FromSubagent;
/**
 * What a subagent says and does. What a human is asked, and what its tools report, are separate events with their `origin`.
 * These are `approval-requested`, `approval-response` and {@link ToolActivityEvent}s, and the starts and ends of its own subagents.
 */
export type SubagentEvent = {
  type: 'subagent-event';
  event: TextEvent | ReasoningEvent | ToolCallEvent | ToolResultEvent | ToolErrorEvent | ToolDeniedEvent | ErrorEvent;
} & FromSubagent;

/** One entry of a plan. */
export interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
}

/** What a tool of a deep agent (`countersign/agent`) reports while it runs. Paths are as the call names them. */
export type ToolActivity =
  | { type: 'todos-changed'; todos: Todo[] }
  | { type: 'file-write-start'; path: string; content: string }
  | { type: 'file-written'; path: string; created: boolean; bytes: number; sha256: string }
  | { type: 'file-edited'; path: string; occurrences: number; sha256: string }
  | { type: 'file-read'; path: string; lines: number }
  | { type: 'ls'; path: string; count: number }
  | { type: 'glob'; pattern: string; count: number }
  | { type: 'grep'; pattern: string; count: number }
  | { type: 'execute-start'; command: string }
  | { type: 'execute-output'; text: string }
  | {
      type: 'execute-finish';
      command: string;
      exitCode: number | null;
      truncated: boolean;
      stopped: 'timeout' | 'aborted' | null;
    };
export type ToolActivityEvent = ToolActivity & { toolCallId: string; origin: readonly string[] };

/** A piece of text is whole: between two tool calls, or at the end. Of runs of `createDeepAgent` only. */
export type TextSegmentEvent = { type: 'text-segment'; text: string };
/** What the run was given to do. The first event of a run of `createDeepAgent` that has a new prompt. */
export type UserMessageEvent = { type: 'user-message'; content: string };
