/**
 * The native core as the rest of the TypeScript sees it: the generated binding with its JSON texts given types.
 * Same order as `src/`, for side-by-side review. Nothing here decides anything.
 */
import type {
  ApprovalRecord,
  ApprovalRequest,
  ArgumentRow,
  DecidedVia,
  DecisionOutcome,
  GateEvent,
  Grant,
  LedgerErrorCode,
  PolicyFinding,
  PolicyProblem,
} from '../index.js';
import * as binding from '../binding/binding.js';
import { addonError, throwAtNoLine } from './errors/addon-error.js';
import { AuditHeadError } from './errors/audit-head-error.js';
import { hasCode } from './errors/countersign-error.js';
import { fromNative } from './errors/from-native.js';
import { InternalError } from './errors/internal-error.js';
import { LedgerError } from './errors/ledger-error.js';
import { after, isLater, type Awaitable } from './values/awaitable.js';
import { BatchQueue } from './values/batches.js';
import { WorkLimit } from './values/limit.js';
import { TurnQueue } from './values/turns.js';
import { whenAborted } from './values/when-aborted.js';
import type {
  AcceptedRules,
  CallBinding,
  CanonicalText,
  ComparedNeeds,
  DecideMeta,
  DocumentOperations,
  Envelope,
  FileOperations,
  InterruptPlan,
  NativeAbout,
  NativeAnsweredCall,
  NativeAuditEntry,
  NativeCall,
  NativeCallParts,
  NativeDocument,
  NativeFilesOptions,
  NativeGateOptions,
  NativeGitFiles,
  NativeHead,
  NativeJudged,
  NativeLayers,
  NativeLook,
  NativeLooked,
  NativeNetwork,
  NativeNote,
  NativePast,
  NativePolicyOptions,
  NativeProposal,
  NativeRefreshed,
  NativeRequest,
  NativeReview,
  NativeReviewParts,
  NativeRights,
  NativeRunInfo,
  NativeSaveRun,
  NativeSavedRun,
  NativeSealed,
  NativeSeen,
  NativeSettings,
  NativeShown,
  StalenessCheck,
  NativeTidied,
  NativeTree,
  NativeValue,
  NativeVerified,
  NativeWaiting,
  NativeWeighed,
  NarrowedOffer,
  Operations,
  PatternKind,
  PolicyOperations,
  PreviewText,
  CallStaleness,
  TreeFormat,
  TrustedPolicy,
} from './wire.js';

export type {
  DecideMeta,
  FileOperations,
  Gating,
  InterruptPlan,
  NativeAnsweredCall,
  NativeAsked,
  NativeAuditEntry,
  NativeBound,
  NativeCall,
  NativeCallParts,
  NativeRedeemed,
  NativeDocument,
  NativeGateOptions,
  NativeGitFiles,
  NativeJudged,
  NativeLayers,
  NativeLook,
  NativeLooked,
  NativeNetwork,
  NativeNote,
  NativePast,
  NativeProposal,
  NativeRequest,
  NativeReview,
  NativeReviewParts,
  NativeRights,
  NativeRunInfo,
  NativeRunStatus,
  NativeSaveRun,
  NativeSavedRun,
  NativeConfinedRun,
  NativeSealed,
  NativeSetting,
  NativeTidied,
  NativeVerdict,
  NativeVerified,
  NativeWho,
  CallStaleness,
} from './wire.js';

if (binding.failure !== undefined) throwAtNoLine(addonError(binding.failure, binding.platform));

/** An answer, and earlier events that were not reported yet. */
type EventedAnswer<T> = Envelope<T> & { events?: CoreEvent[] };

function open<T>(text: string): T {
  return opened(JSON.parse(text) as Envelope<T>);
}

function opened<T>(envelope: Envelope<T>): T {
  if ('error' in envelope) throw fromNative(envelope.error);
  return envelope.ok;
}

/** The executable that confines commands; `undefined`: not found beside the addon. */
export const confineProgram: string | undefined = binding.confineProgram;

type OperationTakes<NAME extends keyof Operations> = Operations[NAME]['takes'];
type OperationAnswer<NAME extends keyof Operations> = NAME extends keyof CompletedAnswers
  ? CompletedAnswers[NAME]
  : Operations[NAME]['answers'];

/** Answers with records, by the declared types: `ts/gate/records.ts` completes what the core leaves out of most of them. */
interface CompletedAnswers {
  request: Envelope<NativeRequested>[];
  get: KeptRecord | null;
  find: KeptRecord[];
  pending: KeptRecord[];
  history: KeptRecord[];
  decide: KeptRecord | { record: KeptRecord; staleness: CallStaleness } | { read: DecisionOutcome };
  records: KeptRecord[];
  interrupt: KeptRecord[];
  drain: CoreEvent[];
}

/** The ledger cannot be read: nothing more is told until it can. */
export interface UnreadableEvent {
  type: 'unreadable';
  code: LedgerErrorCode;
  message: string;
}

/** What the core tells: what happened, or that it can no longer be read. */
export type CoreEvent = GateEvent | UnreadableEvent;

const DRAIN = '{"drain":{}}';

/** A request as text, with the policies that have a say about its call. */
interface PreparedRequest {
  text: string;
  policies: readonly NativePolicies[];
}

/** A request that was made. */
export interface NativeRequested {
  record: ApprovalRecord;
  /** What an approval of it is bound to beside the call, where that was looked up. */
  context?: object;
  /** Policy files changed: what is wrong with them now. */
  problems?: PolicyProblem[];
}

