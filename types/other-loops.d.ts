/** Loops of the AI SDK and of others: `gateTools`, `toolApproval`, `verifyApprovals`. */
import type { ModelMessage, ToolSet, UIMessage, UIMessageChunk } from 'ai';
import type {
  DecisionType,
  InterruptOn,
  InterruptOptions,
  UnknownToolsOptions,
  applyInterruptConfig,
} from './interrupt.js';
import type { PolicyEffect, PolicyInput, PolicyPlace } from './policy.js';
import type { ApprovalRequest, ArgumentRow, DecisionOutcome } from './request.js';
import type { Gate, Logger } from './gate.js';
import type { RunOptions, streamWithEvents } from './run.js';
import type { InvalidConfigError, UnsupportedSdkError } from './errors.js';

export type GateToolsOptions<TOOLS extends ToolSet = ToolSet> = GatingOptions<TOOLS> & GatingMode;

interface GatingOptions<TOOLS extends ToolSet> extends UnknownToolsOptions {
  /**
   * Tools that need approval: `{ name: true | false | options }`, a list of names, `'all'` or `'none'`. If nothing is gated,
   * one warning says so; `'none'` turns it off.
   */
  interruptOn?: InterruptOn<NoInfer<TOOLS>>;
  /**
   * What may run, what needs approval, what must not run: see {@link RunOptions.policy}. It can tighten the policy of the
   * `gate`.
   */
  policy?: PolicyInput | readonly PolicyInput[];
  /** A model or a function that is asked about each call before a human is: see {@link RunOptions.reviewer}. */
  reviewer?: RunOptions<TOOLS>['reviewer'];
  /**
   * Asks the human about one call: see {@link RunOptions.onApprovalRequest}. Without it and without a `gate`, gated calls are
   * rejected.
   */
  onApprovalRequest?: RunOptions<TOOLS>['onApprovalRequest'];
  /** Answers the questions of an `ask_user` tool: see {@link RunOptions.onQuestion}. */
  onQuestion?: RunOptions<TOOLS>['onQuestion'];
  /**
   * Whether the human is asked one call after the other, or about all at once. If several people share the tools, use
   * `'at-once'`.
   *
   * @default 'in-turn'
   */
  askOrder?: RunOptions<TOOLS>['askOrder'];
  /**
   * Whether a call that a human rejected before is asked about again, or rejected again. `'answer'` needs a `runId`, and mode
   * `'wait'`.
   *
   * @default 'ask'
   */
  repeatedRejections?: RunOptions<TOOLS>['repeatedRejections'];
  /**
   * The second argument of a tool's `execute`: makes these tools those of a subagent of the run that called it. See {@link
   * RunOptions.parent}.
   */
  parent?: RunOptions<TOOLS>['parent'];
  /** Where relative paths start. Only without a `gate`, which has its own `place`. */
  place?: PolicyPlace;
  /** How long a human has for one request, in ms. @default see {@link InterruptOptions.timeout} */
  approvalTimeout?: number;
  /** The run that the calls belong to, e.g. the id of the chat. @default one of its own for the calls of each step */
  runId?: string;
  /** Who started this. Their own approval does not count where `excludeRequester` is set. */
  requester?: RunOptions<TOOLS>['requester'];
  /** The path of agents that the calls come from. @default ['main'], with a `parent` its path, the call and the name of the tool */
  origin?: readonly string[];
  /** Gets one line for each step of a request of these calls, in addition to that of the gate. @default none */
  logger?: Logger;
}

/**
 * `'wait'`: a gated `execute` waits for its decision. `'stop'`: the AI SDK ends the turn at its own approval stop, as a
 * `useChat` route needs; the answers come back in the messages, through {@link verifyApprovals}. `'stop'` needs a `gate`.
 */
type GatingMode =
  | {
      /**
       * `'wait'`: a gated `execute` waits for its decision. `'stop'`: the turn ends at the AI SDK's own approval stop, as a
       * `useChat` route needs, and the answers come back in the messages; this needs a `gate`.
       *
       * @default 'wait'
       */
      mode?: 'wait';
      /** Where the requests wait, so that others can answer them; see {@link createGate}. @default a gate of these tools only */
      gate?: Gate;
    }
  | {
      /**
       * `'wait'`: a gated `execute` waits for its decision. `'stop'`: the turn ends at the AI SDK's own approval stop, as a
       * `useChat` route needs, and the answers come back in the messages; this needs a `gate`.
       *
       * @default 'wait'
       */
      mode: 'wait' | 'stop';
      /** Where the requests wait, so that others can answer them; see {@link createGate}. */
      gate: Gate;
    };

