/**
 * The live object around the core's gate: it owns the promises that wait, the readers of events and the logger. What is
 * decided, by whom and when, is decided in the core.
 */
import type {
  ApprovalAnswer,
  ApprovalRecord,
  ApprovalRequest,
  DecideOptions,
  DecidedVia,
  DecisionOutcome,
  Audit,
  Gate,
  GateEvent,
  GateOptions,
  GateRequest,
  Grant,
  Grants,
  Logger,
  PolicyMode,
  PolicyVerdict,
  Resolution,
} from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import {
  AlreadyDecidedError,
  ApprovalExpiredError,
  DuplicateRequestError,
  GateClosedError,
  InvalidConfigError,
  InvalidDecisionError,
  UnknownApprovalError,
} from '../errors/index.js';
import { Redactor } from '../redact/redactor.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { NativeGate, type Claim, type NativeRequest, type Note, type RawRecord, type RunStore } from '../native.js';
import { after, attempt, isLater, type Awaitable } from '../values/awaitable.js';
import { revive, snapshot, type Snapshot } from '../values/snapshot.js';
import { GateAudit } from './audit.js';
import { Broadcast } from './broadcast.js';
import { checkPositive } from './check-positive.js';
import { Control } from './control.js';
import { ledgerOptions } from './ledger-options.js';
import { logEvent } from './log.js';
import {
  decidedRecord,
  existingRecord,
  isApproval,
  isDecided,
  resolutionOf,
  reviveEvent,
  toRecord,
  toRequest,
  type Decided,
  type ToldByCore,
} from './records.js';
import type { JudgedCall, Verdict } from './judge.js';
import { RedactedNative } from './redacted-native.js';
import { grantOf, rememberOf } from './remember.js';
import { Waiters } from './waiters.js';

export const DEFAULT_TIMEOUT_MS = 300_000;

/** The longest result of an execution that is kept, in bytes of JSON. */
const MAX_RESULT_BYTES = 1_048_576;

/** How long after its deadline the core has to tell of it, in ms. */
const LATE_MS = 1_000;

/** The longest sleep of a timer, in ms: about 24 days. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

/** Arguments as the tool would get them after an edit: what its schema makes of what the human wrote. */
export type CheckEdit = (args: unknown) => Promise<Snapshot>;

/** A request as the code in this process makes it. */
export type OpenRequest = Omit<NativeRequest, 'args'> & {
  args: Snapshot;
  /** Is told of this request, beside the gate's own logger. */
  logger?: Logger | undefined;
};

/** What belongs to a request beside what is kept of it. */
interface Opening {
  logger: Logger | undefined;
  checkEdit: CheckEdit | undefined;
  /** Tells telemetry, in the async context of whoever asked. */
  asked: ((request: ApprovalRequest) => void) | undefined;
}

/** A request, and the decision on it whenever it comes. It rejects when nothing more will be heard of it here. */
export interface Waited {
  record: ApprovalRecord;
  decided: Promise<Decided>;
}

/** A request without policies. */
const PLAIN = { context: null, details: null, page: null, supersedes: null };

