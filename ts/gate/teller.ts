/** Tells what happens: to waiters, readers of events, loggers, telemetry. */
import type { ApprovalRequest, GateEvent, Logger } from '../../index.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { EventBroadcast } from './broadcast.js';
import type { EditReading } from './edited-call.js';
import { LedgerError } from '../errors/ledger-error.js';
import type { CoreEvent, ShownCheck, UnreadableEvent } from '../native.js';
import type { GateInternals } from './inside.js';
import { logEvent } from './log.js';
import {
  copyOfDecision,
  decidedRecord,
  isApproval,
  isDenial,
  reviveEvent,
  type DecidedRecord,
  type ToldByCore,
} from './records.js';
import type { SeenEdit } from './seen-edit.js';
import { TurnStaleness } from './turn-staleness.js';
import { DecisionWaiters } from './waiters.js';

/** An edit as it is decided. */
export interface DecidedEdit extends SeenEdit {
  /** Arguments as the tool would get them: what its schema makes of what the human wrote. */
  args: ValueSnapshot;
  /** For those who are asked about it. */
  reading: EditReading;
}

export type CheckEdit = (args: unknown) => Promise<DecidedEdit>;

/** What "always" would save, made when somebody asks. */
export type Offers = () => ApprovalRequest['always'];

/** What belongs to a request beside what is kept of it. */
export interface RequestOpening {
  logger: Logger | undefined;
  checkEdit: CheckEdit | undefined;
  offers?: Offers | undefined;
  /** Tells telemetry, in the async context of the caller. */
  asked: ((request: ApprovalRequest) => void) | undefined;
  /** Somebody waits for the decision, from the moment at which the request is known: it may be decided in that very moment. */
  isAwaited: boolean;
  /** Of a request that is known and awaited. */
  waited?: { approvalId: string; decided: Promise<DecidedRecord> };
}

/** What happens to a request that goes on waiting. */
export type RequestProgress = Extract<GateEvent, { type: 'voted' | 'reminded' | 'escalated' }>;

