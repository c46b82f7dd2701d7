/** The gate: what waits, who decides, what is kept. */
import type { ApprovalNeed, DecisionType, Vote } from './interrupt.js';
import type {
  Grant,
  Grants,
  PolicyEffect,
  PolicyInput,
  PolicyJudge,
  PolicyLayer,
  PolicyMode,
  PolicyPlace,
  PolicyProblem,
  PolicyVerdict,
} from './policy.js';
import type { CallReviewer } from './reviewer.js';
import type {
  ApprovalRecord,
  ApprovalRequest,
  ApprovalStatus,
  DecidedVia,
  Decision,
  DecisionOutcome,
  ForeignDecision,
  Remember,
} from './request.js';
import type {
  AlreadyDecidedError,
  ApprovalExpiredError,
  AuditHeadError,
  DecisionNotAllowedError,
  DuplicateRequestError,
  EventsLostError,
  GateClosedError,
  InvalidArgumentsError,
  InvalidConfigError,
  InvalidDecisionError,
  LedgerError,
  ModeForbiddenError,
  NotApproverError,
  NotAuthorizedError,
  PolicyError,
  UnknownApprovalError,
} from './errors.js';

/** How long a ledger keeps requests and runs that are over. Waiting requests are never removed. */
export interface LedgerRetention {
  /**
   * How long to keep arguments, previews and results, in ms after the end of a request; their digests stay. @default
   * 2,592,000,000: 30 days
   */
  contents?: number;
  /** How long to keep the records themselves, in ms after their end. @default they are kept permanently */
  records?: number;
}

