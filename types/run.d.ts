/** A run: its options, its events, its result. */
import type {
  InferToolInput,
  InferUIMessageChunk,
  LanguageModelUsage,
  ModelMessage,
  StepResult,
  TextStreamPart,
  ToolSet,
  UIMessage,
  UIMessageStreamOptions,
  streamText,
} from 'ai';
import type { InterruptOn, InterruptOptions, UnknownToolsOptions, Vote } from './interrupt.js';
import type { PolicyInput, PolicyPlace } from './policy.js';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalRequestOf,
  Decision,
  DecisionOutcome,
  ToolNames,
} from './request.js';
import type { Gate, GateOptions, Logger } from './gate.js';
import type { CallReviewer } from './reviewer.js';
import type {
  QuestionAnsweredEvent,
  QuestionAskedEvent,
  QuestionRequest,
  QuestionsAnswered,
  SubagentEvent,
  SubagentFinishEvent,
  SubagentStartEvent,
  SubagentStepEvent,
  TextSegmentEvent,
  ToolActivityEvent,
  UserMessageEvent,
} from './activity.js';
import type { gateTools, isCallOfRun } from './other-loops.js';
import type {
  InvalidConfigError,
  LedgerError,
  RunError,
  UnknownToolError,
  UnsupportedAgentError,
  UnsupportedSdkError,
} from './errors.js';

/** What `streamText` takes, whichever AI SDK is installed. */
type StreamTextOptions<TOOLS extends ToolSet> = Parameters<typeof streamText<TOOLS>>[0];

type OmitEach<T, KEYS extends PropertyKey> = T extends unknown ? Omit<T, KEYS> : never;

