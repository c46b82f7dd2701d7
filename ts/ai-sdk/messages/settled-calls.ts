/** Takes what a conversation says of its calls to the gate. */
import type { ApprovalRecord, RefusedApproval } from '../../../index.js';
import { AlreadyDecidedError } from '../../errors/index.js';
import { reasonOfError } from '../../errors/reason-of.js';
import type { LocalGate } from '../../gate/gate.js';
import { isApproval, isTurnEnd } from '../../gate/records.js';
import { Breaks } from '../../values/breaks.js';
import {
  DUPLICATE_ID,
  INTERRUPTED_TOOL,
  LOST_RESULT,
  REJECTED,
  REJECTED_IN_CHAT,
  TURN_ENDED,
  reasonOf,
} from './reasons.js';
import { ACTS, isOpen, standingOf, type RequestAct } from './request-acts.js';
import type { EarlierCall, SpokenCall } from './spoken-calls.js';

/** What a call comes to. */
export interface SettledCall {
  /** Whether it may run. */
  approved: boolean;
  /** What the model is told; `undefined`: what stands in the messages. */
  reason: string | undefined;
  /** What it runs with that was approved with other arguments, and the id of its request in the messages. */
  edit?: { approvalId: string; args: unknown };
  /** What is not meant by that. */
  earlier?: EarlierCall | undefined;
}

/** The request that is meant; `why`: the reason that no request can be decided by an answer. */
export interface FoundRequest {
  record: ApprovalRecord | undefined;
  why?: string;
}

export interface SettlingOptions {
  gate: LocalGate;
  /** Finds the request of a call. */
  find: (call: SpokenCall) => Promise<FoundRequest>;
  /** Whether the request was about the call in the conversation. */
  isAsked: (call: SpokenCall, record: ApprovalRecord) => boolean;
  /** Whether the request is known to be about another call than that in the conversation: no answer to the one is for the other. */
  isOther: (call: SpokenCall, record: ApprovalRecord) => boolean;
  /** Whether a request that waits stays, of an unanswered call that the conversation does not wait for. */
  keepsWaiting: (call: Pick<SpokenCall, 'approvalIds'>, record: ApprovalRecord) => boolean;
  /** Who answered in the messages. */
  by: string | null;
  onRefused: ((refused: RefusedApproval) => void) | undefined;
  /** Told what stood in the way, which is no answer of the gate. */
  onFailed?: (call: SpokenCall, error: unknown) => void;
}

export class CallSettler {
  readonly #options: SettlingOptions;

  constructor(options: SettlingOptions) {
    this.#options = options;
  }

  /** The outcome of these calls by id, for those that the conversation mentions. */
  async settle(calls: Iterable<SpokenCall>): Promise<Map<string, SettledCall>> {
    const breaks = new Breaks();
    const settled = new Map<string, SettledCall>();
    const found: { call: SpokenCall; request: FoundRequest }[] = [];
    for (const call of calls) {
      await breaks.take();
      if (call.word !== 'open') found.push({ call, request: await this.#options.find(call) });
    }
    // What a human ended the turn with is looked for first: it counts for each call of its message.
    const ended = new Set(
      found.flatMap(({ call, request }) => (isTurnEnd(request.record?.decision) ? [...call.places] : [])),
    );
    for (const { call, request } of found) {
      await breaks.take();
      const isOver = call.word === 'yes' && [...call.places].some((place) => ended.has(place));
      const outcome =
        isOver && isOpenRecord(request.record)
          ? await this.#stopped(call, request.record)
          : await this.#settled(call, request);
      settled.set(call.toolCallId, { ...outcome, earlier: call.earlier });
      for (const { approvalId } of call.earlier?.yes ?? []) this.#tell(call, approvalId, OF_EARLIER);
    }
    return settled;
  }

  /** A human ended the turn with another call: this yes runs nothing. */
  async #stopped(call: SpokenCall, record: ApprovalRecord): Promise<SettledCall> {
    await this.#end(call, record, TURN_ENDED);
    this.#tell(call, call.yes[0]?.approvalId, TURN_ENDED);
    return { approved: false, reason: TURN_ENDED };
  }

  /** Ends an open request whose call is in no message. Never rejects. */
  async drop(record: ApprovalRecord): Promise<void> {
    await this.#act(this.#actOn(record, NOWHERE), { ...NOWHERE, toolCallId: record.toolCallId }, record);
  }

  async #settled(call: SpokenCall, { record, why }: FoundRequest): Promise<SettledCall> {
    const act = this.#actOn(record, call);
    // No person has said no.
    const unclear = call.no.every(({ isUnclear }) => isUnclear) ? call.no[0] : undefined;
    const settled = await this.#act(act === 'reject' && unclear !== undefined ? 'cancel' : act, call, record, why);
    if (unclear !== undefined && act !== 'refuse') this.#tell(call, unclear.approvalId, unclear.reason);
    // A yes that did not count is told, with or without a no beside it.
    const [yes] = call.yes;
    if (!settled.approved && yes !== undefined)
      this.#tell(call, yes.approvalId, isOpenRecord(record) && call.no.length > 0 ? CONTRADICTED : settled.reason);
    // The page sent it too early: without an answer it says nothing that could be refused, and all the same it is over.
    if (call.word === 'asked') this.#tell(call, [...call.approvalIds][0], settled.reason);
    return settled;
  }

