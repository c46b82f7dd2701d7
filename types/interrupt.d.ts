/** What must be asked about: `interruptOn`. */
import type { InferToolInput, ModelMessage, ToolSet } from 'ai';
import type { DecidedVia } from './request.js';
import type { resume } from './run.js';
import type { InvalidConfigError, UnknownToolError, UnsupportedSdkError } from './errors.js';

/** What a human may answer. */
export type DecisionType = 'approve' | 'edit' | 'reject' | 'respond' | 'skip';

/** A tool call as a human is asked about it. */
export interface ToolCallInfo<ARGS = unknown> {
  /** The id that the model gave the call. */
  toolCallId: string;
  toolName: string;
  /** A copy of the arguments: changing it changes nothing that runs. */
  args: ARGS;
}

/**
 * Who must agree before a call runs. A request may carry several, from rules and from `interruptOn`: each must be satisfied, and
 * one person's approval counts for each that names them. A request keeps the needs that it was made with, also after
 * {@link resume} with others in `interruptOn`. Approvers that a policy names by then must agree as well.
 */
export interface ApprovalNeed {
  /**
   * Names of people, and groups as `'group:NAME'`.
   *
   * @default anyone; with a `quorum` above 1, `excludeRequester` or `escalate`, anyone who gives a name
   */
  approvers?: readonly string[];
  /** How many different people must approve. A single rejection ends the request. @default 1 */
  quorum?: number;
  /** Do not count an approval by the person who asked for the run (`requester`). @default false */
  excludeRequester?: boolean;
  /** Who else may decide a request without a decision after this many ms. */
  escalate?: { after: number; to: readonly string[] };
}

/** An approval that was counted. */
export interface Vote {
  by: string;
  via: DecidedVia;
  /** ms since the epoch. */
  at: number;
  reason?: string;
}

/**
 * How one tool is gated. An empty object asks about every call. With approvers or a quorum, people are asked each time: no mode
 * and no grant answers for them. With a quorum above 1, or with several needs, it can only be approved, rejected or skipped.
 */
export interface InterruptOptions<ARGS = never> extends ApprovalNeed {
  /**
   * Says whether this call needs approval: `true` asks, `false` runs it without asking. A throw, a rejected promise, any other
   * value, or no answer within 10,000 ms asks.
   *
   * @default every call is asked about
   */
  shouldApprove?: (args: ARGS, options: JudgeContext) => boolean | PromiseLike<boolean>;
  /**
   * What the human may answer. A deadline, an abort or a failure stops a call in any case. Without `respond` in mode `'stop'` of
   * {@link gateTools}, and without `respond` and `edit` under {@link toolApproval}: they cannot carry it out.
   *
   * @default approve, edit, reject, respond and skip
   */
  allowedDecisions?: readonly DecisionType[];
  /** One or two sentences for the human. @default the tool's name and its arguments, made safe to show */
  description?: string | ((call: ToolCallInfo<ARGS>) => string | PromiseLike<string>);
  /**
   * How long the human has to answer, in ms. After that, the request is `expired` and the tool does not run.
   *
   * @default the `approvalTimeout` of the run, or the `timeout` of the gate, or 300,000 without a callback and no deadline with
   * one
   */
  timeout?: number;
  /** How many ms before the deadline a reminder (the event `reminded`) is sent. @default no reminder */
  remind?: number;
}

/** What a `shouldApprove` function gets in addition to the arguments. */
export interface JudgeContext {
  toolCallId: string;
  messages: ModelMessage[];
  /** Aborted when the run is. */
  abortSignal?: AbortSignal;
  /** AI SDK 6: the run's `experimental_context`. */
  experimental_context?: unknown;
  /** AI SDK 7: the tool's entry of `toolsContext`. */
  context?: unknown;
}