const requestsOf = (requests: readonly PreparedRequest[]): string => {
  const counts = requests.map(({ policies }) => policies.length);
  const told = counts.some((count) => count > 0) ? `,"policies":[${counts.join()}]` : '';
  return `{"request":{"requests":[${requests.map(({ text }) => text).join()}]${told}}}`;
};

/** What is asked, as the core reads it. */
function textOf<NAME extends keyof Operations>(operation: NAME, takes: Operations[NAME]['takes']): string {
  return operationText(operation, wellFormed(takes));
}

/** Ids and reasons are any text. What is JSON inside of the arguments is left to the core. */
function wellFormed<T extends object>(takes: T): object {
  const isWellFormed = (value: unknown) => typeof value !== 'string' || value.isWellFormed();
  if (Object.values(takes).every(isWellFormed)) return takes;
  return Object.fromEntries(
    Object.entries(takes).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  );
}

/** What `interruptOn` means for each of these tools. */
export function interruptPlan(tools: object, interruptOn: unknown, unknownTools: string | undefined): InterruptPlan {
  return open(binding.interruptPlan(tools, interruptOn, unknownTools));
}

/** The tools with `needsApproval` set on the gated ones, and the names to warn about. */
export function applyInterruptConfig<T extends object>(
  tools: T,
  interruptOn: unknown,
  unknownTools: string | undefined,
): { tools: T; unknown: string[] } {
  const { tools: applied, plan } = binding.applyInterruptConfig(tools, interruptOn, unknownTools);
  return { tools: applied === null ? tools : (applied as T), unknown: open<InterruptPlan>(plan).unknown };
}

/** Which of these tools has another name than this one, and is meant by it; `null`: none. */
export function renamedTool(name: string, known: readonly string[]): string | null {
  return binding.renamedTool(
    name.toWellFormed(),
    known.filter((each) => each.isWellFormed()),
  );
}

export function hasApprovalTools(interruptOn: unknown): boolean {
  return open(binding.hasApprovalTools(interruptOn));
}

/** RFC 8785 text and its SHA-256 (hex). */
export function canonicalize(json: string): CanonicalText {
  return open(binding.canonicalize(json));
}

/** Whether the text fits the `pattern` of a schema, in time that grows with the text alone; `null`: that is not known. */
export function fitsPattern(pattern: string, text: string): boolean | null {
  return binding.fitsPattern(pattern.toWellFormed(), text.toWellFormed());
}

/** What is to be asked next of a call, or its verdict. Later where its policies look at files. */
export function weighCall(
  { args, asked, ...parts }: NativeCallParts,
  policies: readonly NativePolicies[],
): Awaitable<NativeWeighed> {
  // The call is left to the core as it is.
  const text = `${JSON.stringify({ args, asked }).slice(0, -1)},${JSON.stringify(parts, wellFormedText).slice(1)}`;
  return after(binding.weighCall(text, NativePolicies.bindings(policies)), (weighed) => open<NativeWeighed>(weighed));
}

/** What a reviewer's answer does. */
export function weighReview(parts: NativeReviewParts): NativeReview {
  return open(binding.weighReview(JSON.stringify(parts)));
}

/** Whether who met the needs `met` met all of `asked`, too. */
export function coversNeeds(needs: ComparedNeeds): boolean {
  return open(binding.coversNeeds(JSON.stringify(needs, wellFormedText)));
}

/** What a person may decide of a request that waits. */
export function personRights(waiting: NativeWaiting): NativeRights {
  return open(binding.personRights(JSON.stringify(waiting, wellFormedText)));
}

/** Reasons and names are any text: a replacer for `JSON.stringify`. */
const wellFormedText = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;

/** A call as plain text that is safe to show, at most `width` columns wide. */
export function preview(toolName: string, args: unknown, width?: number): PreviewText {
  return open(binding.preview(JSON.stringify({ toolName, args, width: width ?? null })));
}

/** The arguments of a call as rows of a table, what matters most first. */
export function argumentRows(args: unknown): ArgumentRow[] {
  return open(binding.rows(JSON.stringify(args)));
}

/** What is kept of a request beside what is told of it. */
export type RawRecord = ApprovalRecord & {
  /** What the policies judged the call under. */
  context?: object | null;
  /** What is shown of the verdict, as it was given to {@link NativeGate.request}. */
  details?: object | null;
  /** Of the execution, as it was given to {@link NativeGate.settle}. */
  result?: unknown;
  /** The owner id of the process that started it. */
  executor?: string | null;
};

/** Runs that outlive their process. All of it fails with `ERR_LEDGER_TEMPORARY` on a ledger in memory. */
export interface RunStore {
  /**
   * Gives the hash of each new entry. The first save makes the run this process' own. Fails with `ERR_RUN_ACTIVE` when it is
   * another's, and with `ERR_RUN_OVER`.
   */
  saveRun(run: NativeSaveRun): Promise<string[]>;
  /** Makes a run this process' own. Fails with `ERR_UNKNOWN_RUN`, `ERR_RUN_ACTIVE`, `ERR_RUN_OVER`. */
  takeRun(runId: string): Promise<NativeSavedRun>;
  run(runId: string): Promise<NativeSavedRun | null>;
  /** Lets go of it, so that another process may take it. */
  releaseRun(runId: string): Promise<void>;
  /** The latest change first. `open`: only those that can be continued. */
  runs(open: boolean, limit: number): Promise<NativeRunInfo[]>;
  /** Writes it into the audit. */
  note(note: NativeNote): Promise<void>;
  /** What the run asked about, oldest first. */
  records(runId: string): Promise<RawRecord[]>;
  /** Writes down that what a process that is gone had started was interrupted, and gives these records. */
  interrupt(runId: string | null): Promise<RawRecord[]>;
}

