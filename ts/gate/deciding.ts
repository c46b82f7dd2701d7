/** Decisions: of humans, of callbacks, of time and of those who no longer need an answer. What counts is decided in the core. */
import type {
  ApprovalRecord,
  ApprovalRequest,
  ApprovalStatus,
  CallReview,
  DecideOptions,
  DecidedVia,
  DecisionOutcome,
  Gate,
  Grant,
} from '../../index.js';
import {
  AlreadyDecidedError,
  ApprovalExpiredError,
  DecisionNotAllowedError,
  InvalidDecisionError,
  NotApproverError,
  NotAuthorizedError,
} from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { warnOnce, warnSeldom } from '../errors/warn-once.js';
import { after, attempt, isLater, type Awaitable } from '../values/awaitable.js';
import { revive, snapshot } from '../values/snapshot.js';
import { placeToRemember, type CallPlace } from './call-place.js';
import { checkText } from './check-arguments.js';
import { readSaid, type SaidOptions } from './decide-options.js';
import { oneLine } from './one-line.js';
import { checkVia, readDecider, type DecidingPerson } from './decider.js';
import type { AnsweredRequest, RawRecord, ShownCheck } from '../native.js';
import type { GrantKeeper } from './control.js';
import type { GateInternals } from './inside.js';
import { isApproval, reviveDecision, toRecord, toRequest } from './records.js';
import { checkItsCall, plainArguments, readShown, takeAnswer, type TakenAnswer } from './taken-answer.js';
import { checkedDecision, questionsOf, readAnswers } from './questions.js';
import { editBeside } from './edit-beside.js';
import { reboundContext } from './rebound.js';
import { shownContext, type ShownName } from './seen-edit.js';
import { grantOf, isEdited, readRemember, type RememberedAs } from './remember.js';
import type { EventTeller } from './teller.js';

/** What is to be remembered, and by whom. */
interface WantedGrant {
  grant: Omit<Grant, 'id'>;
  keeper: GrantKeeper;
}

export class DecisionTaker {
  readonly #inside: GateInternals;
  readonly #teller: EventTeller;
  /** What is still looked up for decisions that are to be remembered, by request. Never rejects. */
  readonly #looking = new Map<string, Promise<void>>();

  constructor(inside: GateInternals, teller: EventTeller) {
    this.#inside = inside;
    this.#teller = teller;
  }

  async decide(
    approvalId: string,
    answer: Parameters<Gate['decide']>[1],
    ...said: readonly unknown[]
  ): Promise<ApprovalRecord> {
    checkText('gate.decide: approvalId', approvalId);
    // At once: a ledger may answer later, and the caller may change it meanwhile.
    const taken = takeAnswer(answer, 'gate.decide');
    const plain = taken.plain();
    const given = readSaid('decide', said);
    const decider = deciderOf(given);
    const as = oneOf('remember', taken.remember(), readRemember(given.remember));
    const shown = oneOf('shown', taken.shown(), readShown(given.shown));
    const found = this.#inside.native.get(approvalId);
    const record = isLater(found) ? await found : found;
    if (record !== null) checkItsCall(plain, record);
    const decision = this.#inside.native.parseAnswer(plain, record?.toolName ?? '');
    const reason = oneOf('reason', decision.reason, given.reason ?? undefined);
    return this.#settleOn(approvalId, reason === undefined ? decision : { ...decision, reason }, decider, as, shown);
  }

