/**
 * The live object around the core's gate: the parts that ask, decide, execute and tell, put together. What is decided, by
 * whom and when, is decided in the core. What asks by code is in `asking-gate.ts`: it needs all that asks for a run.
 */
import type {
  ApprovalRecord,
  ApprovalRequest,
  Audit,
  BatchDecision,
  BatchOptions,
  BatchResult,
  DecidedVia,
  Gate,
  GateEvent,
  GateOptions,
  Grants,
  PolicyMode,
  PolicyVerdict,
} from '../../index.js';
import { GateClosedError, InvalidConfigError, InvalidDecisionError } from '../errors/index.js';
import { otherCopy } from '../errors/other-copy.js';
import { toldKind } from '../errors/told-value.js';
import { NativeGate, type NativeNote, type RawRecord, type RunStore, type ShownCheck } from '../native.js';
import type { JudgedByPolicy } from '../policy/policies.js';
import { takeNeeded, takeOptions } from '../options/check.js';
import { checkRecord } from '../options/names.js';
import { Redactor } from '../redact/redactor.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { after, isLater, type Awaitable } from '../values/awaitable.js';
import { revive, snapshot } from '../values/snapshot.js';
import { askedBefore, LOOKED_AT } from './asked-before.js';
import { decideAll } from './batch.js';
import { GateAudit } from './audit.js';
import { projectLookup, type ProjectLookup } from './call-place.js';
import { checkOptionalText, checkText, checkWhole } from './check-arguments.js';
import { checkPositive } from './check-positive.js';
import { GateControl } from './control.js';
import { DecisionTaker } from './deciding.js';
import { shownName } from './seen-edit.js';
import { editBeside, shownOf, type BesideCall, type EditBeside } from './edit-beside.js';
import type { EditReading, ShownEdit } from './edited-call.js';
import { ExecutionKeeper, type RedeemOutcome } from './executing.js';
import { closed, GateInternals } from './inside.js';
import { isByMode, type JudgedCall, type CallVerdict } from './judge.js';
import { filesOf, ledgerOptions } from './ledger-options.js';
import { ApproverGroups } from './people.js';
import { isDenial, toRecord, toRequest, type DecidedRecord } from './records.js';
import { RedactedNative } from './redacted-native.js';
import { GateRequests, unknownRequest, type BoundRequest, type OpenRequest } from './requests.js';
import { takeReviewer, type TakenReviewer } from './reviewer/reviewer-options.js';
import { ToolSchemas, type SchemaSource } from './schemas.js';
import type { TakenAnswer } from './taken-answer.js';
import { EventTeller, type CheckEdit, type Offers, type RequestProgress } from './teller.js';
import { GateValues } from './values.js';
import { warnOfPolicies } from './warn-policies.js';

/** How many requests that are over are told at once, at the most. */
const MAX_HISTORY = 1_000;

/** Of a request that waits. */
const UNDECIDED = { status: 'pending', decision: null, decidedBy: null, via: null, decidedAt: null } as const;

export class LocalGate implements Omit<Gate, 'request'> {
  /** How long a request waits when nothing else says so, in ms; `null`: the gate was told nothing. */
  readonly timeout: number | null;
  /** Who is in which group, beside what is said with a decision. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Who is asked about calls before a human is; `undefined`: no one. */
  readonly reviewer: TakenReviewer | undefined;
  readonly #schemas: ToolSchemas;
  readonly #inside: GateInternals;
  readonly #teller: EventTeller;
  readonly #deciding: DecisionTaker;
  readonly #executing: ExecutionKeeper;
  readonly #requests: GateRequests;
  /** What would be said now of the calls that wait here. */
  readonly #judgedAgain = new Map<string, () => Promise<CallVerdict>>();
  #closing: Promise<void> | undefined;
  #audit: Audit | undefined;