/** What was shown of a call, and the policies that say whether it still is that. */
export interface ShownCheck {
  shown: StalenessCheck;
  policies: readonly NativePolicies[];
}

/** What became of an answer. */
export type AnsweredRequest = { record: ApprovalRecord; staleness?: CallStaleness } | { read: DecisionOutcome };

/** What an approval is bound to beside its call: the tool, and what these policies say of the call. */
export interface BoundBy {
  policies: readonly NativePolicies[];
  binding: CallBinding;
}

/** How many operations of one gate may be on their way at once: what is beyond waits here, not in the ledger. */
const MAX_IN_FLIGHT = 64;

/** How long the requests are together that share a write, in UTF-16 units of JSON. */
const MAX_BATCH = 1_048_576;

/**
 * The gate of the core: a state machine over its ledger. Over one in memory each method answers at once, over a durable one
 * it answers with a promise of what is durable. The answer of a change brings its events; the rest is queued until `drain`.
 */
export class NativeGate implements RunStore {
  /** Whether what is kept outlives the process, and methods answer later. */
  readonly isDurable: boolean;
  /** Is told how long each operation of a durable ledger took, in s, and the code of its failure. */
  onOperation: ((operation: string, seconds: number, failure?: string) => void) | undefined;
  readonly #gate: binding.NativeGate;
  readonly #limit = new WorkLimit(MAX_IN_FLIGHT);
  /** The threads of the core take up what comes in any order. */
  readonly #turns = new TurnQueue();
  /** They share a write to the disk, and come there in their order. */
  readonly #requests = new BatchQueue<PreparedRequest, NativeRequested>(
    (requests) => this.#limit.run(() => this.#request(requests)),
    ({ text }) => text.length,
    MAX_BATCH,
  );
  /** Requests that are on their way. */
  readonly #requesting = new Set<Promise<unknown>>();

  /** What came with answers. */
  #events: CoreEvent[] = [];
  /** An answer did not bring all of it. */
  #hasMore = false;

  constructor(options: NativeGateOptions) {
    this.#gate = new binding.NativeGate(JSON.stringify(options));
    this.isDurable = options.ledger !== 'memory:' && this.#now('isDurable', {});
  }

  #now<NAME extends keyof Operations>(operation: NAME, takes: OperationTakes<NAME>): OperationAnswer<NAME> {
    return this.#callNow(textOf(operation, takes));
  }

  #callNow<T>(operation: string): T {
    return opened(this.#taken<T>(this.#gate.callNow(operation)));
  }

  /** An answer, and what happened before it. */
  #taken<T>(text: string): EventedAnswer<T> {
    const answer = JSON.parse(text) as EventedAnswer<T>;
    if (answer.events !== undefined) {
      this.#events.push(...answer.events);
      this.#hasMore ||= isFull(answer.events, text);
    }
    return answer;
  }

  #do<NAME extends keyof Operations>(operation: NAME, takes: OperationTakes<NAME>): Awaitable<OperationAnswer<NAME>> {
    return this.isDurable ? this.#later(operation, takes) : this.#now(operation, takes);
  }

  /** After what was asked of the same thing before. */
  #inTurn<NAME extends keyof Operations>(
    thing: string,
    operation: NAME,
    takes: OperationTakes<NAME>,
  ): Awaitable<OperationAnswer<NAME>> {
    if (!this.isDurable) return this.#now(operation, takes);
    return this.#turns.run(thing, () => this.#later(operation, takes));
  }

  /** When there is a place for it. */
  #later<NAME extends keyof Operations>(operation: NAME, takes: OperationTakes<NAME>): Promise<OperationAnswer<NAME>> {
    return this.#limit.run(() => this.#call(operation, textOf(operation, takes)));
  }

  /** In memory, after those that wait for files. */
  #requestInTurn(request: PreparedRequest): Awaitable<NativeRequested> {
    if (this.#requesting.size === 0) return this.#requestNear(request);
    return Promise.allSettled(this.#requesting).then(() => this.#requestNear(request));
  }

  /** Its maker hears of it in the very step in which it is made: in memory, nothing else tells that it waits. */
  #requestNear(request: PreparedRequest): Awaitable<NativeRequested> {
    const answered = this.#callNear<OperationAnswer<'request'>>(requestsOf([request]), request.policies);
    return after(answered, ([answer]) => {
      if (answer === undefined) throw new InternalError({ message: 'the core answered no request' });
      return opened(answer);
    });
  }

  /** With the policies that have a say about the call. */
  #judged<NAME extends keyof Operations>(
    operation: NAME,
    takes: OperationTakes<NAME>,
    policies: readonly NativePolicies[],
  ): Awaitable<OperationAnswer<NAME>> {
    const text = textOf(operation, takes);
    return this.isDurable
      ? this.#limit.run(() => this.#call(operation, text, policies))
      : this.#callNear(text, policies);
  }

  /** In memory: at once, but for where policies must look at files. */
  #callNear<T>(text: string, policies: readonly NativePolicies[]): Awaitable<T> {
    if (policies.length === 0) return this.#callNow(text);
    const answer = this.#gate.call(text, NativePolicies.bindings(policies));
    return after(answer, (given) => opened(this.#taken<T>(given)));
  }

  async #request(requests: readonly PreparedRequest[]): Promise<(() => NativeRequested)[]> {
    const policies = requests.flatMap((request) => request.policies);
    const answers = await this.#call('request', requestsOf(requests), policies);
    return answers.map((answer) => () => opened(answer));
  }

  async #call<NAME extends keyof Operations>(
    operation: NAME,
    text: string,
    policies: readonly NativePolicies[] = [],
  ): Promise<OperationAnswer<NAME>> {
    const started = performance.now();
    let failure: string | undefined;
    try {
      const answer = this.#gate.call(text, NativePolicies.bindings(policies));
      // What is there at once is taken at once: events are told in their order.
      return opened(this.#taken<OperationAnswer<NAME>>(isLater(answer) ? await answer : answer));
    } catch (error) {
      if (LedgerError.isInstance(error)) failure = error.code;
      throw error;
    } finally {
      if (this.isDurable) this.onOperation?.(operation, (performance.now() - started) / 1000, failure);
    }
  }

  /** Opens the ledger. */
  async ready(): Promise<void> {
    if (this.isDurable) await this.#later('open', {});
  }

  /** `wake` is called when events were queued by something other than a call of this class. Never keeps the process alive. */
  onWake(wake: () => void): void {
    this.#gate.onWake(wake);
  }

  /** Tells of this request too, though another process made it. */
  async watch(approvalId: string): Promise<void> {
    if (this.isDurable) await this.#later('watch', { approvalId });
  }

  /**
   * Tells of the requests of all processes, or no longer. In memory: tells of requests, starts and ends too, or only of what
   * somebody waits for.
   */
  watchAll(on: boolean): void {
    this.#now('watchAll', { on });
  }

  /** Writes it into the audit. */
  async note(note: NativeNote): Promise<void> {
    if (this.isDurable) await this.#later('note', { notes: [note] });
  }

  /** The entries of the audit after this number. It and the two below fail with `ERR_LEDGER_TEMPORARY` in memory. */
  audit(after: number, limit: number): Promise<NativeAuditEntry[]> {
    return this.#later('audit', { after, limit });
  }

  head(): Promise<NativeHead> {
    return this.#later('head', {});
  }

  verify(): Promise<NativeVerified> {
    return this.#later('verify', {});
  }

  /**
   * Fails with `ERR_DUPLICATE_CALL` (`existing`: record) when this run already asked about this call id. Those of this process are
   * made in the order in which they were asked for. In memory at once, but for where files must be looked at, and what comes then.
   */
  request(request: NativeRequest, policies: readonly NativePolicies[]): Awaitable<NativeRequested> {
    const prepared = { text: JSON.stringify(request), policies };
    const requested = this.isDurable ? this.#requests.add(prepared) : this.#requestInTurn(prepared);
    if (isLater(requested)) {
      this.#requesting.add(requested);
      const forget = () => void this.#requesting.delete(requested);
      requested.then(forget, forget);
    }
    return requested;
  }

  /** What would be shown of a call that is asked about, and what its approval would be bound to. */
  look(args: unknown, look: NativeLook, policies: readonly NativePolicies[]): Awaitable<NativeLooked> {
    return this.#judged('look', { args, look }, policies);
  }

  get(approvalId: string): Awaitable<ApprovalRecord | null> {
    return this.#do('get', { approvalId });
  }

  /** The records of this call id; of all runs when `runId` is `null`. */
  find(runId: string | null, toolCallId: string): Awaitable<ApprovalRecord[]> {
    return this.#do('find', { runId, toolCallId });
  }

  /** Oldest first. With what was asked before in this process, though that may not have been answered yet. */
  pending(runId: string | null): Awaitable<ApprovalRequest[]> {
    const look = () => this.#do('pending', { runId });
    return this.#requesting.size === 0 ? look() : Promise.allSettled(this.#requesting).then(look);
  }

  /** What is no longer pending, the latest request first. Fails with `ERR_INVALID_CONFIG`, `ERR_UNKNOWN_APPROVAL`. */
  history(past: NativePast): Promise<ApprovalRecord[]> {
    return this.#later('history', past);
  }

  /** The text that is kept under this key, and how often it was set; `null`: not set. */
  value(key: string): Promise<NativeValue | null> {
    return this.#later('value', { key });
  }

  /** Keeps a text of at most 1 MiB if what is there is of this version; `null`: if nothing is. `false`: it is not. */
  setValue(key: string, expected: number | null, text: string): Promise<boolean> {
    return this.#later('setValue', { key, expected, text });
  }

  /** Reads any answer (see `ApprovalAnswer`) into a decision. Fails with `ERR_INVALID_DECISION`. */
  parseAnswer(answer: unknown, toolName: string): DecisionOutcome {
    const takes: OperationTakes<'parseAnswer'> = { answer, toolName: toolName.toWellFormed() };
    return this.#callNow(JSON.stringify({ parseAnswer: takes }));
  }

  /**
   * Decides by any answer that says no more than approve, reject or skip. What says more is read, and not decided. Fails as
   * {@link NativeGate.parseAnswer} before it fails as {@link NativeGate.decide}. An approval brings whether the call still is what was
   * `shown`.
   */
  answer(
    approvalId: string,
    toolName: string,
    answer: unknown,
    meta: DecideMeta,
    look?: ShownCheck,
  ): Awaitable<AnsweredRequest> {
    const { shown, policies = [] } = look ?? {};
    const takes: OperationTakes<'decide'> = { approvalId, answer, toolName: toolName.toWellFormed(), meta, shown };
    const text = JSON.stringify({ decide: takes });
    const answered = this.isDurable
      ? this.#turns.run(approvalId, () => this.#limit.run(() => this.#call('decide', text, policies)))
      : this.#callNear<OperationAnswer<'decide'>>(text, policies);
    return after(answered, (given) => ('read' in given || 'staleness' in given ? given : { record: given }));
  }

  /** Whether a call still is what was shown of it. */
  staleness({ shown, policies }: ShownCheck): Awaitable<CallStaleness> {
    return this.#judged('staleness', { shown }, policies);
  }

  /**
   * Decides, if it is still open: of several decisions that are made here, the first. `editedArgs`: for an edit, the arguments
   * that will run, as the tool's schema gave them; `editedContext`: what they are judged under.
   * Fails with `ERR_ALREADY_DECIDED` (`winner`), `ERR_EXPIRED`, `ERR_NOT_APPROVER`, `ERR_DECISION_NOT_ALLOWED` (`allowedDecisions`; never for
   * `reject` through `system`, `expired` or `cancelled`), `ERR_UNKNOWN_APPROVAL`, `ERR_INVALID_ARGUMENTS`.
   */
  decide(approvalId: string, decision: DecisionOutcome, meta: DecideMeta): Awaitable<ApprovalRecord> {
    return after(this.#inTurn(approvalId, 'decide', { approvalId, decision, meta }), recordOf);
  }

  /** Cancels what this run still waits for and takes back what was approved but not started. */
  cancelRun(runId: string, reason: string, via: DecidedVia): Awaitable<void> {
    return this.#do('cancelRun', { runId, reason, via });
  }

  /** Takes back an approval that was not started. `false`: there was nothing to take back. */
  revoke(approvalId: string, reason: string): Awaitable<boolean> {
    return this.#inTurn(approvalId, 'revoke', { approvalId, reason });
  }

  /**
   * The one use of an approval, checked against the digest of what was approved, with what the policies say of the call now: `denied`
   * where no approval lets it run. Fails with `ERR_NOT_APPROVED` (`status`, or `null` when there is no such request),
   * `ERR_DIGEST_MISMATCH`, `ERR_ALREADY_STARTED`.
   */
  redeem(
    runId: string | null,
    toolCallId: string,
    toolName: string,
    args: unknown,
    bound: BoundBy | null,
  ): Awaitable<OperationAnswer<'redeem'>> {
    const call = { toolName, args, binding: bound?.binding ?? null };
    return this.#judged('redeem', { runId, toolCallId, call }, bound?.policies ?? []);
  }

  /** Whether an approval is bound to its call with these arguments, judged by these policies as things are now. */
  isBound(approvalId: string, toolName: string, args: unknown, bound: BoundBy): Awaitable<OperationAnswer<'isBound'>> {
    const call = { toolName, args, binding: bound.binding };
    return this.#judged('isBound', { approvalId, call }, bound.policies);
  }

  /** `result`: any JSON, kept by a durable ledger for the process that continues the run; `null`: none. */
  settle(approvalId: string, succeeded: boolean, result: unknown): Awaitable<void> {
    return this.#do('settle', this.isDurable ? { approvalId, succeeded, result } : { approvalId, succeeded });
  }

  /** What happened since the last call, oldest first, as far as calls of this class made it happen. */
  take(): CoreEvent[] {
    return this.#hasMore ? this.drain() : this.#brought();
  }

  /** What happened since the last call, oldest first. */
  drain(): CoreEvent[] {
    const events = this.#brought();
    this.#hasMore = false;
    for (;;) {
      const text = this.#gate.callNow(DRAIN);
      const batch = open<OperationAnswer<'drain'>>(text);
      events.push(...batch);
      if (!isFull(batch, text)) return events;
    }
  }

  #brought(): CoreEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  saveRun(run: NativeSaveRun): Promise<string[]> {
    return this.#later('saveRun', run);
  }

  takeRun(runId: string): Promise<NativeSavedRun> {
    return this.#later('takeRun', { runId });
  }

  run(runId: string): Promise<NativeSavedRun | null> {
    return this.#later('run', { runId });
  }

  releaseRun(runId: string): Promise<void> {
    return this.#later('releaseRun', { runId });
  }

  runs(open: boolean, limit: number): Promise<NativeRunInfo[]> {
    return this.#later('runs', { open, limit });
  }

  records(runId: string): Promise<RawRecord[]> {
    return this.#later('records', { runId });
  }

  interrupt(runId: string | null): Promise<RawRecord[]> {
    return this.#later('interrupt', { runId });
  }

  /** Refuses what comes. In memory it cancels what waits; a durable ledger is let go of, and what waits goes on waiting. */
  close(reason: string): Awaitable<void> {
    // Past those that wait their turn: they are refused.
    return this.isDurable ? this.#call('close', textOf('close', { reason })) : this.#now('close', { reason });
  }
}

