/** Calls the functions that ask the human about the requests of one run, and takes what they answer to the gate. */
import type { ApprovalAnswer, ApprovalRecord, ApprovalRequest } from '../../index.js';
import { CountersignError } from '../errors/index.js';
import { messageOf, originOf } from '../errors/message-of.js';
import { warnOnce } from '../errors/warn-once.js';
import { argumentRows } from '../native.js';
import { isThenable, type Awaitable } from '../values/awaitable.js';
import type { LateAbort } from '../values/late-abort.js';
import { lazily } from '../values/lazily.js';
import { copyOf, type ValueSnapshot } from '../values/snapshot.js';
import { nobodyAnswers, type QuestionCallback } from './asking-questions.js';
import { asks, tellUnasked } from './callback-calls.js';
import type { LocalGate } from './gate.js';
import { HumanTurns, type AskOrder } from './human-turns.js';
import { PASS, passOn } from './passing.js';
import { isQuestion } from './questions.js';
import { takeAnswer, takeAnswers } from './taken-answer.js';

export type ApprovalCallback = (
  request: never,
  options: { abortSignal: AbortSignal; objectionTo: (answer: unknown) => Promise<string | undefined> },
) => ApprovalAnswer | PromiseLike<ApprovalAnswer>;

export interface HumanAskerOptions {
  gate: LocalGate;
  /** Whether the gate was given, so that others may answer there. */
  hasGate: boolean;
  hasReviewer: boolean;
  onApprovalRequest: ApprovalCallback | undefined;
  onQuestion: QuestionCallback | undefined;
  askOrder: AskOrder;
  /** Calls in the async context of the caller. */
  inContext: <T>(call: () => T) => T;
  /** Who asks, for messages. */
  place: string;
  /** Of the run that this one is a part of. Its callback answers requests here as well, and both ask in the same turns. */
  parent: HumanAsker | undefined;
}

export class HumanAsker {
  readonly #gate: LocalGate;
  readonly #callback: ApprovalCallback | undefined;
  readonly #questionCallback: QuestionCallback | undefined;
  /** Shared with the runs that are a part of this one. */
  readonly #turns: HumanTurns;
  readonly #hasGate: boolean;
  readonly #hasReviewer: boolean;
  readonly #inContext: HumanAskerOptions['inContext'];
  readonly #place: string;

  constructor(options: HumanAskerOptions) {
    const { parent } = options;
    this.#gate = options.gate;
    this.#callback = parent === undefined ? options.onApprovalRequest : parent.#callback;
    this.#questionCallback = options.onQuestion;
    this.#turns = parent === undefined ? new HumanTurns(options.askOrder) : parent.#turns;
    this.#hasGate = options.hasGate;
    this.#hasReviewer = options.hasReviewer;
    this.#inContext = options.inContext;
    this.#place = options.place;
  }

  /** What answers requests here; `undefined`: nothing does. */
  get callback(): ApprovalCallback | undefined {
    return this.#callback;
  }

  /** Whether a question is answered at once, for lack of a human to answer it. */
  get isAutomatic(): boolean {
    return this.#callback === undefined && !this.#hasGate;
  }

  /** Aborted when the human, asked by this run or a part of it, wants all to end. */
  get stopped(): LateAbort {
    return this.#turns.stopped;
  }

  /** Why calls of this run, or of a part of it, did not run for lack of anyone to ask; `undefined`: no such call. */
  get nobody(): Error | undefined {
    return this.#turns.nobody;
  }

