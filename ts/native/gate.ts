/** The gate of the core. */
import type { ApprovalRecord, ApprovalRequest, ApprovalStatus, DecidedVia, DecisionOutcome } from '../../index.js';
import { binding, open, opened, textOf } from '../addon.js';
import { InternalError } from '../errors/internal-error.js';
import { LedgerError } from '../errors/ledger-error.js';
import { after, type Awaitable, isLater } from '../values/awaitable.js';
import { BatchQueue } from '../values/batches.js';
import { WorkLimit } from '../values/limit.js';
import { TurnQueue } from '../values/turns.js';
import type {
  CallBinding,
  CallStaleness,
  DecideMeta,
  NativeAuditEntry,
  NativeGateOptions,
  NativeHead,
  NativeLook,
  NativeLooked,
  NativeNote,
  NativePast,
  NativeRequest,
  NativeRunInfo,
  NativeSavedRun,
  NativeSaveRun,
  NativeValue,
  NativeVerified,
  Operations,
  StalenessCheck,
} from '../wire.js';
import {
  type CoreEvent,
  DRAIN,
  type EventedAnswer,
  isFull,
  type NativeRequested,
  type OperationAnswer,
  type OperationTakes,
  type RawRecord,
  recordOf,
} from './answers.js';
import { NativePolicies } from './policies.js';

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
export type AnsweredRequest = { answered: ApprovalStatus; staleness?: CallStaleness } | { read: DecisionOutcome };

/** What an approval is bound to beside its call: the tool, and what these policies say of the call. */
export interface BoundBy {
  policies: readonly NativePolicies[];
  binding: CallBinding;
}

/** How many operations of one gate may be on their way at once: what is beyond waits here, not in the ledger. */
const MAX_IN_FLIGHT = 64;

/** How long the requests are together that share a write, in UTF-16 units of JSON. */
const MAX_BATCH = 1_048_576;

/** A request as text, with the policies that have a say about its call. */
interface PreparedRequest {
  text: string;
  policies: readonly NativePolicies[];
}

const requestsOf = (requests: readonly PreparedRequest[]): string => {
  const counts = requests.map(({ policies }) => policies.length);
  const told = counts.some((count) => count > 0) ? `,"policies":[${counts.join()}]` : '';
  return `{"request":{"requests":[${requests.map(({ text }) => text).join()}]${told}}}`;
};

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
    const answering = this.isDurable
      ? this.#turns.run(approvalId, () => this.#limit.run(() => this.#call('decide', text, policies)))
      : this.#callNear<OperationAnswer<'decide'>>(text, policies);
    return after(answering, (given) => {
      if ('answered' in given || 'read' in given) return given;
      throw new InternalError({ message: 'the core read no answer' });
    });
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