  #actOn(
    record: ApprovalRecord | undefined,
    call: Pick<SpokenCall, 'word' | 'approvalIds'>,
  ): Exclude<RequestAct, 'drop'> {
    const act = ACTS[standingOf(record?.status)][call.word];
    if (act !== 'drop') return act;
    return record !== undefined && this.#options.keepsWaiting(call, record) ? 'nothing' : 'cancel';
  }

  async #act(
    act: Exclude<RequestAct, 'drop'>,
    call: SpokenCall,
    record: ApprovalRecord | undefined,
    why = NOT_ASKED,
  ): Promise<SettledCall> {
    const denied = (reason: string | undefined): SettledCall => ({ approved: false, reason });
    switch (act) {
      case 'approve':
      case 'run':
        return record === undefined ? denied(why) : this.#approve(call, record);
      case 'reject':
        return record === undefined ? denied(why) : this.#reject(call, record);
      case 'cancel': {
        const reason = endOf(call, record);
        if (record !== undefined) await this.#end(call, record, reason);
        return denied(reason);
      }
      case 'refuse': {
        if (record !== undefined && isSameNo(call, record)) return denied(call.reason ?? REJECTED_IN_CHAT);
        const reason = record === undefined ? why : overText(record);
        if (call.yes.length === 0) this.#tell(call, call.no[0]?.approvalId, reason);
        return denied(reason);
      }
      case 'explain':
        return denied(leftText(call, record));
      case 'nothing':
        if (call.word === 'left' || call.word === 'asked') return denied(NOT_ANSWERED);
        return denied(record === undefined ? why : isOpenRecord(record) ? CLOSED : overText(record));
    }
  }

  async #approve(call: SpokenCall, record: ApprovalRecord): Promise<SettledCall> {
    const { approvalId, status, decision } = record;
    const refuse = (reason: string): SettledCall => ({ approved: false, reason });
    if (call.calls.length > 1) return refuse(DUPLICATE_ID);
    if (call.yes.length > 1) return refuse('This request was answered more than once.');
    if (!this.#options.isAsked(call, record)) return refuse(OF_OTHER);
    if (status === 'pending') {
      try {
        const decided = await this.#options.gate.decideByMessage(
          approvalId,
          true,
          call.yes[0]?.reason,
          this.#options.by,
        );
        if (decided.status === 'pending') return refuse(COUNTED);
      } catch (error) {
        if (AlreadyDecidedError.isInstance(error)) return refuse('This request was decided before.');
        this.#options.onFailed?.(call, error);
        return refuse(reasonOfError(error));
      }
    }
    const [answer] = call.yes;
    const edit =
      decision?.type === 'edit' && answer !== undefined
        ? { edit: { approvalId: answer.approvalId, args: decision.args } }
        : {};
    return { approved: true, reason: undefined, ...edit };
  }

  /**
   * A no that cannot be the decision, of somebody who may not decide, ends the call all the same: the conversation goes on without
   * it, and a later yes must not run it. Where requests that wait are kept, it stays for those who may. What is not taken is told.
   */
  async #reject(call: SpokenCall, record: ApprovalRecord): Promise<SettledCall> {
    const { approvalId } = record;
    const settled: SettledCall = { approved: false, reason: call.reason ?? REJECTED_IN_CHAT };
    if (this.#options.isOther(call, record)) {
      this.#tell(call, call.no[0]?.approvalId, OF_OTHER);
      if (!this.#options.keepsWaiting(call, record)) await this.#end(call, record, GONE);
      return settled;
    }
    try {
      await this.#options.gate.decideByMessage(approvalId, false, call.reason, this.#options.by);
      return settled;
    } catch (error) {
      if (!AlreadyDecidedError.isInstance(error)) {
        this.#options.onFailed?.(call, error);
        this.#tell(call, call.no[0]?.approvalId, reasonOfError(error));
        if (this.#options.keepsWaiting(call, record)) return settled;
      }
    }
    await this.#end(call, record, endOf(call, record));
    return settled;
  }

  /** Never rejects: what could not be ended is told. */
  async #end(call: SpokenCall, { approvalId }: ApprovalRecord, reason: string): Promise<void> {
    const { gate } = this.#options;
    await gate.withdraw(approvalId, reason, 'messages');
    const after = await gate.get(approvalId).catch((error: unknown) => {
      this.#options.onFailed?.(call, error);
      return undefined;
    });
    if (after === undefined || standingOf(after.status) !== 'over')
      this.#tell(call, call.no[0]?.approvalId ?? approvalId, NOT_ENDED);
  }

  #tell({ toolCallId }: SpokenCall, approvalId = '', reason = CLOSED): void {
    this.#options.onRefused?.({ approvalId, toolCallId, reason });
  }
}