/** What the two ways to start a run share. */
export interface RunOptions<TOOLS extends ToolSet> extends UnknownToolsOptions {
  /**
   * Tools that need approval: `{ name: true | false | options }`, a list of names, `'all'` or `'none'`. If nothing is gated,
   * one warning says so; `'none'` turns it off.
   */
  interruptOn?: InterruptOn<NoInfer<TOOLS>>;
  /**
   * Asks the human about one call, and returns the decision: `true`, `false`, or an object with a `type`. It is called for one
   * call after the other ({@link RunOptions.askOrder}).
   *
   * A throw, a rejected promise and a malformed answer reject the call, with the cause as reason and a process warning; the run
   * goes on. An `AbortError`, as a readline question throws at Ctrl+C, aborts the run. `abortSignal` is aborted with the run, and
   * when the request is decided elsewhere. `objectionTo(answer)` says why an answer would not be accepted, such as an edit that
   * does not fit the tool's schema, so that you can ask once more. It resolves to `undefined` for an acceptable answer, and never
   * rejects.
   *
   * Without a callback and without a `gate` every request is rejected at once; without a callback and with a `gate` it waits for
   * `gate.approve` and the like.
   */
  onApprovalRequest?: (
    request: ApprovalRequestOf<NoInfer<TOOLS>>,
    options: { abortSignal: AbortSignal; objectionTo: (answer: unknown) => Promise<string | undefined> },
  ) => ApprovalAnswer | PromiseLike<ApprovalAnswer>;
  /**
   * How `onApprovalRequest` and `onQuestion` are called, over the run and its subagents. `in-turn`: one at a time, in the order
   * of the calls, as one terminal or one dialogue needs. In the meantime all requests are open at the gate, deadlines run, and a
   * request that is decided elsewhere is skipped. `at-once`: for all calls of a step; they may be answered in any order.
   *
   * @default 'in-turn'
   */
  askOrder?: 'in-turn' | 'at-once';
  /** Where the requests wait, so that others can answer them, e.g. an inbox or another process; see {@link createGate}. */
  gate?: Gate;
  /**
   * What may run, what needs approval, what must not run: see {@link GateOptions.policy}. It can tighten the policy of the
   * `gate`, never widen it.
   */
  policy?: PolicyInput | readonly PolicyInput[];
  /**
   * A model or a function that is asked about each call before a human is, for this run and its subagents: see
   * {@link GateOptions.reviewer}. It is an {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) if the `gate` has one, and with a
   * `parent`, whose reviewer counts.
   */
  reviewer?: CallReviewer;
  /**
   * Whether to hide tools from the model (`activeTools`) that the policies deny regardless of the arguments.
   *
   * @default false
   */
  hideDeniedTools?: boolean;
  /** How long a human has for one request, in ms. @default see {@link InterruptOptions.timeout} */
  approvalTimeout?: number;
  /** The id of the run, which {@link resume} needs. It must not contain `>`. @default a new UUIDv7 */
  runId?: string;
  /** Who started the run. Their own approval does not count where `excludeRequester` is set. With a `parent` it is the parent's. */
  requester?: string;
  /** The path of agents this run is. @default ['main'], with a `parent` its path, the call and the name of the tool */
  origin?: readonly string[];
  /**
   * Makes this run a subagent of the run that called a tool: pass the second argument of the tool's `execute`. The run asks
   * through its parent, on the same gate, and must ask about what its parent must ask about. It ends with that call, which
   * therefore waits for its result. Its events come out of its parent's iterator, with their origin. Its `interruptOn`, `policy`,
   * `allowedDecisions` and `timeout`s can tighten what its parent has, never widen.
   *
   * Any other value is an {@link InvalidConfigError} (`ERR_INVALID_CONFIG`), and so is `undefined`: test with {@link
   * isCallOfRun}. So is `parent` together with `gate`, `onApprovalRequest`, `askOrder`, `reviewer` or `runId`: its id is
   * `<parent's>><toolCallId>`.
   */
  parent?: { toolCallId: string };
  /** The folder that relative paths start from, the project and the home. Only without a `gate`, which has its own `place`. */
  place?: PolicyPlace;
  /**
   * Answers the questions of an `ask_user` tool (`createAskUserTool` of `countersign/agent`). Without it they wait for
   * {@link Gate.respond}; without a `gate` either the model is not offered the tool. `null`: the human does not want to answer. A
   * throw and a rejected promise: no human could be asked.
   */
  onQuestion?: (
    request: QuestionRequest,
    options: { abortSignal: AbortSignal },
  ) => QuestionsAnswered['answers'] | null | PromiseLike<QuestionsAnswered['answers'] | null>;
  /**
   * What happens to a call that is identical to one that a human rejected before in this run. `ask`: it is asked about again.
   * `answer`: it is rejected again with the same reason, without asking.
   *
   * @default 'ask'
   */
  repeatedRejections?: 'ask' | 'answer';
  /**
   * What happens to a waiting request for a call in `messages`, if the user wrote something else instead of answering. `cancel`:
   * it is `cancelled`. `keep`: it stays open, and the response that waits for it carries out the decision. In either case, a call
   * in the messages that has no result and is followed by more is denied, and the model gets the reason.
   *
   * @default 'cancel'
   */
  unanswered?: 'cancel' | 'keep';
  /** At most this many steps in the whole run, also if `stopWhen` allows more. @default none with a `stopWhen`, otherwise 20 */
  maxSteps?: number;
  /** Also yields every part of the SDK's own stream as `{ type: 'raw-part', part }`. @default false */
  includeRawParts?: boolean;
  /** Gets one line for each step of a request of this run, in addition to that of the gate. @default none */
  logger?: Logger;
}

/** Everything `streamText` takes, and what {@link RunOptions} adds. */
export type StreamWithEventsOptions<TOOLS extends ToolSet = ToolSet> = StreamTextOptions<TOOLS> & {
  /** The tools that the model may call. */
  tools?: TOOLS;
  /** With an agent, leave out `model` and `tools`: it has its own. */
  agent?: undefined;
} & RunOptions<TOOLS>;

/** The parts of an AI SDK `ToolLoopAgent` that a run needs. */
export interface AgentLike<TOOLS extends ToolSet = ToolSet> {
  readonly tools: TOOLS;
  stream(options: never): PromiseLike<unknown>;
}

/** Everything an agent's `stream` takes, the agent, and what {@link RunOptions} adds. */
export type AgentStreamWithEventsOptions<AGENT extends AgentLike> = {
  /** A `ToolLoopAgent` of AI SDK 6 or 7. */
  agent: AGENT;
  /** The agent has its own. */
  tools?: undefined;
  /** The agent has its own. */
  model?: undefined;
} & OmitEach<Parameters<AGENT['stream']>[0], never> &
  RunOptions<AGENT['tools']>;