/**
 * Which tools need approval: by name, all (`'all'` or the entry `'*'`), or none.
 *
 * What counts, strongest first: the entry with the tool's exact name, the tool's own `needsApproval`, then `'*'` / `'all'`. A
 * `toolApproval` of AI SDK 7, in the options or of the agent, only tightens that.
 *
 * Names are not patterns: one like `'delete_*'`, which no tool has, is an {@link UnknownToolError} (`ERR_UNKNOWN_TOOL`) with any
 * `unknownTools`. An entry that is `undefined` is an {@link InvalidConfigError} (`ERR_INVALID_CONFIG`): remove it, or set it.
 *
 * A tool of an MCP server, or one made with `dynamicTool`, has a name that someone else chose. An entry that opens it (`false` or
 * a `shouldApprove`) counts only under the name that rules use, `mcp__server__tool`. An entry that restricts it counts under each
 * of its names: in the set, in rules, at its server (`tool`, `server__tool`), and `mcp__server`. Names in a `toolApproval` work
 * the same way.
 *
 * It is copied when it is given: a change of the object later has no effect. A getter, a symbol or a property that is not
 * enumerable is an {@link InvalidConfigError} (`ERR_INVALID_CONFIG`).
 */
export type InterruptOn<TOOLS extends ToolSet = ToolSet> =
  | 'all'
  | 'none'
  | readonly (keyof TOOLS & string)[]
  | ({ readonly [NAME in keyof TOOLS & string]?: boolean | InterruptOptions<InferToolInput<TOOLS[NAME]>> } & {
      readonly '*'?: boolean | Omit<InterruptOptions, 'shouldApprove' | 'description'>;
    } & { readonly [NAME in Exclude<`mcp__${string}`, keyof TOOLS>]?: boolean | InterruptOptions });

/** What to do about names in `interruptOn`, and in the rules of a run's own `policy`, that no tool has. */
export interface UnknownToolsOptions {
  /**
   * What to do about unknown names. By default a name that is plainly a typo of a tool's name throws {@link UnknownToolError}.
   * That is another case, `-` for `_`, or at most two letters; the same words in another order; or its name behind a separator,
   * as in `tools.delete_file`. The word `tool` more or less, in any case, or a text with more than its name (`delete_file read_file`), counts
   * as well. Where that tool is itself configured, it is another name. Any other name warns once for each set of tools, since
   * shared configurations name tools that an agent lacks. `'error'` throws for every unknown name, `'warn'` for none, `'ignore'`
   * says nothing. Of a policy of the gate, which runs with other tools may share, a typo is a warning.
   */
  unknownTools?: 'error' | 'warn' | 'ignore';
}

/**
 * Marks the tools that need approval with the AI SDK's `needsApproval`. Your own loop must handle the approval stop.
 *
 * What it returns is a new set of the tools of this moment. It is frozen, and so is each tool that it changes; a promise of
 * tools, a `Map` or a list is an error. A gated tool is a copy with all other properties kept, also symbols, getters and the
 * prototype. Its `needsApproval` is `true`, or your own `shouldApprove`, the same function object. The others are the same tool
 * objects. Without `tools` there is nothing to mark, and it returns `undefined`.
 *
 * @throws {@link UnknownToolError} (`ERR_UNKNOWN_TOOL`) for a name that is plainly a typo
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for a configuration of the wrong shape, and a gated entry that is not
 * a tool of the AI SDK. Also for a tool with a property that only looks like `needsApproval`. Also for a tool that calls others
 * (`experimental_toolCallers`, code mode), if one of the tools needs approval: use {@link gateTools}
 * @throws {@link UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export declare function applyInterruptConfig<TOOLS extends ToolSet>(
  tools: TOOLS,
  interruptOn: InterruptOn<NoInfer<TOOLS>>,
  options?: UnknownToolsOptions,
): TOOLS;

/** Whether this configuration makes any tool need approval. @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) */
export declare function hasApprovalTools(interruptOn: InterruptOn): boolean;