const isOpenRecord = (record: ApprovalRecord | undefined): record is ApprovalRecord =>
  record !== undefined && isOpen(record.status);

/** Why a request comes to its end. */
function endOf({ word, reason }: SpokenCall, record: ApprovalRecord | undefined): string {
  switch (word) {
    case 'no':
    case 'left-no':
      return reason ?? REJECTED_IN_CHAT;
    case 'closed':
      return reason ?? CLOSED;
    case 'gone':
      return GONE;
    case 'left':
    case 'asked':
      return record?.status === 'pending' ? WENT_ON : TOO_LATE;
    default:
      return TOO_LATE;
  }
}

/** Whether the messages say the no by which the request ended: they were verified before. */
const isSameNo = ({ word, yes, reason }: SpokenCall, { status, decision }: ApprovalRecord): boolean =>
  word === 'no' &&
  yes.length === 0 &&
  status === 'rejected' &&
  decision !== null &&
  (reasonOf(decision) ?? REJECTED_IN_CHAT) === (reason ?? REJECTED_IN_CHAT);

/** Why an answer to a request is not taken. */
function overText({ status, decision }: ApprovalRecord): string {
  if (status === 'expired') return 'The request has expired.';
  // What a human said with a no is for the model, wherever it was said.
  const said = decision === null || isApproval(decision) ? undefined : reasonOf(decision);
  return `This request is over (${status}): ${said ?? 'an answer counts once.'}`;
}

/** Why a call has no result that the user went on without. */
function leftText({ reason }: SpokenCall, record: ApprovalRecord | undefined): string {
  switch (standingOf(record?.status)) {
    case 'unknown':
      return reason ?? NO_RESULT;
    case 'begun':
      return INTERRUPTED_TOOL;
    case 'ended':
      return LOST_RESULT;
    default:
      return (record?.decision ? reasonOf(record.decision) : undefined) ?? REJECTED;
  }
}

/** Of a call that no message has. */
const NOWHERE: Omit<SpokenCall, 'toolCallId'> = {
  places: new Set(),
  calls: [],
  approvalIds: new Set(),
  yes: [],
  no: [],
  word: 'gone',
  needsResult: false,
  runsHere: false,
  reason: undefined,
  earlier: undefined,
};

const GONE =
  'The conversation went on without this call: the user asked for another answer, or changed an earlier message.';
const WENT_ON = 'The user did not answer whether this call may run, and the conversation went on. It did not run.';
const NOT_ANSWERED = 'Nobody has answered yet whether this call may run. It did not run.';
const TOO_LATE =
  'It was approved when the conversation had gone on, so it did not run. Call the tool again if it is still wanted.';
/** Of a call that no gate knows: whether it had begun cannot be said. */
export const NO_RESULT = 'The conversation went on before this call had a result.';
/** Of a result that no execution here has given. */
const CLOSED = 'The conversation closed this call with a result that did not come from here. It did not run.';
export const OF_EARLIER = 'This answer is about an earlier call, whose id the model has given to another one since.';
const OF_OTHER = 'The call in the conversation is not the one that was asked about.';
const CONTRADICTED = 'This request was answered with a yes and with a no: the no counts.';
const NOT_ASKED = 'Nobody was asked about this call here.';
const NOT_ENDED =
  'This no came too late, or could not be kept: the call may have begun to run, or may run on a later yes.';
/** It may not run on this answer alone. */
const COUNTED = 'This approval was counted, and more are needed: ask again when all have approved.';