/**
 * Wraps `execute` of the tools that need approval, for loops other than `streamWithEvents`: `generateText`,
 * `ToolLoopAgent.generate`, other frameworks, subagents. Every tool property is kept, generator tools stay generators, an
 * abort is honoured before and after the wait, and a denial reaches the model as `execution-denied`. A tool that calls others
 * (`experimental_toolCallers`, code mode) is gated, and so is each call that it makes: one that may not run throws.
 *
 * It returns a new, frozen set with frozen tools: a tool that is added to `tools` later is not in it. With a `gate` every tool is
 * wrapped, so a mode that is set later counts.
 *
 * @throws as {@link applyInterruptConfig}; {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) also for unknown options
 */
export declare function gateTools<TOOLS extends ToolSet>(tools: TOOLS, options: GateToolsOptions<TOOLS>): TOOLS;

/**
 * Whether the second argument of a tool's `execute` comes from a call in a run of {@link streamWithEvents}, or in tools of
 * {@link gateTools}, that has not ended. Only then can it be the `parent` of another run. It is also `true` for a call of
 * another copy of this package, which is refused as `parent`: a run without that parent would ask about less.
 */
export declare function isCallOfRun(options: unknown): options is { toolCallId: string };

/** What a gated `execute` returns for a call that may not run. The model gets it as `execution-denied`. */
export interface ExecutionDenied {
  type: 'execution-denied';
  reason: string;
  decision: DecisionOutcome['type'];
  approvalId: string | null;
  /** A person ended the turn: no gated call of it runs any more, and {@link turnEnded} ends the loop. */
  stop?: true;
}

/** Whether a tool's output is a denial by {@link gateTools}. */
export declare function isExecutionDenied(output: unknown): output is ExecutionDenied;

/**
 * A condition for `stopWhen`: ends a loop of the AI SDK over tools of {@link gateTools} after the step in which a person ended the
 * turn (`stop` of a rejection). Without it the loop calls the model again, which `gateTools` cannot prevent.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) when it is called without the steps: pass the function itself
 */
export declare function turnEnded(options: {
  steps: readonly { toolResults: readonly { output?: unknown }[] }[];
}): boolean;

/** The four statuses that AI SDK 7 knows. With any other value it would run the tool. */
export type ToolApprovalStatus =
  | { type: 'not-applicable' }
  | { type: 'approved'; reason?: string }
  | { type: 'denied'; reason?: string }
  | { type: 'user-approval'; reason?: string };

export interface ToolApprovalOptions<TOOLS extends ToolSet = ToolSet> extends UnknownToolsOptions {
  /** Tools that need approval: `{ name: true | false | options }`, a list of names, `'all'` or `'none'`. */
  interruptOn?: InterruptOn<TOOLS>;
  /** Where the requests wait, so that others can answer them; see {@link createGate}. */
  gate?: Gate;
  /**
   * What may run, what needs approval, what must not run: see {@link RunOptions.policy}. It can tighten the policy of the
   * `gate`.
   */
  policy?: PolicyInput | readonly PolicyInput[];
  /**
   * Asks the human about one call, which then waits here: see {@link RunOptions.onApprovalRequest}. Requests offer neither `edit`
   * nor `respond`, which the SDK cannot carry out.
   */
  onApprovalRequest?: RunOptions<TOOLS>['onApprovalRequest'];
  /**
   * Whether the human is asked one call after the other, or about all at once. If several people share it, use `'at-once'`.
   *
   * @default 'in-turn'
   */
  askOrder?: RunOptions<TOOLS>['askOrder'];
  /** How long a human has for one request, in ms. @default see {@link InterruptOptions.timeout} */
  approvalTimeout?: number;
  /** The run that the calls belong to, e.g. the id of the chat. @default one of its own for each call */
  runId?: string;
  /** The path of agents that the calls come from. @default ['main'] */
  origin?: readonly string[];
  /** Gets one line for each step of a request of these calls, in addition to that of the gate. @default none */
  logger?: Logger;
}

