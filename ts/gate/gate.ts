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
  Gate,
  GateEvent,
  GateOptions,
  GateRequest,
  Grant,
  Grants,
  GrantScope,
  Logger,
  PolicyMode,
  PolicyVerdict,
  Resolution,
} from '../../index.js';
import { RefusedByCore } from '../errors/from-native.js';
import { messageOf } from '../errors/message-of.js';
import { DuplicateRequestError, InvalidConfigError, InvalidDecisionError } from '../errors/index.js';
import { NativeGate, type Claim, type NativeRequest } from '../native.js';
import { revive, snapshot, type Snapshot } from '../values/snapshot.js';
import { Broadcast } from './broadcast.js';
import { Control } from './control.js';
import { KeepAlive } from './keep-alive.js';
import { logEvent } from './log.js';

export const DEFAULT_TIMEOUT_MS = 300_000;

/** Arguments as the tool would get them after an edit: what its schema makes of what the human wrote. */
export type CheckEdit = (args: unknown) => Promise<Snapshot>;

/** A request as the code in this process makes it. */
export type OpenRequest = Omit<NativeRequest, 'args'> & {
  args: Snapshot;
  /** Is told of this request, beside the gate's own logger. */
  logger?: Logger | undefined;
};

/** What became of a request. */
export type Decided = ApprovalRecord & {
  decision: DecisionOutcome;
  decidedBy: string;
  via: DecidedVia;
  decidedAt: number;
};

/** What the core tells of. */
type ToldByCore = Exclude<GateEvent, { type: 'policy-changed' | 'granted' }>;

/** A request without policies. */
const PLAIN = { context: null, details: null, page: null, supersedes: null };

export class LocalGate implements Gate {
  /** Policies, grants and the mode. */
  readonly control: Control;
  readonly #native: NativeGate;
  readonly #timeout: number | null;
  readonly #waiting = new Map<string, (decided: Decided) => void>();
  #listens = false;
  #telling: 'nothing' | 'this' | 'and more' = 'nothing';
  readonly #checks = new Map<string, CheckEdit>();
  readonly #events = new Broadcast<GateEvent>();
  readonly #keepAlive = new KeepAlive(this);
  readonly #logger: Logger | undefined;
  /** Of requests that have one of their own, until nothing can happen to them any more. */
  readonly #loggers = new Map<string, Logger>();
  #closed = false;