export class LocalGate implements Gate {
  /** Policies, grants and the mode. */
  readonly control: Control;
  readonly telemetry: Telemetry | undefined;
  readonly #native: NativeGate;
  /** The same, where secrets are not kept. */
  readonly #redacted: RedactedNative | undefined;
  readonly #timeout: number | null;
  readonly #waiters = new Waiters(this);
  #listens = false;
  #telling: 'nothing' | 'this' | 'and more' = 'nothing';
  /** Requests whose decision nobody is told of yet: what is remembered of it comes first. */
  readonly #held: string[] = [];
  readonly #checks = new Map<string, CheckEdit>();
  /** What belongs to requests that have no id yet, by {@link keyOf}: what happens to them may be told before it is known. */
  readonly #opening = new Map<string, Opening>();
  readonly #events = new Broadcast<GateEvent>((some) => this.#native.watchAll(some));
  readonly #logger: Logger | undefined;
  /** Of requests that have one of their own, until nothing can happen to them any more. */
  readonly #loggers = new Map<string, Logger>();
  /** What ends requests and runs, and must be written down before the ledger is let go of. */
  readonly #ending = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(options: GateOptions = {}) {
    const { timeout, maxArgumentBytes = 4_194_304, keepDecided = 10_000 } = options;
    this.#timeout = timeout === undefined ? null : checkPositive('createGate: timeout', timeout);
    this.#logger = options.logger;
    this.control = new Control(options, (problems) =>
      this.#publish({ type: 'policy-changed', problems, at: Date.now() }),
    );
    const redactor = Redactor.from(options.redact);
    const kept = {
      maxArgumentBytes: checkPositive('createGate: maxArgumentBytes', maxArgumentBytes),
      keepDecided: checkPositive('createGate: keepDecided', keepDecided),
      ...ledgerOptions(options),
    };
    this.telemetry = Telemetry.from(options.telemetry);
    this.#redacted = redactor && new RedactedNative(kept, redactor);
    this.#native = this.#redacted ?? new NativeGate(kept);
    this.#native.onOperation = this.telemetry?.onLedgerOperation;
    this.audit = new GateAudit(this.#native);
    // Other processes decide too.
    if (this.#native.lasts) this.#listen();
  }

  /** Whether what is kept outlives the process. */
  get lasts(): boolean {
    return this.#native.lasts;
  }

  /** Nobody here waits any more for what this run asked; what waits goes on waiting. */
  stopWaiting(runId: string, why: unknown): void {
    this.#waiters.loseRun(runId, why);
  }

  /** Tells the logger that a run could not be kept. */
  notKept(runId: string, error: unknown): void {
    this.#failed('the run was not kept', { runId }, error);
  }

  /** Runs that outlive their process. */
  get runs(): RunStore {
    return this.#native;
  }

  /** How long a request waits when nothing else says so, in ms; `null`: the gate was told nothing. */
  get timeout(): number | null {
    return this.#timeout;
  }

  // --- asking -------------------------------------------------------------------------------------------------------

  request(request: GateRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<Resolution> {
    const resolution = new Promise<Resolution>((resolve, reject) => {
      this.#resolve(request, abortSignal).then(resolve, (error: unknown) => {
        // A process that closes its gate must not be ended by an answer that nobody in it waits for any more.
        if (GateClosedError.isInstance(error)) resolution.catch(() => {});
        reject(error);
      });
    });
    return resolution;
  }

  async #resolve(request: GateRequest, abortSignal: AbortSignal | undefined): Promise<Resolution> {
    abortSignal?.throwIfAborted();
    const args = snapshot(request.args);
    const runId = request.runId ?? crypto.randomUUID();
    const asked: OpenRequest = {
      runId,
      toolCallId: request.toolCallId ?? crypto.randomUUID(),
      toolName: request.toolName,
      args,
      origin: request.origin ?? ['main'],
      description: request.description ?? null,
      allowedDecisions: request.allowedDecisions ?? null,
      timeoutMs: checkPositive('gate.request: timeout', request.timeout ?? this.#timeout ?? DEFAULT_TIMEOUT_MS),
      ...PLAIN,
    };
    const opened = this.#openOnce(asked, abortSignal);
    const { record, decided } = isLater(opened) ? await opened : opened;
    let withdrawn: Awaitable<void> = undefined;
    const withdraw = () => {
      withdrawn = this.withdraw(record.approvalId, UNWANTED);
    };
    abortSignal?.addEventListener('abort', withdraw, { once: true });
    if (abortSignal?.aborted) withdraw();
    try {
      const resolution = resolutionOf(await decided, args);
      if (!resolution.approved) return resolution;
      const approved = resolution.decision.type === 'edit' ? snapshot(resolution.args) : args;
      return await this.#handOver(runId, record, resolution, approved, abortSignal);
    } finally {
      abortSignal?.removeEventListener('abort', withdraw);
      // Whoever is told that it was cancelled finds it so.
      if (isLater(withdrawn)) await withdrawn;
    }
  }

