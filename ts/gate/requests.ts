/** Requests: made, and waited for. */
import type { ApprovalRecord, Logger } from '../../index.js';
import { UnknownApprovalError } from '../errors/index.js';
import type { NativeLooked, NativePolicies, NativeRequest } from '../native.js';
import { after, attempt, isLater, type Awaitable } from '../values/awaitable.js';
import { LONGEST_TIMER_MS } from '../values/longest-timer.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { whenAborted } from '../values/when-aborted.js';
import type { CallLook } from './control.js';
import type { DecisionTaker } from './deciding.js';
import { closed, type GateInternals } from './inside.js';
import { isDecided, toRecord, type DecidedRecord } from './records.js';
import type { CheckEdit, Offers, EventTeller, RequestOpening } from './teller.js';

export const DEFAULT_TIMEOUT_MS = 300_000;

/** How long after its deadline the core has to tell of it, in ms. */
const LATE_MS = 1_000;

/** Why a request whose caller has gone is cancelled. */
export const UNWANTED = 'The caller no longer needs it.';

/** A request as the code in this process makes it. */
export type OpenRequest = Omit<NativeRequest, 'args' | 'page'> & {
  args: ValueSnapshot;
  /** `whole`: whether it shows all that changes in files, where that was looked at. */
  page: (NonNullable<NativeRequest['page']> & { whole?: boolean }) | null;
  /** Is told of this request, beside the gate's own logger. */
  logger?: Logger | undefined;
  /** What "always" would save, where only this process shows it: it is made when somebody asks. */
  offers?: Offers | undefined;
  /** Those that have a say about the call. */
  policies?: readonly NativePolicies[] | undefined;
};

/** A request, and the decision on it whenever it comes. It rejects when nothing more will be heard of it here. */
export interface WaitedRequest {
  record: ApprovalRecord;
  decided: Promise<DecidedRecord>;
}

/** The same for those who look, once it is decided, whether it still is what was shown. */
export interface BoundRequest extends WaitedRequest {
  /** What an approval of it is bound to beside the call. */
  context: object | null;
}

export class GateRequests {
  readonly #inside: GateInternals;
  readonly #teller: EventTeller;
  readonly #deciding: DecisionTaker;

  constructor(inside: GateInternals, teller: EventTeller, deciding: DecisionTaker) {
    this.#inside = inside;
    this.#teller = teller;
    this.#deciding = deciding;
  }

  /** Puts a call to a human. From here on it is somebody's to decide. */
  open(request: OpenRequest, checkEdit?: CheckEdit): Awaitable<ApprovalRecord> {
    return after(this.#request(request, checkEdit, false), ({ record }) => {
      this.#teller.flush();
      return record;
    });
  }

  /**
   * As {@link GateRequests.open}, with the decision whenever it comes. Waiting for it keeps the process alive. When the
   * signal is aborted while the request is on its way to the disk, it is cancelled there; from then on that is the caller's.
   */
  openAndWait(request: OpenRequest, checkEdit?: CheckEdit, abortSignal?: AbortSignal): Awaitable<BoundRequest> {
    const opened = after(this.#request(request, checkEdit, true), ({ record, context, opening }) => {
      const decided = this.#wait(record, opening.waited?.decided);
      // Only now: before this there was no listener to tell.
      this.#teller.flush();
      return { record, context, decided };
    });
    return isLater(opened) && abortSignal !== undefined ? this.#unlessAborted(opened, abortSignal) : opened;
  }

  async #unlessAborted(opened: Promise<BoundRequest>, abortSignal: AbortSignal): Promise<BoundRequest> {
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
    if (kept === null) throw unknownRequest(approvalId);
    const record = toRecord(kept);
    if (isDecided(record)) return record;
    if (checkEdit !== undefined) this.#teller.checks.set(approvalId, checkEdit);
    if (record.expiresAt !== null || record.needs.length > 0) this.#teller.listen();
    return this.#wait(record, undefined);
  }

  #request(
    request: OpenRequest,
    checkEdit: CheckEdit | undefined,
    isAwaited: boolean,
  ): Awaitable<Omit<BoundRequest, 'decided'> & { opening: RequestOpening }> {
    this.#inside.refuseIfClosed();
    if (request.timeoutMs !== null || (request.needs ?? []).length > 0) this.#teller.listen();
    const { logger, offers } = request;
    const asked = this.#inside.telemetry?.asking();
    const opening: RequestOpening = { logger, checkEdit, offers, asked, isAwaited };
    const forget = this.#teller.expect(request, opening);
    return attempt(
      () =>
        after(this.#shown(request), ({ logger: _logger, offers: _offers, args, policies = [], ...whole }) =>
          after(this.#inside.native.request({ ...whole, args: args.json }, policies), (requested) => {
            const { record: kept, context = whole.context, problems } = requested;
            this.#inside.control.tellProblems(problems);
            const record = toRecord(kept);
            this.#inside.people.tellUnknown(record);
            this.#teller.adopt(record);
            const original = this.#inside.redacted?.original(record, { ...whole, args });
            return { record: original ?? record, context, opening };
          }),
        ),
      (error) => {
        forget(error);
        throw error;
      },
    );
  }

  /** Where secrets are taken out of what is shown before it is kept. Else the core adds it. */
  #shown(request: OpenRequest): Awaitable<OpenRequest> {
    return this.#inside.redacted === undefined ? request : this.whole(request);
  }

  /** With all that is shown of it, and what its approval is bound to. */
  whole(request: OpenRequest): Awaitable<OpenRequest> {
    const { look, policies = [], args, details } = request;
    if (look == null) return request;
    return after(this.look(args, { look, policies }), ({ context, shown }) => {
      const whole = { ...request, look: null, policies: [], context };
      if (shown === null) return whole;
      const { page, ...more } = shown;
      return { ...whole, page, details: { ...details, ...more } };
    });
  }

  /** What would be shown of a call that is asked about, and what its approval would be bound to. */
  look(args: ValueSnapshot, { look, policies }: CallLook): Awaitable<NativeLooked> {
    return after(this.#inside.native.look(args.json, look, policies), (looked) => {
      this.#inside.control.tellProblems(looked.problems);
      return looked;
    });
  }

  /** @param known what was waited for from the moment of the request on; `undefined`: it may have been decided before */
  #wait(
    { approvalId, runId, createdAt, expiresAt }: ApprovalRecord,
    known: Promise<DecidedRecord> | undefined,
  ): Promise<DecidedRecord> {
    const decided = known ?? this.#teller.waiters.wait(approvalId, runId);
    if (this.#inside.isClosing && this.#inside.isDurable) this.#teller.waiters.lose(approvalId, closed());
    else if (this.#inside.isDurable) {
      if (known === undefined) void this.#look(approvalId);
      if (expiresAt !== null) this.#endInTime(approvalId, expiresAt - createdAt, decided);
    }
    return decided;
  }

  /**
   * The core lets requests expire. A ledger that is gone cannot write that down, but its waiters must not wait for ever.
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
      // Written down by now, though the answer may not reach us.
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
      if (kept === null) return this.#teller.waiters.lose(approvalId, unknownRequest(approvalId));
      const record = toRecord(kept);
      if (isDecided(record) && !this.#teller.held.includes(approvalId)) this.#teller.decided(record);
    } catch (error) {
      // What cannot be read would be waited for in vain.
      this.#inside.failed('a decision cannot be read', { approvalId }, error);
      this.#teller.waiters.lose(approvalId, error);
    }
  }
}

export const unknownRequest = (approvalId: string) =>
  new UnknownApprovalError({ message: `The gate knows no request ${JSON.stringify(approvalId)}.`, approvalId });
