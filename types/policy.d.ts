/** Policies: documents, verdicts, grants, and what checks and explains them. */
import type { ApprovalNeed } from './interrupt.js';
import type { safeText } from './request.js';
import type { Gate, GateOptions } from './gate.js';
import type { InvalidConfigError, PolicyError, PolicyErrorCode } from './errors.js';

/** What happens with a call, or with a part of one. Of several, the strictest counts: `deny`, then `ask`, then `allow`. */
export type PolicyEffect = 'allow' | 'ask' | 'deny';

/**
 * How asks are answered without a human. `safe`: they are not. `auto`: asks are approved at once, by `auto`, and denies stay.
 * `plan`: only what the `read-only` preset allows runs. `deny-all-asks`: asks become denials, for runs without a human.
 */
export type PolicyMode = 'safe' | 'auto' | 'plan' | 'deny-all-asks';

/** What a confined command can write at most, in addition to its own temporary folder. */
export type ConfinedWrites = 'project' | 'nothing';

/** Who a policy comes from. */
export type PolicyLayer = 'managed' | 'user' | 'project' | 'code' | 'session';

/** One or several patterns. */
type Patterns = string | readonly string[];

/** The words that a command begins with. */
type CommandWords = string | readonly (string | readonly string[])[];

/** A command, and what may follow its first words. */
type ClosedCommand =
  | {
      words: CommandWords;
      /** These operands and no others, at least one of them; `[]`: no operands. Known options of the program may be anywhere. */
      operands: readonly (string | readonly string[])[];
      /** These options and no others, e.g. `'--quiet'`. @default all that are known and do nothing that needs an allow */
      options?: readonly string[];
    }
  | {
      words: CommandWords;
      /** Exactly these words and no more. */
      exact: true;
    };

/** One rule. Without any matcher it covers whole calls of its `tools`. The reference is docs/policy.md. */
export interface PolicyRule {
  /** Names of tools, with `*` for any text. @default all tools */
  tools?: Patterns;
  /**
   * Names of MCP servers: the rule covers only their tools, and `tools` are the names that they have there. As `mcpTools` takes them:
   * letters, digits, `.`, `-` and single `_` between them. A `*` may stand after a name, or alone.
   */
  mcp?: Patterns;
  /** What happens to a call, or a part of one, that the rule covers. */
  effect: PolicyEffect;
  /** Why. The human sees it, and for a denial the model. */
  reason?: string;
  /**
   * Marks what the rule covers as a high risk. It tightens nothing: a person who is asked sees the mark, and must look twice. Lists
   * show it, and can be filtered by it. @default not marked
   */
  risk?: 'high';
  /** Why that is a risk, in a few words. Only with `risk`. */
  because?: string;
  /**
   * Beginnings of commands, token by token: `'git status'`, or `['git', ['status', 'log']]` with alternatives; `*` is one
   * token, `**` any number of them. `{ words: 'npm test', operands: [] }` says what may follow.
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
  /**
   * The runs of a command that the rule covers. `'project'`: those that run confined and write only in the project.
   * `'nothing'`: those that can write nothing. `false`: those that are not confined. Without other matchers, such an allow
   * covers everything that a command line does, as far as the confinement limits it. See docs/presets.md.
   *
   * @default all
   */
  confined?: ConfinedWrites | false;
  /**
   * Of the files that are written, the rule covers only those that git can restore: its index has their present content. For
   * `allow` only, with `writes`. See docs/policy-tracked.md.
   *
   * @default false
   */
  tracked?: boolean;
  /** Who must agree, as {@link ApprovalNeed.approvers}. This and the next four are for `ask` only. */
  approvers?: Patterns;
  /** How many different people must approve. @default 1 */
  quorum?: number;
  /** Do not count an approval by the person who asked for the run. @default false */
  excludeRequester?: boolean;
  /** The name of `excludeRequester` in a file. @deprecated what a TOML or JSON file calls it; in code write `excludeRequester` */
  exclude_requester?: boolean;
  /** Times are texts such as `'90s'`, `'10m'`, `'2h'`, or ms. */
  escalate?: { after: string | number; to: Patterns };
  /** How long before the deadline a reminder is sent. */
  remind?: string | number;
  /**
   * Whether a reviewer may answer what the rule asks about ({@link GateOptions.reviewer}). Only with `ask`, without `approvers`
   * and the like, and not in the administrator's file.
   *
   * @default false
   */
  reviewer?: boolean;
  /** What the rule asks about is asked each time: nothing is remembered. For `ask` only. */
  remember?: 'never';
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
  /** Arguments that do not matter for what the tool does; `*` for all that are not listed. A call with any other argument asks. */
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
  /** For what no rule covers. @default `'ask'`, with `match: 'first'` `'deny'` */
  default?: PolicyEffect;
  /** @default 'strictest' */
  match?: 'strictest' | 'first';
  /** For tools other than the usual names (`execute`, `read_file`, `write_file`, …), which are built in. */
  tools?: Readonly<Record<string, ToolReading>>;
  rule?: readonly PolicyRule[];
  /**
   * What a confined command reaches on the network. `'ask'`: what a rule with `urls` allows; about every other host a human is
   * asked. A list: these hosts, and no others. All policies with this key count. See docs/confinement-network.md.
   */
  network?: 'none' | 'ask' | readonly string[];
  /** Modes that {@link Gate.setMode} refuses. */
  forbid?: readonly PolicyMode[];
  /** Nothing that is asked about is remembered, regardless of the layer: no request offers "always", and no grant answers. */
  remember?: 'never';
}