/**
 * One run through any number of approval stops, as an async iterator of {@link AgentEvent}s.
 *
 * Nothing starts before the first `next()`. Leaving the loop cancels what waits, and nothing runs any more.
 *
 * @throws {@link UnknownToolError} (`ERR_UNKNOWN_TOOL`), {@link InvalidConfigError} (`ERR_INVALID_CONFIG`),
 * {@link UnsupportedAgentError} (`ERR_UNSUPPORTED_AGENT`), {@link UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`). What goes wrong
 * later is an `error` event, after which the run is over
 */
export declare function streamWithEvents<TOOLS extends ToolSet>(
  options: StreamWithEventsOptions<TOOLS>,
): AgentRun<TOOLS>;
export declare function streamWithEvents<AGENT extends AgentLike>(
  options: AgentStreamWithEventsOptions<AGENT>,
): AgentRun<AGENT['tools']>;
// Both at once. The compiler reports errors of the last declaration only, so this one names a mistake in either form.
export declare function streamWithEvents<TOOLS extends ToolSet = ToolSet, AGENT extends AgentLike = AgentLike<TOOLS>>(
  options: StreamWithEventsOptions<TOOLS> | AgentStreamWithEventsOptions<AGENT>,
): AgentRun<TOOLS>;

/**
 * What {@link terminalApprover} returns, for `onApprovalRequest` and for `onQuestion`. In a function around it that is asked,
 * options that are left out are those of that function.
 */
export interface TerminalApprover {
  (request: QuestionRequest, options?: { abortSignal?: AbortSignal }): Promise<QuestionsAnswered['answers'] | null>;
  /** Also of a request from elsewhere that has only a preview. */
  (
    request: Pick<ApprovalRequest, 'preview'> & Partial<ApprovalRequest>,
    options?: { abortSignal?: AbortSignal; objectionTo?: (answer: unknown) => Promise<string | undefined> },
  ): Promise<Decision>;
}

/**
 * Asks on the terminal, or on piped lines: shows the preview and takes a line. `y`, `yes` and `ok` approve, `n` and `no`
 * reject, `e` edits, `r TEXT` responds, and any other text is the reason of a rejection. On a terminal, what was typed before
 * the request was shown decides nothing. Several that share an input ask one after the other. For `onQuestion` it asks the
 * questions.
 *
 * On a terminal a call that stands out ({@link ApprovalRequest.flags}), or may do what cannot be undone, is approved by a
 * second `y`. An edit of that kind is shown as it would run, and then `y` runs the edit. `d` shows all of a call that is not
 * shown whole. An answer that would not be taken is told, and the same call is asked about again. After the end of the input
 * (Ctrl+D) nothing more is asked there.
 *
 * Piped lines answer one call each and one question each, in the order in which those are put here, however early they come. A
 * line is a no where it cannot be taken (a broken edit, `e` alone, an empty line): its reason says why, and a process warning
 * says so. A line belongs to its call also when that was decided elsewhere, and then answers nothing. All of a call is shown at
 * once, with what stands out in it, and its one line counts. There are two exceptions: a call that a process which is gone had
 * started, and a call whose text may deceive the eye. The line may have been written before, so that a yes to these is a no. A
 * call that is given to your own function may be over before that asks: it was decided elsewhere, or the function failed. After
 * one, no line answers anything (`ERR_INPUT_ENDED`). For an input of your own that counts from when the first approver for it
 * is made outside of such functions.
 *
 * Ctrl+C aborts the run. Without a human to ask, the calls are rejected, a process warning says so, and at its end the run
 * fails. `ERR_INPUT_ENDED`: the input has ended. `ERR_OUTPUT_UNSEEN`: the answers are typed on a terminal that the question
 * would not be shown on.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for what is not a stream, or cannot be called
 */
export declare function terminalApprover(options?: {
  /** The stream that answers are read from. @default process.stdin */
  input?: { on(event: string, listener: (...data: never[]) => void): unknown };
  /**
   * Where the question is written. If the input is a terminal, this must be one too (`isTTY`). If the standard error is
   * redirected, the question goes to the terminal itself.
   *
   * @default process.stderr, so that the standard output is the program's own
   */
  output?: { write(text: string): unknown };
  /**
   * How the terminal notifies a person of a waiting request. `bell`: it rings, and the window title shows how many wait.
   * `desktop`: a notification of the desktop as well, where the terminal has them; it names the tool, and nothing else of the
   * call. Never on a pipe, or where `TERM` is `dumb`.
   *
   * @default COUNTERSIGN_NOTIFY of the environment, or else `bell`
   */
  notify?: 'bell' | 'desktop' | 'none';
}): TerminalApprover;