/**
 * The `toolApproval` of AI SDK 7. It returns one of the four literals only; calls that the provider executes are
 * `not-applicable`. A call is `user-approval` until the gate holds its decision; a replayed, forged or swapped answer is `denied`.
 * It throws only to end the loop that asks it: with the `AbortError` of a callback, or with one of its own after a rejection with `stop`. When
 * tools were replaced in the middle of a step, it throws {@link InvalidConfigError}.
 *
 * The SDK does not ask it about calls that a tool makes of other tools (`experimental_toolCallers`, code mode): give those to
 * {@link gateTools}. Nor does it tell it of an abort: in `generateText` a call that is approved after the abort runs.
 *
 * The SDK runs the tool with its own object, so what was judged is frozen in it. A call is `denied` when the arguments have changed
 * meanwhile, or hold a getter, a proxy or an instance of a class. Dates, maps, sets and bytes cannot be frozen.
 *
 * @throws {@link UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`) on AI SDK 6, which would ignore it; also where the module that calls
 * this has another version of `ai` than this package
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 */
export declare function toolApproval<TOOLS extends ToolSet = ToolSet>(
  options: ToolApprovalOptions<TOOLS>,
): (options: {
  toolCall: { toolCallId: string; toolName: string; input: unknown; providerExecuted?: boolean };
  tools: unknown;
  messages: ModelMessage[];
}) => Promise<ToolApprovalStatus>;

/** An answer in the messages that was not accepted. */
export interface RefusedApproval {
  /** As in the messages. */
  approvalId: string;
  /** `null`: it belongs to no call in the messages. */
  toolCallId: string | null;
  reason: string;
}

export interface VerifyApprovalsOptions {
  /**
   * The `runId` that you pass to {@link gateTools} or {@link toolApproval}. Without one, messages about a call only count if they
   * have the {@link ApprovalRequest.approvalId} of its request at the gate, as those of {@link streamWithEvents} do. The AI SDK's
   * own stop sends another id: a route with {@link gateTools} in mode `'stop'` or with {@link toolApproval} needs a `runId`.
   */
  runId?: string;
  /** Who answered, for the record. */
  by?: string;
  /**
   * What happens to a request whose call the conversation no longer waits for. The messages have no answer to it, or more comes
   * after its call. Or the messages have a result that did not come from here. Or, with a `runId`, no message has the call any more.
   * `cancel`: it is `cancelled` at the gate. `keep`: it stays open until someone answers it elsewhere or its deadline comes; so
   * does a request whose no the gate does not accept. An approval after that runs nothing. So a request is `cancelled` in any case
   * for which a response waits that is still open: of a run, or of anything else in this process. In the messages the call is
   * denied either way, and the model gets the reason.
   *
   * @default 'cancel'
   */
  unanswered?: 'cancel' | 'keep';
  /**
   * The `experimental_toolApprovalSecret` of `streamText`, if it has one: without it, the SDK refuses the arguments of an {@link
   * Gate.edit}.
   */
  toolApprovalSecret?: string | Uint8Array;
  /** Called for each answer in the messages that was not accepted, and for a request in the last one without an answer. */
  onRefused?: (refused: RefusedApproval) => void;
}

/**
 * Guards a `useChat` route: takes the approval answers in the client's messages to the gate, and returns messages that are safe
 * to go on with. An answer that was replayed, forged, late, swapped to other arguments, or given to a duplicate tool call id
 * becomes a denial. With a `runId`, a call is found by its id and its arguments: the approval id in the messages is not
 * compared. If a request has no answer, or more comes after its call, the call is denied too, and its request is over: see
 * {@link VerifyApprovalsOptions.unanswered}. The same holds for a call with a result that did not come from here, or with a yes and a
 * no: no later answer runs it. A yes to a call that was edited at the gate ({@link Gate.edit}) runs it with those arguments,
 * which are then in the messages. The input is not changed. Takes UI messages and model messages. An answer that cannot be
 * looked up or kept, since the ledger cannot be used, is a denial and a warning of the process.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 * @throws {@link InvalidDecisionError} (`ERR_INVALID_DECISION`) for a yes next to an unanswered call: the AI SDK would run the
 * approved call and lose its result. Nothing is decided: send the messages once all are answered
 * @throws {@link GateClosedError} (`ERR_GATE_CLOSED`)
 */