  constructor(options: GateOptions = {}) {
    const { ledger = 'memory:', timeout, maxArgumentBytes = 4_194_304, keepDecided = 10_000 } = options;
    if (ledger !== 'memory:') {
      throw new InvalidConfigError({ message: `createGate: ledger must be 'memory:', not ${JSON.stringify(ledger)}.` });
    }
    this.#timeout = timeout === undefined ? null : checkPositive('createGate: timeout', timeout);
    this.#logger = options.logger;
    this.control = new Control(options, (problems) =>
      this.#publish({ type: 'policy-changed', problems, at: Date.now() }),
    );
    this.#native = new NativeGate({
      maxArgumentBytes: checkPositive('createGate: maxArgumentBytes', maxArgumentBytes),
      keepDecided: checkPositive('createGate: keepDecided', keepDecided),
    });
  }

  /** How long a request waits when nothing else says so, in ms; `null`: the gate was told nothing. */
  get timeout(): number | null {
    return this.#timeout;
  }

  // --- asking -------------------------------------------------------------------------------------------------------

  async request(request: GateRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<Resolution> {
    abortSignal?.throwIfAborted();
    const args = snapshot(request.args);
    const runId = request.runId ?? crypto.randomUUID();
    const { record, decided } = this.#openOnce({
      runId,
      toolCallId: request.toolCallId ?? crypto.randomUUID(),
      toolName: request.toolName,
      args,
      origin: request.origin ?? ['main'],
      description: request.description ?? null,
      allowedDecisions: request.allowedDecisions ?? null,
      timeoutMs: checkPositive('gate.request: timeout', request.timeout ?? this.#timeout ?? DEFAULT_TIMEOUT_MS),
      ...PLAIN,
    });
    const withdraw = () => this.withdraw(record.approvalId, 'The caller no longer needs it.');
    abortSignal?.addEventListener('abort', withdraw, { once: true });
    try {
      const resolution = resolutionOf(await decided, args);
      if (!resolution.approved) return resolution;
      return this.#handOver(
        runId,
        record,
        resolution,
        resolution.decision.type === 'edit' ? snapshot(resolution.args) : args,
      );
    } finally {
      abortSignal?.removeEventListener('abort', withdraw);
    }
  }

  /** @throws {DuplicateRequestError} */
  #openOnce(request: OpenRequest): { record: ApprovalRecord; decided: Promise<Decided> } {
    try {
      return this.openAndWait(request);
    } catch (error) {
      const existing = existingRecord(error);
      if (existing === undefined) throw error;
      throw new DuplicateRequestError({
        message: `This run has asked about the call ${JSON.stringify(request.toolCallId)} before. Leave toolCallId out, or give each request one of its own.`,
        existing: toRecord(existing),
        cause: error,
      });
    }
  }

  /** Uses the approval up: what the caller does with it cannot be seen from here. */
  #handOver(
    runId: string,
    { approvalId, toolCallId, toolName }: ApprovalRecord,
    resolution: Resolution,
    args: Snapshot,
  ): Resolution {
    try {
      this.claim(runId, toolCallId, toolName, args, null);
      this.settle(approvalId, true);
      return resolution;
    } catch (error) {
      // Taken back in the meantime, e.g. by the end of the gate.
      const reason = messageOf(error);
      return { ...resolution, approved: false, decision: { type: 'cancelled', reason }, reason };
    }
  }

  /** Puts a call to a human. From here on it is somebody's to decide. */
  open(request: OpenRequest, checkEdit?: CheckEdit): ApprovalRecord {
    const record = this.#request(request, checkEdit);
    this.flush();
    return record;
  }

  /** As {@link LocalGate.open}, with the decision whenever it comes. Whoever waits for it keeps the process alive. */
  openAndWait(request: OpenRequest, checkEdit?: CheckEdit): { record: ApprovalRecord; decided: Promise<Decided> } {
    const record = this.#request(request, checkEdit);
    this.#keepAlive.hold();
    const decided = new Promise<Decided>((resolve) => {
      this.#waiting.set(record.approvalId, (outcome) => {
        this.#keepAlive.release();
        resolve(outcome);
      });
    });
    // Only now: nobody can have decided before there was somebody to tell.
    this.flush();
    return { record, decided };
  }

  #request(request: OpenRequest, checkEdit: CheckEdit | undefined): ApprovalRecord {
    if (request.timeoutMs !== null) this.#listen();
    const { logger, args, ...call } = request;
    const record = toRecord(this.#native.request({ ...call, args: args.json }));
    if (logger !== undefined && logger !== this.#logger) this.#loggers.set(record.approvalId, logger);
    if (checkEdit !== undefined) this.#checks.set(record.approvalId, checkEdit);
    return record;
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
    const record = this.#native.get(approvalId);
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
      this.rejectBySystem(record.approvalId, `The answer was not taken: ${messageOf(error)}`, 'callback');
    }
  }

  /** A rejection that no human made. Does nothing when something else was decided before. */
  rejectBySystem(approvalId: string, reason: string, by = 'countersign'): void {
    const rejection = { type: 'reject', reason: reason.toWellFormed() } as const;
    this.#unlessDecided(() => this.#native.decide(approvalId, rejection, { by, via: 'system' }));
  }

  cancel(approvalId: string, reason: string, via: DecidedVia): void {
    this.#unlessDecided(() => this.#native.decide(approvalId, { type: 'cancelled', reason }, { by: null, via }));
  }

  /** Whoever asked is gone: it is cancelled, and an approval that came first is taken back unless it was started. */
  withdraw(approvalId: string, reason: string): void {
    this.cancel(approvalId, reason, 'abort');
    this.revoke(approvalId, reason);
  }

  /** Nothing of this run may start any more. */
  cancelRun(runId: string, reason: string, via: DecidedVia): void {
    this.#native.cancelRun(runId, reason, via);
    this.flush();
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
  ): Claim {
    const claim = this.#native.claim(runId, toolCallId, toolName, args.json, context);
    this.flush();
    return claim;
  }

  settle(approvalId: string, succeeded: boolean): void {
    this.#native.settle(approvalId, succeeded);
    this.flush();
  }

  /** Takes back an approval that was not started. */
  revoke(approvalId: string, reason: string): void {
    this.#native.revoke(approvalId, reason);
    this.flush();
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

  readonly grants: Grants = {
    list: () => this.control.grants(),
    revoke: (id) => this.control.revoke(id),
  };

  // --- looking ------------------------------------------------------------------------------------------------------

  async pending(filter: { runId?: string } = {}): Promise<ApprovalRequest[]> {
    return this.#native.pending(filter.runId ?? null).map(toRequest);
  }

  async get(approvalId: string): Promise<ApprovalRecord | undefined> {
    const record = this.#native.get(approvalId);
    return record === null ? undefined : toRecord(record);
  }

  /** The records of one tool call id; of all runs without a `runId`. */
  find(runId: string | null, toolCallId: string): ApprovalRecord[] {
    return this.#native.find(runId, toolCallId).map(toRecord);
  }

  events({ signal }: { signal?: AbortSignal } = {}): AsyncIterableIterator<GateEvent> {
    const events = this.#events.subscribe(signal);
    if (this.#closed) void events.return?.();
    return events;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#native.close('The gate was closed.');
    this.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Tells everybody here what the core did since the last time. */
  flush(): void {
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
    if (this.#closed) this.#events.close();
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
    for (const logger of [this.#logger, this.#loggers.get(approvalId)])
      if (logger !== undefined) logEvent(logger, event);
    if (event.type === 'settled' || (event.type === 'decided' && !isApproval(event.decision)))
      this.#loggers.delete(approvalId);
    this.#events.publish(event);
    if (event.type !== 'decided') return;
    this.#checks.delete(approvalId);
    const resolve = this.#waiting.get(approvalId);
    if (resolve === undefined) return;
    this.#waiting.delete(approvalId);
    resolve({
      ...event.request,
      status: STATUS[event.decision.type],
      decision: event.decision,
      decidedBy: event.decidedBy,
      via: event.via,
      decidedAt: event.at,
    });
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
    const grant = remember === undefined ? undefined : this.#grantOf(approvalId, decision, remember, meta);
    const check = decision.type === 'edit' ? this.#checks.get(approvalId) : undefined;
    const editedArgs =
      decision.type === 'edit' && check !== undefined ? (await check(revive(decision.args))).json : undefined;
    let record: ApprovalRecord;
    try {
      record = toRecord(
        this.#native.decide(approvalId, decision, editedArgs === undefined ? meta : { ...meta, editedArgs }),
      );
    } catch (error) {
      // Also after a refusal: finding out that a request is over is a change too.
      this.flush();
      throw error;
    }
    // Only the decision that stands is remembered, and before anybody goes on because of it.
    const kept = grant === undefined ? undefined : await this.#remember(approvalId, grant);
    this.flush();
    if (kept !== undefined) this.#publish({ type: 'granted', grant: kept, approvalId, at: kept.createdAt });
    return record;
  }

  /** @throws {InvalidDecisionError} when the request does not offer to remember this; a callback's decision counts once */
  #grantOf(
    approvalId: string,
    decision: DecisionOutcome,
    remember: unknown,
    { by, via }: { by: string | null; via: DecidedVia },
  ): Omit<Grant, 'id'> | undefined {
    const record = this.#native.get(approvalId);
    if (record === null) return undefined;
    const { always, runId } = toRequest(record);
    try {
      const { scope, expiresIn } = readRemember(remember);
      const effect = decision.type === 'approve' ? 'allow' : decision.type === 'reject' ? 'deny' : undefined;
      const offer = effect === undefined ? null : always[effect];
      if (effect === undefined || offer === null) {
        throw new InvalidDecisionError({
          message: `This request does not offer to remember "${decision.type}": decide without \`remember\`.`,
        });
      }
      if (scope === 'always' && !this.control.remembersForEver) {
        throw new InvalidDecisionError({
          message: "To remember 'always' the gate must read the user's files: createGate({ policyFiles: true }).",
        });
      }
      const createdAt = Date.now();
      const expiresAt = expiresIn === undefined ? null : createdAt + expiresIn;
      const { label, rules } = offer;
      return {
        effect,
        scope,
        runId: scope === 'run' ? runId : null,
        project: null,
        label,
        rules,
        by: by ?? via,
        createdAt,
        expiresAt,
      };
    } catch (error) {
      if (via !== 'callback') throw error;
      this.#logger?.warn?.('not remembered', { approvalId, reason: messageOf(error) });
      return undefined;
    }
  }

  async #remember(approvalId: string, wanted: Omit<Grant, 'id'>): Promise<Grant | undefined> {
    try {
      return await this.control.grant(wanted);
    } catch (error) {
      // The decision stands; the next such call is asked about again.
      this.#logger?.error?.('not remembered', { approvalId, reason: messageOf(error) });
      return undefined;
    }
  }

  #unlessDecided(decide: () => void): void {
    try {
      decide();
    } catch {
      // Decided, expired or forgotten before: in each case it does not run because of us.
    }
    this.flush();
  }
}

/** @see Gate */
export function createGate(options?: GateOptions): Gate {
  return new LocalGate(options);
}

/** The gate of a caller, which must be one of ours. */
export function localGate(gate: Gate, place: string): LocalGate {
  if (gate instanceof LocalGate) return gate;
  throw new InvalidConfigError({ message: `${place}: gate must come from createGate() of this copy of countersign.` });
}

/** The request that stood in the way of a second one for the same call. */
export function existingRecord(error: unknown): ApprovalRecord | undefined {
  return error instanceof RefusedByCore && error.code === 'ERR_DUPLICATE_CALL'
    ? (error.details.existing as ApprovalRecord)
    : undefined;
}

/** `undefined` when it takes too long or the signal is aborted first. */
export function checkPositive(place: string, value: number): number {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidConfigError({ message: `${place} must be a positive number, not ${String(value)}.` });
}

/** What an answer says of remembering it. */
function rememberOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'remember')
    ? (answer as { remember?: unknown }).remember
    : undefined;
}