/** Which run to continue. Pass the other options as for the start, without messages: the ledger has them. */
export interface ResumeOptions {
  /** With a durable ledger: the one that the run was started with, opened here or there. */
  gate: Gate;
  /** The id that the run was started with. */
  runId: string;
  /** The ledger has the conversation. */
  prompt?: undefined;
  /** The ledger has the conversation. */
  messages?: undefined;
}

/** What {@link resume} takes in addition to {@link ResumeOptions}, without an agent. */
export type ResumeStreamOptions<TOOLS extends ToolSet = ToolSet> = OmitEach<
  StreamTextOptions<TOOLS>,
  'tools' | 'prompt' | 'messages'
> & { tools?: TOOLS; agent?: undefined } & RunOptions<TOOLS> &
  ResumeOptions;

/** What {@link resume} takes in addition to {@link ResumeOptions}, with an agent. */
export type ResumeAgentOptions<AGENT extends AgentLike> = {
  /** A `ToolLoopAgent` of AI SDK 6 or 7. */
  agent: AGENT;
  /** The agent has its own. */
  tools?: undefined;
  /** The agent has its own. */
  model?: undefined;
} & OmitEach<Parameters<AGENT['stream']>[0], 'prompt' | 'messages'> &
  RunOptions<AGENT['tools']> &
  ResumeOptions;

/**
 * Continues a run that its process did not finish: the process was killed or closed its gate, the run failed, or it was suspended
 * ({@link AgentRun.suspend}). The first event is {@link RunResumedEvent}.
 *
 * The model is not called again for its earlier answers. Waiting calls still wait, and are passed to `onApprovalRequest` once
 * more. Decisions that were made in the meantime count. A call that has run does not run again: the model gets its result. A call
 * that was started by a process that is gone is asked about again, with a description that says so. A call that needed no
 * approval and has no result is not run again: the model is told that it was interrupted. If a tool or the prompt has changed,
 * the open calls that this affects are asked about again. A waiting request keeps its approvers: other `approvers` in
 * `interruptOn` apply to later requests.
 *
 * @throws as {@link streamWithEvents}, and {@link LedgerError} (`ERR_LEDGER_TEMPORARY`) for a gate with `memory:`. The run itself
 * ends with {@link RunError}: `ERR_RUN_ACTIVE` when a process that lives has it, `ERR_UNKNOWN_RUN`, `ERR_RUN_OVER`
 */
export declare function resume<TOOLS extends ToolSet>(options: ResumeStreamOptions<TOOLS>): AgentRun<TOOLS>;
export declare function resume<AGENT extends AgentLike>(options: ResumeAgentOptions<AGENT>): AgentRun<AGENT['tools']>;
// Both at once, as of `streamWithEvents`.
export declare function resume<TOOLS extends ToolSet = ToolSet, AGENT extends AgentLike = AgentLike<TOOLS>>(
  options: ResumeStreamOptions<TOOLS> | ResumeAgentOptions<AGENT>,
): AgentRun<TOOLS>;

/** A run as a ledger knows it. */
export interface RunInfo {
  runId: string;
  /** The run that it is a part of, as a subagent: {@link resume} continues that one. */
  parent: string | null;
  /**
   * `active`: a process that lives has it. `suspended`: none has, and it can be continued. `failed`: it ended with an error,
   * and can be continued. `done` and `cancelled` cannot.
   */
  status: 'active' | 'suspended' | 'done' | 'failed' | 'cancelled';
  /** Finished steps. */
  steps: number;
  /** Requests that wait. */
  pending: number;
  /** ms since the epoch. */
  createdAt: number;
  /** ms since the epoch. */
  updatedAt: number;
}

/**
 * The runs that a ledger knows, of all processes, the latest change first.
 *
 * @throws {@link LedgerError} (`ERR_LEDGER_TEMPORARY`) for a gate with `memory:`
 */
export declare function listRuns(
  gate: Gate,
  options?: {
    /** Only runs that are active or can be continued. @default false */
    open?: boolean;
    /** @default 100 */
    limit?: number;
  },
): Promise<RunInfo[]>;