export class EventTeller {
  readonly waiters = new DecisionWaiters(this);
  readonly events = new EventBroadcast<GateEvent>((some) => this.#inside.native.watchAll(some || this.#hearsAll));
  /** Requests whose decision is not announced yet: what is remembered of it comes first. */
  readonly held: string[] = [];
  /** What an edit of a request must pass. */
  readonly checks = new Map<string, CheckEdit>();
  /** What "always" would save, of requests that are shown in this process alone. */
  readonly offers = new Map<string, Offers>();
  readonly #inside: GateInternals;
  /** What is looked at with an approval: whether the call still is what was shown. */
  readonly looks = new Map<string, () => ShownCheck | undefined>();
  readonly found = new TurnStaleness();
  /** What belongs to requests that have no id yet, by {@link keyOf}: what happens to them may be told before it is known. */
  readonly #opening = new Map<string, RequestOpening>();
  /** Who is told, in this process, what happens to a request while it waits. */
  readonly #watchers = new Map<string, (event: RequestProgress) => void>();
  /** Of requests that have one of their own, until nothing can happen to them any more. */
  readonly #loggers = new Map<string, Logger>();
  /** Over a ledger in memory: what a logger or telemetry is told must be written out even without a reader of events. */
  #hearsAll: boolean;
  #isListening = false;
  /** Something happened that no call of ours made. */
  #isWoken = false;
  #telling: 'nothing' | 'this' | 'and more' = 'nothing';
  #isOver = false;

  constructor(inside: GateInternals) {
    this.#inside = inside;
    this.#hearsAll = !inside.isDurable && !inside.isQuiet;
  }

  /** Hears of what the core does by itself, which is to let requests expire. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    // The core holds the callback for as long as it lives: it must not hold us.
    const self = new WeakRef(this);
    this.#inside.native.onWake(() => self.deref()?.woken());
  }

  /** A request is on its way. @returns what forgets that, if it becomes unknown whether it comes */
  expect(request: Pick<ApprovalRequest, 'runId' | 'toolCallId'>, own: RequestOpening): (error: unknown) => void {
    const key = keyOf(request);
    if (own.logger !== undefined) this.#hearAll();
    // A second one for the same call is refused, and takes nothing from the first.
    if (!this.#opening.has(key)) this.#opening.set(key, own);
    return (error) => {
      if (this.#opening.get(key) === own) this.#opening.delete(key);
      // It was told, and its caller was told that it failed.
      else if (own.waited !== undefined) this.waiters.lose(own.waited.approvalId, error);
    };
  }

  #hearAll(): void {
    if (this.#inside.isDurable || this.#hearsAll) return;
    this.#hearsAll = true;
    this.#inside.native.watchAll(true);
  }

  /** Its id is known now. */
  adopt(request: ApprovalRequest): void {
    const key = keyOf(request);
    const own = this.#opening.get(key);
    if (own === undefined) return;
    this.#opening.delete(key);
    const { logger, checkEdit, offers, asked, isAwaited } = own;
    const { approvalId, runId } = request;
    if (isAwaited) own.waited = { approvalId, decided: this.waiters.wait(approvalId, runId) };
    if (logger !== undefined && logger !== this.#inside.logger) this.#loggers.set(request.approvalId, logger);
    if (checkEdit !== undefined) this.checks.set(request.approvalId, checkEdit);
    if (offers !== undefined) this.offers.set(request.approvalId, offers);
    asked?.(request);
  }

  /** Tells what happens to a request until it is decided. */
  watch(approvalId: string, tell: (event: RequestProgress) => void): void {
    this.#watchers.set(approvalId, tell);
  }

  /** The core did something by itself, or for another process. */
  woken(): void {
    this.#isWoken = true;
    this.flush();
  }

  #happened(): CoreEvent[] {
    const { native } = this.#inside;
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken ? native.drain() : native.take();
  }

  /** Tells everybody here what the core did since the last time. */
  flush(): void {
    if (this.held.length > 0) return;
    // A logger may have changed something: what is being told comes before what followed from it.
    if (this.#telling !== 'nothing') {
      this.#telling = 'and more';
      return;
    }
    try {
      do {
        this.#telling = 'this';
        for (const event of this.#happened()) {
          if (event.type === 'unreadable') this.#lose(event);
          else this.#tell(reviveEvent(event) as ToldByCore, event.type === 'requested' && isDenial(event.request));
        }
      } while (this.#tellsMore());
    } finally {
      this.#telling = 'nothing';
    }
    if (this.#isOver) this.events.close();
  }

  /** Waiters and readers of events would wait for ever. What is told again and again is told once. */
  #lose({ code, message }: UnreadableEvent): void {
    if (this.waiters.areNone && !this.events.hasReaders) return;
    const error = new LedgerError({ code, message });
    this.#inside.failed('nobody can be told what was decided', {}, error);
    this.waiters.loseRun(null, error);
    this.events.fail(error);
  }

  #tellsMore(): boolean {
    return this.#telling === 'and more';
  }

  /** Something that the core has no part in. */
  publish(event: GateEvent): void {
    if (this.#inside.logger !== undefined) logEvent(this.#inside.logger, event);
    this.events.publish(event);
  }

  /** @param isDenied it requests nothing of anybody: what is told is how it was decided */
  #tell(event: ToldByCore, isDenied: boolean): void {
    const approvalId = 'request' in event ? event.request.approvalId : event.approvalId;
    // A listener may change what it is told, as for a page: waiters go by a copy of before.
    const decided = event.type === 'decided' && { ...decidedRecord(event), decision: copyOfDecision(event.decision) };
    if (event.type === 'requested') this.adopt(event.request);
    for (const logger of [this.#inside.logger, this.#loggers.get(approvalId)])
      if (logger !== undefined) logEvent(logger, event);
    if (event.type === 'settled' || (event.type === 'decided' && !isApproval(event.decision)))
      this.#loggers.delete(approvalId);
    if (!isDenied) this.events.publish(event);
    if (event.type === 'voted' || event.type === 'reminded' || event.type === 'escalated')
      this.#watchers.get(approvalId)?.(event);
    if (event.type === 'voted') this.#inside.telemetry?.voted(approvalId, event.vote);
    if (!decided) return;
    this.checks.delete(approvalId);
    this.offers.delete(approvalId);
    this.looks.delete(approvalId);
    this.found.decided(approvalId);
    this.#watchers.delete(approvalId);
    this.decided(decided);
  }

  /** Tells those who wait for it here. */
  decided(told: DecidedRecord): void {
    const { approvalId, via, decidedBy, decidedAt: at } = told;
    const decision = this.#inside.redacted?.originalDecision(approvalId, told.decision) ?? told.decision;
    this.#inside.telemetry?.decided({ approvalId, type: decision.type, via, decidedBy, at });
    this.waiters.decided(approvalId, { ...told, decision });
  }

  /** Tells the last of it. */
  end(): void {
    this.#isOver = true;
    this.flush();
  }
}

/** Ids are any texts: the length says where the first one ends. */
const keyOf = ({ runId, toolCallId }: Pick<ApprovalRequest, 'runId' | 'toolCallId'>): string =>
  `${runId.length} ${runId}${toolCallId}`;