/** What is asked about policies as they are written. */
function documents<NAME extends keyof DocumentOperations>(
  operation: NAME,
  takes: DocumentOperations[NAME]['takes'],
): DocumentOperations[NAME]['answers'] {
  return open(binding.callDocumentsNow(operationText(operation, takes)));
}

/** The same for what looks at files. */
async function documentsLater<NAME extends keyof DocumentOperations>(
  operation: NAME,
  takes: DocumentOperations[NAME]['takes'],
): Promise<DocumentOperations[NAME]['answers']> {
  return open(await binding.callDocuments(operationText(operation, takes)));
}

const operationText = (operation: string, takes: object): string => `{"${operation}":${JSON.stringify(takes)}}`;

/** A batch of events ends at 128 of them or at about 4 MiB: only a full one can have left something. */
const isFull = (batch: readonly CoreEvent[], text: string): boolean =>
  batch.length >= 128 || (batch.length > 0 && text.length >= 1_000_000);

/** The record of what was decided. */
function recordOf(answer: OperationAnswer<'decide'>): KeptRecord {
  if ('read' in answer) throw new InternalError({ message: 'the core decided nothing' });
  return 'staleness' in answer ? answer.record : answer;
}

/** Fails with `ERR_POLICY` (`problems`) unless these documents can be read. */
export function checkDocuments(given: NativeDocument[]): void {
  documents('check', { documents: given });
}