const SCOPES: readonly unknown[] = ['run', 'session', 'always'] satisfies GrantScope[];

/** @throws {InvalidDecisionError} */
function readRemember(remember: unknown): { scope: GrantScope; expiresIn: number | undefined } {
  const { scope, expiresIn } =
    typeof remember === 'object' && remember !== null
      ? (remember as { scope?: unknown; expiresIn?: unknown })
      : { scope: remember, expiresIn: undefined };
  const lasts =
    expiresIn === undefined || (typeof expiresIn === 'number' && Number.isFinite(expiresIn) && expiresIn > 0);
  if (SCOPES.includes(scope) && lasts) return { scope: scope as GrantScope, expiresIn };
  throw new InvalidDecisionError({
    message: "`remember` must be 'run', 'session', 'always', or { scope, expiresIn } with a positive number of ms.",
  });
}

/** What a decision means for the tool: only these two run it. */
export function isApproval(decision: DecisionOutcome): boolean {
  return decision.type === 'approve' || decision.type === 'edit';
}

const STATUS = {
  approve: 'approved',
  edit: 'edited',
  reject: 'rejected',
  respond: 'responded',
  skip: 'skipped',
  expired: 'expired',
  cancelled: 'cancelled',
} as const;

function readOptions(
  options: string | (DecideOptions & { stop?: boolean }) | undefined,
): DecideOptions & { stop?: boolean } {
  return typeof options === 'string' ? { reason: options } : (options ?? {});
}