  /** @throws {DuplicateRequestError} */
  #openOnce(request: OpenRequest, abortSignal: AbortSignal | undefined): Awaitable<Waited> {
    return attempt(
      () => this.openAndWait(request, undefined, abortSignal),
      (error) => {
        const existing = existingRecord(error);
        if (existing === undefined) throw error;
        throw new DuplicateRequestError({
          message: `This run has asked about the call ${JSON.stringify(request.toolCallId)} before. Leave toolCallId out, or give each request one of its own.`,
          existing: toRecord(existing),
          cause: error,
        });
      },
    );
  }

  /** Uses the approval up: what the caller does with it cannot be seen from here. */
  async #handOver(
    runId: string,
    { approvalId, toolCallId, toolName }: ApprovalRecord,
    resolution: Resolution,
    args: Snapshot,
    abortSignal: AbortSignal | undefined,
  ): Promise<Resolution> {
    const unwanted = () => new DOMException(UNWANTED, 'AbortError');
    try {
      if (abortSignal?.aborted) throw unwanted();
      const claim = this.claim(runId, toolCallId, toolName, args, null);
      if (isLater(claim)) await claim;
      const isWanted = abortSignal?.aborted !== true;
      await this.settle(approvalId, isWanted);
      if (isWanted) return resolution;
      throw unwanted();
    } catch (error) {
      // Taken back in the meantime, e.g. by the end of the gate; or the ledger cannot say that it was not.
      const reason = messageOf(error);
      return { ...resolution, approved: false, decision: { type: 'cancelled', reason }, reason };
    }
  }

  /** Puts a call to a human. From here on it is somebody's to decide. */
  open(request: OpenRequest, checkEdit?: CheckEdit): Awaitable<ApprovalRecord> {
    return after(this.#request(request, checkEdit), (record) => {
      this.flush();
      return record;
    });
  }

  /**
   * As {@link LocalGate.open}, with the decision whenever it comes. Whoever waits for it keeps the process alive. When the
   * signal is aborted while the request is on its way to the disk, it is cancelled there; from then on that is the caller's.
   */
  openAndWait(request: OpenRequest, checkEdit?: CheckEdit, abortSignal?: AbortSignal): Awaitable<Waited> {
    const opened = after(this.#request(request, checkEdit), (record) => {
      const decided = this.#wait(record);
      // Only now: nobody can have been told before there was somebody to tell.
      this.flush();
      return { record, decided };
    });
    return isLater(opened) && abortSignal !== undefined ? this.#unlessAborted(opened, abortSignal) : opened;
  }

  async #unlessAborted(opened: Promise<Waited>, abortSignal: AbortSignal): Promise<Waited> {
    const withdraw = async () => {
      const waited = await opened.catch(() => undefined);
      if (waited !== undefined) await this.withdraw(waited.record.approvalId, UNWANTED);
    };
    // Told at once, so that a gate that is closed at the same moment waits for it.
    const onAbort = () => void this.beforeClose(withdraw());
    abortSignal.addEventListener('abort', onAbort, { once: true });
    try {
      return await opened;
    } finally {
      abortSignal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Waits for the decision on a request that was made before, by this process or another.
   *
   * @throws {UnknownApprovalError}
   */
  async attach(approvalId: string, checkEdit?: CheckEdit): Promise<Decided> {
    await this.#native.watch(approvalId);
    const kept = await this.#native.get(approvalId);
    if (kept === null) throw unknown(approvalId);
    const record = toRecord(kept);
    if (isDecided(record)) return record;
    if (checkEdit !== undefined) this.#checks.set(approvalId, checkEdit);
    if (record.expiresAt !== null) this.#listen();
    return this.#wait(record);
  }

  #request(request: OpenRequest, checkEdit: CheckEdit | undefined): Awaitable<ApprovalRecord> {
    this.#refuseIfClosed();
    if (request.timeoutMs !== null) this.#listen();
    const { logger, args, ...call } = request;
    const key = keyOf(call);
    const own = { logger, checkEdit, asked: this.telemetry?.asking() };
    // A second one for the same call is refused, and takes nothing from the first.
    if (!this.#opening.has(key)) this.#opening.set(key, own);
    return attempt(
      () =>
        after(this.#native.request({ ...call, args: args.json }), (kept) => {
          const record = toRecord(kept);
          this.#adopt(record);
          return this.#redacted?.original(record, request) ?? record;
        }),
      (error) => {
        if (this.#opening.get(key) === own) this.#opening.delete(key);
        throw error;
      },
    );
  }

  /** Its id is known now. */
  #adopt(request: ApprovalRequest): void {
    const key = keyOf(request);
    const { logger, checkEdit, asked } = this.#opening.get(key) ?? {};
    if (!this.#opening.delete(key)) return;
    if (logger !== undefined && logger !== this.#logger) this.#loggers.set(request.approvalId, logger);
    if (checkEdit !== undefined) this.#checks.set(request.approvalId, checkEdit);
    asked?.(request);
  }

  #wait({ approvalId, runId, expiresAt }: ApprovalRecord): Promise<Decided> {
    const decided = this.#waiters.wait(approvalId, runId);
    if (this.#closing !== undefined && this.lasts) this.#waiters.lose(approvalId, closed());
    else if (this.lasts) {
      // Another process may have decided before there was somebody here to tell.
      void this.#look(approvalId);
      this.#endInTime(approvalId, expiresAt, decided);
    }
    return decided;
  }

  /** The core lets requests expire. A ledger that is gone cannot write that down, and must leave nobody waiting for ever. */
  #endInTime(approvalId: string, expiresAt: number | null, decided: Promise<Decided>): void {
    if (expiresAt === null) return;
    let timer: NodeJS.Timeout;
    const sleep = () => {
      const left = expiresAt + LATE_MS - Date.now();
      timer = setTimeout(() => void (left > MAX_SLEEP_MS ? sleep() : end()), Math.min(Math.max(left, 0), MAX_SLEEP_MS));
      timer.unref();
    };
    let isOver = false;
    const end = async () => {
      await this.rejectBySystem(approvalId, 'Nobody answered in time.', 'deadline');
      // Written down by now, though nobody may be able to tell us.
      if (!isOver) await this.#look(approvalId);
    };
    sleep();
    const stop = () => {
      isOver = true;
      clearTimeout(timer);
    };
    decided.then(stop, stop);
  }

  async #look(approvalId: string): Promise<void> {
    try {
      const kept = await this.#native.get(approvalId);
      if (kept === null) return this.#waiters.lose(approvalId, unknown(approvalId));
      const record = toRecord(kept);
      if (isDecided(record) && !this.#held.includes(approvalId)) this.#decided(record);
    } catch (error) {
      // What cannot be read would be waited for in vain.
      this.#waiters.lose(approvalId, error);
    }
  }

  /** Hears of what the core does by itself, which is to let requests expire. */
  #listen(): void {
    if (this.#listens) return;
    this.#listens = true;
    // The core holds the callback for as long as it lives: it must not hold us.
    const self = new WeakRef(this);
    this.#native.onWake(() => self.deref()?.flush());
  }

  // --- deciding -----------------------------------------------------------------------------------------------------

  async decide(approvalId: string, answer: ApprovalAnswer, options: DecideOptions = {}): Promise<ApprovalRecord> {
    const found = this.#native.get(approvalId);
    const record = isLater(found) ? await found : found;
    const decision = this.#parse(answer, record?.toolName ?? '');
    if (options.reason !== undefined) decision.reason = options.reason;
    const remember = options.remember ?? rememberOf(answer);
    return this.#settleOn(approvalId, decision, { by: options.by ?? null, via: 'gate' }, remember);
  }

  async approve(approvalId: string, options?: string | DecideOptions): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'approve' }, options);
  }

  async reject(
    approvalId: string,
    options?: string | (DecideOptions & { stop?: boolean }),
    more: DecideOptions = {},
  ): Promise<ApprovalRecord> {
    const given = { ...readOptions(options), ...more };
    return this.#decideAs(approvalId, given.stop === true ? { type: 'reject', stop: true } : { type: 'reject' }, given);
  }

  async edit(approvalId: string, args: unknown, options?: DecideOptions): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'edit', args: plain(args) }, options);
  }

  async respond(approvalId: string, output: unknown, options?: DecideOptions): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'respond', output: snapshot(output).json }, options);
  }

  async skip(approvalId: string, options?: string | DecideOptions): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'skip' }, options);
  }

  /** What a callback answered. Whatever it is, it decides: what cannot be taken is a rejection. */
  async decideByCallback(record: ApprovalRecord, answer: unknown): Promise<void> {
    const by = { by: null, via: 'callback' } as const;
    try {
      await this.#settleOn(record.approvalId, this.#parse(answer, record.toolName), by, rememberOf(answer));
    } catch (error) {
      await this.rejectBySystem(record.approvalId, `The answer was not taken: ${messageOf(error)}`, 'callback');
    }
  }

  /** A rejection that no human made. Does nothing when something else was decided before. Never rejects. */
  rejectBySystem(approvalId: string, reason: string, by = 'countersign'): Awaitable<void> {
    const rejection = { type: 'reject', reason: reason.toWellFormed() } as const;
    return this.#end(approvalId, rejection, { by, via: 'system' });
  }

  /** Does nothing when something else was decided before. Never rejects. */
  cancel(approvalId: string, reason: string, via: DecidedVia): Awaitable<void> {
    return this.#end(approvalId, { type: 'cancelled', reason }, { by: null, via });
  }

  /**
   * Whoever asked is gone: it is cancelled, and an approval that came first is taken back unless it was started. Never
   * rejects.
   */
  withdraw(approvalId: string, reason: string): Awaitable<void> {
    return this.beforeClose(
      after(this.cancel(approvalId, reason, 'abort'), () =>
        attempt(
          () => this.revoke(approvalId, reason),
          (error) => this.#failed('not taken back', { approvalId }, error),
        ),
      ),
    );
  }

  /** What ends something, and is to be written down also when the gate is closed meanwhile. It must not reject. */
  beforeClose<T>(ending: Awaitable<T>): Awaitable<T> {
    if (!isLater(ending)) return ending;
    this.#ending.add(ending);
    const forget = () => void this.#ending.delete(ending);
    ending.then(forget, forget);
    return ending;
  }

  /** Nothing of this run may start any more. Never rejects: what cannot be cancelled is not waited for any more. */
  cancelRun(runId: string, reason: string, via: DecidedVia): Awaitable<void> {
    // It was let go of: what waits in it goes on waiting.
    if (this.#closing !== undefined && this.lasts) return;
    return this.beforeClose(
      attempt(
        () => after(this.#native.cancelRun(runId, reason, via), () => this.flush()),
        (error) => {
          this.#failed('not cancelled', { runId }, error);
          this.#waiters.loseRun(runId, error);
        },
      ),
    );
  }

  /** An answer that came with the messages of a chat. */
  async decideByMessage(
    approvalId: string,
    approved: boolean,
    reason: string | undefined,
    by: string | null,
  ): Promise<void> {
    const decision: DecisionOutcome = approved ? { type: 'approve', reason } : { type: 'reject', reason };
    await this.#settleOn(approvalId, decision, { by, via: 'messages' });
  }

  // --- executing ----------------------------------------------------------------------------------------------------

  /** The one claim on an approval, checked against what was approved. */
  claim(
    runId: string | null,
    toolCallId: string,
    toolName: string,
    args: Snapshot,
    /** What the policies judge the call under now. */
    context: object | null,
  ): Awaitable<Claim> {
    this.#refuseIfClosed();
    return after(this.#native.claim(runId, toolCallId, toolName, args.json, context), (claim) => {
      this.telemetry?.started({ approvalId: claim.approvalId, toolName, toolCallId, runId });
      this.flush();
      return claim;
    });
  }

  /**
   * Writes down how an execution ended. Never rejects: what ran has run, whether or not that can be written down.
   *
   * @param result what the model gets of it, for whoever continues the run; only asked for when the ledger lasts
   */
  settle(approvalId: string, succeeded: boolean, result?: () => Awaitable<unknown>): Awaitable<void> {
    this.telemetry?.settled(approvalId, succeeded);
    return attempt(
      () =>
        after(this.lasts && result !== undefined ? keepable(result) : null, (kept) =>
          after(this.#native.settle(approvalId, succeeded, kept), () => this.flush()),
        ),
      (error) => this.#failed('the end of an execution was not written down', { approvalId, succeeded }, error),
    );
  }

  /** Takes back an approval that was not started. */
  revoke(approvalId: string, reason: string): Awaitable<void> {
    return after(this.#native.revoke(approvalId, reason), () => this.flush());
  }

  /**
   * Writes what was said of a call into the audit, where there is one, before anything follows from it. What cannot be
   * written down does not run.
   */
  async noted(call: JudgedCall, runId: string, origin: readonly string[], verdict: Verdict): Promise<Verdict> {
    if (!this.lasts) return verdict;
    const { rule = null, reason } = verdict.said ?? {};
    try {
      await this.#native.note({
        kind: 'verdict',
        runId,
        origin,
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        args: call.args.json,
        effect: verdict.effect,
        rule: rule === null ? null : { source: rule.source, layer: rule.layer, line: rule.line },
        reason: verdict.effect === 'allow' ? reason : (verdict.reason ?? reason),
      });
      return verdict;
    } catch (error) {
      this.#failed('a verdict was not written down', { runId, toolCallId: call.toolCallId }, error);
      return { effect: 'deny', reason: `What was said of it could not be written down: ${messageOf(error)}` };
    }
  }

  // --- policies -----------------------------------------------------------------------------------------------------

  async check(call: { toolName: string; args: unknown; runId?: string }): Promise<PolicyVerdict> {
    const { toolName, runId } = call;
    const args = snapshot(call.args);
    const nobody = async () => ({ effect: 'allow' }) as const;
    const verdict = await this.control.judge(
      { toolCallId: crypto.randomUUID(), toolName, args, runId },
      undefined,
      nobody,
    );
    const said = verdict.said ?? { rule: null, reason: 'no policy is set', subjects: [] };
    const reason = verdict.effect === 'allow' ? said.reason : (verdict.reason ?? said.reason);
    return { ...said, reason, effect: verdict.effect };
  }

  get mode(): PolicyMode {
    return this.control.mode;
  }

  async setMode(mode: PolicyMode): Promise<void> {
    await this.control.setMode(mode);
  }

  readonly audit: Audit;

  readonly grants: Grants = {
    list: () => this.control.grants(),
    revoke: async (id) => {
      const revoked = await this.control.revoke(id);
      if (revoked) await this.#note({ kind: 'grant-revoked', grantId: id });
      return revoked;
    },
  };

  // --- looking ------------------------------------------------------------------------------------------------------

  async ready(): Promise<void> {
    await this.#native.ready();
  }

  async pending(filter: { runId?: string } = {}): Promise<ApprovalRequest[]> {
    return (await this.#native.pending(filter.runId ?? null)).map(toRequest);
  }

  async get(approvalId: string): Promise<ApprovalRecord | undefined> {
    const record = await this.#native.get(approvalId);
    return record === null ? undefined : toRecord(record);
  }

  /** The records of one tool call id; of all runs without a `runId`. */
  find(runId: string | null, toolCallId: string): Awaitable<ApprovalRecord[]> {
    return after(this.#native.find(runId, toolCallId), (records) => records.map(toRecord));
  }

  /** All that a ledger that lasts keeps of the requests of a run, as it keeps it. */
  records(runId: string): Promise<RawRecord[]> {
    return this.#native.records(runId);
  }

  /** Whether these are the arguments that were asked about, of which only a part is kept. Not known: `false`. */
  isOriginal(approvalId: string, args: unknown): boolean {
    return this.#redacted?.isOriginal(approvalId, args) ?? false;
  }

  events({ signal }: { signal?: AbortSignal } = {}): AsyncIterableIterator<GateEvent> {
    const events = this.#events.subscribe(signal);
    if (this.#closing !== undefined) void events.return?.();
    return events;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      if (this.lasts) {
        this.#waiters.loseRun(null, closed());
        // What was aborted before must not be found waiting, by whoever opens the ledger next.
        while (this.#ending.size > 0) await Promise.allSettled(this.#ending);
      }
      const closing = this.#native.close('The gate was closed.');
      if (isLater(closing)) await closing;
    } finally {
      this.#isOver = true;
      this.flush();
      if (this.telemetry !== undefined) await this.telemetry.closed();
    }
  }

  /** One in memory does so itself; one that lasts may still have to write something down. */
  #refuseIfClosed(): void {
    if (this.lasts && this.#closing !== undefined) throw closed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Tells everybody here what the core did since the last time. */
  flush(): void {
    if (this.#held.length > 0) return;
    // A logger may have changed something: what is being told comes before what followed from it.
    if (this.#telling !== 'nothing') {
      this.#telling = 'and more';
      return;
    }
    try {
      do {
        this.#telling = 'this';
        for (const event of this.#native.drain()) this.#tell(reviveEvent(event) as ToldByCore);
      } while (this.#tellsMore());
    } finally {
      this.#telling = 'nothing';
    }
    if (this.#isOver) this.#events.close();
  }

  #tellsMore(): boolean {
    return this.#telling === 'and more';
  }

  /** Something that the core has no part in. */
  #publish(event: GateEvent): void {
    if (this.#logger !== undefined) logEvent(this.#logger, event);
    this.#events.publish(event);
  }

  #tell(event: ToldByCore): void {
    const approvalId = 'request' in event ? event.request.approvalId : event.approvalId;
    if (event.type === 'requested') this.#adopt(event.request);
    for (const logger of [this.#logger, this.#loggers.get(approvalId)])
      if (logger !== undefined) logEvent(logger, event);
    if (event.type === 'settled' || (event.type === 'decided' && !isApproval(event.decision)))
      this.#loggers.delete(approvalId);
    this.#events.publish(event);
    if (event.type !== 'decided') return;
    this.#checks.delete(approvalId);
    this.#decided(decidedRecord(event));
  }

  #decided(told: Decided): void {
    const { approvalId, via, decidedBy, decidedAt: at } = told;
    const decision = this.#redacted?.originalDecision(approvalId, told.decision) ?? told.decision;
    this.telemetry?.decided({ approvalId, type: decision.type, via, decidedBy, at });
    this.#waiters.decided(approvalId, { ...told, decision });
  }

  #parse(answer: unknown, toolName: string): DecisionOutcome {
    let text: string | undefined;
    try {
      text = JSON.stringify(answer);
    } catch (cause) {
      throw new InvalidDecisionError({ message: `The answer is not plain data: ${messageOf(cause)}`, cause });
    }
    if (text === undefined) {
      throw new InvalidDecisionError({
        message: `The answer is ${typeof answer}. Answer with true, false or { type: 'approve' | 'edit' | 'reject' | 'respond' | 'skip' }.`,
      });
    }
    // Written out once more, so that nothing in an answer is taken for one of our tags.
    return this.#native.parseAnswer(JSON.stringify(snapshot(JSON.parse(text)).json), toolName);
  }

  #decideAs(approvalId: string, decision: DecisionOutcome, options?: string | DecideOptions): Promise<ApprovalRecord> {
    const { by, reason, remember } = readOptions(options);
    return this.#settleOn(
      approvalId,
      reason === undefined ? decision : { ...decision, reason },
      { by: by ?? null, via: 'gate' },
      remember,
    );
  }

  async #settleOn(
    approvalId: string,
    decision: DecisionOutcome,
    meta: { by: string | null; via: DecidedVia },
    remember?: unknown,
  ): Promise<ApprovalRecord> {
    this.#refuseIfClosed();
    const wanted = remember === undefined ? undefined : this.#grantOf(approvalId, decision, remember, meta);
    const grant = isLater(wanted) ? await wanted : wanted;
    const check = decision.type === 'edit' ? this.#checks.get(approvalId) : undefined;
    const editedArgs =
      decision.type === 'edit' && check !== undefined ? (await check(revive(decision.args))).json : undefined;
    let record: ApprovalRecord;
    let granted: Grant | undefined;
    if (grant !== undefined) this.#held.push(approvalId);
    try {
      const taken = this.#native.decide(
        approvalId,
        decision,
        editedArgs === undefined ? meta : { ...meta, editedArgs },
      );
      record = toRecord(isLater(taken) ? await taken : taken);
      // Only the decision that stands is remembered, and before anybody goes on because of it.
      granted = grant === undefined ? undefined : await this.#remember(approvalId, grant);
    } catch (error) {
      throw AlreadyDecidedError.isInstance(error)
        ? new AlreadyDecidedError({ message: error.message, winner: toRecord(error.winner) })
        : error;
    } finally {
      if (grant !== undefined) this.#held.splice(this.#held.indexOf(approvalId), 1);
      // Also after a refusal: finding out that a request is over is a change too.
      this.flush();
    }
    if (granted !== undefined) this.#publish({ type: 'granted', grant: granted, approvalId, at: granted.createdAt });
    return record;
  }

  /** @throws {InvalidDecisionError} when the request does not offer to remember this; a callback's decision counts once */
  #grantOf(
    approvalId: string,
    decision: DecisionOutcome,
    remember: unknown,
    meta: { by: string | null; via: DecidedVia },
  ): Awaitable<Omit<Grant, 'id'> | undefined> {
    return after(this.#native.get(approvalId), (record) => {
      if (record === null) return undefined;
      try {
        return grantOf(toRequest(record), decision, remember, meta, this.control.remembersForEver);
      } catch (error) {
        if (meta.via !== 'callback') throw error;
        this.#logger?.warn?.('not remembered', { approvalId, reason: messageOf(error) });
        return undefined;
      }
    });
  }

  async #remember(approvalId: string, wanted: Omit<Grant, 'id'>): Promise<Grant | undefined> {
    try {
      const grant = await this.control.grant(wanted);
      const { id: grantId, effect, scope, by, runId } = grant;
      const ofRun = runId === null ? {} : { runId };
      if (await this.#note({ kind: 'granted', grantId, approvalId, effect, scope, by, ...ofRun })) return grant;
      // Nothing is allowed by what nobody can find out about.
      await this.control.revoke(grantId);
      return undefined;
    } catch (error) {
      // The decision stands; the next such call is asked about again.
      this.#failed('not remembered', { approvalId }, error);
      return undefined;
    }
  }

  /** Whether it stands in the audit, where there is one. */
  async #note(note: Note): Promise<boolean> {
    try {
      await this.#native.note(note);
      return true;
    } catch (error) {
      this.#failed('not noted in the audit', { ...note }, error);
      return false;
    }
  }

  /** Ends a request for the system. A ledger that cannot write that down leaves nobody waiting here. */
  #end(approvalId: string, decision: DecisionOutcome, meta: { by: string | null; via: DecidedVia }): Awaitable<void> {
    return attempt(
      () => after(this.#native.decide(approvalId, decision, meta), () => this.flush()),
      (error) => {
        // Decided, expired or forgotten before: in each case it does not run because of us.
        this.flush();
        if (!this.lasts || AlreadyDecidedError.isInstance(error) || ApprovalExpiredError.isInstance(error)) return;
        this.#failed('not decided', { approvalId, decision: decision.type }, error);
        this.#waiters.lose(approvalId, error);
      },
    );
  }

  /** What nobody is told of but the logger. */
  #failed(what: string, fields: Record<string, unknown>, error: unknown): void {
    try {
      this.#logger?.error?.(what, { ...fields, reason: messageOf(error) });
    } catch {
      // A logger that throws must not change what runs.
    }
  }
}