  async approve(approvalId: string, ...said: readonly unknown[]): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'approve' }, readSaid('approve', said));
  }

  async reject(approvalId: string, ...said: readonly unknown[]): Promise<ApprovalRecord> {
    const given = readSaid('reject', said);
    return this.#decideAs(approvalId, given.stop === true ? { type: 'reject', stop: true } : { type: 'reject' }, given);
  }

  async edit(approvalId: string, args: unknown, ...said: readonly unknown[]): Promise<ApprovalRecord> {
    if (args === undefined)
      throw new InvalidDecisionError({
        message: 'gate.edit: the arguments are missing: gate.edit(approvalId, args, options). Nothing was decided.',
      });
    return this.#decideAs(approvalId, { type: 'edit', args: plainArguments(args) }, readSaid('edit', said));
  }

  async respond(approvalId: string, output: unknown, ...said: readonly unknown[]): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'respond', output: snapshot(output).json }, readSaid('respond', said));
  }

  async skip(approvalId: string, ...said: readonly unknown[]): Promise<ApprovalRecord> {
    return this.#decideAs(approvalId, { type: 'skip' }, readSaid('skip', said));
  }

  /**
   * Decides by the answer of a callback. An answer that cannot be taken is a rejection. Only where others may answer as well and
   * the callback may stay silent does the request go on waiting for them.
   */
  async decideByCallback(record: ApprovalRecord, answer: TakenAnswer, mayWait: boolean): Promise<void> {
    const { approvalId, toolName } = record;
    const refuse = (error: unknown): Awaitable<void> => {
      const fault = answer.fault(error);
      const said = `${answer.shape()}, ${NO_DECISION}${fault === '' ? '' : `: ${fault}`}`;
      return this.refuseByCallback('onApprovalRequest', record, notTaken(error), said);
    };
    let plain: unknown;
    let decision: DecisionOutcome | undefined;
    try {
      plain = answer.plain();
      checkItsCall(plain, record);
      if (!this.#isForTheCore(answer)) decision = this.#inside.native.parseAnswer(plain, toolName);
    } catch (error) {
      return refuse(error);
    }
    try {
      let status: ApprovalStatus | undefined;
      if (decision === undefined) {
        const said = await this.#answerAtOnce(approvalId, toolName, answer.decider(), plain);
        if ('answered' in said) status = said.answered;
        else decision = said.read;
      }
      if (decision !== undefined)
        ({ status } = await this.#settleOn(approvalId, decision, answer.decider(), answer.remember(), answer.shown()));
      // One of several, and the others are never asked: it would wait for ever.
      if (status === 'pending' && !mayWait) await this.rejectBySystem(approvalId, MORE_NEEDED, 'callback');
    } catch (error) {
      // The core found no decision in it.
      if (decision === undefined && InvalidDecisionError.isInstance(error)) return refuse(error);
      if (mayWait && (NotApproverError.isInstance(error) || NotAuthorizedError.isInstance(error))) {
        const why = messageOf(error);
        this.#inside.logger?.warn?.('the answer was not taken', { approvalId, reason: why });
        // The callback hears nothing of it, and the call goes on waiting for somebody else.
        warnOnce(
          `answer:${approvalId}`,
          `onApprovalRequest: the answer for ${toolName} was not accepted, so the call still waits: ${why}`,
        );
        return;
      }
      const reason = notTaken(error);
      if (InvalidDecisionError.isInstance(error) || DecisionNotAllowedError.isInstance(error)) {
        // What is the matter with edited arguments may quote them.
        const isEdit = decision?.type === 'edit' && InvalidDecisionError.isInstance(error);
        const what = isEdit ? 'the arguments of its edit were not accepted' : 'its answer was not taken';
        await this.refuseByCallback('onApprovalRequest', record, reason, `${what} (${error.code})`);
      } else await this.rejectBySystem(approvalId, reason, 'callback');
    }
  }

  /**
   * Why an answer would not be taken; `undefined`: it would be, as things are now. A callback with a human at hand asks once more.
   * Never rejects.
   */
  async objectionTo(record: ApprovalRecord, answer: unknown): Promise<string | undefined> {
    const { approvalId, toolName, allowedDecisions } = record;
    if (answer === 'pass') return undefined;
    try {
      const taken = takeAnswer(answer, 'onApprovalRequest');
      const plain = taken.plain();
      checkItsCall(plain, record);
      const decision = this.#inside.native.parseAnswer(plain, toolName);
      const { type } = decision;
      taken.decider();
      taken.remember();
      taken.shown();
      if (type === 'expired' || type === 'cancelled') return `${type} is not an answer`;
      if (!allowedDecisions.includes(type))
        return `${type} is not among the answers that this call may get: ${allowedDecisions.join(', ')}`;
      if (decision.type === 'edit') await this.#teller.checks.get(approvalId)?.(revive(decision.args));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /**
   * A rejection since a callback failed, or answered what is nothing to go by. The developer is told, too: the model alone could
   * not mend it. Never rejects.
   *
   * @param said what the developer is told, without what was asked or answered
   * @param message of the error of the callback: left out if it quotes what was asked, and by a gate with `redact`
   */
  refuseByCallback(
    callback: 'onApprovalRequest' | 'onQuestion',
    { approvalId, toolName, args }: ApprovalRecord,
    reason: string,
    said: string,
    message?: string,
  ): Awaitable<void> {
    const more = 'The reason was sent to the model, and is in the record and in the event.';
    const isSecret = message === undefined || this.#inside.redacted !== undefined || isQuoted(message, args);
    const told = isSecret ? said : `${said}: ${oneLine(message)}`;
    const why = told.replace(/\.$/, '');
    warnSeldom(`${callback}:${toolName}:${said}`, `${callback}: ${toolName} did not run: ${why}. ${more}`);
    this.#inside.failed(`${callback} gave no answer`, { approvalId, toolName }, said, true);
    return this.rejectBySystem(approvalId, reason, 'callback');
  }

  /** What a callback answered to questions; `null`: the human does not want to. What does not fit them is no answer. */
  async answerByCallback(record: ApprovalRecord, taken: () => unknown): Promise<void> {
    const { approvalId } = record;
    try {
      const answers = taken();
      // As it was shown: what is kept may know other labels.
      if (answers !== null) readAnswers(questionsOf(record) ?? [], { answers });
      const decision: DecisionOutcome =
        answers === null ? { type: 'reject' } : { type: 'respond', output: snapshot({ answers }).json };
      await this.#settleOn(approvalId, decision, { by: null, via: 'callback' });
    } catch (error) {
      await this.refuseByCallback('onQuestion', record, notTaken(error), NO_ANSWERS);
    }
  }

  /**
   * Why an approved call is no longer what was shown; `undefined`: it is.
   *
   * @param shownThen what was shown; `undefined`: nothing that could change
   */
  async stalenessNow(
    approvalId: string,
    shownThen: () => Promise<ShownCheck | undefined>,
  ): Promise<string | undefined> {
    const found = this.#teller.found.take(approvalId);
    if (found !== undefined) return found.objection;
    const shown = await shownThen();
    if (shown === undefined) return undefined;
    const { objection, problems } = await this.#inside.native.staleness(shown);
    this.#inside.control.tellProblems(problems);
    return objection;
  }

  /** An answer that came with the messages of a chat. */
  async decideByMessage(
    approvalId: string,
    approved: boolean,
    reason: string | undefined,
    by: string | null,
  ): Promise<ApprovalRecord> {
    const decision: DecisionOutcome = approved ? { type: 'approve', reason } : { type: 'reject', reason };
    return this.#settleOn(approvalId, decision, { by, via: 'messages' });
  }

  /**
   * A rejection that no human made. Does nothing when something else was decided before, nor when the gate closes and the
   * request goes on waiting for another process. Never rejects.
   */
  rejectBySystem(approvalId: string, reason: string, by = 'countersign'): Awaitable<void> {
    if (this.#inside.isClosing && this.#inside.isDurable) return;
    const rejection = { type: 'reject', reason: reason.toWellFormed() } as const;
    return this.#end(approvalId, rejection, { by, via: 'system' });
  }

  /**
   * An approval that no human made: what is asked about is answered by the mode. Never rejects.
   *
   * @returns whether it is decided now, by this or before
   */
  approveByMode(approvalId: string): Promise<boolean> {
    return this.#decideBySystem(approvalId, { type: 'approve' }, 'auto');
  }

  /**
   * What a reviewer says: the model is told why it is rejected. Its approvals are silent, so that its criteria cannot be learned
   * from them. Never rejects.
   *
   * @returns whether it is decided now, by this or before
   */
  decideByReviewer(approvalId: string, { answer, reason }: CallReview): Promise<boolean> {
    return this.#decideBySystem(
      approvalId,
      answer === 'approve' ? { type: 'approve' } : { type: 'reject', reason },
      'reviewer',
    );
  }

  async #decideBySystem(approvalId: string, decision: DecisionOutcome, by: string): Promise<boolean> {
    try {
      const taken = this.#inside.native.decide(approvalId, decision, { by, via: 'system' });
      if (isLater(taken)) await taken;
      return true;
    } catch (error) {
      if (AlreadyDecidedError.isInstance(error) || ApprovalExpiredError.isInstance(error)) return true;
      this.#inside.failed('not decided', { approvalId, decision: decision.type }, error);
      return false;
    } finally {
      this.#teller.flush();
    }
  }

  /** Does nothing when something else was decided before. Never rejects. */
  cancel(approvalId: string, reason: string, via: DecidedVia): Awaitable<void> {
    return this.#end(approvalId, { type: 'cancelled', reason }, { by: null, via });
  }

  /**
   * The caller is gone: it is cancelled, and an approval that came first is taken back unless it was started. Never
   * rejects.
   */
  withdraw(approvalId: string, reason: string, via: DecidedVia = 'abort'): Awaitable<void> {
    return this.#inside.beforeClose(
      after(this.cancel(approvalId, reason, via), () =>
        attempt(
          () => this.revoke(approvalId, reason),
          (error) => this.#inside.failed('not taken back', { approvalId }, error),
        ),
      ),
    );
  }

  /** Takes back an approval that was not started. */
  revoke(approvalId: string, reason: string): Awaitable<void> {
    return after(this.#inside.native.revoke(approvalId, reason), () => this.#teller.flush());
  }

  /**
   * A call has failed, and may have done so before it ran: its unused approval lets nothing run later. Never rejects.
   */
  async endUnused(runId: string, toolCallId: string, reason: string): Promise<void> {
    const end = async (): Promise<void> => {
      try {
        for (const { approvalId, decision } of await this.#inside.native.find(runId, toolCallId))
          if (decision !== null && isApproval(decision)) await this.revoke(approvalId, reason);
      } catch (error) {
        this.#inside.failed('not taken back', { runId, toolCallId }, error);
      }
    };
    await this.#inside.beforeClose(end());
  }

  /** Nothing of this run may start any more. Never rejects: what cannot be cancelled is not waited for any more. */
  cancelRun(runId: string, reason: string, via: DecidedVia): Awaitable<void> {
    // It was let go of: what waits in it goes on waiting.
    if (this.#inside.isClosing && this.#inside.isDurable) return;
    return this.#inside.beforeClose(
      attempt(
        () => after(this.#inside.native.cancelRun(runId, reason, via), () => this.#teller.flush()),
        (error) => {
          this.#inside.failed('not cancelled', { runId }, error);
          this.#teller.waiters.loseRun(runId, error);
        },
      ),
    );
  }

  /** Whether nothing here checks an answer before it is decided, if it says no more than yes or no. */
  #isForTheCore(answer: TakenAnswer): boolean {
    if (this.#inside.people.authorizes || answer.remember() !== undefined) return false;
    try {
      answer.decider();
      return answer.shown() === undefined;
    } catch {
      // Whether it is a decision at all is said first.
      return false;
    }
  }

  /**
   * Reads an answer, and decides by it where it says no more than yes or no.
   *
   * @throws {InvalidDecisionError} for what is no decision
   */
  async #answerAtOnce(
    approvalId: string,
    toolName: string,
    decider: DecidingPerson,
    plain: unknown,
  ): Promise<AnsweredRequest> {
    this.#inside.refuseIfClosed();
    const { native, people, control } = this.#inside;
    const meta = { ...decider, groups: people.groupsOf(decider.by, decider.groups) };
    try {
      const answering = native.answer(approvalId, toolName, plain, meta, this.#teller.looks.get(approvalId)?.());
      const answered = isLater(answering) ? await answering : answering;
      if ('staleness' in answered && answered.staleness !== undefined) {
        control.tellProblems(answered.staleness.problems);
        this.#teller.found.keep(approvalId, answered.staleness);
      }
      return answered;
    } finally {
      // Also after a refusal: finding out that a request is over is a change too.
      this.#teller.flush();
    }
  }

  #decideAs(approvalId: string, decision: DecisionOutcome, given: SaidOptions): Promise<ApprovalRecord> {
    // Their methods are called like the decisions.
    checkText(`gate.${decision.type}: approvalId`, approvalId);
    const { reason, remember, shown } = given;
    const decided = reason === undefined ? decision : { ...decision, reason };
    return this.#settleOn(approvalId, decided, deciderOf(given), readRemember(remember), readShown(shown));
  }

  async #settleOn(
    approvalId: string,
    given: DecisionOutcome,
    decider: DecidingPerson,
    as?: RememberedAs,
    shown?: ShownName,
  ): Promise<ApprovalRecord> {
    this.#inside.refuseIfClosed();
    if (shown !== undefined && given.type !== 'edit') throw new InvalidDecisionError({ message: SHOWN_OF_EDITS });
    const meta = { ...decider, groups: this.#inside.people.groupsOf(decider.by, decider.groups) };
    const decision = given.type === 'respond' ? await this.#checked(approvalId, given) : given;
    const edit = decision.type === 'edit' ? await this.#editOf(approvalId, decision.args, shown) : undefined;
    const editedArgs = edit?.editedArgs;
    if (this.#inside.people.authorizes) {
      // As the tool would get it: what its schema makes of an edit is what is let through or not.
      const meant = decision.type === 'edit' && editedArgs !== undefined ? { ...decision, args: editedArgs } : decision;
      await this.#authorize(approvalId, reviveDecision({ ...meant }), meta);
    }
    // The first decision wins, also where it takes longer since it is to be remembered.
    const before = this.#looking.get(approvalId);
    if (before !== undefined) await before;
    const wanted =
      as === undefined ? undefined : await this.#lookingUp(approvalId, this.#grantOf(approvalId, decision, as, meta));
    let record: ApprovalRecord;
    let granted: Grant | undefined;
    if (wanted !== undefined) this.#teller.held.push(approvalId);
    try {
      const taken = this.#inside.native.decide(approvalId, decision, edit === undefined ? meta : { ...meta, ...edit });
      record = toRecord(isLater(taken) ? await taken : taken);
      // Only the decision that stands is remembered, and before anybody goes on because of it.
      granted = wanted === undefined ? undefined : await this.#remember(approvalId, wanted);
    } catch (error) {
      throw AlreadyDecidedError.isInstance(error)
        ? new AlreadyDecidedError({ message: error.message, winner: toRecord(error.winner) })
        : error;
    } finally {
      if (wanted !== undefined) this.#teller.held.splice(this.#teller.held.indexOf(approvalId), 1);
      // Also after a refusal: finding out that a request is over is a change too.
      this.#teller.flush();
    }
    if (granted !== undefined)
      this.#teller.publish({ type: 'granted', grant: granted, approvalId, at: granted.createdAt });
    return record;
  }

  /** What would run of an edit, where its tool is known, and what it is bound to: what was shown of it, else what is now. */
  async #editOf(
    approvalId: string,
    args: unknown,
    shown: ShownName,
  ): Promise<{ editedArgs?: unknown; editedContext?: object }> {
    const check = this.#teller.checks.get(approvalId);
    if (check !== undefined) {
      const edit = await check(revive(args));
      return { editedArgs: edit.args.json, editedContext: shownContext(approvalId, args, edit, shown) };
    }
    const record = await this.#boundRecord(approvalId);
    const { context = null } = record ?? {};
    // Nothing of it has a name here: what has one was shown elsewhere.
    if (record === undefined || context === null) return typeof shown === 'string' ? { editedContext: { shown } } : {};
    const { toolCallId, toolName } = record;
    const call = { toolCallId, toolName, args: snapshot(revive(args)) };
    const { seen = { context: await reboundContext(this.#inside.control, context, call), changes: [] } } =
      await editBeside(this.#inside, record, args, record);
    return { editedContext: shownContext(approvalId, args, seen, shown) };
  }

  /** @throws {InvalidDecisionError} when it is to answer questions and does not fit them; they go on waiting */
  async #checked(approvalId: string, decision: DecisionOutcome): Promise<DecisionOutcome> {
    const record = await this.#inside.native.get(approvalId);
    return record?.status === 'pending' ? checkedDecision(toRequest(record), decision) : decision;
  }

  /** @throws {NotAuthorizedError} unless the gate's own function lets this person take it; what is over needs no permission */
  async #authorize(approvalId: string, decision: DecisionOutcome, meta: Required<DecidingPerson>): Promise<void> {
    const record = await this.#inside.native.get(approvalId);
    if (record?.status === 'pending') await this.#inside.people.authorize(toRequest(record), decision, meta);
  }

  #lookingUp<T>(approvalId: string, look: Promise<T>): Promise<T> {
    const over = (): void => void (this.#looking.get(approvalId) === done && this.#looking.delete(approvalId));
    const done: Promise<void> = look.then(over, over);
    this.#looking.set(approvalId, done);
    return look;
  }

  /**
   * What is to be remembered, and by whom.
   *
   * @throws {InvalidDecisionError} when the request does not offer to remember this, or a policy forbids it by now; a callback's
   * decision counts once
   */
  async #grantOf(
    approvalId: string,
    decision: DecisionOutcome,
    as: RememberedAs,
    meta: DecidingPerson,
  ): Promise<WantedGrant | undefined> {
    const request = await this.#requestToRemember(approvalId, as);
    if (request === undefined) return undefined;
    try {
      const grant = grantOf(request, decision, as, meta, this.#inside.control.remembersForEver);
      const keeper = await this.#keeperOf(approvalId, grant);
      const forgets = await keeper.forgets();
      if (forgets === null) return { grant, keeper };
      throw new InvalidDecisionError({ message: `${forgets}: decide without \`remember\`.` });
    } catch (error) {
      if (meta.via !== 'callback' || isEdited(as)) throw error;
      const why = messageOf(error);
      this.#inside.logger?.warn?.('not remembered', { approvalId, reason: why });
      // The human will be asked again, and nothing else would say why.
      warnSeldom(
        `remember:${request.toolName}:${why}`,
        `onApprovalRequest: its answer for ${request.toolName} counts once and is not remembered: ${why}`,
      );
      return undefined;
    }
  }

  /** With what "always" would save, and with what the call does where only its very words are to be remembered. */
  #requestToRemember(approvalId: string, { exact }: RememberedAs): Awaitable<ApprovalRequest | undefined> {
    return after(this.#inside.native.get(approvalId), (record) => {
      if (record === null) return undefined;
      const offers = this.#teller.offers.get(approvalId);
      const request = offers === undefined ? toRequest(record) : { ...toRequest(record), always: offers() };
      if (exact !== true || request.verdict !== null) return request;
      const { toolCallId, toolName } = record;
      const call = { toolCallId, toolName, args: snapshot(request.args) };
      return after(this.#inside.control.reads(call), (verdict) => ({ ...request, verdict }));
    });
  }

  /** Who remembers it. In memory there are no calls but those of this process. */
  async #keeperOf(approvalId: string, { scope }: Omit<Grant, 'id'>): Promise<GrantKeeper> {
    const mayBeElsewhere = scope === 'always' && this.#inside.isDurable;
    return this.#inside.control.keeperOf(scope, mayBeElsewhere ? await this.#placeOf(approvalId) : undefined);
  }

  /** With what it is bound to. In memory that is known where its tool is. */
  async #boundRecord(approvalId: string): Promise<RawRecord | undefined> {
    if (!this.#inside.isDurable) return undefined;
    const { runId } = (await this.#inside.native.get(approvalId)) ?? {};
    const records = runId === undefined ? [] : await this.#inside.native.records(runId);
    return records.find((record) => record.approvalId === approvalId);
  }

  async #remember(approvalId: string, { grant: wanted, keeper }: WantedGrant): Promise<Grant | undefined> {
    try {
      const grant = await keeper.grant(wanted);
      const { id: grantId, effect, scope, by, runId } = grant;
      const ofRun = runId === null ? {} : { runId };
      if (await this.#inside.note({ kind: 'granted', grantId, approvalId, effect, scope, by, ...ofRun })) return grant;
      // A grant without a trace allows nothing.
      await keeper.revoke(grantId);
      return undefined;
    } catch (error) {
      // The decision stands; the next such call is asked about again.
      const isWarned = this.#inside.logger?.error === undefined;
      const why = messageOf(error);
      if (isWarned) warnSeldom(`remember:${why}`, `A decision that was to be remembered counts once: ${why}`);
      this.#inside.failed('not remembered', { approvalId }, error, isWarned);
      return undefined;
    }
  }

  /** Where the call of a request came from. @throws {InvalidDecisionError} where that is unknown, or it is elsewhere by now */
  async #placeOf(approvalId: string): Promise<CallPlace> {
    return placeToRemember(await this.#boundRecord(approvalId));
  }

  /** Ends a request for the system. If the ledger cannot write that down, the waiters here fail. */
  #end(approvalId: string, decision: DecisionOutcome, meta: DecidingPerson): Awaitable<void> {
    return attempt(
      () => after(this.#inside.native.decide(approvalId, decision, meta), () => this.#teller.flush()),
      (error) => {
        // Decided, expired or forgotten before: in each case it does not run because of us.
        this.#teller.flush();
        if (!this.#inside.isDurable || AlreadyDecidedError.isInstance(error) || ApprovalExpiredError.isInstance(error))
          return;
        this.#inside.failed('not decided', { approvalId, decision: decision.type }, error);
        this.#teller.waiters.lose(approvalId, error);
      },
    );
  }
}

/** Whether a word of a message is in the arguments, which may be secret. */
function isQuoted(message: string, args: unknown): boolean {
  try {
    const kept = JSON.stringify(snapshot(args).json).toLowerCase();
    return (message.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).some((word) => kept.includes(word));
  } catch {
    return true;
  }
}

const SHOWN_OF_EDITS = '`shown` belongs to an edit alone: leave it out. Nothing was decided.';

/**
 * Why an answer of a program is a no, for the model, which reads it: what the program should have answered is for its developer, in the
 * warning.
 */
const notTaken = (error: unknown): string =>
  `The answer was not taken: ${messageOf(error)
    .replace(/^The answer is /, 'it is ')
    .replace(/(?:: (?:expected true, false|it can have )|\. Answer with true, false )[^]*$/, '.')}`;

const NO_DECISION =
  "which is not a decision (true, false or { type: 'approve' | 'edit' | 'reject' | 'respond' | 'skip' } with what belongs to it)";
const NO_ANSWERS = 'what it answered does not fit the questions (a list with one answer for each, or null)';
const MORE_NEEDED = 'More people must approve it, and nobody but the callback can be asked: pass a gate.';

/** What a decision says, or its options do. @throws {InvalidDecisionError} where they say two things: one of them would be lost */
function oneOf<T>(name: string, inDecision: T | undefined, inOptions: T | undefined): T | undefined {
  if (inDecision !== undefined && inOptions !== undefined && JSON.stringify(inDecision) !== JSON.stringify(inOptions))
    throw new InvalidDecisionError({
      message: `gate.decide: \`${name}\` of the decision is another one than that of its options: give one of them. Nothing was decided.`,
    });
  return inOptions === undefined ? inDecision : inOptions;
}

const deciderOf = (given: DecideOptions): DecidingPerson => readDecider(given, checkVia(given.via));