  constructor(given: GateOptions = {}) {
    const options = takeOptions('createGate', given);
    const { timeout, maxArgumentBytes = 4_194_304, keepDecided = 10_000, logger } = options;
    checkRecord(options.groups, 'createGate', 'groups');
    this.groups = options.groups ?? {};
    this.timeout = timeout === undefined ? null : checkPositive('createGate: timeout', timeout);
    this.reviewer = takeReviewer(options.reviewer, 'createGate');
    const ledger = ledgerOptions(options);
    const control = new GateControl(options, filesOf(ledger), (problems) => {
      // A logger is told of it as an error.
      if (logger?.error === undefined) void warnOfPolicies(control, problems);
      this.#teller.publish({ type: 'policy-changed', problems, at: Date.now() });
    });
    const redactor = Redactor.from(options.redact);
    const telemetry = Telemetry.from(options.telemetry);
    const isQuiet = ledger.ledger === 'memory:' && logger === undefined && telemetry === undefined;
    const kept = {
      quiet: isQuiet,
      maxArgumentBytes: checkPositive('createGate: maxArgumentBytes', maxArgumentBytes),
      keepDecided: checkPositive('createGate: keepDecided', keepDecided),
      ...ledger,
    };
    const redacted = redactor && new RedactedNative(kept, redactor);
    const native = redacted ?? new NativeGate(kept);
    native.onOperation = telemetry?.onLedgerOperation;
    this.#inside = new GateInternals({
      native,
      redacted,
      control,
      people: new ApproverGroups(options),
      telemetry,
      logger,
      isQuiet,
    });
    this.#schemas = new ToolSchemas(this.#inside, this.values);
    this.#teller = new EventTeller(this.#inside);
    this.#deciding = new DecisionTaker(this.#inside, this.#teller);
    this.#executing = new ExecutionKeeper(this.#inside, this.#teller);
    this.#requests = new GateRequests(this.#inside, this.#teller, this.#deciding);
    // Other processes decide too.
    if (native.isDurable) this.#teller.listen();
  }

  /** Whether what is kept outlives the process. */
  get isDurable(): boolean {
    return this.#inside.isDurable;
  }

  /** Whether nothing is asked here any more. */
  get isClosing(): boolean {
    return this.#inside.isClosing;
  }

  /**
   * Aborted, with the error that says so, when no run goes on here any more; `undefined`: they go on, and what they ask is denied. A
   * ledger in memory has nothing that another process could continue.
   */
  get closing(): AbortSignal | undefined {
    return this.isDurable ? this.#inside.closing : undefined;
  }

  /** Policies, grants and the mode. */
  get control(): GateControl {
    return this.#inside.control;
  }

  get telemetry(): Telemetry | undefined {
    return this.#inside.telemetry;
  }

  get audit(): Audit {
    this.#audit ??= new GateAudit(this.#inside.native);
    return this.#audit;
  }

  /** Texts beside the requests, shared by all processes of the ledger. */
  get values(): GateValues {
    return new GateValues(this.#inside.native);
  }

  /** @see ToolSchemas.digestOf */
  schemaDigest(source: SchemaSource): Promise<string | null> {
    return this.#schemas.digestOf(source);
  }

  /** The JSON Schema of what the tool of a request takes; `null`: it is not known. */
  async schemaOf(approvalId: string): Promise<object | null> {
    const { details } = ((await this.#inside.native.get(approvalId)) ?? {}) as Pick<RawRecord, 'details'>;
    const digest = (details as { schema?: unknown } | null | undefined)?.schema;
    return typeof digest === 'string' ? this.#schemas.get(digest) : null;
  }

  /** Runs that outlive their process. */
  get runs(): RunStore {
    return this.#inside.native;
  }

  /** Callers here no longer wait for what this run asked; its requests go on waiting. */
  stopWaiting(runId: string, why: unknown): void {
    this.#teller.waiters.loseRun(runId, why);
  }

  /** Tells the logger that a run could not be kept. */
  notKept(runId: string, error: unknown): void {
    this.#inside.failed('the run was not kept', { runId }, error);
  }

  // --- asking: see Requests -----------------------------------------------------------------------------------------

  /** @see GateRequests.open */
  open(request: OpenRequest, checkEdit?: CheckEdit): Awaitable<ApprovalRecord> {
    return this.#requests.open(request, checkEdit);
  }

  /** @see GateRequests.openAndWait */
  openAndWait(request: OpenRequest, checkEdit?: CheckEdit, abortSignal?: AbortSignal): Awaitable<BoundRequest> {
    return this.#requests.openAndWait(request, checkEdit, abortSignal);
  }

  /** @see GateRequests.whole */
  whole(request: OpenRequest): Awaitable<OpenRequest> {
    return this.#requests.whole(request);
  }

  /** @see GateRequests.look */
  look(...call: Parameters<GateRequests['look']>): ReturnType<GateRequests['look']> {
    return this.#requests.look(...call);
  }

  /** What would be shown of a call of this gate with these arguments, were somebody asked about it. */
  shownOf(call: JudgedByPolicy): Promise<ShownEdit> {
    return shownOf(this.#inside, call);
  }

  /**
   * For {@link editedCall}, of a call that waits: by what judges it in this process, else by what this gate knows. A decision that hands
   * `shown` back is bound to what is read here.
   */
  async readEdit(
    call: Pick<ApprovalRequest, 'approvalId' | 'toolCallId' | 'toolName' | 'runId'>,
    args: unknown,
  ): Promise<EditReading> {
    const { approvalId, runId } = call;
    try {
      const checked = await this.#teller.checks.get(approvalId)?.(revive(args));
      if (checked !== undefined) return { ...checked.reading, shown: shownName(approvalId, args, checked) };
    } catch (error) {
      // It will not be taken, which is told when it is decided.
      if (!InvalidDecisionError.isInstance(error)) throw error;
    }
    const records = this.isDurable ? await this.records(runId) : [];
    const record = records.find((each) => each.approvalId === approvalId);
    const { reading, seen } = await this.editBeside(call, args, record);
    return seen === undefined ? reading : { ...reading, shown: shownName(approvalId, args, seen) };
  }

  /** The same of a call that another gate has asked about, as this one knows it. @see editBeside */
  editBeside(call: BesideCall, args: unknown, record: Pick<RawRecord, 'context'> | undefined): Promise<EditBeside> {
    return editBeside(this.#inside, call, args, record);
  }

  /** What "always" would save, where that is not kept with the request. */
  offersOf(approvalId: string): Offers | undefined {
    return this.#teller.offers.get(approvalId);
  }

  /** @see GateRequests.attach */
  attach(approvalId: string, checkEdit?: CheckEdit): Promise<DecidedRecord> {
    return this.#requests.attach(approvalId, checkEdit);
  }

  /** Tells what happens to a request of this process until it is decided. */
  watch(approvalId: string, tell: (event: RequestProgress) => void): void {
    this.#teller.watch(approvalId, tell);
  }

  // --- deciding: see Deciding ---------------------------------------------------------------------------------------

  decide(...given: Parameters<Gate['decide']>): Promise<ApprovalRecord> {
    return this.#deciding.decide(...given);
  }

  decideAll(approvalIds: readonly string[], decision: BatchDecision, options?: BatchOptions): Promise<BatchResult[]> {
    return decideAll(approvalIds, decision, options, {
      find: (approvalId) => this.get(approvalId),
      decide: (approvalId, one, who) => this.decide(approvalId, one, who),
    });
  }

  approve(...given: Parameters<Gate['approve']>): Promise<ApprovalRecord> {
    return this.#deciding.approve(...given);
  }

  reject(...given: Parameters<Gate['reject']>): Promise<ApprovalRecord> {
    return this.#deciding.reject(...given);
  }

  edit(...given: Parameters<Gate['edit']>): Promise<ApprovalRecord> {
    return this.#deciding.edit(...given);
  }

  respond(...given: Parameters<Gate['respond']>): Promise<ApprovalRecord> {
    return this.#deciding.respond(...given);
  }

  skip(...given: Parameters<Gate['skip']>): Promise<ApprovalRecord> {
    return this.#deciding.skip(...given);
  }

  /** The requests of this very run on which a call may still run: those that wait, and those that are approved. */
  async openOf(runId: string): Promise<ApprovalRecord[]> {
    const open = (await this.pending({ runId })).map((request): ApprovalRecord => ({ ...request, ...UNDECIDED }));
    for (let before: string | undefined; ;) {
      const past = await this.history({ runId, limit: MAX_HISTORY, ...(before === undefined ? {} : { before }) });
      open.push(...past.filter(({ status }) => status === 'approved' || status === 'edited'));
      if (past.length < MAX_HISTORY) return open.filter((record) => record.runId === runId);
      before = past.at(-1)?.approvalId;
    }
  }

  /** Whether something in this process waits for the decision. */
  isWaitedFor(approvalId: string): boolean {
    return this.#teller.waiters.has(approvalId);
  }

  /** @see DecisionTaker.decideByCallback */
  decideByCallback(record: ApprovalRecord, answer: TakenAnswer, mayWait: boolean): Promise<void> {
    return this.#deciding.decideByCallback(record, answer, mayWait);
  }

  /** @see DecisionTaker.objectionTo */
  objectionTo(record: ApprovalRecord, answer: unknown): Promise<string | undefined> {
    return this.#deciding.objectionTo(record, answer);
  }

  /** @see DecisionTaker.stalenessNow */
  stalenessNow(...asked: Parameters<DecisionTaker['stalenessNow']>): Promise<string | undefined> {
    return this.#deciding.stalenessNow(...asked);
  }

  /** With an approval by a callback it is looked, until it is decided, whether the call still is what was shown. */
  looksAt(approvalId: string, look: () => ShownCheck | undefined): void {
    if (this.#teller.waiters.has(approvalId)) this.#teller.looks.set(approvalId, look);
  }

  /** @see DecisionTaker.answerByCallback */
  answerByCallback(record: ApprovalRecord, taken: () => unknown): Promise<void> {
    return this.#deciding.answerByCallback(record, taken);
  }

  /** @see DecisionTaker.decideByMessage */
  decideByMessage(...answer: Parameters<DecisionTaker['decideByMessage']>): Promise<ApprovalRecord> {
    return this.#deciding.decideByMessage(...answer);
  }

  /** @see DecisionTaker.rejectBySystem */
  rejectBySystem(approvalId: string, reason: string, by?: string): Awaitable<void> {
    return this.#deciding.rejectBySystem(approvalId, reason, by);
  }

  /** @see DecisionTaker.refuseByCallback */
  refuseByCallback(...refusal: Parameters<DecisionTaker['refuseByCallback']>): Awaitable<void> {
    return this.#deciding.refuseByCallback(...refusal);
  }

  /** @see DecisionTaker.approveByMode */
  approveByMode(approvalId: string): Promise<boolean> {
    return this.#deciding.approveByMode(approvalId);
  }

  /** @see DecisionTaker.decideByReviewer */
  decideByReviewer(...said: Parameters<DecisionTaker['decideByReviewer']>): Promise<boolean> {
    return this.#deciding.decideByReviewer(...said);
  }

  /** What waits is answered by a mode that would have answered it, once that is set. */
  answersByMode(
    { approvalId, startedBefore }: ApprovalRecord,
    decided: Promise<unknown>,
    judgeAgain: (() => Promise<CallVerdict>) | undefined,
  ): void {
    if (judgeAgain === undefined || startedBefore) return;
    this.#judgedAgain.set(approvalId, judgeAgain);
    const forget = () => void this.#judgedAgain.delete(approvalId);
    decided.then(forget, forget);
  }

  /** @see DecisionTaker.cancel */
  cancel(approvalId: string, reason: string, via: DecidedVia): Awaitable<void> {
    return this.#deciding.cancel(approvalId, reason, via);
  }

  /** @see DecisionTaker.withdraw */
  withdraw(approvalId: string, reason: string, via?: DecidedVia): Awaitable<void> {
    return this.#deciding.withdraw(approvalId, reason, via);
  }

  /** @see DecisionTaker.revoke */
  revoke(approvalId: string, reason: string): Awaitable<void> {
    return this.#deciding.revoke(approvalId, reason);
  }

  /** @see DecisionTaker.endUnused */
  endUnused(runId: string, toolCallId: string, reason: string): Promise<void> {
    return this.#deciding.endUnused(runId, toolCallId, reason);
  }

  /** @see DecisionTaker.cancelRun */
  cancelRun(runId: string, reason: string, via: DecidedVia): Awaitable<void> {
    return this.#deciding.cancelRun(runId, reason, via);
  }

  /** @see GateInternals.beforeClose */
  beforeClose<T>(ending: Awaitable<T>): Awaitable<T> {
    return this.#inside.beforeClose(ending);
  }

  // --- executing: see Executing -------------------------------------------------------------------------------------

  /** @see ExecutionKeeper.redeem */
  redeem(...call: Parameters<ExecutionKeeper['redeem']>): Awaitable<RedeemOutcome> {
    return this.#executing.redeem(...call);
  }

  /** @see ExecutionKeeper.isBound */
  isBound(...call: Parameters<ExecutionKeeper['isBound']>): ReturnType<ExecutionKeeper['isBound']> {
    return this.#executing.isBound(...call);
  }

  /** @see ExecutionKeeper.settle */
  settle(approvalId: string, succeeded: boolean, result?: () => Awaitable<unknown>): Awaitable<void> {
    return this.#executing.settle(approvalId, succeeded, result);
  }

  /** Writes into the audit of a durable ledger. */
  async note(note: NativeNote): Promise<void> {
    await this.#inside.native.note(note);
  }

  /** Writes what a reviewer said into the audit. @returns why it could not be; `undefined`: it stands there */
  async noteReview(note: NativeNote): Promise<string | undefined> {
    return (await this.#inside.note(note)) ? undefined : 'What the reviewer said could not be written down.';
  }

  /** @see ExecutionKeeper.noted */
  noted(call: JudgedCall, runId: string, origin: readonly string[], verdict: CallVerdict): Promise<CallVerdict> {
    return this.#executing.noted(call, runId, origin, verdict);
  }

  // --- policies -----------------------------------------------------------------------------------------------------

  async check(call: { toolName: string; args: unknown; runId?: string }): Promise<PolicyVerdict> {
    const { toolName, args: given, runId: ofRun } = takeNeeded('gate.check', call);
    const runId = checkOptionalText('gate.check: runId', ofRun) ?? undefined;
    checkText('gate.check: toolName', toolName);
    const args = snapshot(given);
    const nobody = { asksFunctions: false, opinions: async () => [] };
    const verdict = await this.control.judge({ toolCallId: crypto.randomUUID(), toolName, args, runId }, [], nobody);
    const said = verdict.said ?? { rule: null, reason: 'no policy is set', actions: [] };
    const reason = verdict.effect === 'allow' ? said.reason : (verdict.reason ?? said.reason);
    return { ...said, reason, effect: verdict.effect };
  }

  get mode(): PolicyMode {
    return this.control.mode;
  }

  async setMode(mode: PolicyMode): Promise<void> {
    await this.control.setMode(mode);
    if (mode !== 'auto') return;
    // The last first: a request that waits for its turn is answered before a human is asked about it.
    for (const [approvalId, judge] of [...this.#judgedAgain].toReversed())
      if (isByMode(await judge())) await this.approveByMode(approvalId);
  }

  readonly grants: Grants = {
    list: () => this.control.grants(),
    revoke: async (id) => {
      const revoked = await this.control.revoke(checkText('gate.grants.revoke: id', id));
      if (revoked) await this.#inside.note({ kind: 'grant-revoked', grantId: id });
      return revoked;
    },
  };

  // --- looking ------------------------------------------------------------------------------------------------------

  async ready(): Promise<void> {
    await this.#inside.native.ready();
  }

  async pending(filter: { runId?: string } = {}): Promise<ApprovalRequest[]> {
    const runId = checkOptionalText('gate.pending: runId', takeOptions('gate.pending', filter).runId);
    return (await this.#inside.native.pending(runId)).filter((kept) => !isDenial(kept)).map(toRequest);
  }

  async get(approvalId: string): Promise<ApprovalRecord | undefined> {
    const record = await this.#inside.native.get(checkText('gate.get: approvalId', approvalId));
    return record === null ? undefined : toRecord(record);
  }

  async history(given: Parameters<Gate['history']>[0] = {}): Promise<ApprovalRecord[]> {
    const filter = takeOptions('gate.history', given);
    const { limit = 100 } = filter;
    const asked = {
      runId: checkOptionalText('gate.history: runId', filter.runId),
      toolName: checkOptionalText('gate.history: toolName', filter.toolName),
      before: checkOptionalText('gate.history: before', filter.before),
      limit: checkWhole('gate.history: limit', limit, 1, MAX_HISTORY),
    };
    return (await this.#inside.native.history(asked)).map(toRecord);
  }

  async askedBefore(approvalId: string): Promise<number> {
    const record = await this.get(checkText('gate.askedBefore: approvalId', approvalId));
    if (record === undefined) throw unknownRequest(approvalId);
    const { toolName } = record;
    return askedBefore(record, await this.history({ toolName, limit: LOOKED_AT }), this.projects());
  }

  /** Where calls came from. One in memory is of one program, and keeps nothing of that. */
  projects(): ProjectLookup {
    return this.isDurable ? projectLookup((runId) => this.records(runId)) : async () => undefined;
  }

  /** The records of one tool call id; of all runs without a `runId`. */
  find(runId: string | null, toolCallId: string): Awaitable<ApprovalRecord[]> {
    return after(this.#inside.native.find(runId, toolCallId), (records) => records.map(toRecord));
  }

  /** All that a durable ledger keeps of the requests of a run, as it keeps it. */
  records(runId: string): Promise<RawRecord[]> {
    return this.#inside.native.records(runId);
  }

  /** Whether these are the arguments of the request, which keeps only a part of them. Not known: `false`. */
  isOriginal(approvalId: string, args: unknown): boolean {
    return this.#inside.redacted?.isOriginal(approvalId, args) ?? false;
  }

  events(options: { signal?: AbortSignal } = {}): AsyncIterableIterator<GateEvent> {
    const { signal } = takeOptions('gate.events', options);
    const events = this.#teller.events.subscribe(signal);
    if (this.#inside.isClosing) void events.return?.();
    return events;
  }

  /** @throws {GateClosedError} where nothing can be asked any more, for what would find that out in the middle of a run */
  checkOpen(place: string): void {
    if (!this.#inside.isClosing) return;
    throw new GateClosedError({
      message: `${place}: the gate is closed, so that no gated tool would run: make another one with createGate.`,
    });
  }

  // --- the end ------------------------------------------------------------------------------------------------------

  close(): Promise<void> {
    this.#inside.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { native, telemetry, isDurable } = this.#inside;
    try {
      if (isDurable) {
        this.#teller.waiters.loseRun(null, closed());
        // What was aborted before must not be found waiting, by the next process that opens the ledger.
        await this.#inside.ended();
      }
      const closing = native.close('The gate was closed.');
      if (isLater(closing)) await closing;
    } finally {
      this.#teller.end();
      if (telemetry !== undefined) await telemetry.closed();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A proxy may throw when it is inspected: then it is not a gate of ours. */
function isOurs(gate: Gate): gate is Gate & LocalGate {
  try {
    return gate instanceof LocalGate;
  } catch {
    return false;
  }
}

/** The gate of a caller, which must be one of ours. */
export function localGate(gate: Gate, place: string): Gate & LocalGate {
  if (isOurs(gate)) return gate;
  if (isGateLike(gate)) throw otherCopy(`${place}: gate`);
  throw new InvalidConfigError({ message: `${place}: gate must be what createGate() gives, not ${toldKind(gate)}.` });
}

/** A gate of another copy of this package has these as well. */
function isGateLike(gate: Gate): boolean {
  try {
    return typeof gate.request === 'function' && typeof gate.pending === 'function';
  } catch {
    return false;
  }
}