  /** Whether somebody can answer questions. */
  get canAskQuestions(): boolean {
    return nobodyAnswers(this.#gate, this.#questionCallback !== undefined, this.#hasGate) === undefined;
  }

  /**
   * Calls the human. The answer arrives through the gate.
   *
   * @param decided settles when it has, or when no answer will come any more
   * @param stop ends what the human wants to end: all that is asked for here, unless it is given
   */
  ask(
    record: ApprovalRecord,
    args: ValueSnapshot,
    decided: Promise<unknown>,
    abortSignal: AbortSignal,
    stop: (reason: unknown) => void = (reason) => this.#turns.stop(reason),
  ): void {
    const nobody = this.#nobodyFor(record);
    if (nobody !== undefined) {
      const isUnmeant = this.isAutomatic && !this.#hasReviewer;
      if (isUnmeant && !this.stopped.isAborted && !isQuestion(record)) warnNobody(this.#place);
      return void this.#gate.rejectBySystem(record.approvalId, nobody);
    }
    const callback = isQuestion(record) ? this.#questionCallback : this.#callback;
    if (callback === undefined) return;
    const call = (over: LateAbort) => this.#call(callback, record, args, decided, over, stop);
    void this.#turns.ask(decided, abortSignal, call, () => tellUnasked(callback, record));
  }

  #nobodyFor(record: ApprovalRecord): string | undefined {
    if (this.stopped.isAborted) return 'The human ended the run.';
    if (isQuestion(record)) return nobodyAnswers(this.#gate, this.#questionCallback !== undefined, this.#hasGate);
    return this.isAutomatic ? 'Nobody can be asked: the run has neither onApprovalRequest nor a gate.' : undefined;
  }

  /** @returns what takes the answer */
  async #call(
    callback: ApprovalCallback | QuestionCallback,
    record: ApprovalRecord,
    args: ValueSnapshot,
    decided: Promise<unknown>,
    over: LateAbort,
    stop: (reason: unknown) => void,
  ): Promise<() => Awaitable<void>> {
    let decides: () => Awaitable<void> = () => {};
    const take = (given: unknown): void => {
      decides = this.#take(record, given, decided);
    };
    const objectionTo = (given: unknown): Promise<string | undefined> => this.#gate.objectionTo(record, given);
    const readEdit = (edited: unknown) => this.#gate.readEdit(record, edited);
    const end = asks(record.approvalId, callback, over, { objectionTo, readEdit });
    const options = lazily<{ objectionTo: typeof objectionTo }, { abortSignal: AbortSignal }>(
      { objectionTo },
      { abortSignal: () => over.signal },
    );
    let how: 'answered' | 'failed' = 'failed';
    try {
      const given: unknown = this.#inContext(() => callback(requestOf(record, args, this.#gate) as never, options));
      if (isThenable(given)) await Promise.resolve(given).then(take);
      else take(given);
      how = 'answered';
    } catch (error) {
      return () => this.#onFailure(record, error, over, stop);
    } finally {
      end(how);
    }
    // Then it is cancelled, which is not to be forestalled by those who notice that.
    return over.isAborted ? () => {} : decides;
  }

  /** At once: what it says now is what is checked, and what runs. @returns what decides by it */
  #take(record: ApprovalRecord, given: unknown, decided: Promise<unknown>): () => Awaitable<void> {
    if (isQuestion(record)) {
      const answers = takeAnswers(given);
      return () => this.#gate.answerByCallback(record, answers);
    }
    if (given === PASS) return () => passOn(this.#gate, record, this.#hasGate, decided);
    const answer = takeAnswer(given, 'onApprovalRequest');
    return () => this.#gate.decideByCallback(record, answer, this.#hasGate);
  }

  #onFailure(
    record: ApprovalRecord,
    error: unknown,
    over: LateAbort,
    stop: (reason: unknown) => void,
  ): Awaitable<void> {
    if (over.isAborted) return;
    // As readline fails when Ctrl+C is pressed.
    if (isSuch(error, isAbort)) return stop(error);
    const name = isQuestion(record) ? 'onQuestion' : 'onApprovalRequest';
    // What somebody else says in an error may quote what they were asked.
    const isOurs = isSuch(error, (each) => CountersignError.isInstance(each));
    if (isSuch(error, isNobody)) this.#turns.nobody ??= error as Error;
    const said = isOurs ? `the callback failed: ${messageOf(error)}` : `the callback failed (${originOf(error)})`;
    // What to do about it is for the developer, not for the model.
    const why = isSuch(error, isNobody) ? 'nobody can answer.' : messageOf(error);
    return this.#gate.refuseByCallback(
      name,
      record,
      `Asking the human failed: ${why}`,
      said,
      isOurs ? undefined : messageOf(error),
    );
  }
}

/** Only the model is told that its calls were rejected without anyone being asked. @param place who runs them */
export const warnNobody = (place: string): void =>
  warnOnce(
    `nobody:${place}`,
    `${place}: nobody can be asked, so every gated call is rejected. Give onApprovalRequest, such as ` +
      'terminalApprover(), or a gate at which somebody decides; to reject them on purpose, pass onApprovalRequest: () => false.',
  );

/** What is thrown may be anything, and may itself throw when it is inspected: then the answer is no. */
function isSuch(error: unknown, is: (error: unknown) => boolean): boolean {
  try {
    return is(error);
  } catch {
    return false;
  }
}

/** Whether it failed because no human is there: that is not the human's failure. */
const isNobody = (error: unknown): boolean =>
  CountersignError.isInstance(error) && (error.code === 'ERR_INPUT_ENDED' || error.code === 'ERR_OUTPUT_UNSEEN');

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/**
 * What a human is shown: with the arguments as the tool would get them. What takes long is made when it is read.
 *
 * @param beside what the object has before that
 */
export function requestOf<BESIDE extends object>(
  record: ApprovalRecord,
  args: ValueSnapshot,
  gate: LocalGate,
  beside?: BESIDE,
): BESIDE & ApprovalRequest {
  const { status: _status, decision: _decision, decidedBy: _by, via: _via, decidedAt: _at, ...request } = record;
  const shown = { ...(beside as BESIDE), ...request, args: copyOf(args) };
  // In the order of the call, which the ledger does not keep.
  const rows = (): ApprovalRequest['rows'] => argumentRows(args.json);
  const always = gate.offersOf(record.approvalId);
  return always === undefined
    ? lazily<BESIDE & ApprovalRequest, Pick<ApprovalRequest, 'rows'>>(shown, { rows })
    : lazily<BESIDE & ApprovalRequest, Pick<ApprovalRequest, 'rows' | 'always'>>(shown, { rows, always });
}