/** The result of a whole run. */
export interface RunResult<TOOLS extends ToolSet = ToolSet> {
  runId: string;
  /** The text of the last step. */
  text: string;
  /** The whole conversation: what was passed in and what was added. Pass it on to continue. */
  messages: ModelMessage[];
  /** What was added. */
  responseMessages: ModelMessage[];
  /** Over all rounds and steps. */
  usage: LanguageModelUsage;
  /** Over all rounds, tool results of approved calls included. */
  steps: StepResult<TOOLS>[];
  finishReason: string;
  /** The structured output, when `output` was asked for. */
  output: unknown;
}

/** A run, to be iterated once. */
export interface AgentRun<TOOLS extends ToolSet = ToolSet> extends AsyncIterableIterator<AgentEvent<TOOLS>> {
  readonly runId: string;
  /**
   * The result. If you do not iterate the run, awaiting this drives it. Rejects with the error that ended the run, or with the
   * signal's reason when it was aborted.
   */
  readonly result: Promise<RunResult<TOOLS>>;
  next(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  return(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  throw(error?: unknown): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  [Symbol.asyncIterator](): this;
  [Symbol.asyncDispose](): Promise<void>;
  /**
   * Ends the run here, so that {@link resume} can continue it, in this process or another. Nothing is cancelled: waiting requests
   * still wait. The current step of the model or a tool is finished first. The iterator ends, and `result` rejects with an
   * `AbortError`.
   *
   * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) when the run has no gate with a durable ledger
   */
  suspend(): Promise<void>;
  /** The run as a stream for `useChat`, instead of iterating it. */
  toUIMessageStream<UI_MESSAGE extends UIMessage = UIMessage>(
    options?: UIMessageStreamOptions<UI_MESSAGE>,
  ): ReadableStream<InferUIMessageChunk<UI_MESSAGE>>;
  /** {@link AgentRun.toUIMessageStream} as an HTTP response (server-sent events). */
  toUIMessageStreamResponse<UI_MESSAGE extends UIMessage = UIMessage>(
    options?: UIMessageStreamOptions<UI_MESSAGE> & ResponseInit & HeartbeatOptions,
  ): Response;
}

export interface HeartbeatOptions {
  /**
   * After this many ms without an event, a comment is sent, so that no server or proxy closes the response while a human thinks.
   * `false`: no comments. @default 5,000
   */
  heartbeat?: number | false;
}

/**
 * A response of server-sent events with a comment whenever nothing was sent for a while. It is for a response of the AI SDK's
 * own that stays open while a human thinks, as with the tools of {@link gateTools}. Those of
 * {@link AgentRun.toUIMessageStreamResponse} have it.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 */
export declare function withHeartbeat(
  response: Response,
  options?: {
    /** ms. @default 5,000 */
    every?: number;
  },
): Response;

type CallOf<TOOLS extends ToolSet, MORE> =
  | {
      [NAME in ToolNames<TOOLS>]: {
        toolCallId: string;
        toolName: NAME;
        args: InferToolInput<TOOLS[NAME]>;
        dynamic?: false;
        providerExecuted?: boolean;
      } & MORE;
    }[ToolNames<TOOLS>]
  | ({ toolCallId: string; toolName: string; args: unknown; dynamic: true; providerExecuted?: boolean } & MORE);

/** The first event of a run that {@link resume} continues. */
export type RunResumedEvent = {
  type: 'run-resumed';
  runId: string;
  /** Earlier steps, including the one that waits. */
  steps: number;
  /** The conversation so far. */
  messages: ModelMessage[];
  /** What differs from when the run was last stored. Open calls that this affects are asked about again. */
  drift: {
    /** Tools whose description, input schema or gating is another, that are new, or that are gone. */
    tools: string[];
    /** Whether `system` or `instructions` is another. */
    prompt: boolean;
  };
  /**
   * Calls (`toolCallId`) that were started, in this life of the run or any before, that have no result: how far they came is
   * unknown. Of a call that is asked about, {@link ApprovalRequest.startedBefore} says the same, also to callbacks, which
   * may be called before this event is read.
   */
  interrupted: string[];
};
export type TextEvent = { type: 'text'; text: string; id: string };
export type ReasoningEvent = { type: 'reasoning'; text: string; id: string };
/** `stepNumber` counts from 1 over the whole run. */
export type StepStartEvent = { type: 'step-start'; stepNumber: number };
export type StepFinishEvent = {
  type: 'step-finish';
  stepNumber: number;
  finishReason: string;
  usage: LanguageModelUsage;
  toolCalls: { toolCallId: string; toolName: string; args: unknown }[];
};
/** `invalid`: the model's arguments do not fit the tool's schema; it is told so and nothing runs. */
export type ToolCallEvent<TOOLS extends ToolSet = ToolSet> = CallOf<TOOLS, { type: 'tool-call'; invalid?: boolean }>;
/** `preliminary`: a value that a generator tool yielded before its last. */
export type ToolResultEvent<TOOLS extends ToolSet = ToolSet> = CallOf<
  TOOLS,
  { type: 'tool-result'; result: unknown; isError: false; preliminary?: boolean }
>;
export type ToolErrorEvent<TOOLS extends ToolSet = ToolSet> = CallOf<
  TOOLS,
  { type: 'tool-error'; error: unknown; isError: true }
>;
/** The call did not run, and the model is told the reason. */
export type ToolDeniedEvent = {
  type: 'tool-denied';
  toolCallId: string;
  toolName: string;
  args: unknown;
  reason?: string;
};
export type ApprovalRequestedEvent<TOOLS extends ToolSet = ToolSet> = {
  type: 'approval-requested';
  /** `true`: no human is asked, the answer follows at once: the mode `auto` approves it, or it is denied. */
  isAutomatic: boolean;
} & ApprovalRequestOf<TOOLS>;
export type ApprovalResponseEvent = {
  type: 'approval-response';
  /** `true`: no human decided: a mode, a policy, a deadline or an abort did. */
  isAutomatic: boolean;
  approvalId: string;
  toolCallId: string;
  toolName: string;
  /** The path of agents it came from. */
  origin: readonly string[];
  /** Whether the tool may run: `true` for `approve` and `edit` only. */
  approved: boolean;
  decision: DecisionOutcome;
  reason?: string;
  /** Who decided: the `by` that was given, or else the name of what it came through, e.g. `'callback'` or `'deadline'`. */
  decidedBy: string;
};
/** An approval was counted, and more are needed. */
export type ApprovalVotedEvent = {
  type: 'approval-voted';
  approvalId: string;
  toolCallId: string;
  toolName: string;
  origin: readonly string[];
  vote: Vote;
};
/** The deadline of a request is near. */
export type ApprovalRemindedEvent = {
  type: 'approval-reminded';
  approvalId: string;
  toolCallId: string;
  toolName: string;
  origin: readonly string[];
  /** ms since the epoch. */
  expiresAt: number;
};
/** No decision came in time: others may decide now, too. */
export type ApprovalEscalatedEvent = {
  type: 'approval-escalated';
  approvalId: string;
  toolCallId: string;
  toolName: string;
  origin: readonly string[];
  to: readonly string[];
};
export type ErrorEvent = { type: 'error'; error: unknown };
/** The run was aborted: nothing runs any more. `messages` is the conversation up to the last finished step. */
export type AbortEvent = { type: 'abort'; reason: unknown; messages: ModelMessage[] };
export type DoneEvent<TOOLS extends ToolSet = ToolSet> = { type: 'done' } & RunResult<TOOLS>;
export type RawPartEvent<TOOLS extends ToolSet = ToolSet> = { type: 'raw-part'; part: TextStreamPart<TOOLS> };

export type AgentEvent<TOOLS extends ToolSet = ToolSet> =
  | RunResumedEvent
  | TextEvent
  | ReasoningEvent
  | StepStartEvent
  | StepFinishEvent
  | ToolCallEvent<TOOLS>
  | ToolResultEvent<TOOLS>
  | ToolErrorEvent<TOOLS>
  | ToolDeniedEvent
  | ApprovalRequestedEvent<TOOLS>
  | ApprovalResponseEvent
  | ApprovalVotedEvent
  | ApprovalRemindedEvent
  | ApprovalEscalatedEvent
  | ErrorEvent
  | AbortEvent
  | DoneEvent<TOOLS>
  | RawPartEvent<TOOLS>
  | QuestionAskedEvent
  | QuestionAnsweredEvent
  | SubagentStartEvent
  | SubagentStepEvent
  | SubagentFinishEvent
  | SubagentEvent
  | ToolActivityEvent
  | TextSegmentEvent
  | UserMessageEvent;