const keyOf = ({ runId, toolCallId }: Pick<ApprovalRequest, 'runId' | 'toolCallId'>): string =>
  JSON.stringify([runId, toolCallId]);

/** A result that is not too long; `null`: there is none. */
async function keepable(result: () => Awaitable<unknown>): Promise<unknown> {
  try {
    const value = await result();
    return Buffer.byteLength(JSON.stringify(value)) <= MAX_RESULT_BYTES ? value : null;
  } catch {
    return null;
  }
}

/** Why a request whose caller has gone is cancelled. */
const UNWANTED = 'The caller no longer needs it.';

const closed = () => new GateClosedError({ message: 'The gate was closed.' });

const unknown = (approvalId: string) =>
  new UnknownApprovalError({ message: `The gate knows no request ${JSON.stringify(approvalId)}.`, approvalId });

/** @see Gate */
export function createGate(options?: GateOptions): Gate {
  return new LocalGate(options);
}

/** The gate of a caller, which must be one of ours. */
export function localGate(gate: Gate, place: string): LocalGate {
  if (gate instanceof LocalGate) return gate;
  throw new InvalidConfigError({ message: `${place}: gate must come from createGate() of this copy of countersign.` });
}

function readOptions(
  options: string | (DecideOptions & { stop?: boolean }) | undefined,
): DecideOptions & { stop?: boolean } {
  return typeof options === 'string' ? { reason: options } : (options ?? {});
}

/** What a human writes is data: an instance of a class is what its properties say. */
function plain(args: unknown): unknown {
  return snapshot(revive(snapshot(args).json)).json;
}