function reviveDecision(decision: DecisionOutcome): DecisionOutcome {
  if (decision.type === 'edit') return { ...decision, args: revive(decision.args) };
  if (decision.type === 'respond') return { ...decision, output: revive(decision.output) };
  return decision;
}

/** What the core keeps for us beside a request. */
type Details = Pick<ApprovalRequest, 'verdict' | 'always' | 'changes'>;

function toRequest<REQUEST extends ApprovalRequest>(kept: REQUEST): REQUEST {
  const { details, ...request } = kept as REQUEST & { details?: Details };
  const { verdict = null, always = { allow: null, deny: null }, changes = [] } = details ?? {};
  return { ...request, args: revive(request.args), verdict, always, changes } as unknown as REQUEST;
}

function toRecord(record: ApprovalRecord): ApprovalRecord {
  return { ...toRequest(record), decision: record.decision === null ? null : reviveDecision(record.decision) };
}

function reviveEvent(event: GateEvent): GateEvent {
  if (event.type === 'requested') return { ...event, request: toRequest(event.request) };
  if (event.type !== 'decided') return event;
  return { ...event, request: toRequest(event.request), decision: reviveDecision(event.decision) };
}

/** What a human writes is data: an instance of a class is what its properties say. */
function plain(args: unknown): unknown {
  return snapshot(revive(snapshot(args).json)).json;
}

function resolutionOf(decided: Decided, args: Snapshot): Resolution {
  const { approvalId, decision, decidedBy } = decided;
  return {
    approvalId,
    approved: isApproval(decision),
    decision,
    args: decision.type === 'edit' ? decision.args : revive(args.json),
    reason: decision.reason,
    decidedBy,
  };
}