export declare function verifyApprovals<MESSAGE extends UIMessage | ModelMessage>(
  messages: readonly MESSAGE[],
  gate: Gate,
  options?: VerifyApprovalsOptions,
): Promise<MESSAGE[]>;

/**
 * What a person needs to decide on a call, as JSON for a page that has no addon. Every text is safe to show, except the ids and
 * `toolName`, which are unchanged.
 */
export interface ApprovalDetails {
  /** At the gate. In mode `'stop'` the AI SDK gives the request another id in the messages. */
  approvalId: string;
  toolCallId: string;
  toolName: string;
  /** As {@link ApprovalRequest.step}. */
  step: number | null;
  description: string;
  /** As {@link ApprovalRequest.rows}. */
  rows: readonly ArgumentRow[];
  /**
   * As {@link ApprovalRequest.preview}: what would run, with the diff of the file that it would change. `agentReason` is not in
   * it.
   */
  preview: string;
  /** As {@link ApprovalRequest.allowedDecisions}. */
  allowedDecisions: DecisionType[];
  /** As {@link ApprovalRequest.flags}. */
  flags: readonly string[];
  /** The path of agents it came from. */
  origin: readonly string[];
  /** The files that it would change, and by how many lines. */
  changes: readonly { path: string; isNew: boolean; added: number; removed: number }[];
  /** Which rule of the policies decided, and why; `null` without policies. `line` from 1. */
  why: { effect: PolicyEffect; reason: string; source: string | null; line: number | null } | null;
  /** As {@link ApprovalRequest.agentReason}. */
  agentReason: string | null;
  /** The opinion of a reviewer, in one sentence; `null`: no reviewer was asked. */
  review: string | null;
  /** As {@link ApprovalRequest.startedBefore}. */
  startedBefore: boolean;
  /** What it would do that may not be undone, each as a few words that follow "it". */
  dangers: readonly string[];
  /** Whether it is proven to do no lasting harm, and nothing about it stands out: only then a page should mark "yes". */
  harmless: boolean;
  /** As {@link ApprovalRequest.contents}. */
  contents: 'kept' | 'redacted' | 'dropped';
  /** Who must agree; empty: anyone, once. `approvers`, empty: anyone who gives a name. */
  needs: readonly { approvers: readonly string[]; quorum: number }[];
  /** Who has approved so far, where it takes several. */
  approvedBy: readonly string[];
  /** Who decided, by name; `null`: it waits, or no name was given. */
  decidedBy: string | null;
  /** ms since the epoch. */
  createdAt: number;
  /** ms since the epoch; `null`: no deadline. */
  expiresAt: number | null;
}

/** The data part that {@link withApprovalDetails} writes; its `id` is that of the tool call. */
export interface ApprovalDetailsChunk {
  type: 'data-approval';
  id: string;
  data: ApprovalDetails;
}

/**
 * The data parts of messages that went through {@link withApprovalDetails}:
 * `UIMessage<unknown, ApprovalDataTypes, InferUITools<typeof tools>>`.
 */
export type ApprovalDataTypes = { approval: ApprovalDetails };

/**
 * Adds to a UI message stream, before each approval request in it, a data part `data-approval` with what the gate knows of the
 * call, for `useApprovals` of `countersign/react`. If a person decided under a name, the part comes once more before the result of
 * the call, with `decidedBy`. Where the gate knows nothing of it, nothing is added. The model never sees
 * these parts.
 *
 * @param options `runId`: as in {@link GateToolsOptions.runId}
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for a gate that is not of `createGate()`
 */
export declare function withApprovalDetails<CHUNK extends UIMessageChunk>(
  stream: ReadableStream<CHUNK>,
  gate: Gate,
  options: { runId: string },
): ReadableStream<CHUNK | ApprovalDetailsChunk>;

/**
 * The details of the requests that wait in a run, for a page that is opened again: those in the messages are as old as the
 * messages.
 *
 * @param options `runId`: as in {@link GateToolsOptions.runId}
 * @throws as {@link Gate.pending}
 */
export declare function approvalDetails(gate: Gate, options: { runId: string }): Promise<ApprovalDetails[]>;
