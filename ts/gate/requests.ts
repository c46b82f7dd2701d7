/** Requests: made, waited for, and handed to those who made them. */
import type { ApprovalNeed, ApprovalRecord, GateRequest, Logger, Resolution } from '../../index.js';
import { DuplicateRequestError, GateClosedError, UnknownApprovalError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import type { NativeRequest } from '../native.js';
import { checkNeeded, checkOptions } from '../options/check.js';
import { after, attempt, isLater, type Awaitable } from '../values/awaitable.js';
import { LONGEST_TIMER_MS } from '../values/longest-timer.js';
import { snapshot, type ValueSnapshot } from '../values/snapshot.js';
import { whenAborted } from '../values/when-aborted.js';
import type { ServerCaller } from './caller.js';
import { checkPositive } from './check-positive.js';
import type { DecisionTaker } from './deciding.js';
import type { ExecutionKeeper } from './executing.js';
import { closed, type GateInternals } from './inside.js';
import { existingRecord, isDecided, resolutionOf, toRecord, type DecidedRecord } from './records.js';
import { checkRequester } from './requester.js';
import type { CheckEdit, Offers, EventTeller } from './teller.js';

export const DEFAULT_TIMEOUT_MS = 300_000;

/** How long after its deadline the core has to tell of it, in ms. */
const LATE_MS = 1_000;

/** Why a request whose caller has gone is cancelled. */
const UNWANTED = 'The caller no longer needs it.';

/** A request as the code in this process makes it. */
export type OpenRequest = Omit<NativeRequest, 'args'> & {
  args: ValueSnapshot;
  /** Is told of this request, beside the gate's own logger. */
  logger?: Logger | undefined;
  /** What "always" would save, where only this process shows it: it is made when somebody asks. */
  offers?: Offers | undefined;
};

/** A request, and the decision on it whenever it comes. It rejects when nothing more will be heard of it here. */
export interface WaitedRequest {
  record: ApprovalRecord;
  decided: Promise<DecidedRecord>;
}

/** A request without policies. */
const PLAIN = { context: null, details: null, page: null, supersedes: null };

export class GateRequests {
  readonly #inside: GateInternals;
  readonly #teller: EventTeller;
  readonly #deciding: DecisionTaker;
  readonly #executing: ExecutionKeeper;
  readonly #timeout: number;

  /** @param timeout how long a request of any code waits, in ms */
  constructor(
    inside: GateInternals,
    teller: EventTeller,
    deciding: DecisionTaker,
    executing: ExecutionKeeper,
    timeout: number,
  ) {
    this.#inside = inside;
    this.#teller = teller;
    this.#deciding = deciding;
    this.#executing = executing;
    this.#timeout = timeout;
  }

  /** @param caller the call of a tool that asks */
  request(
    request: GateRequest,
    options: { abortSignal?: AbortSignal } = {},
    caller?: ServerCaller,
  ): Promise<Resolution> {
    const resolution = new Promise<Resolution>((resolve, reject) => {
      this.#resolve(request, options, caller).then(resolve, (error: unknown) => {
        // A process that closes its gate must not be ended by an answer that nobody in it waits for any more.
        if (GateClosedError.isInstance(error)) resolution.catch(() => {});
        reject(error);
      });
    });
    return resolution;
  }

  async #resolve(
    request: GateRequest,
    options: { abortSignal?: AbortSignal },
    caller: ServerCaller | undefined,
  ): Promise<Resolution> {
    checkNeeded('gate.request', request);
    checkOptions('gate.request: options', options);
    const { abortSignal: given } = options;
    const abortSignal = caller === undefined ? given : AbortSignal.any([caller.signal, ...(given ? [given] : [])]);
    abortSignal?.throwIfAborted();
    const args = snapshot(request.args);
    const runId = request.runId ?? caller?.runId ?? crypto.randomUUID();
    const asked: OpenRequest = {
      runId,
      toolCallId: request.toolCallId ?? crypto.randomUUID(),
      toolName: request.toolName,
      args,
      origin: request.origin ?? caller?.origin ?? ['main'],
      description: request.description ?? null,
      allowedDecisions: request.allowedDecisions ?? null,
      timeoutMs: checkPositive('gate.request: timeout', request.timeout ?? this.#timeout),
      ...PLAIN,
      needs: [needOf(request)],
      remindMs: request.remind === undefined ? null : checkPositive('gate.request: remind', request.remind),
      requester: checkRequester('gate.request', request.requester) ?? null,
    };
    const opened = this.#openOnce(asked, abortSignal);
    const waited = isLater(opened) ? await opened : opened;
    const { record, decided } = waited;
    caller?.asked(waited, args);
    let withdrawn: Awaitable<void> = undefined;
    const withdraw = () => {
      withdrawn = this.#deciding.withdraw(record.approvalId, UNWANTED);
    };
    const forget = whenAborted(abortSignal, withdraw);
    if (abortSignal?.aborted) withdraw();
    try {
      const resolution = resolutionOf(await decided, args);
      if (!resolution.approved) return resolution;
      const approved = resolution.decision.type === 'edit' ? snapshot(resolution.args) : args;
      return await this.#handOver(runId, record, resolution, approved, abortSignal);
    } finally {
      forget();
      // Whoever is told that it was cancelled finds it so.
      if (isLater(withdrawn)) await withdrawn;
    }
  }

  /** @throws {DuplicateRequestError} */
  #openOnce(request: OpenRequest, abortSignal: AbortSignal | undefined): Awaitable<WaitedRequest> {
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
    args: ValueSnapshot,
    abortSignal: AbortSignal | undefined,
  ): Promise<Resolution> {
    const unwanted = () => new DOMException(UNWANTED, 'AbortError');
    try {
      if (abortSignal?.aborted) throw unwanted();
      const claim = this.#executing.claim(runId, toolCallId, toolName, args, null);
      if (isLater(claim)) await claim;
      const isWanted = abortSignal?.aborted !== true;
      await this.#executing.settle(approvalId, isWanted);
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
      this.#teller.flush();
      return record;
    });
  }

  /**
   * As {@link GateRequests.open}, with the decision whenever it comes. Whoever waits for it keeps the process alive. When the
   * signal is aborted while the request is on its way to the disk, it is cancelled there; from then on that is the caller's.
   */
  openAndWait(request: OpenRequest, checkEdit?: CheckEdit, abortSignal?: AbortSignal): Awaitable<WaitedRequest> {
    const opened = after(this.#request(request, checkEdit), (record) => {
      const decided = this.#wait(record);
      // Only now: nobody can have been told before there was somebody to tell.
      this.#teller.flush();
      return { record, decided };
    });
    return isLater(opened) && abortSignal !== undefined ? this.#unlessAborted(opened, abortSignal) : opened;
  }

  async #unlessAborted(opened: Promise<WaitedRequest>, abortSignal: AbortSignal): Promise<WaitedRequest> {
    const withdraw = async () => {
      const waited = await opened.catch(() => undefined);
      if (waited !== undefined) await this.#deciding.withdraw(waited.record.approvalId, UNWANTED);
    };
    // Told at once, so that a gate that is closed at the same moment waits for it.
    const forget = whenAborted(abortSignal, () => void this.#inside.beforeClose(withdraw()));
    try {
      return await opened;
    } finally {
      forget();
    }
  }

  /**
   * Waits for the decision on a request that was made before, by this process or another.
   *
   * @throws {UnknownApprovalError}
   */
  async attach(approvalId: string, checkEdit?: CheckEdit): Promise<DecidedRecord> {
    await this.#inside.native.watch(approvalId);
    const kept = await this.#inside.native.get(approvalId);
    if (kept === null) throw unknown(approvalId);
    const record = toRecord(kept);
    if (isDecided(record)) return record;
    if (checkEdit !== undefined) this.#teller.checks.set(approvalId, checkEdit);
    if (record.expiresAt !== null || record.needs.length > 0) this.#teller.listen();
    return this.#wait(record);
  }

  #request(request: OpenRequest, checkEdit: CheckEdit | undefined): Awaitable<ApprovalRecord> {
    this.#inside.refuseIfClosed();
    if (request.timeoutMs !== null || (request.needs ?? []).length > 0) this.#teller.listen();
    const { logger, offers, args, ...call } = request;
    const forget = this.#teller.expect(call, { logger, checkEdit, offers, asked: this.#inside.telemetry?.asking() });
    return attempt(
      () =>
        after(this.#inside.native.request({ ...call, args: args.json }), (kept) => {
          const record = toRecord(kept);
          this.#teller.adopt(record);
          return this.#inside.redacted?.original(record, request) ?? record;
        }),
      (error) => {
        forget();
        throw error;
      },
    );
  }

  #wait({ approvalId, runId, createdAt, expiresAt }: ApprovalRecord): Promise<DecidedRecord> {
    const decided = this.#teller.waiters.wait(approvalId, runId);
    if (this.#inside.isClosing && this.#inside.lasts) this.#teller.waiters.lose(approvalId, closed());
    else if (this.#inside.lasts) {
      // Another process may have decided before there was somebody here to tell.
      void this.#look(approvalId);
      if (expiresAt !== null) this.#endInTime(approvalId, expiresAt - createdAt, decided);
    }
    return decided;
  }

  /**
   * The core lets requests expire. A ledger that is gone cannot write that down, and must leave nobody waiting for ever.
   *
   * @param duration of the request in ms. Counted from here, since the ledger's clock may be another than ours
   */
  #endInTime(approvalId: string, duration: number, decided: Promise<DecidedRecord>): void {
    const last = performance.now() + duration + LATE_MS;
    let timer: NodeJS.Timeout;
    const sleep = () => {
      const left = last - performance.now();
      timer = setTimeout(
        () => void (left > LONGEST_TIMER_MS ? sleep() : end()),
        Math.min(Math.max(left, 0), LONGEST_TIMER_MS),
      );
      timer.unref();
    };
    let isOver = false;
    const end = async () => {
      await this.#deciding.rejectBySystem(approvalId, 'Nobody answered in time.', 'deadline');
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
      const kept = await this.#inside.native.get(approvalId);
      if (kept === null) return this.#teller.waiters.lose(approvalId, unknown(approvalId));
      const record = toRecord(kept);
      if (isDecided(record) && !this.#teller.held.includes(approvalId)) this.#teller.decided(record);
    } catch (error) {
      // What cannot be read would be waited for in vain.
      this.#inside.failed('a decision cannot be read', { approvalId }, error);
      this.#teller.waiters.lose(approvalId, error);
    }
  }
}

/** One that nobody has to satisfy is none: the core leaves it out. A list that is missing where one was meant names nobody. */
function needOf({ approvers, quorum, excludeRequester, escalate }: ApprovalNeed): ApprovalNeed {
  return {
    ...(approvers === undefined ? {} : { approvers: (approvers as typeof approvers | null) ?? [] }),
    ...(quorum === undefined ? {} : { quorum }),
    ...(excludeRequester === undefined ? {} : { excludeRequester }),
    ...(escalate === undefined ? {} : { escalate }),
  };
}

const unknown = (approvalId: string) =>
  new UnknownApprovalError({ message: `The gate knows no request ${JSON.stringify(approvalId)}.`, approvalId });