/** The options of {@link createGate}. */
export interface GateOptions {
  /**
   * Where requests are stored. `memory:` keeps them in this process, for as long as it lives. `sqlite:approvals.db` keeps them in
   * a file that several processes may share and that outlives them; a relative path starts at `place.cwd`. `sqlite:` without a
   * path is a temporary file, removed when the gate is closed. `postgres://…` keeps them in PostgreSQL, for several machines; the
   * settings after its `?` are in docs/postgres.md.
   *
   * @default the environment's COUNTERSIGN_LEDGER, or else 'memory:'
   */
  ledger?: 'memory:' | `sqlite:${string}` | `postgres://${string}` | `postgresql://${string}`;
  /**
   * Stores arguments, previews, decisions and results encrypted. The key is in the environment variable that `keyEnv`
   * names, never in the code. In `memory:` nothing is stored, so nothing is encrypted.
   *
   * @default none; for a ledger that COUNTERSIGN_LEDGER names, the key in COUNTERSIGN_LEDGER_KEY when that is set
   */
  encryption?: {
    /** @default 'COUNTERSIGN_LEDGER_KEY' */
    keyEnv?: string;
  };
  /** How long a durable ledger keeps requests and runs that are over. */
  retention?: LedgerRetention;
  /**
   * How long a request waits, in ms. The `timeout` of its tool and the `approvalTimeout` of its run come before it.
   *
   * @default 300,000; none for a run with a callback, if no `timeout` is set anywhere
   */
  timeout?: number;
  /**
   * The largest arguments of one call, in bytes of JSON. A larger call is denied without asking.
   *
   * @default 4,194,304
   */
  maxArgumentBytes?: number;
  /** How many decided requests a `memory:` ledger keeps for `get`; older ones are forgotten. @default 10,000 */
  keepDecided?: number;
  /**
   * What may run, what needs approval, what must not run. With a policy every tool is judged, and a call that no rule covers
   * needs approval. Several policies are layers of one: the strictest rule counts.
   *
   * @default none: only `interruptOn` and the tools themselves ask
   */
  policy?: PolicyInput | readonly PolicyInput[];
  /**
   * Whether to use the policy files of this machine: the administrator's, the user's and the project's (which may only tighten,
   * unless the user trusts it). They are read again when they change. With a `policy`, the administrator's file counts even
   * without this option.
   *
   * @default false
   */
  policyFiles?: boolean;
  /**
   * The folder that relative paths start from, and the project and home that `${project}` and `~` in rules mean.
   *
   * @default the current folder of the process, its project, and the home of the user
   */
  place?: PolicyPlace;
  /** A function that may turn an allow into an ask or a deny, never the other way round. */
  judge?: PolicyJudge;
  /**
   * A model or a function that is asked about each call before a human is. It may reject a call. With `mayApprove` it may also
   * approve a call that a rule leaves to it. If it is not sure, the human decides, and sees what it said.
   *
   * It is not asked about questions, nor in a mode that answers without a human (`auto`, `deny-all-asks`).
   *
   * @default none
   */
  reviewer?: CallReviewer;
  /** The members of the groups that `approvers` name: `{ ops: ['ada', 'bo'] }`. {@link DecideOptions.groups} adds to them. */
  groups?: Readonly<Record<string, readonly string[]>>;
  /** Called before each decision that a person makes through this gate. Return `true`, or the reason for a no. */
  authorize?: Authorize;
  /**
   * How calls that need approval are answered without a human. `safe`: not at all, a human decides. `auto`: they are approved at
   * once; denies stay. `plan`: only read-only calls run. `deny-all-asks`: they are denied, for runs without a human.
   *
   * @default 'safe'
   */
  mode?: PolicyMode;
  /** Gets one line for each step of a request. @default none */
  logger?: Logger;
  /**
   * Takes secrets out of arguments, previews, diffs, reasons and results before they are stored, logged or sent to others. The
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
 * time). A function returns the arguments to store; patterns are then applied to these and to all other texts.
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
  /** Arguments are never recorded: `false` is the only value. */
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
 * Gets one line per step of a request’s life. Arguments appear at `trace` only. It has some of these functions; a logger without
 * any is refused (`ERR_INVALID_CONFIG`).
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
 * within 10,000 ms means no: {@link NotAuthorizedError} (`ERR_NOT_AUTHORIZED`), and the request still waits.
 */
export type Authorize = (
  decision: Decision,
  context: {
    request: ApprovalRequest;
    /** `null`: unknown. */
    by: string | null;
    groups: readonly string[];
    via: DecidedVia;
  },
) => boolean | string | PromiseLike<boolean | string>;

/** Who decides, how and why. */
export interface DecideOptions {
  /** Who decides, for the record and the events. Required where a request names approvers or a quorum. */
  by?: string;
  /** The groups that this person is in, as the caller knows. @default only those of the gate's own `groups` */
  groups?: readonly string[];
  /** Where the decision came from. @default 'gate' */
  via?: 'gate' | 'terminal' | 'inbox' | 'link' | 'protocol';
  /** Why, for the model and the record. */
  reason?: string;
  /**
   * For `approve` and `reject`: remember the decision. An unknown field, or something that the request does not offer, is an
   * {@link InvalidDecisionError} (`ERR_INVALID_DECISION`). The request still waits.
   */
  remember?: Remember;
  /**
   * For `edit`: the `shown` that came with the edit as the person saw it, e.g. from the inbox. The decision is bound to that: if a file
   * that it writes is another one by then, the call is asked about again. `null`: its files were not looked at. Then the call is asked
   * about again if it would write over a file that the request has not shown.
   *
   * @default it is bound to its files as they are now
   */
  shown?: string | null;
}

/** One decision for several requests. */
export type BatchDecision =
  | { type: 'approve'; reason?: string }
  | { type: 'reject'; reason?: string }
  | { type: 'skip'; reason?: string };

export interface BatchOptions extends Omit<DecideOptions, 'reason' | 'remember' | 'shown'> {
  /**
   * The ids of requests that a person looked at separately. Of others, only those are approved that are proven to do no lasting
   * harm ({@link ApprovalRequest.proven}), and in which nothing stands out.
   */
  seen?: readonly string[];
}

/** The outcome of one request of several. */
export type BatchResult =
  | { approvalId: string; record: ApprovalRecord; error: null }
  /** It was not accepted; the error is what {@link Gate.decide} would have thrown. */
  | { approvalId: string; record: null; error: Error };

/** A request for approval from any code, also outside of an agent. */
export interface GateRequest<ARGS = unknown> extends ApprovalNeed {
  /** What is asked about, as rules know it. */
  toolName: string;
  /** What the call would use. A copy is shown, and is what you get back. */
  args: ARGS;
  /** The id of the call, once for each run. @default a new UUIDv7 */
  toolCallId?: string;
  /** The run that it belongs to. @default in a tool of a run with this gate, that run; otherwise one of its own */
  runId?: string;
  /** The path of agents. @default in the `execute` of a tool of a run with this gate, that of the run; otherwise ['main'] */
  origin?: readonly string[];
  /** One or two sentences for the human. @default the tool's name and its arguments, made safe to show */
  description?: string;
  /** What the human may answer. @default approve, edit, reject, respond and skip */
  allowedDecisions?: readonly DecisionType[];
  /** How long the request waits, in ms. @default the gate's `timeout` */
  timeout?: number;
  /** How many ms before the deadline a reminder is sent. @default no reminder */
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
  /** No decision came in time: these people may decide now, too. */
  | { type: 'escalated'; request: ApprovalRequest; to: readonly string[]; at: number }
  | { type: 'granted'; grant: Grant; approvalId: string; at: number }
  /** A policy file changed. `problems` of a new version mean that the old one still holds. */
  | { type: 'policy-changed'; problems: PolicyProblem[]; at: number }
  | { type: 'started'; approvalId: string; at: number }
  /** `interrupted`: the process that ran it died, so its outcome is unknown. */
  | { type: 'settled'; approvalId: string; status: 'succeeded' | 'failed' | 'interrupted'; at: number };

/** What an entry of the audit reports. */
export type AuditKind =
  | 'requested'
  /** An approval that is one of several. */
  | 'voted'
  /** Someone without the right to decide tried. */
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
  /** A reviewer was asked about a call. */
  | 'reviewed'
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

/** Something that happened. It has digests of arguments, never the arguments themselves. */
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
  /** Of the arguments only. */
  argsDigest?: string;
  decision?: DecisionOutcome['type'];
  status?: ApprovalStatus;
  origin?: readonly string[];
  /** What only this kind has. */
  more?: Readonly<Record<string, string | number>>;
  /** SHA-256 (hex) over the hash before it and all of the above as it is kept. */
  hash: string;
}

/** The end of an audit. Once published, it reveals any later change of what came before it. */
export interface AuditHead {
  /** How many entries. */
  size: number;
  /** The `hash` of the last one; 64 zeros for the first entry. */
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
 * How a log compares with a head that was kept elsewhere. `same`: it ends with that head. `extended`: it continues after it.
 * `truncated`: it ends before it, so its end was dropped. `forked`: it has another entry there, so it was written again.
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
 * The audit of a ledger. Anyone who can write its file can also write a whole new audit, or drop its end: only a head that was
 * signed and kept elsewhere reveals that. Everything here throws {@link LedgerError} (`ERR_LEDGER_TEMPORARY`) for `memory:`.
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
    /** At most this many. @default all */
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
 * @throws {@link AuditHeadError} (`ERR_AUDIT_HEAD`) for a key that is not one
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
 * @throws {@link AuditHeadError} (`ERR_AUDIT_HEAD`) when it is not such a note, a signature is wrong, or no known key signed it
 */
export declare function verifyAuditHead(note: string, publicKeys: string | readonly string[]): SignedAuditHead;

/** The live object that asks, waits and wakes. The first decision wins. Its methods may be passed on: they know their gate. */
export interface Gate extends AsyncDisposable {
  /**
   * Asks a human and waits for the answer. Never rejects because of what a human answers: see {@link Resolution}. An approval
   * is used up when it is handed to you: its record goes on to `succeeded`, since what you do cannot be seen.
   *
   * The policies, the judge and the mode of the gate judge the call like that of a tool. A denied call is not shown to a
   * person: the answer is not approved, with the reason. Every other call is asked about, even if a rule, a grant or the mode
   * `auto` would allow it: code that asks means a human. People whom a rule names must agree in addition to those that the
   * request names. An edit is judged too, and the call once more when the answer is accepted. If a path leads elsewhere by
   * then, a new request asks again, and `approvalId` is that of the last one.
   *
   * In the `execute` of a tool of a run that has this gate it is a request of that run. The run's policies count, too; the
   * events of the request come out of the run's iterator, and the abort of the run cancels it.
   *
   * @throws {@link GateClosedError} (`ERR_GATE_CLOSED`), which is not an unhandled rejection if no code awaits the answer
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
   * The waiting requests, oldest first: of all runs, or of one run and its subagents. With a durable ledger, of all processes
   * that share it.
   */
  pending(filter?: { runId?: string }): Promise<ApprovalRequest[]>;
  /** One request with its outcome, waiting or decided. `undefined`: the gate does not know it. */
  get(approvalId: string): Promise<ApprovalRecord | undefined>;
  /** Requests that are no longer pending, the latest first. */
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
   * How often a person approved calls like this one before: calls that its `always.allow` would have answered, in the same project.
   * It looks at the latest 200 requests of the tool, at this gate or in its ledger. `0` where nothing is offered,
   * and where a person rejected one of those calls.
   *
   * @throws {@link UnknownApprovalError} (`ERR_UNKNOWN_APPROVAL`)
   */
  askedBefore(approvalId: string): Promise<number>;
  /**
   * Approves a request: its call runs. If more approvals are needed, this one is counted: the record is still `pending`, with one
   * more vote. After the id comes a reason, options, or both; anything else, such as `false`, is refused and decides nothing.
   *
   * @throws {@link InvalidDecisionError} (`ERR_INVALID_DECISION`) for what is neither a reason nor options
   * @throws {@link NotApproverError} (`ERR_NOT_APPROVER`): the request still waits
   * @throws {@link NotAuthorizedError} (`ERR_NOT_AUTHORIZED`): the request still waits
   * @throws {@link AlreadyDecidedError} (`ERR_ALREADY_DECIDED`) carries the decision that won
   * @throws {@link ApprovalExpiredError} (`ERR_EXPIRED`)
   * @throws {@link DecisionNotAllowedError} (`ERR_DECISION_NOT_ALLOWED`): the request still waits
   * @throws {@link UnknownApprovalError} (`ERR_UNKNOWN_APPROVAL`)
   */
  approve(approvalId: string, options?: string | DecideOptions, more?: DecideOptions): Promise<ApprovalRecord>;
  /** Rejects a request: its call does not run. `stop` also ends the turn. Throws as {@link Gate.approve}. */
  reject(
    approvalId: string,
    options?: string | (DecideOptions & { stop?: boolean }),
    more?: DecideOptions & { stop?: boolean },
  ): Promise<ApprovalRecord>;
  /** Approves the call with these arguments instead. Throws as {@link Gate.approve}. */
  edit(approvalId: string, args: unknown, options?: DecideOptions): Promise<ApprovalRecord>;
  /** Does not run the call: the model gets `output` as its result. Throws as {@link Gate.approve}. */
  respond(approvalId: string, output: unknown, options?: DecideOptions): Promise<ApprovalRecord>;
  /** Does not run the call, and tells the model to go on without it. Throws as {@link Gate.approve}. */
  skip(approvalId: string, options?: string | DecideOptions, more?: DecideOptions): Promise<ApprovalRecord>;
  /**
   * Takes any decision, e.g. `{ type: 'reject', reason }`. The options say who decides. The decision itself may come from
   * anywhere, so a name in it is refused, and so is an unknown field. Throws as {@link Gate.approve}.
   */
  decide(
    approvalId: string,
    decision: boolean | Decision | ForeignDecision,
    options?: DecideOptions,
  ): Promise<ApprovalRecord>;
  /**
   * Takes one decision for several requests, at most 100, in their order. Each approval is bound to its own arguments, and the
   * outcome of one has no effect on the others. A call that stands out, or that is not proven to do no lasting harm, is not
   * approved among others unless `seen` names it: {@link InvalidDecisionError} (`ERR_INVALID_DECISION`), and it still waits.
   *
   * @throws {@link InvalidDecisionError} for another decision: an edit, an answer or `remember` belong to one request
   */
  decideAll(approvalIds: readonly string[], decision: BatchDecision, options?: BatchOptions): Promise<BatchResult[]>;
  /**
   * What happens from now on, over all runs, and over all processes that share the ledger: of a durable one also what
   * happened a moment ago. A reader that falls more than 10,000 events behind gets {@link EventsLostError}
   * (`ERR_EVENTS_LOST`): read `pending()` again. Where the ledger is damaged or gone, each gets its {@link LedgerError}
   * (`ERR_LEDGER_…`).
   */
  events(options?: { signal?: AbortSignal }): AsyncIterableIterator<GateEvent>;
  /** What the policies, the grants and the mode of this gate say about a call, without asking a person. */
  check(call: { toolName: string; args: unknown; runId?: string }): Promise<PolicyVerdict>;
  /** The current mode: `safe`, `auto`, `plan` or `deny-all-asks`. */
  readonly mode: PolicyMode;
  /**
   * Sets the mode. It applies from the next call on, also to current runs and to tools that `gateTools` has wrapped. `auto` also
   * approves waiting requests of this process that would not be asked about in it. In `plan` and `deny-all-asks`, what was
   * approved before under another mode, here or in another process, and was not started does not run: its approval is taken back.
   *
   * @throws {@link ModeForbiddenError} (`ERR_MODE_FORBIDDEN`) where a policy forbids it
   */
  setMode(mode: PolicyMode): Promise<void>;
  /** The remembered decisions: `list()` and `revoke(id)`. */
  readonly grants: Grants;
  /** The audit: what happened, in order, so that any later change is detected. Only with a durable ledger. */
  readonly audit: Audit;
  /**
   * Closes the gate, which then refuses new requests. In `memory:`, waiting requests are cancelled. In a durable ledger they
   * still wait, for another process to answer them or to continue their run; code that waits here gets {@link GateClosedError}
   * (`ERR_GATE_CLOSED`). Idempotent.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a gate: where requests wait until a person decides. It returns at once; the ledger is opened by the first use, or by
 * {@link Gate.ready}.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 * @throws {@link PolicyError} (`ERR_POLICY_…`) for a `policy` that cannot be read
 */
export declare function createGate(options?: GateOptions): Gate;