/** A policy that was read and checked. */
export interface Policy {
  /** The file, or the name that verdicts show. */
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
 * sets, promises, functions or `undefined`. Otherwise an {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) names the place.
 */
export type PolicyInput = PolicyDocument | Policy | 'preset:read-only' | 'preset:developer';

/**
 * One more judge, e.g. a classifier. It may only tighten: the stricter of its effect and of `verdict` counts. A throw, a
 * rejection, another value, or no answer within 10,000 ms asks. It is not called for a call that is denied anyway. If a person
 * was asked about a call, the judge is called again right before the call runs, perhaps much later. Then a deny stops it, and
 * an ask counts as answered. It judges an edit when the edit is made.
 */
export type PolicyJudge = (
  call: PolicyCall,
  verdict: PolicyVerdict,
) =>
  | PolicyEffect
  | { effect: PolicyEffect; reason?: string }
  | undefined
  | PromiseLike<PolicyEffect | { effect: PolicyEffect; reason?: string } | undefined>;

/** One thing that a call would do, and what the policies say about it. */
export type PolicyAction = {
  effect: PolicyEffect;
  /** The rule that decided it. */
  rule: PolicyRuleRef | null;
  /** Its place in the command line: UTF-16 offsets. */
  span?: [start: number, end: number];
} & (
  | {
      kind: 'command';
      /** The words; `null`: a word that is only known when the command runs. */
      argv: (string | null)[];
      text: string;
      /** Whether it only starts another command (`env`, `timeout`, `sh -c`), which is a separate action. */
      wrapper: boolean;
    }
  | { kind: 'read'; path: string | null; text: string }
  | {
      kind: 'write';
      path: string | null;
      text: string;
      /** What happens to the content of the file or folder; absent: it stays, or there is no content. */
      loss?: 'replaced' | 'deleted';
    }
  | { kind: 'url'; url: string | null; text: string }
  | { kind: 'env'; name: string }
  | { kind: 'tool'; name: string }
  /** What cannot be proven: it is never allowed. */
  | { kind: 'unknown'; reason: string }
);

/** The place of a rule. */
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

/** A rule that covers a call, and marks it as a risk. */
export interface PolicyRisk {
  level: 'high';
  /** Why, in the words of the rule; `null`: it gives no reason. */
  because: string | null;
  rule: PolicyRuleRef;
}

/**
 * What the policies say about a call. `reason` and the texts of the actions quote arguments as they are: show them on a
 * terminal through {@link safeText}.
 */
export interface PolicyVerdict {
  effect: PolicyEffect;
  /** The deciding rule; `null`: a default, or something that no rule can allow. */
  rule: PolicyRuleRef | null;
  reason: string;
  /** An allow only for a command that runs confined to no more than this. */
  confined?: ConfinedWrites;
  /** Rules that cover the call and mark it as a risk; absent: no rule does. */
  risks?: PolicyRisk[];
  /** Of very many, the first 200, and the first 20 of the strictest. */
  actions: PolicyAction[];
  /** How many actions are left out, none stricter than those that are not. */
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
  /** Where relative paths start. @default process.cwd() */
  cwd?: string;
  /** What `${project}` means. @default the nearest directory upward that has `.countersign` or `.git`, or else `cwd` */
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

/** What a rule of {@link definePolicy} covers. */
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

/** A call to be judged, which is not made. */
export interface CheckedCall {
  toolName: string;
  args: unknown;
  annotations?: Readonly<Record<string, unknown>>;
  /**
   * The call would run confined, and write only in these places: absolute paths. Set it only where commands really run so.
   *
   * @default not confined
   */
  confined?: { writes: readonly string[] };
}

/**
 * What these policies say about a call, without running or asking anything. Symlinks are looked up.
 *
 * What `parsePolicy`, `loadPolicy` and `definePolicy` gave is made ready once; another object is read again at each call.
 */
export declare function checkPolicy(
  policy: PolicyInput | readonly PolicyInput[],
  call: CheckedCall,
  place?: PolicyPlace,
): Promise<PolicyVerdict>;

/** {@link checkPolicy}, with the rules that matched and lost for each action. Its effect is always the same. */
export declare function explainPolicy(
  policy: PolicyInput | readonly PolicyInput[],
  call: CheckedCall,
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
 * Another product's rules as a countersign policy. A rule that has no exact equivalent becomes stricter, and each such place is
 * listed.
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
 * `always` needs a gate with `policyFiles: true`. In other loops than `streamWithEvents` a run has no end: `run` then lasts as
 * long as the gate. Without a `runId` there is no run there, and `run` is refused with {@link InvalidDecisionError}. The decision of
 * a callback then counts once, and a process warning says so.
 */
export type GrantScope = 'run' | 'session' | 'always';

/** What "always" would save: proven to match exactly this call again. */
export interface GrantOffer {
  /** One sentence: what would be allowed (or denied) from now on. */
  label: string;
  rules: PolicyRule[];
  /** What else it covers, in words. */
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
  /** Their paths are the files that were shown: if a symlink replaces one, the call is asked about again. */
  rules: PolicyRule[];
  /** Who decided. */
  by: string;
  /** ms since the epoch. */
  createdAt: number;
  /** ms since the epoch; `null`: until it is revoked. */
  expiresAt: number | null;
  /** How many calls it still answers; absent: any number. */
  times?: number;
  /** What was offered, where a human made it narrower: it answers nothing that these rules do not. */
  within?: PolicyRule[];
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