/** What is probably not meant. Fails with `ERR_POLICY`. */
export function lintDocuments(given: NativeDocument[], toolNames: readonly string[] | null): PolicyFinding[] {
  return documents('lint', { documents: given, toolNames });
}

/** What a TOML or JSON text says, with the place of each part. JSON may have comments, and a key of it may stand twice. */
export function readTree(text: string, format: TreeFormat): NativeTree {
  return documents('tree', { text, format });
}

/** A policy object as TOML. Fails with `ERR_POLICY`. */
export function writeToml(name: string, document: object): string {
  return documents('toml', { name, document });
}

/** Why a rule does not take a pattern; `null`: it does. */
export function patternFault(pattern: string, of: PatternKind): string | null {
  return documents('patternFault', { pattern, of });
}

/** The names of the tools that have a built-in reading, in snake case. */
export function builtinTools(): string[] {
  return documents('builtinTools', {});
}

/** Policies that judge. What may have to look at files answers later where it does. */
export class NativePolicies {
  readonly #policies: binding.NativePolicies;

  /** Those that an operation of a gate is given. */
  static bindings(all: readonly NativePolicies[]): binding.NativePolicies[] {
    return all.map((policies) => policies.#policies);
  }

  /** Fails with `ERR_POLICY`. */
  constructor(options: NativePolicyOptions) {
    this.#policies = new binding.NativePolicies(JSON.stringify(options));
    this.#now('ready', {});
  }

  /** At once, also where it has to wait for files. */
  #now<NAME extends keyof PolicyOperations>(
    operation: NAME,
    takes: PolicyOperations[NAME]['takes'],
  ): PolicyOperations[NAME]['answers'] {
    return open(this.#policies.callNow(operationText(operation, takes)));
  }

  #ask<NAME extends keyof PolicyOperations>(
    operation: NAME,
    takes: PolicyOperations[NAME]['takes'],
  ): Awaitable<PolicyOperations[NAME]['answers']> {
    const answer = this.#policies.call(operationText(operation, takes));
    return after(answer, (text) => open<PolicyOperations[NAME]['answers']>(text));
  }

