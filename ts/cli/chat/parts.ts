/** What a chat is made of, and what the program around its front end sees of it. */
import type { LanguageModel, ModelMessage } from 'ai';
import type { AgentEvent, AgentRun, Gate } from '../../../index.js';
import type { NoteWindow } from './policy-page.js';
import type { PolicyWatch } from './policy-watch.js';
import type { Chat } from './view.js';

/** A model, and what it is called. */
export interface OpenedModel {
  model: LanguageModel;
  label: string;
}

/** What the chat needs of an agent: `createDeepAgent` of `countersign/agent` makes such ones. */
export interface ChatAgent {
  streamWithEvents(options: ChatRunOptions & { messages: ModelMessage[] }): AgentRun;
  resume(options: ChatRunOptions & { runId: string }): AgentRun;
}

/** How the chat starts a run. */
export interface ChatRunOptions {
  abortSignal: AbortSignal;
  onApprovalRequest: () => Promise<never>;
}

export interface ChatOptions {
  /** Open; the chat closes it. */
  gate: Gate;
  /** Absolute: where files are and commands run. */
  folder: string;
  model: OpenedModel;
  /** Another model, for `/model`. */
  openModel(id: string): Promise<OpenedModel>;
  createAgent(options: { model: LanguageModel; gate: Gate }): ChatAgent;
  /** Who decides. */
  by: string;
  /** Whether messages may have emoji. @default true */
  emoji?: boolean;
  /** The policies that hold, in words, for `/policy`. */
  policies?: readonly string[];
  /** How large the window is, for what comes in pages. @default there is no end of it */
  window?: () => NoteWindow;
  /** What is said first. */
  greeting?: string | undefined;
  /** Says which policy files cannot be read. */
  watch?: PolicyWatch;
  /** Rejects with why Auto-approve must stay off, beside what the gate itself forbids. */
  beforeAuto?: () => Promise<void>;
  /** Gets every event of every run, before it is in the view. */
  onEvent?: (event: AgentEvent) => void;
}

/** How a run ended. */
export type RunEnd = 'done' | 'failed' | 'cancelled';

/** A {@link Chat}, for the program around its front end. */
export interface LocalChat extends Chat {
  /** How the last run ended; `null`: no run yet. */
  readonly lastRun: RunEnd | null;
  /** Lets go of what goes on, so that it can be continued, and closes the gate. */
  letGo(): Promise<void>;
  /** The human leaves, while nothing goes on that could be cancelled. */
  leave(): void;
  /** Says it in the transcript. */
  say(text: string): void;
}
