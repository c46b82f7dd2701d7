/**
 * countersign: human approval between an AI agent's tool call and its execution.
 *
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the package exports.
 *
 * @packageDocumentation
 */
import type {
  InferToolInput,
  InferUIMessageChunk,
  LanguageModelUsage,
  ModelMessage,
  StepResult,
  TextStreamPart,
  ToolSet,
  UIMessage,
  UIMessageChunk,
  UIMessageStreamOptions,
  streamText,
} from 'ai';

// ---------------------------------------------------------------------------------------------------------------------
// What must be asked about
// ---------------------------------------------------------------------------------------------------------------------

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
 * one person's approval counts for each that names them. It is settled when the request is made: {@link resume} with others
 * changes nothing for what already waits.
 */
export interface ApprovalNeed {
  /** Names of people, and groups as `'group:NAME'`. @default anybody; with a `quorum` above 1 anybody who gives a name */
  approvers?: readonly string[];
  /** How many different people must approve. One of them who rejects ends it. @default 1 */
  quorum?: number;
  /** The approval of who asked for the run (`requester`) does not count. @default false */
  excludeRequester?: boolean;
  /** Whom else it may be put to when nobody has decided after so many ms. */
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
 * How one tool is gated. An empty object asks about every call. What names approvers or a quorum asks people each time: no mode
 * and no grant answers it, and with a quorum above 1, or with several needs, it can only be approved, rejected or skipped.
 */
export interface InterruptOptions<ARGS = never> extends ApprovalNeed {
  /**
   * Says whether this call must be asked about: `true` asks, `false` runs it unasked. Throwing, a rejected promise, any
   * other value, or no answer within 10,000 ms asks.
   *
   * @default every call is asked about
   */
  shouldApprove?: (args: ARGS, options: JudgeContext) => boolean | PromiseLike<boolean>;
  /**
   * What the human may answer. A deadline, an abort or a failure stops a call whatever this says.
   *
   * @default all five
   */
  allowedDecisions?: readonly DecisionType[];
  /** One or two sentences for the human. @default the tool's name and its arguments, made safe to show */
  description?: string | ((call: ToolCallInfo<ARGS>) => string | PromiseLike<string>);
  /**
   * How long the human has, in ms; then the request is `expired` and the tool does not run.
   *
   * @default the `approvalTimeout` of the run, else the `timeout` of the gate, else 300,000 without a callback and no
   * deadline with one
   */
  timeout?: number;
  /** So many ms before the deadline everybody is told once more (`reminded`). @default nobody is */
  remind?: number;
}

/** What a `shouldApprove` function is told beside the arguments. */
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
 * Which tools must be asked about: by name, all (`'all'` or the entry `'*'`), or none.
 *
 * Who decides, strongest first: the entry of that very name, the tool's own `needsApproval`, then `'*'` / `'all'`. A `toolApproval`
 * of AI SDK 7, in the options or of the agent, only tightens that.
 *
 * Names are not patterns: one like `'delete_*'`, which no tool has, is {@link UnknownToolError} (`ERR_UNKNOWN_TOOL`) whatever
 * `unknownTools` says. An entry that is `undefined` is {@link InvalidConfigError} (`ERR_INVALID_CONFIG`), and no entry left out.
 *
 * A tool of an MCP server, or made with `dynamicTool`, has a name that somebody else chose. It opens, with `false` or a `shouldApprove`,
 * under the name alone that rules know it by, `mcp__server__tool`. An entry restricts it under each of its names: that in the set, that
 * of rules, that which its server gives it (`tool`, `server__tool`), and `mcp__server`. The same holds for the names in a `toolApproval`.
 *
 * It is copied when it is given: a change of the object later has no effect. A getter, a symbol or a property that is not
 * enumerable is {@link InvalidConfigError} (`ERR_INVALID_CONFIG`).
 */
export type InterruptOn<TOOLS extends ToolSet = ToolSet> =
  | 'all'
  | 'none'
  | readonly (keyof TOOLS & string)[]
  | ({ readonly [NAME in keyof TOOLS & string]?: boolean | InterruptOptions<InferToolInput<TOOLS[NAME]>> } & {
      readonly '*'?: boolean | Omit<InterruptOptions, 'shouldApprove' | 'description'>;
    } & { readonly [NAME in Exclude<`mcp__${string}`, keyof TOOLS>]?: boolean | InterruptOptions });

/** What to do about names in `interruptOn` that no tool has. */
export interface UnknownToolsOptions {
  /**
   * By default a name that is plainly a typo of a tool's (other case, `-` for `_`, at most two letters away, and that
   * tool is not itself configured) throws {@link UnknownToolError}; any other name warns once per process, since shared
   * configurations name tools that an agent lacks. `'error'` throws for every unknown name, `'warn'` for none, `'ignore'`
   * says nothing.
   */
  unknownTools?: 'error' | 'warn' | 'ignore';
}

/**
 * Marks the tools that must be asked about with the AI SDK's `needsApproval`.
 *
 * What it returns is a new set, frozen, of the tools of this moment; a promise of tools, a `Map` or a list is an error. A gated tool
 * is a copy with all other properties kept (also symbols, getters and the prototype) and `needsApproval` set to `true` or to your own
 * `shouldApprove` function, the same function object; the others are the very same tools. Without `tools` there is nothing to mark,
 * and it returns `undefined`.
 *
 * @throws {@link UnknownToolError} (`ERR_UNKNOWN_TOOL`) for a name that is plainly a typo
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for a configuration of the wrong shape, a gated entry that is no tool of
 * the AI SDK, and a tool with a property that only looks like `needsApproval`
 * @throws {@link UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export declare function applyInterruptConfig<TOOLS extends ToolSet>(
  tools: TOOLS,
  interruptOn: InterruptOn<NoInfer<TOOLS>>,
  options?: UnknownToolsOptions,
): TOOLS;

/** Whether this configuration asks about any tool at all. @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) */
export declare function hasApprovalTools(interruptOn: InterruptOn): boolean;

// ---------------------------------------------------------------------------------------------------------------------
// Policies
// ---------------------------------------------------------------------------------------------------------------------

/** What is done about a call, or about a part of one. Of several, the strictest counts: `deny`, then `ask`, then `allow`. */
export type PolicyEffect = 'allow' | 'ask' | 'deny';

/**
 * How asks are answered without a human. `safe`: they are not. `auto`: asks are approved at once, by `auto`, and denies stay. `plan`: only what the
 * `read-only` preset allows runs. `deny-all-asks`: nobody is there, so asks become denials.
 */
export type PolicyMode = 'safe' | 'auto' | 'plan' | 'deny-all-asks';

/** Who a policy comes from. */
export type PolicyLayer = 'managed' | 'user' | 'project' | 'code' | 'session';

/** One or several patterns. */
type Patterns = string | readonly string[];

/** The words that a command begins with. */
type CommandWords = string | readonly (string | readonly string[])[];

/** A command of which it is said what may stand behind its first words. */
type ClosedCommand =
  | {
      words: CommandWords;
      /** These operands and no others, one of them at least; `[]`: none. Options that are known of the program may stand anywhere. */
      operands: readonly (string | readonly string[])[];
      /** These options and no others, e.g. `'--quiet'`. @default all that are known and do nothing that needs an allow */
      options?: readonly string[];
    }
  | {
      words: CommandWords;
      /** Not one word more. */
      exact: true;
    };

/** One rule. Without any matcher it speaks of whole calls of its `tools`. The reference is docs/policy.md. */
export interface PolicyRule {
  /** Names of tools, with `*` for any text. @default all tools */
  tools?: Patterns;
  /** Names of MCP servers: the rule speaks of their tools alone, and `tools` are the names that they have there. */
  mcp?: Patterns;
  effect: PolicyEffect;
  /** Why. The human is shown it, and for a denial the model. */
  reason?: string;
  /**
   * Beginnings of commands, token by token: `'git status'`, or `['git', ['status', 'log']]` with alternatives; `*` is one
   * token, `**` any number of them. `{ words: 'npm test', operands: [] }` says what may stand behind.
   */
  commands?: readonly (CommandWords | ClosedCommand)[];
  /** Files that are read: globs; `!` takes out again. */
  reads?: Patterns;
  /** Files that are made, changed, moved or deleted. */
  writes?: Patterns;
  /** Addresses: `https://*.example.com/api/**`, or a host. */
  urls?: Patterns;
  /** Variables that a command line may set. */
  env?: Patterns;
  /** Hints that a tool gives of itself, e.g. `{ destructiveHint: true }`. For `ask` and `deny` only. */
  annotations?: Readonly<Record<string, boolean>>;
  /** Who must agree, as {@link ApprovalNeed.approvers}. This and the next four are for `ask` only. */
  approvers?: Patterns;
  /** @default 1 */
  quorum?: number;
  /** @default false */
  exclude_requester?: boolean;
  /** Times are texts such as `'90s'`, `'10m'`, `'2h'`, or ms. */
  escalate?: { after: string | number; to: Patterns };
  /** So long before the deadline everybody is told once more. */
  remind?: string | number;
  /** What the rule must and must not match; checked when it is read. */
  examples?: { match?: readonly string[]; not_match?: readonly string[] };
}

/** How the arguments of a tool are read: for each, the name of the argument (`a.b` for one inside another), or several. */
export interface ToolReading {
  /** A command line. */
  command?: Patterns;
  /** A file that is read. */
  read?: Patterns;
  /** A file that is written. */
  write?: Patterns;
  /** An address that is fetched from. */
  url?: Patterns;
  /** The directory that the rest is relative to. */
  cwd?: Patterns;
  /** Arguments that say nothing of what the tool does; `*` for all that are not listed. A call with any other argument asks. */
  ignore?: Patterns;
  /**
   * The shell that runs the command line. `sh` may be dash or bash: the stricter counts. `none`: the command is a list of
   * words, and no shell reads it. @default 'sh'
   */
  shell?: 'bash' | 'sh' | 'posix' | 'zsh' | 'pwsh' | 'powershell' | 'cmd' | 'none';
}

/** A policy as data: the same as a TOML or JSON file. */
export interface PolicyDocument {
  version: 1;
  /** For what no rule speaks of. @default `'ask'`, with `match: 'first'` `'deny'` */
  default?: PolicyEffect;
  /** @default 'strictest' */
  match?: 'strictest' | 'first';
  /** For tools beside the usual names (`execute`, `read_file`, `write_file`, …), which are built in. */
  tools?: Readonly<Record<string, ToolReading>>;
  rule?: readonly PolicyRule[];
  /** Modes that {@link Gate.setMode} refuses. */
  forbid?: readonly PolicyMode[];
}

/** A policy that was read and checked. */
export interface Policy {
  /** The file, or the name that stands in verdicts. */
  readonly name: string;
  /** As it was written. */
  readonly text: string;
  readonly format: 'toml' | 'json' | 'object';
  /** The functions of a {@link definePolicy}. */
  readonly conditions: readonly PolicyCondition[];
}

/** Says whether a rule is meant. A throw, a rejection, another value, or no answer within 10,000 ms asks. */
export type PolicyCondition = (call: PolicyCall) => boolean | PromiseLike<boolean>;

/** A call as a condition or a {@link PolicyJudge} sees it. */
export interface PolicyCall {
  toolName: string;
  /** A copy: changing it changes nothing that runs. */
  args: unknown;
  /** @default a new UUIDv7 in `checkPolicy` and the like */
  toolCallId: string;
  cwd: string;
  /** Aborted when the run is. */
  abortSignal?: AbortSignal;
}

/**
 * A policy, in any of its forms. A document is plain data at any depth: objects and lists with nothing inherited, no getters, maps,
 * sets, promises, functions or `undefined`; else {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) names the place.
 */
export type PolicyInput = PolicyDocument | Policy | 'preset:read-only' | 'preset:developer';

/**
 * One more judge, e.g. a classifier. It may only tighten: the stricter of its effect and of `verdict` counts. A throw, a
 * rejection, another value, or no answer within 10,000 ms asks. Not called for what is denied anyway. What somebody was asked about
 * it judges once more right before the call runs, perhaps much later: a deny by then stops it, and an ask was answered. An edit it
 * judges when it is given.
 */
export type PolicyJudge = (
  call: PolicyCall,
  verdict: PolicyVerdict,
) =>
  | PolicyEffect
  | { effect: PolicyEffect; reason?: string }
  | undefined
  | PromiseLike<PolicyEffect | { effect: PolicyEffect; reason?: string } | undefined>;

/** One thing that a call would do, and what the policies say of it. */
export type PolicySubject = {
  effect: PolicyEffect;
  /** The rule that decided it. */
  rule: PolicyRuleRef | null;
  /** Where it stands in the command line: UTF-16 offsets. */
  span?: [start: number, end: number];
} & (
  | {
      kind: 'command';
      /** `null` where only the run will tell. */
      argv: (string | null)[];
      text: string;
      /** `env`, `timeout`, `sh -c` and the like: what it runs is a subject of its own. */
      wrapper: boolean;
    }
  | { kind: 'read' | 'write'; path: string | null; text: string }
  | { kind: 'url'; url: string | null; text: string }
  | { kind: 'env'; name: string }
  | { kind: 'tool'; name: string }
  /** What cannot be proven: it is never allowed. */
  | { kind: 'unknown'; reason: string }
);

/** Where a rule stands. */
export interface PolicyRuleRef {
  /** The file, or a name such as `policy option` or `preset:developer`. */
  source: string;
  layer: PolicyLayer;
  /** From 1; `null` for objects. */
  line: number | null;
  column: number | null;
  /** Its index in the document, from 0. */
  index: number;
}

/**
 * What the policies say about a call. `reason` and the texts of the subjects quote arguments as they are: show them on a
 * terminal through {@link safeText}.
 */
export interface PolicyVerdict {
  effect: PolicyEffect;
  /** The deciding rule; `null`: a default, or something that no rule can allow. */
  rule: PolicyRuleRef | null;
  reason: string;
  /** Of very many, the first 200, and the first 20 of the strictest. */
  subjects: PolicySubject[];
  /** How many subjects are left out, none stricter than those that are not. */
  more?: number;
}

/** {@link PolicyVerdict}, with what lost and why. */
export interface PolicyExplanation extends PolicyVerdict {
  /** The whole as text, for a terminal. */
  text: string;
}

/** Something in a policy that is probably not meant. */
export interface PolicyFinding {
  /** E.g. `shadowed`, `unmatchable`, `too-broad`, `duplicate`. */
  code: string;
  severity: 'error' | 'warning' | 'info';
  message: string;
  source: string;
  line: number | null;
  column: number | null;
}

/** A place where a policy cannot be read. */
export interface PolicyProblem {
  code: PolicyErrorCode;
  /** With the place and what to do. */
  message: string;
  source: string;
  line: number | null;
  column: number | null;
}

/** Where calls come from and where relative paths start. */
export interface PolicyPlace {
  /** @default process.cwd() */
  cwd?: string;
  /** What `${project}` means. @default the nearest directory upward that has `.countersign` or `.git`, else `cwd` */
  project?: string;
  /** What `~` means. @default os.homedir() */
  home?: string;
}

/**
 * A policy in code: rules in order, the first that matches decides, and what none matches is denied. Matchers compile to the
 * same rules as a document's; `if` functions are asked for each call of the rule's tools.
 *
 * @throws {@link PolicyError} (`ERR_POLICY_…`)
 */
export declare function definePolicy(
  rules: readonly {
    tools?: Patterns;
    /** One of these. @default whole calls of the tools */
    when?: PolicyMatcher | readonly PolicyMatcher[];
    /** And this too. */
    if?: PolicyCondition;
    effect: PolicyEffect;
    reason?: string;
  }[],
  options?: {
    /** @default 'definePolicy' */
    name?: string;
    /** @default 'deny' with `first`, 'ask' with `strictest` */
    default?: PolicyEffect;
    /** @default 'first' */
    match?: 'first' | 'strictest';
    tools?: Readonly<Record<string, ToolReading>>;
  },
): Policy;

/** What a rule of {@link definePolicy} speaks of. */
export interface PolicyMatcher {
  readonly matches: Readonly<Pick<PolicyRule, 'commands' | 'reads' | 'writes' | 'urls' | 'env'>>;
}

/** Everything of these kinds. */
export declare function anyOfKind(...kinds: readonly ('command' | 'read' | 'write' | 'url' | 'env')[]): PolicyMatcher;
/** Files. @param options.access @default both reads and writes */
export declare function fsGlob(
  patterns: string | readonly string[],
  options?: { access?: 'read' | 'write' },
): PolicyMatcher;
/** Commands, token by token: `'npm run *'`. */
export declare function shellGlob(...patterns: readonly string[]): PolicyMatcher;
/** Addresses. */
export declare function urlPattern(...patterns: readonly string[]): PolicyMatcher;

/**
 * Reads a policy. @throws {@link PolicyError} (`ERR_POLICY_…`) with every fault and its place
 */
export declare function parsePolicy(
  text: string,
  options?: {
    /** @default 'toml', for a name that ends in `.json` or `.jsonc` `'json'` */
    format?: 'toml' | 'json';
    /** @default 'policy' */
    name?: string;
  },
): Policy;

/** Reads a policy file. @throws {@link PolicyError} (`ERR_POLICY_…`), also when it cannot be read (`ERR_POLICY_FILE`) */
export declare function loadPolicy(path: string): Promise<Policy>;

/**
 * What these policies say about a call, without running or asking anything. Symlinks are looked up.
 *
 * What `parsePolicy`, `loadPolicy` and `definePolicy` gave is made ready once; another object is read anew at each call.
 */
export declare function checkPolicy(
  policy: PolicyInput | readonly PolicyInput[],
  call: { toolName: string; args: unknown; annotations?: Readonly<Record<string, unknown>> },
  place?: PolicyPlace,
): Promise<PolicyVerdict>;

/** {@link checkPolicy}, with the rules that matched and lost for each subject. Its effect is always the same. */
export declare function explainPolicy(
  policy: PolicyInput | readonly PolicyInput[],
  call: { toolName: string; args: unknown; annotations?: Readonly<Record<string, unknown>> },
  place?: PolicyPlace,
): Promise<PolicyExplanation>;

/** Rules that are shadowed, can match nothing, or allow too much. */
export declare function lintPolicy(
  policy: PolicyInput | readonly PolicyInput[],
  options?: {
    /** The tools that exist, to find rules for tools that do not. */
    toolNames?: readonly string[];
  },
): PolicyFinding[];

/** A call of the past, as it was recorded. */
export interface RecordedCall {
  toolName: string;
  args: unknown;
  cwd?: string;
  /** What was said then; without it, it is only counted. */
  effect?: PolicyEffect;
}

/** What recorded calls would get from other policies. */
export declare function replayPolicy(
  calls: Iterable<RecordedCall> | AsyncIterable<RecordedCall>,
  policy: PolicyInput | readonly PolicyInput[],
  place?: PolicyPlace,
): Promise<{
  total: number;
  /** How many calls get which effect now. */
  effects: Record<PolicyEffect, number>;
  changed: { call: RecordedCall; from: PolicyEffect; to: PolicyVerdict }[];
}>;

/** Policies of other products that can be imported. */
export type ForeignPolicyFormat = 'claude-code' | 'codex' | 'gemini-cli' | 'opencode' | 'vscode';

/**
 * Another product's rules as a policy of ours. What cannot be said exactly becomes stricter, and each such place is listed.
 *
 * @throws {@link PolicyError} (`ERR_POLICY_…`, a rejection) for a text that is not of that format
 */
export declare function importPolicy(
  format: ForeignPolicyFormat,
  text: string,
  options?: { name?: string },
): Promise<{
  /** The policy as TOML. */
  toml: string;
  policy: Policy;
  losses: {
    /** The foreign rule. */
    what: string;
    line: number | null;
    why: string;
    /** `stricter`: kept, but it asks or denies more. `dropped`: an allow that is not there. */
    effect: 'stricter' | 'dropped';
  }[];
}>;

/**
 * For how long a decision is remembered: while the run lasts, while the gate lives, or in the user's file, for this project.
 * `always` needs a gate with `policyFiles: true`. For loops that are not ours a run has no end: it lasts as long as the gate.
 */
export type GrantScope = 'run' | 'session' | 'always';

/** What "always" would save: proven to match this very call again. */
export interface GrantOffer {
  /** One sentence: what would be allowed (or denied) from now on. */
  label: string;
  rules: PolicyRule[];
  /** What else it speaks of, in words. */
  also: string[];
}

/** A remembered decision. */
export interface Grant {
  /** UUIDv7. */
  id: string;
  effect: 'allow' | 'deny';
  scope: GrantScope;
  /** The run, for the scope `run`. */
  runId: string | null;
  /** The project it was granted in, for the scope `always`: it answers nothing in another. */
  project: string | null;
  label: string;
  /** Their paths are the files that were shown: a symlink that takes the place of one is asked about again. */
  rules: PolicyRule[];
  /** Who decided. */
  by: string;
  /** ms since the epoch. */
  createdAt: number;
  /** ms since the epoch; `null`: until it is revoked. */
  expiresAt: number | null;
}

/** The remembered decisions of a gate. */
export interface Grants {
  /** Those that hold now, oldest first. */
  list(): Promise<Grant[]>;
  /** `false`: there is no such grant. */
  revoke(id: string): Promise<boolean>;
}

/** A file that a call would change, as it is on disk now. An approval holds only while it stays so. */
export interface FileChange {
  path: string;
  /**
   * The file itself: absolute, every symlink on the way followed. A call that leads to another one by the time that it is to
   * run is asked about again. `null`: that cannot be told.
   */
  target: string | null;
  /** SHA-256 (hex) of its content before; `null`: it does not exist. */
  before: string | null;
  added: number;
  removed: number;
  /** A unified diff, safe to show. */
  diff: string;
}

// ---------------------------------------------------------------------------------------------------------------------
// Requests and decisions
// ---------------------------------------------------------------------------------------------------------------------

/** An argument in one line that is safe to show, both ends of a long value kept. Of more than 40 the last row counts the rest. */
export interface ArgumentRow {
  /** Empty where the arguments are no object. */
  name: string;
  value: string;
}

/** A tool call put to a human. */
export interface ApprovalRequest<ARGS = unknown, NAME extends string = string> {
  /** `question`: the call runs nothing, it asks the human something; see {@link QuestionRequest}. */
  kind: 'approval' | 'question';
  /** Unguessable, sortable by time (UUIDv7). */
  approvalId: string;
  /** The run it belongs to. */
  runId: string;
  toolCallId: string;
  toolName: NAME;
  /** A copy of the arguments: changing it changes nothing that runs. */
  args: ARGS;
  /** The step of the run that made the call, from 1; `null`: its loop is not ours. */
  step: number | null;
  /** The path of agents it came from, e.g. `['main', 'task:call_7', 'researcher']`. */
  origin: readonly string[];
  /** One sentence, safe to show: what matters most of the call first. */
  description: string;
  /** The arguments for a table: path, command, address, recipient and method first, then as the call has them. */
  rows: readonly ArgumentRow[];
  /** The call as plain text that is safe to show: control, bidi and invisible characters made visible, both ends kept. */
  preview: string;
  /**
   * What the preview found worth a warning: `ansi`, `control`, `nul`, `bidi`, `invisible`, `unicode-space`, `homoglyph`,
   * `combining`, `long`, `padding`, `multiline`, `odd-key`, `right-to-left`, and `hidden`, where it leaves something out: `args` has
   * it. All but `long` and `multiline` want a second look before it is approved.
   */
  flags: readonly string[];
  allowedDecisions: readonly DecisionType[];
  /** ms since the epoch. */
  createdAt: number;
  /** ms since the epoch; `null`: no deadline. */
  expiresAt: number | null;
  /** SHA-256 over tool, arguments, call, run, and what the policies judged it under (hex): what is approved is what runs. */
  digest: string;
  /** What the policies say; `null` where none is set. */
  verdict: PolicyVerdict | null;
  /**
   * What "always" would save; `null` where it is not offered, since it would allow too much or would not match again, and
   * for {@link Gate.request}.
   */
  always: { allow: GrantOffer | null; deny: GrantOffer | null };
  /** The files that a call of a well-known tool would change. */
  changes: FileChange[];
  /**
   * What the ledger still has of the arguments. `redacted`: parts were replaced before they were stored. `dropped`: they were
   * removed after the time that {@link LedgerRetention} gives them, and `args` is `null`.
   */
  contents: 'kept' | 'redacted' | 'dropped';
  /** Who must agree; empty: anybody, once. */
  needs: readonly ApprovalNeed[];
  /** Who asked for the run; `null`: nobody said. */
  requester: string | null;
  /** The approvals that were counted when this was read; those of a request that needs only one are none. */
  votes: readonly Vote[];
  /** Since when it may be decided by those that {@link ApprovalNeed.escalate} names, in ms since the epoch. */
  escalatedAt: number | null;
  /**
   * Whether a process that is gone had started this call: it may have had its effect, and an approval runs it once more. Asked
   * about again after that in any later life of the run, it stays `true`.
   */
  startedBefore: boolean;
}

/** {@link ApprovalRequest}, one member per tool, so that `toolName` narrows `args`. */
export type ApprovalRequestOf<TOOLS extends ToolSet> =
  ToolNames<TOOLS> extends infer NAME
    ? NAME extends ToolNames<TOOLS>
      ? ApprovalRequest<InferToolInput<TOOLS[NAME]>, NAME>
      : never
    : never;

type ToolNames<TOOLS extends ToolSet> = keyof TOOLS & string;

/**
 * A call as plain text that is safe to show: control, bidi and invisible characters made visible, both ends of long values
 * kept, and a gutter before each line that comes from the arguments, so that none of them can pose as your own words.
 *
 * {@link ApprovalRequest.preview} is the same without a `width`; a terminal that wraps lines itself breaks the gutter.
 *
 * @throws {@link InvalidArgumentsError} (`ERR_INVALID_ARGUMENTS`)
 */
export declare function preview(
  call: { toolName: string; args: unknown },
  options?: {
    /** Columns, no fewer than 20. @default lines are not wrapped */
    width?: number;
  },
): { text: string; flags: string[] };

/** Any text made safe to show: control, bidi and invisible characters made visible, both ends of a long one kept. */
export declare function safeText(text: string): string;

/**
 * What a human decides. `reason` reaches the model: that of an approval, an edit or a response together with the result. An answer is
 * taken as it is when it is given: changing it later changes nothing, and `args` with a `toJSON` of their own are refused.
 */
export type Decision<ARGS = unknown> =
  /** `remember`: also answers the calls that {@link ApprovalRequest.always} speaks of, as long as it says. */
  | { type: 'approve'; reason?: string; remember?: Remember }
  /** Run it with these arguments instead: they pass the tool's schema and are judged again; the model is told. */
  | { type: 'edit'; args: ARGS; reason?: string }
  /** Do not run it. `stop` also ends the turn: nothing else of the step runs and the model is not called again. */
  | { type: 'reject'; reason?: string; stop?: boolean; remember?: Remember }
  | { type: 'rejectAndStop'; reason?: string }
  /** Do not run it; the model gets this as the tool's result. */
  | { type: 'respond'; output: unknown; reason?: string }
  /** Do not run it, and tell the model to go on without. */
  | { type: 'skip'; reason?: string };

/** A scope, or a scope and for how long, in ms. */
export type Remember = GrantScope | { scope: GrantScope; expiresIn?: number };

/** Answers of other libraries, taken as they are: RadarOS and the AI SDK, combycode, LangChain. */
export type ForeignDecision =
  | { approved: boolean; reason?: string }
  | { decision: string; overrideResult?: unknown; note?: string }
  | { type: 'edit'; editedAction: { name: string; args: unknown }; message?: string }
  | { type: 'approve' | 'reject' | 'respond'; message?: string };

/**
 * What {@link StreamWithEventsOptions.onApprovalRequest} may answer. Anything else is a rejection.
 *
 * An answer that is an object may say who it is of, beside the decision. Where a request names who may decide, one that does
 * not is not taken: the request waits for others where the run has a gate, and is rejected where it has none.
 */
export type ApprovalAnswer<ARGS = unknown> =
  boolean | ((Decision<ARGS> | ForeignDecision) & { by?: string; groups?: readonly string[] });

/** What became of a request. `expired` and `cancelled` are decided by time and by machines. */
export type DecisionOutcome =
  | { type: 'approve'; reason?: string }
  | { type: 'edit'; args: unknown; reason?: string }
  | { type: 'reject'; reason?: string; stop?: boolean }
  | { type: 'respond'; output: unknown; reason?: string }
  | { type: 'skip'; reason?: string }
  | { type: 'expired'; reason?: string }
  | { type: 'cancelled'; reason?: string };

/** A request's life: `pending`, one decision, and for an approved or edited one its execution. */
export type ApprovalStatus =
  | 'pending'
  | 'approved'
  | 'edited'
  | 'rejected'
  | 'responded'
  | 'skipped'
  | 'expired'
  | 'cancelled'
  | 'started'
  | 'succeeded'
  | 'failed'
  | 'interrupted';

/** Through what a decision came. */
export type DecidedVia =
  | 'callback'
  | 'gate'
  | 'terminal'
  | 'messages'
  /** The web inbox. */
  | 'inbox'
  /** A signed link, as in an e-mail or a chat message. */
  | 'link'
  /** A client that speaks ACP or MCP. */
  | 'protocol'
  | 'deadline'
  | 'abort'
  | 'system';

/** A request and what has become of it. */
export interface ApprovalRecord extends ApprovalRequest {
  status: ApprovalStatus;
  /** `null` while it is pending. */
  decision: DecisionOutcome | null;
  /** Who decided: the `by` that was given, else the name of what it came through. */
  decidedBy: string | null;
  via: DecidedVia | null;
  /** ms since the epoch. */
  decidedAt: number | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// The gate
// ---------------------------------------------------------------------------------------------------------------------

/** For how long a ledger keeps what is over. What waits is never removed. */
export interface LedgerRetention {
  /** Arguments, previews and results of a request, in ms after its end; their digests stay. @default 2,592,000,000: 30 days */
  contents?: number;
  /** The records themselves, in ms after their end. @default they stay for ever */
  records?: number;
}

export interface GateOptions {
  /**
   * Where requests are kept. `memory:` keeps them in this process, for as long as it lives. `sqlite:approvals.db` keeps them in
   * a file that several processes may share and that outlives them; a relative path starts at `place.cwd`. `sqlite:` alone
   * is a temporary file, removed when the gate is closed. `postgres://…` keeps them in PostgreSQL, for several machines; what
   * can be said after its `?` is in docs/postgres.md.
   *
   * @default the environment's COUNTERSIGN_LEDGER, else 'memory:'
   */
  ledger?: 'memory:' | `sqlite:${string}` | `postgres://${string}` | `postgresql://${string}`;
  /**
   * Stores arguments, previews, decisions and results encrypted. The key stands in an environment variable, never in the code:
   * its name is `keyEnv`. Nothing is stored, so nothing is encrypted, in `memory:`.
   *
   * @default none; for a ledger that COUNTERSIGN_LEDGER names, the key in COUNTERSIGN_LEDGER_KEY when that is set
   */
  encryption?: {
    /** @default 'COUNTERSIGN_LEDGER_KEY' */
    keyEnv?: string;
  };
  /** For how long a ledger that lasts keeps what is over. */
  retention?: LedgerRetention;
  /** How long a request waits, in ms, unless its tool says otherwise. @default 300,000 */
  timeout?: number;
  /**
   * The largest arguments of one call, in bytes of JSON; a larger call is denied unasked.
   *
   * @default 4,194,304
   */
  maxArgumentBytes?: number;
  /** Decided requests that are kept for `get`; older ones are forgotten. @default 10,000 */
  keepDecided?: number;
  /**
   * What may run, what must be asked about, what must not run. With a policy every tool is judged, and what no rule speaks
   * of is asked about. Several are layers of one: the strictest rule counts.
   *
   * @default none: only `interruptOn` and the tools themselves ask
   */
  policy?: PolicyInput | readonly PolicyInput[];
  /**
   * Also the policy files of this machine: the administrator's, the user's and the project's (which may only tighten, unless
   * the user trusts it). They are read again when they change. With a `policy`, the administrator's counts in any case.
   *
   * @default false
   */
  policyFiles?: boolean;
  /** Where relative paths start. */
  place?: PolicyPlace;
  /** One more judge, which may only tighten. */
  judge?: PolicyJudge;
  /** Who is in the groups that `approvers` name, beside what {@link DecideOptions.groups} says. */
  groups?: Readonly<Record<string, readonly string[]>>;
  /** Asked before each decision that a person makes through this gate. */
  authorize?: Authorize;
  /** @default 'safe' */
  mode?: PolicyMode;
  logger?: Logger;
  /**
   * Takes secrets out of arguments, previews, diffs, reasons and results before they are stored, logged or told to others. The
   * human in this process is shown the original, and that is what runs. A redacted call cannot be resumed by another process.
   *
   * @default nothing is taken out
   */
  redact?: RedactOptions;
  /** OpenTelemetry spans and metrics, through `@opentelemetry/api`. @default false */
  telemetry?: boolean | TelemetryOptions;
}

/**
 * `'secrets'`: what looks like a common credential. A regular expression: what it matches (it must not take more than linear
 * time). A function: what it makes of the arguments; patterns then look through that, and through all other texts.
 */
export type RedactOptions =
  | 'secrets'
  | readonly (RegExp | 'secrets')[]
  | RedactFunction
  | { patterns?: 'secrets' | readonly (RegExp | 'secrets')[]; using?: RedactFunction };

/**
 * Arguments as they may be stored; `args` is a copy. When it throws, or returns `undefined`, a promise or anything else that
 * is not plain data, nothing of the arguments is stored. The request goes on in any case.
 */
export type RedactFunction = (call: { toolName: string; args: unknown }) => unknown;

/** Where spans and metrics go. Arguments and reasons are in none of them. */
export interface TelemetryOptions {
  /** A `Tracer` of `@opentelemetry/api`. @default that of the global provider, named `countersign` */
  tracer?: TelemetryTracer;
  /** A `Meter` of `@opentelemetry/api`. @default that of the global provider, named `countersign` */
  meter?: TelemetryMeter;
  /** There is no other choice. */
  recordArguments?: false;
}

/** What is used of a `Tracer` of `@opentelemetry/api`, which need not be installed. */
export interface TelemetryTracer {
  startSpan(name: string, options?: object, context?: never): unknown;
}

/** What is used of a `Meter` of `@opentelemetry/api`, which need not be installed. */
export interface TelemetryMeter {
  createHistogram(name: string, options?: object): unknown;
  createCounter(name: string, options?: object): unknown;
  createUpDownCounter(name: string, options?: object): unknown;
}

/**
 * Gets one line per step of a request’s life. Arguments appear at `trace` only. It has some of these functions; one that has none is
 * refused (`ERR_INVALID_CONFIG`).
 */
export interface Logger {
  trace?(message: string, fields: Record<string, unknown>): void;
  debug?(message: string, fields: Record<string, unknown>): void;
  info?(message: string, fields: Record<string, unknown>): void;
  warn?(message: string, fields: Record<string, unknown>): void;
  error?(message: string, fields: Record<string, unknown>): void;
}

/**
 * Says whether this person may take this decision: `true`, or why not. Anything else, a throw, a rejected promise, or no answer
 * within 10,000 ms means no: {@link NotAuthorizedError} (`ERR_NOT_AUTHORIZED`), and the request goes on waiting.
 */
export type Authorize = (
  decision: Decision,
  context: {
    request: ApprovalRequest;
    /** `null`: nobody said. */
    by: string | null;
    groups: readonly string[];
    via: DecidedVia;
  },
) => boolean | string | PromiseLike<boolean | string>;

export interface DecideOptions {
  /** Who decides; it stands in the record and in the events. Needed where a request names approvers or a quorum. */
  by?: string;
  /** The groups that this person is in, as the caller knows. @default none beside the gate's own `groups` */
  groups?: readonly string[];
  /** Through what it came. @default 'gate' */
  via?: 'gate' | 'terminal' | 'inbox' | 'link' | 'protocol';
  reason?: string;
  /**
   * For `approve` and `reject`: remember it. {@link InvalidDecisionError} (`ERR_INVALID_DECISION`) for what is not as it should
   * be, such as a field that is not known, and where the request does not offer it; the request goes on waiting.
   */
  remember?: Remember;
}

/** A question to a human from any code, outside an agent too. */
export interface GateRequest<ARGS = unknown> extends ApprovalNeed {
  toolName: string;
  args: ARGS;
  /** @default a new UUIDv7 */
  toolCallId?: string;
  /** @default in the `execute` of a tool of a run that has this gate: that run's; else a new UUIDv7 */
  runId?: string;
  /** @default in the `execute` of a tool of a run that has this gate: that run's; else ['main'] */
  origin?: readonly string[];
  description?: string;
  allowedDecisions?: readonly DecisionType[];
  /** In ms. @default the gate's `timeout` */
  timeout?: number;
  /** So many ms before the deadline everybody is told once more. @default nobody is */
  remind?: number;
  /** Who asks. @default in the `execute` of a tool of a run that has this gate: who asked for the run */
  requester?: string;
}

/** How a request ended. */
export interface Resolution {
  approvalId: string;
  /** Whether the thing asked about may be done: `true` for `approve` and `edit` only. */
  approved: boolean;
  decision: DecisionOutcome;
  /** The arguments to use when approved: those asked about, or the edited ones. A fresh copy. */
  args: unknown;
  reason?: string;
  decidedBy: string;
}

export type GateEvent =
  | { type: 'requested'; request: ApprovalRequest }
  | {
      type: 'decided';
      request: ApprovalRequest;
      decision: DecisionOutcome;
      decidedBy: string;
      via: DecidedVia;
      at: number;
    }
  /** An approval was counted, and more are needed. */
  | { type: 'voted'; request: ApprovalRequest; vote: Vote; at: number }
  /** Its deadline is near. */
  | { type: 'reminded'; request: ApprovalRequest; at: number }
  /** Nobody decided in time: these may now, too. */
  | { type: 'escalated'; request: ApprovalRequest; to: readonly string[]; at: number }
  | { type: 'granted'; grant: Grant; approvalId: string; at: number }
  /** A policy file changed. `problems` of a new version mean that the old one still holds. */
  | { type: 'policy-changed'; problems: PolicyProblem[]; at: number }
  | { type: 'started'; approvalId: string; at: number }
  /** `interrupted`: the process that ran it died, so that nobody knows how it ended. */
  | { type: 'settled'; approvalId: string; status: 'succeeded' | 'failed' | 'interrupted'; at: number };

/** What an entry of the audit tells of. */
export type AuditKind =
  | 'requested'
  /** An approval that is one of several. */
  | 'voted'
  /** A decision by somebody who may not take it. */
  | 'refused'
  | 'reminded'
  | 'escalated'
  | 'decided'
  | 'started'
  | 'settled'
  /** A started call was found without the process that ran it. */
  | 'interrupted'
  /** The policies judged a call. */
  | 'verdict'
  | 'granted'
  | 'grant-revoked'
  | 'run-started'
  | 'run-resumed'
  | 'run-ended'
  | 'clock-jump'
  /** Contents that were kept long enough were dropped. */
  | 'pruned'
  /** The ledger was made, or opened by another version. */
  | 'opened';

/** Something that happened. Never with arguments: they are told by their digests. */
export interface AuditEntry {
  /** From 1, without gaps. */
  seq: number;
  /** ms since the epoch; never before the entry before it. */
  at: number;
  kind: AuditKind;
  runId?: string;
  toolCallId?: string;
  toolName?: string;
  approvalId?: string;
  /** Who. */
  by?: string;
  via?: DecidedVia;
  effect?: PolicyEffect;
  rule?: { source: string; layer: PolicyLayer; line?: number };
  /** Cut after 1 KiB. */
  reason?: string;
  /** What an approval of the call is bound to. */
  digest?: string;
  /** Of the arguments alone. */
  argsDigest?: string;
  decision?: DecisionOutcome['type'];
  status?: ApprovalStatus;
  origin?: readonly string[];
  /** What only this kind has. */
  more?: Readonly<Record<string, string | number>>;
  /** SHA-256 (hex) over the hash before it and all of the above as it is kept. */
  hash: string;
}

/** Where an audit stands. Published, it tells later whether anything before it was changed. */
export interface AuditHead {
  /** How many entries. */
  size: number;
  /** The `hash` of the last one; 64 zeros where there is none. */
  hash: string;
  /** When the last one was made, in ms since the epoch; `null`: it does not say. */
  at: number | null;
}

/** A head in a signed note, and whose. */
export interface SignedAuditHead extends AuditHead {
  /** Which log. */
  origin: string;
  /** The names of the keys that signed it. */
  by: string[];
}

/**
 * How a log stands to a head that was kept elsewhere: it ends with it (`same`), goes on after it (`extended`), ends before it
 * (`truncated`: its end was dropped), or holds another entry in that place (`forked`: it was written anew).
 */
export type AuditStanding = 'same' | 'extended' | 'truncated' | 'forked';

export interface AuditReport {
  /** Nothing is wrong, and the head that was passed in is kept. */
  ok: boolean;
  /** Entries that are as they were written, from the first on. */
  entries: number;
  /** The hash of the last of these. */
  hash: string;
  /** Requests that were compared with their seals and with the entries. */
  records: number;
  /** What is wrong, the first bad entry first. */
  faults: readonly {
    /** The number of the entry, where it is one. */
    seq: number | null;
    /** The id of the request, where it is one. */
    record: string | null;
    what: string;
  }[];
  /** `null`: no head was passed in. */
  standing: AuditStanding | null;
}

/**
 * The audit of a ledger. Whoever can write its file can also write a whole new audit, or drop its end: only a head that was
 * signed and kept elsewhere tells. Everything here throws {@link LedgerError} (`ERR_LEDGER_TEMPORARY`) for `memory:`.
 */
export interface Audit {
  /** The entries, oldest first. */
  list(options?: {
    /** Only those after this number. @default 0 */
    after?: number;
    /** Only those from this time on, in ms since the epoch. */
    since?: number;
    kind?: AuditKind;
    runId?: string;
    /** At most so many. @default all */
    limit?: number;
  }): AsyncIterableIterator<AuditEntry>;
  /** Looks at everything: each entry, each request against its seal and against the entries, the file itself. */
  verify(options?: {
    /** A head that was kept elsewhere. */
    head?: Pick<AuditHead, 'size' | 'hash'>;
  }): Promise<AuditReport>;
  head(): Promise<AuditHead>;
  /** The entries as JSON Lines, without line ends: each as it is kept, to the byte, with `prev` and `hash` at its end. */
  export(options?: {
    /** The number of the first one. @default 1 */
    from?: number;
  }): AsyncIterableIterator<string>;
}

/**
 * A head as a signed note (c2sp.org/signed-note, a checkpoint of c2sp.org/tlog-checkpoint with the head of a hash chain as its
 * root hash), to be published.
 *
 * @throws {@link AuditHeadError} (`ERR_AUDIT_HEAD`) for a key that is none
 */
export declare function signAuditHead(
  head: AuditHead,
  options: {
    /** `PRIVATE+KEY+…`, as `countersign audit keygen` writes it. */
    privateKey: string;
    /** Which log this is. @default the name of the key */
    origin?: string;
  },
): string;

/**
 * The head in a note that at least one of these keys signed. Compare its `origin` with the log that you mean.
 *
 * @throws {@link AuditHeadError} (`ERR_AUDIT_HEAD`) when it is no such note, a signature is wrong, or no known key signed it
 */
export declare function verifyAuditHead(note: string, publicKeys: string | readonly string[]): SignedAuditHead;

/** The live object that asks, waits and wakes. The first decision wins. */
export interface Gate extends AsyncDisposable {
  /**
   * Asks a human and waits for the answer. Never rejects because of what a human answers: see {@link Resolution}. An
   * approval is used up when it is handed to you: its record goes on to `succeeded`, since what you do cannot be seen.
   *
   * The call is judged as that of a tool is, by the policies, the judge and the mode of the gate. What is denied is not put to
   * anybody: it is not approved, with the reason. All else is asked about, also what a rule, a grant or the mode `auto` would
   * allow: who asks by code wants a human. Who must agree by a rule must agree beside those that the request names. An edit is
   * judged, and so is the call once more when the answer is taken: where a path leads elsewhere by then, it is asked about again,
   * by a request of its own, so that `approvalId` is that of the last one.
   *
   * In the `execute` of a tool of a run that has this gate it is a request of that run: its policies count, too, its events come
   * out of the run's iterator, and the abort of the run cancels it.
   *
   * @throws {@link GateClosedError} (`ERR_GATE_CLOSED`), which is no unhandled rejection where nobody waits for the answer
   * @throws {@link DuplicateRequestError} (`ERR_DUPLICATE_REQUEST`) for a `toolCallId` that this run used before
   * @throws {@link InvalidArgumentsError} (`ERR_INVALID_ARGUMENTS`) for arguments that cannot be shown as they are
   */
  request(request: GateRequest, options?: { abortSignal?: AbortSignal }): Promise<Resolution>;
  /**
   * Opens the ledger, which the first use of the gate does otherwise.
   *
   * @throws {@link LedgerError} (`ERR_LEDGER_…`) when it cannot be opened
   */
  ready(): Promise<void>;
  /**
   * What waits, oldest first: over all runs, or of one and its subagents; over all processes that share the ledger.
   */
  pending(filter?: { runId?: string }): Promise<ApprovalRequest[]>;
  get(approvalId: string): Promise<ApprovalRecord | undefined>;
  /** What is no longer pending, the latest request first. */
  history(filter?: {
    /** With those of the runs that are a part of it. */
    runId?: string;
    toolName?: string;
    /** Only those before this one, for the next page. */
    before?: string;
    /** From 1 to 1,000. @default 100 */
    limit?: number;
  }): Promise<ApprovalRecord[]>;
  /**
   * Where more approvals are needed, it is counted: the record is still `pending`, with one more vote.
   *
   * @throws {@link NotApproverError} (`ERR_NOT_APPROVER`): the request goes on waiting
   * @throws {@link NotAuthorizedError} (`ERR_NOT_AUTHORIZED`): the request goes on waiting
   * @throws {@link AlreadyDecidedError} (`ERR_ALREADY_DECIDED`) carries the decision that won
   * @throws {@link ApprovalExpiredError} (`ERR_EXPIRED`)
   * @throws {@link DecisionNotAllowedError} (`ERR_DECISION_NOT_ALLOWED`): the request goes on waiting
   * @throws {@link UnknownApprovalError} (`ERR_UNKNOWN_APPROVAL`)
   */
  approve(approvalId: string, options?: string | DecideOptions): Promise<ApprovalRecord>;
  /** `stop` also ends the turn. Throws as {@link Gate.approve}. */
  reject(
    approvalId: string,
    options?: string | (DecideOptions & { stop?: boolean }),
    more?: DecideOptions,
  ): Promise<ApprovalRecord>;
  /** Throws as {@link Gate.approve}, and {@link InvalidDecisionError} (`ERR_INVALID_DECISION`). */
  edit(approvalId: string, args: unknown, options?: DecideOptions): Promise<ApprovalRecord>;
  /** Throws as {@link Gate.approve}. */
  respond(approvalId: string, output: unknown, options?: DecideOptions): Promise<ApprovalRecord>;
  /** Throws as {@link Gate.approve}. */
  skip(approvalId: string, options?: string | DecideOptions): Promise<ApprovalRecord>;
  /** Throws as {@link Gate.approve}, and {@link InvalidDecisionError} (`ERR_INVALID_DECISION`). */
  decide(approvalId: string, decision: ApprovalAnswer, options?: DecideOptions): Promise<ApprovalRecord>;
  /**
   * What happens from now on, over all runs, and over all processes that share the ledger: of one that lasts also what
   * happened a moment ago. A reader that falls more than 10,000 events behind gets {@link EventsLostError}
   * (`ERR_EVENTS_LOST`): read `pending()` again. Where the ledger is damaged or gone, each gets its {@link LedgerError}
   * (`ERR_LEDGER_…`).
   */
  events(options?: { signal?: AbortSignal }): AsyncIterableIterator<GateEvent>;
  /** What the policies, the grants and the mode of this gate say about a call, without asking anybody. */
  check(call: { toolName: string; args: unknown; runId?: string }): Promise<PolicyVerdict>;
  readonly mode: PolicyMode;
  /**
   * Counts from the next call on, in runs that are under way and for tools that `gateTools` has wrapped. `auto` also approves what
   * waits in this process and would not be asked about any more. In `plan` and `deny-all-asks`, what was approved before under
   * another mode, here or in another process, and was not started does not run: its approval is taken back.
   *
   * @throws {@link ModeForbiddenError} (`ERR_MODE_FORBIDDEN`) where a policy forbids it
   */
  setMode(mode: PolicyMode): Promise<void>;
  readonly grants: Grants;
  /** What happened, in order, so that nobody can change it unseen. For a ledger that lasts. */
  readonly audit: Audit;
  /**
   * Refuses what comes. In `memory:`, what waits is cancelled. In a ledger that lasts it goes on waiting, for another process
   * to answer or to continue the run; whoever waits for it here gets {@link GateClosedError} (`ERR_GATE_CLOSED`). What was
   * aborted before is cancelled in it first. Idempotent.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 * @throws {@link PolicyError} (`ERR_POLICY_…`) for a `policy` that cannot be read
 */
export declare function createGate(options?: GateOptions): Gate;

// ---------------------------------------------------------------------------------------------------------------------
// A run
// ---------------------------------------------------------------------------------------------------------------------

/** What `streamText` takes, whichever AI SDK is installed. */
type StreamTextOptions<TOOLS extends ToolSet> = Parameters<typeof streamText<TOOLS>>[0];

type OmitEach<T, KEYS extends PropertyKey> = T extends unknown ? Omit<T, KEYS> : never;

/** What the two ways to start a run share. */
export interface RunOptions<TOOLS extends ToolSet> extends UnknownToolsOptions {
  /** What is asked about. Where nothing at all is gated, a warning says so once; `'none'` says that it is meant. */
  interruptOn?: InterruptOn<NoInfer<TOOLS>>;
  /**
   * Asks the human. It is called for one call after the other ({@link RunOptions.askOrder}). A throw, a rejected promise and a
   * malformed answer are rejections with the cause as reason, of which a process warning tells the developer; the run goes on.
   * An `AbortError`, as a readline question throws at Ctrl+C, aborts the run. `abortSignal` is aborted when the run is, and when
   * the request is decided elsewhere. `objectionTo` says why an answer would not be taken, such as an edit that does not fit the
   * tool's schema (`undefined`: it would be), so that the human can be asked once more about this call. It never rejects.
   *
   * Without a callback and without a `gate` every request is rejected at once; without a callback and with a `gate` it
   * waits for `gate.approve` and the like.
   */
  onApprovalRequest?: (
    request: ApprovalRequestOf<NoInfer<TOOLS>>,
    options: { abortSignal: AbortSignal; objectionTo: (answer: unknown) => Promise<string | undefined> },
  ) => ApprovalAnswer | PromiseLike<ApprovalAnswer>;
  /**
   * How `onApprovalRequest` and `onQuestion` are called over the run and all that is a part of it. `in-turn`: one at a time, in
   * the order of the calls, as one terminal or one dialogue needs. All requests are open at the gate meanwhile, deadlines run, and
   * one that is decided elsewhere is passed over. `at-once`: for all calls of a step, which may be answered in any order.
   *
   * @default 'in-turn'
   */
  askOrder?: 'in-turn' | 'at-once';
  gate?: Gate;
  /**
   * As {@link GateOptions.policy}. With a `gate` it narrows what the gate's own policy says: it can tighten, never widen.
   */
  policy?: PolicyInput | readonly PolicyInput[];
  /** Tools that the policies deny whatever the arguments are left out of what the model sees (`activeTools`). @default false */
  hideDeniedTools?: boolean;
  /** How long a human has for one request, in ms. @default see {@link InterruptOptions.timeout} */
  approvalTimeout?: number;
  /** Without `>`, which stands between a run and its subagents. @default a new UUIDv7 */
  runId?: string;
  /** Who asked for this run: a need with `excludeRequester` does not count this person. With a `parent` it is that of the parent. */
  requester?: string;
  /** The path of agents this run is. @default ['main'], with a `parent` its path, the call and the name of the tool */
  origin?: readonly string[];
  /**
   * Makes this run a part of the one that called a tool: pass what the tool's `execute` got as its second argument. The run
   * asks through its parent and is on the same gate; what its parent must ask about, it must ask about; it ends
   * with that call, which therefore waits for its result; and its events come out of its parent's iterator, with their origin. Its `interruptOn`, `policy`,
   * `allowedDecisions` and `timeout`s can tighten what its parent has, never widen.
   *
   * {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for anything else, `undefined` too ({@link isCallOfRun} tells), and together with `gate`, `onApprovalRequest`,
   * `askOrder` or `runId`: its id is `<parent's>><toolCallId>`.
   */
  parent?: { toolCallId: string };
  /** Where relative paths start, without a `gate`, which has its own. */
  place?: PolicyPlace;
  /**
   * Answers the questions of an `ask_user` tool (`createAskUserTool` of `countersign/agent`). Without it they wait for
   * {@link Gate.respond}; without a `gate` either the model is not offered the tool. `null`: the human does not want to answer. A
   * throw and a rejected promise: nobody could be asked.
   */
  onQuestion?: (
    request: QuestionRequest,
    options: { abortSignal: AbortSignal },
  ) => QuestionsAnswered['answers'] | null | PromiseLike<QuestionsAnswered['answers'] | null>;
  /**
   * What becomes of a call that a human rejected before in this run, to the letter. `ask`: it is asked about again. `answer`:
   * it is rejected again, with the same reason, and nobody is asked.
   *
   * @default 'ask'
   */
  repeatedRejections?: 'ask' | 'answer';
  /**
   * What becomes of a request that this gate waits with for calls in `messages` that the user went on without: wrote something
   * else while a response was open for the answer. `cancel`: it is `cancelled`. `keep`: it stays. In the messages each call
   * without a result before the user's last message is denied either way, and the model is told why.
   *
   * @default 'cancel'
   */
  unanswered?: 'cancel' | 'keep';
  /** Steps over the whole run, beside `stopWhen`. @default 20 when there is no `stopWhen` either */
  maxSteps?: number;
  /** Also yields every part of the SDK's own stream as `{ type: 'raw-part', part }`. @default false */
  includeRawParts?: boolean;
  logger?: Logger;
}

/** Everything `streamText` takes, and what {@link RunOptions} adds. */
export type StreamWithEventsOptions<TOOLS extends ToolSet = ToolSet> = OmitEach<StreamTextOptions<TOOLS>, 'tools'> & {
  tools?: TOOLS;
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
/** Both at once. The compiler speaks of the last declaration only, which therefore names a mistake in either form. */
export declare function streamWithEvents<TOOLS extends ToolSet = ToolSet, AGENT extends AgentLike = AgentLike<TOOLS>>(
  options: StreamWithEventsOptions<TOOLS> | AgentStreamWithEventsOptions<AGENT>,
): AgentRun<TOOLS>;

/** What {@link terminalApprover} returns, for `onApprovalRequest` and for `onQuestion`. */
export interface TerminalApprover {
  (request: QuestionRequest, options: { abortSignal: AbortSignal }): Promise<QuestionsAnswered['answers'] | null>;
  /** Also of a request from elsewhere, of which only the preview is known. */
  (
    request: Pick<ApprovalRequest, 'preview'> & Partial<ApprovalRequest>,
    options: { abortSignal: AbortSignal; objectionTo?: (answer: unknown) => Promise<string | undefined> },
  ): Promise<Decision>;
}

/**
 * Asks on the terminal, or on piped lines: shows the preview and takes a line. `y`, `yes` and `ok` approve, `n` and `no` reject, `e`
 * edits, `r TEXT` responds, and any other text is the reason of a rejection. What was typed before the request was shown decides
 * nothing. Several that share an input ask one after the other. For `onQuestion` it asks the questions.
 *
 * A call that stands out ({@link ApprovalRequest.flags}) is approved by a second `y`, and `d` shows all of one that is not shown whole;
 * piped lines are given all of it at once. An answer that would not be taken is told, and the same call is asked about again.
 *
 * Ctrl+C aborts the run. Where nobody can be asked the calls are rejected, a process warning says so, and at its end the run fails
 * with that error: `ERR_INPUT_ENDED`, at the end of the input; `ERR_OUTPUT_UNSEEN`, where the answers are typed on a terminal that
 * the question would not be shown on.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for what is no stream
 */
export declare function terminalApprover(options?: {
  /** A stream of Node's. @default process.stdin */
  input?: { on(event: string, listener: (...data: never[]) => void): unknown };
  /**
   * With an input that is a terminal it must be one, too (`isTTY`). The standard error may be redirected: then the question goes to
   * the terminal itself.
   *
   * @default process.stderr, so that the standard output is the program's own
   */
  output?: { write(text: string): unknown };
}): TerminalApprover;

/** How a run is continued: as it was started, but for its messages, which the ledger has. */
export interface ResumeOptions {
  /** With a ledger that lasts: the one that the run was started with, opened here or there. */
  gate: Gate;
  runId: string;
  prompt?: undefined;
  messages?: undefined;
}

/** What {@link resume} takes beside {@link ResumeOptions}, without an agent. */
export type ResumeStreamOptions<TOOLS extends ToolSet = ToolSet> = OmitEach<
  StreamTextOptions<TOOLS>,
  'tools' | 'prompt' | 'messages'
> & { tools?: TOOLS; agent?: undefined } & RunOptions<TOOLS> &
  ResumeOptions;

/** What {@link resume} takes beside {@link ResumeOptions}, with an agent. */
export type ResumeAgentOptions<AGENT extends AgentLike> = {
  agent: AGENT;
  tools?: undefined;
  model?: undefined;
} & OmitEach<Parameters<AGENT['stream']>[0], 'prompt' | 'messages'> &
  RunOptions<AGENT['tools']> &
  ResumeOptions;

/**
 * Continues a run that its process did not bring to its end: it was killed, it closed its gate, it failed, or it let go of the
 * run ({@link AgentRun.suspend}). The first event is {@link RunResumedEvent}.
 *
 * The model is not called for what it has said before. Calls that wait are waited for, and put to `onApprovalRequest` once
 * more; what was decided meanwhile counts; what has run does not run again, and the model gets its result. What was started
 * by a process that is gone is asked about again, with a description that says so. A call that nobody had to approve and that
 * has no result is not run again: the model is told that it was interrupted. Where a tool or the prompt has changed since,
 * what it concerns is asked about again. What already waits keeps those that it was asked of: other `approvers` in `interruptOn`
 * count for what is asked from then on.
 *
 * @throws as {@link streamWithEvents}, and {@link LedgerError} (`ERR_LEDGER_TEMPORARY`) for a gate with `memory:`. The run
 * itself ends with {@link RunError}: `ERR_RUN_ACTIVE` when a process that lives has it, `ERR_UNKNOWN_RUN`, `ERR_RUN_OVER`
 */
export declare function resume<TOOLS extends ToolSet>(options: ResumeStreamOptions<TOOLS>): AgentRun<TOOLS>;
export declare function resume<AGENT extends AgentLike>(options: ResumeAgentOptions<AGENT>): AgentRun<AGENT['tools']>;
/** Both at once, as of {@link streamWithEvents}. */
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

/** What a whole run came to. */
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
   * Awaiting it drives the run when nobody iterates. Rejects with the error that ended the run, or with the signal's reason
   * when it was aborted.
   */
  readonly result: Promise<RunResult<TOOLS>>;
  next(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  return(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  throw(error?: unknown): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  [Symbol.asyncIterator](): this;
  [Symbol.asyncDispose](): Promise<void>;
  /**
   * Ends the run here and lets go of it, so that {@link resume} can continue it, in this process or another. Nothing is
   * cancelled: what waits goes on waiting. A step that the model or a tool is in is brought to its end first. The iterator
   * ends, and `result` rejects with an `AbortError`.
   *
   * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) when the run has no gate with a ledger that lasts
   */
  suspend(): Promise<void>;
  /** The same run for `useChat`, instead of iterating it. */
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
   * After so many ms without an event a comment is sent, so that no server or proxy takes the silence while a human thinks for
   * the end. `false`: none is. @default 5,000
   */
  heartbeat?: number | false;
}

/**
 * A response of server-sent events with a comment whenever nothing was sent for a while: for a response of the AI SDK's own that
 * stays open while a human thinks, as with the tools of {@link gateTools}. Those of
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
  /** Steps that were done before, the one that waits among them. */
  steps: number;
  /** The conversation so far. */
  messages: ModelMessage[];
  /** What is not as it was when the run was last kept. What it concerns is asked about again. */
  drift: {
    /** Tools whose description, input schema or gating is another, that are new, or that are gone. */
    tools: string[];
    /** Whether `system` or `instructions` is another. */
    prompt: boolean;
  };
  /**
   * Calls (`toolCallId`) that were started, in this life of the run or any before, that have no result: nobody knows how far
   * they came. Of a call that is asked about, {@link ApprovalRequest.startedBefore} says the same, also to callbacks, which
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
  /** Who decided: the `by` that was given, else the name of what it came through, e.g. `'callback'` or `'deadline'`. */
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
/** Nobody decided in time: others may now, too. */
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

// ---------------------------------------------------------------------------------------------------------------------
// Subagents, questions, and what the tools of a deep agent tell
// ---------------------------------------------------------------------------------------------------------------------

/** One question to the human. */
export type Question = {
  question: string;
  /** A word or two that stand for it. */
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

/** What became of questions. The model gets it as text, each question with its answer. */
export type QuestionsAnswer =
  | QuestionsAnswered
  /** The human does not want to answer. */
  | { status: 'cancelled'; reason?: string }
  /** Nobody could be asked. */
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
 * What a subagent says and does. What a human is asked, and what its tools tell, comes as events of its own, with `origin`:
 * `approval-requested`, `approval-response` and {@link ToolActivityEvent}s; so do the starts and ends of subagents of its own.
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

/** What a tool of a deep agent (`countersign/agent`) tells while it runs. Paths are as the call names them. */
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

// ---------------------------------------------------------------------------------------------------------------------
// Loops that are not ours
// ---------------------------------------------------------------------------------------------------------------------

export type GateToolsOptions<TOOLS extends ToolSet = ToolSet> = GatingOptions<TOOLS> & GatingMode;

interface GatingOptions<TOOLS extends ToolSet> extends UnknownToolsOptions {
  interruptOn?: InterruptOn<NoInfer<TOOLS>>;
  /** As in {@link RunOptions.policy}. */
  policy?: PolicyInput | readonly PolicyInput[];
  /** As in {@link RunOptions.onApprovalRequest}. */
  onApprovalRequest?: RunOptions<TOOLS>['onApprovalRequest'];
  /** As in {@link RunOptions.onQuestion}. */
  onQuestion?: RunOptions<TOOLS>['onQuestion'];
  /** As in {@link RunOptions.askOrder}, over all calls of these tools: tools that several people share want `'at-once'`. */
  askOrder?: RunOptions<TOOLS>['askOrder'];
  /** As in {@link RunOptions.repeatedRejections}. `'answer'` needs a `runId`, and the mode `'wait'`. @default 'ask' */
  repeatedRejections?: RunOptions<TOOLS>['repeatedRejections'];
  /** As in {@link RunOptions.parent}: for a subagent whose loop is not ours. */
  parent?: RunOptions<TOOLS>['parent'];
  /** As in {@link RunOptions.place}. */
  place?: PolicyPlace;
  /** How long a human has for one request, in ms. @default see {@link InterruptOptions.timeout} */
  approvalTimeout?: number;
  /** What the calls belong to, e.g. the id of the chat. @default a new UUIDv7 */
  runId?: string;
  /** As in {@link RunOptions.requester}. */
  requester?: RunOptions<TOOLS>['requester'];
  origin?: readonly string[];
  logger?: Logger;
}

/**
 * `'wait'`: a gated `execute` waits for its decision. `'stop'`: the AI SDK ends the turn at its own approval stop, as a
 * `useChat` route needs; the answers come back in the messages, through {@link verifyApprovals}. `'stop'` needs a `gate`.
 */
type GatingMode = { /** @default 'wait' */ mode?: 'wait'; gate?: Gate } | { mode: 'wait' | 'stop'; gate: Gate };

/**
 * Wraps `execute` of the tools that must be asked about, for loops that are not ours: `generateText`,
 * `ToolLoopAgent.generate`, other frameworks, subagents. Every tool property is kept, generator tools stay generators, an
 * abort is honoured before and after the wait, and a denial reaches the model as `execution-denied`. A tool that calls others
 * (`experimental_toolCallers`, code mode) is gated, and so is each call that it makes: one that may not run throws.
 *
 * What it returns is a new set, frozen, of the tools of this moment: what `tools` gets later is not in it. With a `gate` every tool
 * is wrapped, so that a mode which is set later counts.
 *
 * @throws as {@link applyInterruptConfig}; {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) also for options that there are not
 */
export declare function gateTools<TOOLS extends ToolSet>(tools: TOOLS, options: GateToolsOptions<TOOLS>): TOOLS;

/**
 * Whether the second argument of a tool's `execute` is of a call that goes on in a run of {@link streamWithEvents}, or among tools
 * of {@link gateTools}: only then can it be the `parent` of another run.
 */
export declare function isCallOfRun(options: unknown): options is { toolCallId: string };

/** What a gated `execute` returns for a call that may not run. The model gets it as `execution-denied`. */
export interface ExecutionDenied {
  type: 'execution-denied';
  reason: string;
  decision: DecisionOutcome['type'];
  approvalId: string | null;
}

/** Whether a tool's output is a denial by {@link gateTools}. */
export declare function isExecutionDenied(output: unknown): output is ExecutionDenied;

/** The four statuses that AI SDK 7 knows. Anything else would run the tool. */
export type ToolApprovalStatus =
  | { type: 'not-applicable' }
  | { type: 'approved'; reason?: string }
  | { type: 'denied'; reason?: string }
  | { type: 'user-approval'; reason?: string };

export interface ToolApprovalOptions<TOOLS extends ToolSet = ToolSet> extends UnknownToolsOptions {
  interruptOn?: InterruptOn<TOOLS>;
  gate?: Gate;
  /** As in {@link RunOptions.policy}. */
  policy?: PolicyInput | readonly PolicyInput[];
  /** When given, the call waits for its answer here; `edit` and `respond` cannot be carried out and deny. */
  onApprovalRequest?: RunOptions<TOOLS>['onApprovalRequest'];
  /** As in {@link RunOptions.askOrder}, over all calls that are put to it: an option that several people share wants `'at-once'`. */
  askOrder?: RunOptions<TOOLS>['askOrder'];
  approvalTimeout?: number;
  /** What the calls belong to, e.g. the id of the chat. @default a new UUIDv7 */
  runId?: string;
  origin?: readonly string[];
  logger?: Logger;
}

/**
 * The `toolApproval` of AI SDK 7. It never throws and returns one of the four literals only; calls that the provider
 * executes are `not-applicable`. A call is `user-approval` until the gate holds its decision; a replayed, forged or swapped
 * answer is `denied`.
 *
 * The SDK does not ask it about calls that a tool makes of other tools (`experimental_toolCallers`, code mode): give those to
 * {@link gateTools}.
 *
 * The SDK runs the tool with its own object: what was judged is frozen in it, and a call is `denied` when the arguments have changed
 * meanwhile, or hold a getter, a proxy or an instance of a class. Dates, maps, sets and bytes cannot be frozen.
 *
 * @throws {@link UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`) on AI SDK 6, which would pass over it; also where the module that calls
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

/** An answer in the messages that was not taken. */
export interface RefusedApproval {
  /** As in the messages. */
  approvalId: string;
  /** `null`: it belongs to no call in the messages. */
  toolCallId: string | null;
  reason: string;
}

export interface VerifyApprovalsOptions {
  /**
   * The run that the gate must know the calls by; the `runId` given to {@link gateTools} or {@link toolApproval}. Without one,
   * what messages say of a call counts only where they have the {@link ApprovalRequest.approvalId} of its request at the gate, as those
   * of {@link streamWithEvents} do. The AI SDK's own stop sends another id: a route with {@link gateTools} in mode `'stop'` or with
   * {@link toolApproval} needs a `runId`.
   */
  runId?: string;
  /** Who answered; it stands in the record. */
  by?: string;
  /**
   * What becomes of a request that waits, of a call that the conversation does not wait for: the user wrote something else instead of
   * answering, or the messages have a result that did not come from here, or, where `runId` is given, no message has the call any more.
   * `cancel`: it is `cancelled` at the gate. `keep`: it stays, until somebody answers it elsewhere or its deadline comes; so does one
   * whose no the gate does not take. An approval that comes then runs nothing. In the messages the call is denied either way, and the
   * model is told why.
   *
   * @default 'cancel'
   */
  unanswered?: 'cancel' | 'keep';
  /**
   * That of `streamText` (`experimental_toolApprovalSecret`), where it has one: the SDK believes a call with the arguments of
   * an {@link Gate.edit} only when they are signed.
   */
  toolApprovalSecret?: string | Uint8Array;
  onRefused?: (refused: RefusedApproval) => void;
}

/**
 * Guards a `useChat` route: takes the approval answers in the client's messages to the gate and returns messages in which
 * every answer that was replayed, forged, late, swapped to other arguments, or given to a duplicate tool call id has become
 * a denial. A call that the user went on without, by writing something else, is denied too, and its request is over: see
 * {@link VerifyApprovalsOptions.unanswered}. So is that of a call with a result that did not come from here, or with a yes and a no:
 * no later answer runs it. A yes to a call that was edited at the gate ({@link Gate.edit}) runs it with those
 * arguments, which then stand in the messages. The input is not changed. Takes UI messages and model messages.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 */
export declare function verifyApprovals<MESSAGE extends UIMessage | ModelMessage>(
  messages: readonly MESSAGE[],
  gate: Gate,
  options?: VerifyApprovalsOptions,
): Promise<MESSAGE[]>;

/**
 * What a person needs to decide on a call, as JSON for a page that has no addon. Every text is safe to show, but for the ids and
 * `toolName`, which are as they are.
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
  /** As {@link ApprovalRequest.preview}: what would run, with the diff of the file that it would change. */
  preview: string;
  /** As {@link ApprovalRequest.allowedDecisions}. */
  allowedDecisions: DecisionType[];
  /** As {@link ApprovalRequest.flags}. */
  flags: readonly string[];
  /** The path of agents it came from. */
  origin: readonly string[];
  /** The files that it would change, and by how many lines. */
  changes: readonly { path: string; isNew: boolean; added: number; removed: number }[];
  /** Which rule of the policies decided, and why; `null` where there are none. `line` from 1. */
  why: { effect: PolicyEffect; reason: string; source: string | null; line: number | null } | null;
  /** As {@link ApprovalRequest.startedBefore}. */
  startedBefore: boolean;
  /** As {@link ApprovalRequest.contents}. */
  contents: 'kept' | 'redacted' | 'dropped';
  /** Who must agree; empty: anybody, once. `approvers`, empty: anybody who gives a name. */
  needs: readonly { approvers: readonly string[]; quorum: number }[];
  /** Who has approved so far, where it takes several. */
  approvedBy: readonly string[];
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
 * call, for `useApprovals` of `countersign/react`. Where the gate knows nothing of it, nothing is added. The model never sees
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
 * What waits in a run, for a page that is opened again: what the messages carry is as old as they are.
 *
 * @param options `runId`: as in {@link GateToolsOptions.runId}
 * @throws as {@link Gate.pending}
 */
export declare function approvalDetails(gate: Gate, options: { runId: string }): Promise<ApprovalDetails[]>;

// ---------------------------------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------------------------------

/**
 * Every error of this package: a stable `code`, a message that says what to do, and often a `cause`. Where the addon cannot be
 * loaded, the import of the package fails with one whose code is `ERR_ADDON`.
 */
export declare class CountersignError extends Error {
  readonly code: string;
  constructor(options: { code: string; message: string; cause?: unknown });
  /** Works across copies of this package, where `instanceof` does not. */
  static isInstance(error: unknown): error is CountersignError;
}

/** `interruptOn` names a tool that does not exist. Correct the name, or set `unknownTools`. */
export declare class UnknownToolError extends CountersignError {
  readonly code: 'ERR_UNKNOWN_TOOL';
  readonly toolName: string;
  /** The tool that was probably meant. */
  readonly nearest: string | null;
  constructor(options: { message: string; toolName: string; nearest: string | null; cause?: unknown });
  static isInstance(error: unknown): error is UnknownToolError;
}

/** An option has the wrong shape, or there is no such option; the message names its place. */
export declare class InvalidConfigError extends CountersignError {
  readonly code: 'ERR_INVALID_CONFIG';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InvalidConfigError;
}

/** What can be wrong with a policy. */
export type PolicyErrorCode =
  | 'ERR_POLICY_SYNTAX'
  | 'ERR_POLICY_UNKNOWN_KEY'
  | 'ERR_POLICY_VALUE'
  | 'ERR_POLICY_VERSION'
  | 'ERR_POLICY_EXAMPLE'
  | 'ERR_POLICY_FILE';

/** A policy cannot be read. `problems` has each fault with its place; `code` and `message` are those of the first. */
export declare class PolicyError extends CountersignError {
  readonly code: PolicyErrorCode;
  readonly problems: readonly PolicyProblem[];
  constructor(options: { problems: readonly PolicyProblem[]; cause?: unknown });
  static isInstance(error: unknown): error is PolicyError;
}

/** A policy forbids this mode. */
export declare class ModeForbiddenError extends CountersignError {
  readonly code: 'ERR_MODE_FORBIDDEN';
  readonly mode: PolicyMode;
  /** The policy that forbids it. */
  readonly source: string;
  constructor(options: { message: string; mode: PolicyMode; source: string; cause?: unknown });
  static isInstance(error: unknown): error is ModeForbiddenError;
}

/** Somebody else was first. `winner` is what stands. */
export declare class AlreadyDecidedError extends CountersignError {
  readonly code: 'ERR_ALREADY_DECIDED';
  readonly winner: ApprovalRecord;
  constructor(options: { message: string; winner: ApprovalRecord; cause?: unknown });
  static isInstance(error: unknown): error is AlreadyDecidedError;
}

/** The deadline has passed: ask again. */
export declare class ApprovalExpiredError extends CountersignError {
  readonly code: 'ERR_EXPIRED';
  readonly approvalId: string;
  constructor(options: { message: string; approvalId: string; cause?: unknown });
  static isInstance(error: unknown): error is ApprovalExpiredError;
}

/** The request does not allow this decision; it goes on waiting. */
export declare class DecisionNotAllowedError extends CountersignError {
  readonly code: 'ERR_DECISION_NOT_ALLOWED';
  readonly approvalId: string;
  readonly allowedDecisions: readonly DecisionType[];
  constructor(options: {
    message: string;
    approvalId: string;
    allowedDecisions: readonly DecisionType[];
    cause?: unknown;
  });
  static isInstance(error: unknown): error is DecisionNotAllowedError;
}

/** The request names who may decide, and this is nobody of them, or nobody said who it is; the request goes on waiting. */
export declare class NotApproverError extends CountersignError {
  readonly code: 'ERR_NOT_APPROVER';
  readonly approvalId: string;
  /** `null`: nobody said. */
  readonly by: string | null;
  /** Who may: names, and groups as `group:NAME`. */
  readonly approvers: readonly string[];
  constructor(options: {
    message: string;
    approvalId: string;
    by: string | null;
    approvers: readonly string[];
    cause?: unknown;
  });
  static isInstance(error: unknown): error is NotApproverError;
}

/** The gate's `authorize` does not let this person take this decision; the request goes on waiting. */
export declare class NotAuthorizedError extends CountersignError {
  readonly code: 'ERR_NOT_AUTHORIZED';
  readonly approvalId: string;
  constructor(options: { message: string; approvalId: string; cause?: unknown });
  static isInstance(error: unknown): error is NotAuthorizedError;
}

/** The decision is malformed; the request goes on waiting. */
export declare class InvalidDecisionError extends CountersignError {
  readonly code: 'ERR_INVALID_DECISION';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InvalidDecisionError;
}

/** The gate knows no such request. */
export declare class UnknownApprovalError extends CountersignError {
  readonly code: 'ERR_UNKNOWN_APPROVAL';
  readonly approvalId: string;
  constructor(options: { message: string; approvalId: string; cause?: unknown });
  static isInstance(error: unknown): error is UnknownApprovalError;
}

/** The arguments cannot be shown and bound as they are (a function, a cycle, too deep, too large). */
export declare class InvalidArgumentsError extends CountersignError {
  readonly code: 'ERR_INVALID_ARGUMENTS';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InvalidArgumentsError;
}

/** This run has asked about this call before: give each request a `toolCallId` of its own. */
export declare class DuplicateRequestError extends CountersignError {
  readonly code: 'ERR_DUPLICATE_REQUEST';
  readonly existing: ApprovalRecord;
  constructor(options: { message: string; existing: ApprovalRecord; cause?: unknown });
  static isInstance(error: unknown): error is DuplicateRequestError;
}

/** What can be wrong with a ledger. */
export type LedgerErrorCode =
  | 'ERR_LEDGER_BUSY'
  | 'ERR_LEDGER_FULL'
  | 'ERR_LEDGER_READ_ONLY'
  | 'ERR_LEDGER_CORRUPT'
  | 'ERR_LEDGER_FOREIGN'
  | 'ERR_LEDGER_TOO_NEW'
  | 'ERR_LEDGER_NETWORK_FS'
  | 'ERR_LEDGER_PERMISSION'
  | 'ERR_LEDGER_KEY'
  | 'ERR_LEDGER_IO'
  | 'ERR_LEDGER_TEMPORARY';

/**
 * The ledger cannot do what it was asked to; what it was asked was not done. The message says what to do: wait for another
 * process (`BUSY`), make room (`FULL`), make the file writable (`READ_ONLY`, `PERMISSION`), restore a backup (`CORRUPT`), name
 * another file (`FOREIGN`), update this package (`TOO_NEW`), use a local disk (`NETWORK_FS`), set the right key (`KEY`), look
 * at the disk (`IO`), use a ledger that lasts (`TEMPORARY`).
 */
export declare class LedgerError extends CountersignError {
  readonly code: LedgerErrorCode;
  constructor(options: { code: LedgerErrorCode; message: string; cause?: unknown });
  static isInstance(error: unknown): error is LedgerError;
}

/** Why a run cannot be continued, or begun under its id. */
export type RunErrorCode = 'ERR_RUN_ACTIVE' | 'ERR_RUN_EXISTS' | 'ERR_UNKNOWN_RUN' | 'ERR_RUN_OVER';

/**
 * The run cannot be continued: a process that lives has it (`ERR_RUN_ACTIVE`: wait for its end, or end it), the ledger does not
 * know it (`ERR_UNKNOWN_RUN`: look at the id and the ledger), or it has come to its end (`ERR_RUN_OVER`: start a new one). Or it
 * cannot be begun under this `runId`, before the model is called: it can be continued (`ERR_RUN_EXISTS`: use {@link resume}),
 * goes on elsewhere, or is over.
 */
export declare class RunError extends CountersignError {
  readonly code: RunErrorCode;
  constructor(options: { code: RunErrorCode; message: string; cause?: unknown });
  static isInstance(error: unknown): error is RunError;
}

/** A signed head of an audit, or a key for one, cannot be read, or a signature is wrong. */
export declare class AuditHeadError extends CountersignError {
  readonly code: 'ERR_AUDIT_HEAD';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is AuditHeadError;
}

/** The gate was closed. Create a new one. */
export declare class GateClosedError extends CountersignError {
  readonly code: 'ERR_GATE_CLOSED';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is GateClosedError;
}

/** A reader of `gate.events()` fell too far behind. Read `pending()` again and iterate anew. */
export declare class EventsLostError extends CountersignError {
  readonly code: 'ERR_EVENTS_LOST';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is EventsLostError;
}

/** The installed `ai` is no release of version 6 or 7; or it is version 6, and what was called is of 7. */
export declare class UnsupportedSdkError extends CountersignError {
  readonly code: 'ERR_UNSUPPORTED_SDK';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is UnsupportedSdkError;
}

/** The agent is not a `ToolLoopAgent`. Wrap its tools with `gateTools` instead. */
export declare class UnsupportedAgentError extends CountersignError {
  readonly code: 'ERR_UNSUPPORTED_AGENT';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is UnsupportedAgentError;
}

/** The native core answered with something unknown: a bug of ours. Please report it. */
export declare class InternalError extends CountersignError {
  readonly code: 'ERR_INTERNAL';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InternalError;
}