  async #later<NAME extends keyof PolicyOperations>(
    operation: NAME,
    takes: PolicyOperations[NAME]['takes'],
  ): Promise<PolicyOperations[NAME]['answers']> {
    return this.#ask(operation, takes);
  }

  /** At once, or later where files must be looked at. */
  judge(call: NativeCall): Awaitable<NativeJudged> {
    return this.#ask('judge', call);
  }

  /** What a human is shown: offers to remember, diffs, and the preview with them. At once: it waits for files. */
  showNow(call: NativeCall): NativeShown {
    return this.#now('show', call);
  }

  /** The explanation as text. */
  explain(call: NativeCall): Promise<string> {
    return this.#later('explain', call);
  }

  /** The numbers of the conditions of rules for this tool. */
  conditions(toolName: string, otherNames: readonly string[] = []): number[] {
    return this.#now('conditions', { toolName, otherNames });
  }

  /** Reads policy files that changed. `problems`: `null` when none did. `changed`: files with another content. */
  refresh(files: NativeSeen[]): Promise<NativeRefreshed> {
    return this.#later('refresh', { files });
  }

  /** The files that an unasked command must not reach: below the current folder, and below these. */
  sealed(more: readonly string[]): Promise<NativeSealed> {
    return this.#later('sealed', { more });
  }

  /** What a confined command reaches of the network; `null`: no policy says anything of that. */
  network(): Promise<NativeNetwork | null> {
    return this.#later('network', {});
  }

  /** The policies that count now. */
  layers(): Promise<NativeLayers> {
    return this.#later('layers', {});
  }

  hidden(toolNames: readonly string[]): string[] {
    return this.#now('hidden', { toolNames });
  }

  forbids(mode: string): string | null {
    return this.#now('forbids', { mode });
  }

  /** Why nothing is remembered here; `null`: it is. */
  forgets(): Promise<string | null> {
    return this.#later('forgets', {});
  }

  grant(grant: Omit<Grant, 'id'>): Promise<Grant> {
    return this.#later('grant', grant);
  }

  grants(now: number): Promise<Grant[]> {
    return this.#later('grants', { now });
  }

  revoke(id: string): Promise<boolean> {
    return this.#later('revoke', { id });
  }

  /** Rules for the project's policy, from what was asked about. Fails with `ERR_INVALID_CONFIG`. */
  propose(asked: NativeAnsweredCall[]): Promise<NativeProposal> {
    return this.#later('propose', { asked });
  }

  /** Forgets what was granted for this run. */
  endRun(runId: string): void {
    this.#now('endRun', { runId });
  }
}

/** One line of `countersign policy check --batch`. Never throws. */
export function checkLine(line: string): string {
  return binding.checkLine(line);
}

/** One line of `countersign preview --batch`. Never throws. */
export function previewLine(line: string): string {
  return binding.previewLine(line);
}

/** Any text made safe to show on a terminal, both ends of a long one kept. */
export function safeText(text: string): string {
  return binding.safeText(text.toWellFormed());
}

/** Trusts the policy of the project that this directory is in, as it is now. Fails with `ERR_POLICY`. */
export function trust(directory: string): Promise<TrustedPolicy> {
  return documentsLater('trust', { directory });
}

/** What is remembered in the place of an offer. Fails with `ERR_INVALID_DECISION` where it is not proven to be narrower. */
export function narrowOffer(narrow: DocumentOperations['narrow']['takes']): NarrowedOffer {
  return documents('narrow', narrow);
}

/** Puts rules that were shown into the policy of a project. Fails when what stands there is not what was shown. */
export function acceptRules(rules: DocumentOperations['accept']['takes']): Promise<AcceptedRules> {
  return documentsLater('accept', rules);
}

/** `false`: it was not trusted. */
export function untrust(directory: string): Promise<boolean> {
  return documentsLater('untrust', { directory });
}

export function trusted(): Promise<TrustedPolicy[]> {
  return documentsLater('trusted', {});
}

/** The values of a TOML text, in their order, or the place of its first mistake. */
export function readSettings(toml: string): NativeSettings {
  return documents('settings', { toml });
}

/** The project that this directory is in: the nearest one upward with `.countersign` or `.git`, else itself. */
export function projectDirectory(directory: string): string {
  return documents('project', { directory });
}

/** What git runs or obeys of the files in these folders, for a user with these homes, and what it would if it were there. */
export function runByGit(folders: readonly string[], homes: readonly string[]): NativeGitFiles {
  return documents('runByGit', { folders, homes });
}

/** Whether one of these patterns of addresses surely means this address. */
export function isMeant(patterns: readonly string[], url: string): boolean {
  return documents('isMeant', { patterns, url });
}

/** The text of a preset; `null`: no preset has that name. */
export function presetText(name: string): string | null {
  return documents('preset', { name });
}

/** What is kept beside a request, as it was given to {@link NativeGate.request}. */
export type KeptDetails = Pick<
  ApprovalRequest,
  | 'kind'
  | 'step'
  | 'verdict'
  | 'always'
  | 'changes'
  | 'startedBefore'
  | 'editedFrom'
  | 'askedAgain'
  | 'proven'
  | 'review'
  | 'askedBy'
  | 'agentReason'
>;

/** Where the policies judged a call. */
interface PolicyContext {
  cwd?: string;
}

/** A record with what is kept beside it. */
export type KeptRecord = ApprovalRecord & {
  details?: Partial<KeptDetails>;
  /** {@link NativeLedger.records} only: what the approval is bound to. `policy`: what the policies judged the call under. */
  context?: { policy?: PolicyContext | readonly PolicyContext[] | null } | null;
  /** {@link NativeLedger.records} only: what the execution gave. */
  result?: unknown;
};

/** A durable ledger, for programs that look and decide and run nothing. */
export class NativeLedger {
  readonly #gate: binding.NativeGate;
  #tell: ((events: GateEvent[]) => void) | undefined;

  /** `readOnly`: nothing is written, not even that what is due expired. */
  constructor(options: { ledger: string; key: string | null; readOnly: boolean }) {
    const limits = { cwd: process.cwd(), maxArgumentBytes: 4_194_304, keepDecided: 1 };
    this.#gate = new binding.NativeGate(JSON.stringify({ ...options, ...limits }));
  }

  async #do<NAME extends keyof Operations>(
    operation: NAME,
    takes: OperationTakes<NAME>,
  ): Promise<OperationAnswer<NAME>> {
    const text = await this.#gate.call(textOf(operation, takes));
    const answer = JSON.parse(text) as EventedAnswer<OperationAnswer<NAME>>;
    if (answer.events !== undefined) this.#told(answer.events, text);
    return opened(answer);
  }

  open = (): Promise<void> => this.#do('open', {});
  get = (approvalId: string): Promise<KeptRecord | null> => this.#do('get', { approvalId });
  /** Oldest first; what is due expires first unless it is read only. */
  pending = (runId: string | null): Promise<KeptRecord[]> => this.#do('pending', { runId });
  /** Of one run, oldest first. */
  records = (runId: string): Promise<KeptRecord[]> => this.#do('records', { runId });
  /** As {@link NativeGate.history}. */
  history = (past: NativePast): Promise<KeptRecord[]> => this.#do('history', past);
  /** Fails as {@link NativeGate.decide}. */
  decide = async (approvalId: string, decision: DecisionOutcome, meta: DecideMeta): Promise<KeptRecord> =>
    recordOf(await this.#do('decide', { approvalId, decision, meta }));
  /** The latest change first. */
  runs = (open: boolean, limit: number): Promise<NativeRunInfo[]> => this.#do('runs', { open, limit });
  /** With all that is kept of it. */
  run = (runId: string): Promise<NativeSavedRun | null> => this.#do('run', { runId });
  note = (note: NativeNote): Promise<void> => this.#do('note', { notes: [note] });
  /** As {@link NativeGate.value}. */
  value = (key: string): Promise<NativeValue | null> => this.#do('value', { key });
  /** As {@link NativeGate.setValue}. */
  setValue = (key: string, expected: number | null, text: string): Promise<boolean> =>
    this.#do('setValue', { key, expected, text });
  /** The entries after this number. */
  audit = (after: number, limit: number): Promise<NativeAuditEntry[]> => this.#do('audit', { after, limit });
  head = (): Promise<NativeHead> => this.#do('head', {});
  verify = (): Promise<NativeVerified> => this.#do('verify', {});
  about = (): Promise<NativeAbout> => this.#do('about', {});
  /** Drops what ended longer ago than this, in ms; `null`: nothing. */
  tidy = (contents: number | null, records: number | null): Promise<NativeTidied> =>
    this.#do('tidy', { contents, records });
  /** Gives the space of what was dropped back. */
  compact = (): Promise<NativeTidied> => this.#do('compact', {});
  /** What waits goes on waiting. */
  close = (): Promise<void> => this.#do('close', { reason: '' });

  /** Tells of what every process does: `tell` gets what happened since the last time. */
  watch(tell: (events: GateEvent[]) => void): void {
    this.#tell = tell;
    this.#gate.onWake(() => this.#drain());
    this.#gate.callNow(textOf('watchAll', { on: true }));
  }

  #drain(): void {
    const text = this.#gate.callNow(DRAIN);
    this.#told(open<OperationAnswer<'drain'>>(text), text);
  }

  #told(events: readonly CoreEvent[], text: string): void {
    const told = events.filter((event) => event.type !== 'unreadable');
    if (told.length > 0) this.#tell?.(told);
    if (isFull(events, text)) this.#drain();
  }
}

/** What the caller's own texts can make fail. */
type MadeOrInvalid<T> = { made: T } | { invalid: string };

function made<T>(text: string): T {
  const outcome = open<MadeOrInvalid<T>>(text);
  if ('invalid' in outcome) throw new AuditHeadError({ message: outcome.invalid });
  return outcome.made;
}

/** A new key to sign heads of audits with. Fails with `ERR_AUDIT_HEAD` for what is no name of a key. */
export function newAuditKey(name: string): { privateKey: string; publicKey: string } {
  return made(binding.newAuditKey(name));
}

/** A head as a signed note. Fails with `ERR_AUDIT_HEAD`. */
export function signAuditHead(
  head: { size: number; hash: string; at: number | null },
  origin: string,
  privateKey: string,
): string {
  return made(binding.signAuditHead(JSON.stringify(head), origin, privateKey));
}

/** The head in a note that at least one of these keys signed. Fails with `ERR_AUDIT_HEAD`. */
export function openAuditHead(
  note: string,
  publicKeys: string[],
): { origin: string; by: string[]; size: number; hash: string; at: number | null } {
  return made(binding.openAuditHead(note, publicKeys));
}

/** How a log stands to a head that was kept elsewhere, and by how many entries. */
export type NativeStanding = { word: 'same' | 'extended' | 'truncated' | 'forked' | 'unknown'; by: number };

/** Verifies an export of an audit, line by line. */
export class AuditVerifier {
  readonly #verifier: binding.AuditVerifier;

  /** `from`: the number of the entry that it begins with. */
  constructor(from: number, expected: { size: number; hash: string } | null) {
    const head = expected === null ? null : JSON.stringify({ ...expected, at: null });
    this.#verifier = new binding.AuditVerifier(from, head);
  }

  /** The next line, without its line end. */
  see(line: Uint8Array): void {
    this.#verifier.see(line);
  }

  finish(): {
    /** As many as are as they were written. */
    entries: number;
    head: { size: number; hash: string; at: number | null } | null;
    /** The first that is not. */
    broken: { seq: number; what: string } | null;
    standing: NativeStanding | null;
  } {
    return open(this.#verifier.finish());
  }
}

/** How many operations on the files of one root may be on their way at once: each takes a thread. */
const MAX_FILE_OPERATIONS = 8;

/** The files below one folder. */
export class NativeFiles {
  readonly #files: binding.NativeFiles;
  readonly #limit = new WorkLimit(MAX_FILE_OPERATIONS);

  /** Fails when there is no such folder. */
  constructor(options: NativeFilesOptions) {
    this.#files = new binding.NativeFiles(JSON.stringify(options));
  }

  /** Fails with a `BackendError`, or with the signal's reason: then nothing was changed. */
  call<NAME extends keyof FileOperations>(
    operation: NAME,
    takes: FileOperations[NAME]['takes'],
    abortSignal?: AbortSignal,
  ): Promise<FileOperations[NAME]['answers']> {
    return this.#limit.run(async () => {
      abortSignal?.throwIfAborted();
      const cancellation = new binding.Cancellation();
      const forget = whenAborted(abortSignal, () => cancellation.cancel());
      try {
        return open(await this.#files.call(operationText(operation, takes), cancellation));
      } catch (error) {
        if (hasCode(error, 'ERR_CANCELLED')) throw abortSignal?.reason;
        throw error;
      } finally {
        forget();
      }
    });
  }
}
