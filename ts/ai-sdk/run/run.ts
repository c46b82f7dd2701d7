/**
 * One run through any number of approval stops.
 *
 * The AI SDK ends its stream at a gated call; the pending state is the message history. So a run is a loop of `streamText`
 * calls ("rounds"): read the stream, ask about the gated calls of its last step, put all answers into one tool message,
 * call again. What the loop yields is the SDK's own parts, as one stream, and its own events beside them.
 *
 * Here is the loop: it does what `run-state.ts` says is to be done. What it came to is in `conversation.ts`, how a round is opened in `opening.ts`, who is asked in
 * `requests.ts`, what they decide in `decisions.ts`, what is kept in `keeping.ts`.
 */
import type { ToolSet } from 'ai';
import type { AgentEvent, RunResult } from '../../../index.js';
import { GateClosedError, InvalidConfigError, RunError } from '../../errors/index.js';
import { InternalError } from '../../errors/internal-error.js';
import type { CallAsker } from '../../gate/asker.js';
import { endsAll } from '../../gate/waiters.js';
import { after, isLater, type Awaitable } from '../../values/awaitable.js';
import { whenAborted } from '../../values/when-aborted.js';
import { answerTo, closeTurn, deniedBeside, endsTurn, needsRound, waitsForClient } from './answering.js';
import { RunCallbacks } from './callbacks.js';
import { RunCancelling } from './cancelling.js';
import { ChildReport } from './child-report.js';
import { ChildRuns } from '../gating/children.js';
import { continueRun } from './continuing.js';
import { RunConversation, messagesOf } from './conversation.js';
import { EarlyCalls } from '../sdk/early.js';
import { answered, closed, withResults } from '../messages/history.js';
import { EventQueue } from '../sdk/event-queue.js';
import { isWorthAsking, Keeping } from './keeping.js';
import { RunOpening } from './opening.js';
import type { EventView } from './event-view.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { isResult, partOf, silentResult, takePart } from './reading.js';
import type { CallDenial } from './decisions.js';
import { CANCELLED, TURN_ENDED } from '../messages/reasons.js';
import { resultMessages, type ModelRound } from './round.js';
import type { RunOptions } from './run-options.js';
import { RUN_START, runStep, type RunEffect, type RunEvent, type RunState } from './run-state.js';
import type { LoadedSdk, StreamPart, StreamResult } from '../sdk/sdk.js';
import { SdkStream } from './sdk-stream.js';
import { wantsOutput, type RunSetup } from './setup.js';
import { areRequestsHere, isStill, isWhole, mayHear, UntilWhole } from './whole.js';

export class Run {
  readonly result: Promise<RunResult>;
  readonly #options: RunOptions;
  readonly #asker: CallAsker;
  readonly #callbacks: RunCallbacks;
  readonly #conversation: RunConversation;
  /** Where the gate's ledger is durable. */
  readonly #keeping: Keeping | undefined;
  /** Runs that its tools started. */
  readonly #children: ChildRuns;
  readonly #cancelling: RunCancelling;
  /** What it tells the run that it is a part of. */
  readonly #report: ChildReport | undefined;
  readonly #early = new EarlyCalls();
  readonly #inbox = new EventQueue<OwnEvent>();
  readonly #stream = new SdkStream();
  readonly #opening: RunOpening;
  #resolve!: (result: RunResult) => void;
  #reject!: (error: unknown) => void;

  #state: RunState = RUN_START;
  #starting: Promise<void> | undefined;
  readonly #untilWhole = new UntilWhole();
  #disown: (() => void) | undefined;

  /** The current one, or the last. */
  #round: ModelRound | undefined;

  constructor(options: RunOptions) {
    const { asker, call, callbacks } = options;
    this.#options = options;
    this.#asker = asker;
    this.#callbacks = new RunCallbacks(callbacks, options.signal);
    this.#conversation = new RunConversation(messagesOf(call));
    const { parent, signal } = options;
    this.#keeping = asker.gate.isDurable ? new Keeping(asker, this.#conversation, parent) : undefined;
    this.#report = parent === undefined ? undefined : new ChildReport(parent, this, asker.origin);
    this.#children = new ChildRuns({
      asker,
      signal,
      tell: (event, toolCallId) =>
        this.#opening.setup?.requests.hasSeen(toolCallId) === true
          ? this.#hear(event)
          : this.#early.hold(toolCallId, event),
      keep: (toolCallId) => this.#keepFor(toolCallId),
      leave: (error) => this.#leaveWith(error),
      endTurn: () => this.#endTurn(),
    });
    this.#cancelling = new RunCancelling(asker, this.#keeping, this.#children);
    this.#opening = new RunOpening({
      run: options,
      conversation: this.#conversation,
      callbacks: this.#callbacks,
      keeping: this.#keeping,
      children: this.#children,
      stream: this.#stream,
      onLost: (error) => this.#lost(error),
      onExecuted: (executed) => {
        this.#round?.executed.push(executed);
        this.#conversation.recordResult(executed);
      },
      mustStop: () => this.#state.suspended !== undefined || this.#state.isTurnEnded || this.#isGateClosed,
      tell: this.#tell,
      wake: () => this.#inbox.ring(),
    });
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // An unawaited promise must not end the process.
    this.result.catch(() => {});
  }

  get runId(): string {
    return this.#asker.runId;
  }

  /** Why a call did not run, for the event that tells it. */
  denial(toolCallId: string): CallDenial | undefined {
    return (this.#opening.setup as RunSetup).decisions.denial(toolCallId);
  }

  /** Opens the first call. Idempotent. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** What a converter of the SDK's parts needs. To be called when `start` is done. */
  get opened(): { sdk: LoadedSdk; result: StreamResult; tools: ToolSet } {
    // What was let go of before it began has told nothing.
    const { sdk, setup } = this.#opening;
    return { sdk, result: this.#stream.result ?? silentResult(sdk), tools: setup?.guard.tools ?? {} };
  }

  /** Runs. To be called once; `beforeYield` is called whenever control goes back to the reader. */
  async *items<E>(view: EventView<E>, beforeYield: () => void): AsyncGenerator<E, undefined, undefined> {
    const { signal } = this.#options;
    const forget = whenAborted(signal, () => {
      // What was let go of is not ours any more.
      if (this.#state.phase !== 'over') void this.#cancelling.abort();
      this.#stream.stop(this.#options.signal.reason);
      this.#inbox.ring();
    });
    // What waits for a tool, or for a human, ends with the gate as well.
    const unbind = whenAborted(this.#asker.gate.closing, () => this.#inbox.ring());
    try {
      for (;;) {
        const own = this.#inbox.take();
        let event: E | undefined;
        if (own !== undefined) event = view.own(own);
        else {
          let part: StreamPart | typeof OVER | undefined;
          try {
            part = await this.#advance();
          } catch (error) {
            part = await this.#onThrown(error);
          }
          if (part === OVER) return undefined;
          if (part === undefined) continue;
          // A reader that stops at it never sees the end of the run.
          if (part.type === 'error') this.#options.unheard.fail(part.error);
          const told = this.#report?.part(part);
          if (told !== undefined) await told;
          if (view.raw !== undefined) {
            beforeYield();
            yield view.raw(part);
          }
          event = view.part(part);
        }
        if (event === undefined) continue;
        beforeYield();
        yield event;
      }
    } finally {
      forget();
      unbind();
      const left = this.abandon();
      this.#inbox.close();
      this.#early.close();
      if (isLater(left)) await left;
      this.#disown?.();
      this.#asker.gate.control.endRun(this.runId);
      this.#options.unheard.end();
      beforeYield();
    }
  }

  /** Left, perhaps before its end, perhaps before its start: nothing of it may start any more. Never rejects. */
  abandon(): Awaitable<void> {
    if (this.#state.phase === 'over') return;
    const reason: unknown =
      this.#options.signal.reason ?? new DOMException('The run was left before its end.', 'AbortError');
    if (this.#state.phase !== 'starting') this.#report?.own({ type: 'run-aborted', reason, messages: [] });
    this.#endRun();
    const ended = this.#cancelling.abort();
    this.#stream.stop(this.#options.signal.reason);
    // When a caller learns that it is over, all of it is cancelled.
    return after(ended, () => this.#reject(reason));
  }

  /** Ends here what another process may continue. To be called once; the iterator must be read on until it ends. */
  suspend(): void {
    if (this.#keeping === undefined) {
      throw new InvalidConfigError({
        message:
          "run.suspend: the run has no gate with a durable ledger, such as createGate({ ledger: 'sqlite:runs.db' }).",
      });
    }
    const reason = new DOMException(
      `The run was suspended: resume({ gate, runId: ${JSON.stringify(this.runId)} }) continues it.`,
      'AbortError',
    );
    this.#now({ type: 'suspended', reason });
  }

  /** Takes what has happened, and says what is to be done. */
  #happened(event: RunEvent): readonly RunEffect[] {
    const { state, effects } = runStep(this.#state, event);
    this.#state = state;
    return effects;
  }

  /** The same for what is done at once. */
  #now(event: RunEvent): void {
    for (const effect of this.#happened(event)) this.#doNow(effect);
  }

  #doNow(effect: RunEffect): void {
    switch (effect.do) {
      case 'suspend-parts':
        return this.#children.suspend();
      case 'lose':
        if (this.#round === undefined) return;
        this.#round.lost ??= { reason: effect.error };
        // The gate may still be closing: what comes of the call that was left must not be found by who continues the run.
        return this.#keeping?.stop();
      case 'cancel-requests':
        return this.#cancelRequests();
      case 'wake':
        return this.#inbox.ring();
      default:
        throw new InternalError({ message: `the run cannot do at once: ${effect.do}` });
    }
  }

  /** Goes on until there is a part to show, something in the inbox, or nothing more. */
  #advance(): Awaitable<StreamPart | typeof OVER | undefined> {
    const { signal } = this.#options;
    const aborted = signal.aborted ? { reason: signal.reason as unknown } : undefined;
    const { waiting = 0, goesOn = false, requested } = this.#round ?? {};
    // What ran on could be neither asked about nor kept: `done` would be said of what the ledger has as unfinished.
    const closed = this.#isGateClosed ? { reason: this.#asker.gate.closing?.reason as unknown } : undefined;
    const lost = this.#round?.lost ?? closed;
    const canBeLetGo = this.#state.suspended !== undefined && this.#canBeLetGo;
    const requests = requested?.length ?? 0;
    const [next] = this.#happened({ type: 'wanted', aborted, lost, canBeLetGo, waiting, requests, goesOn });
    if (next?.do === 'read') return this.#read(this.#opening.setup as RunSetup, this.#round as ModelRound);
    if (next?.do === 'finish') return OVER;
    // Each waits for a promise of its own, which goes with it.
    if (next?.do === 'hang') return new Promise<never>(() => {});
    return next && this.#do(next).then(() => undefined);
  }

  async #onThrown(error: unknown): Promise<StreamPart | undefined> {
    const { signal, resumes, parent } = this.#options;
    const [next] = this.#happened({
      type: 'thrown',
      error,
      aborted: signal.aborted ? signal : undefined,
      openingAborted: this.#opening.aborted,
      isGateClosed: GateClosedError.isInstance(error),
      endsAll: endsAll(error),
      onlyResumes: resumes === true,
      hasParent: parent !== undefined,
    });
    if (next?.do === 'fail') return this.#fail(next);
    if (next?.do === 'abort') await this.#abort(next.reason);
    return undefined;
  }

  /** Does it, and what follows from it. */
  async #do(effect: RunEffect): Promise<void> {
    const setup = this.#opening.setup as RunSetup;
    const round = this.#round as ModelRound;
    switch (effect.do) {
      case 'start':
        return this.start();
      case 'wait':
        return this.#inbox.rung();
      case 'close-round':
        return this.#closeRound(setup, round);
      case 'ask':
        return setup.requests.askAll(round);
      case 'ask-again':
        return this.#askAgain(setup, round);
      case 'answer':
        return this.#answer(setup, round);
      case 'stop-turn':
        return this.#stopTurn(setup, round);
      case 'end':
        return this.#end(setup, round);
      case 'let-go':
        return this.#letGo(effect.reason);
      case 'abort':
        return this.#abort(effect.reason);
      case 'raise':
        throw effect.error;
      default:
        throw new InternalError({ message: `the run cannot do now: ${effect.do}` });
    }
  }

  // --- starting -----------------------------------------------------------------------------------------------------

  async #start(): Promise<void> {
    await this.#opening.begin();
    const { parent, call, resumes, isNamed, signal } = this.#options;
    signal.throwIfAborted();
    if (resumes === false && isNamed) await this.#keeping?.refuseIfKept();
    this.#disown = parent?.adopt({ suspend: () => this.suspend(), cancelled: () => this.#cancelledWhole() });
    this.#report?.started(call);
    // Nothing is begun where it could not go on.
    if (this.#state.suspended !== undefined) return;
    if (resumes !== false && this.#keeping !== undefined && (await this.#isResumed(this.#keeping))) return;
    await this.#open(this.#opening.newRound(0));
  }

  /** Whether it goes on with what the ledger has of it. */
  async #isResumed(keeping: Keeping): Promise<boolean> {
    try {
      await this.#resume(keeping);
      return true;
    } catch (error) {
      if (this.#options.resumes === true || !RunError.isInstance(error)) throw error;
      if (error.code === 'ERR_UNKNOWN_RUN') return false;
      const over = error.code === 'ERR_RUN_OVER' ? await keeping.over() : undefined;
      if (over === undefined) throw error;
      // It had come to its end, and its parent had not heard of it.
      this.#conversation.restore(over);
      this.#finish(this.#resultWith(undefined));
      return true;
    }
  }

  /** Goes on with what the ledger has of the run. */
  async #resume(keeping: Keeping): Promise<void> {
    const { round, plans } = await continueRun({
      gate: this.#asker.gate,
      runId: this.runId,
      keeping,
      conversation: this.#conversation,
      prepare: () => this.#opening.prepare(),
      setUp: (callOptions, alsoGuarded) => this.#opening.setUp(callOptions, alsoGuarded),
      newRound: (number) => this.#opening.newRound(number),
      tell: this.#tell,
      onOpen: (toolCallId) => this.#children.resume(toolCallId),
    });
    this.#round = round;
    this.#happened({ type: 'resumed' });
    await (this.#opening.setup as RunSetup).requests.resume(round, plans);
  }

  async #open(round: ModelRound): Promise<void> {
    this.#round = round;
    await this.#opening.call(round);
    this.#options.signal.throwIfAborted();
    this.#stream.read(wantsOutput((this.#opening.setup as RunSetup).callOptions));
    this.#happened({ type: 'opened' });
  }

  get #isGateClosed(): boolean {
    return this.#asker.gate.closing?.aborted === true;
  }

  /** What a tool or a run that is a part of this one tells. */
  #hear(event: AgentEvent): Awaitable<void> {
    const taken = this.#inbox.offer({ type: 'told', event });
    const { parent } = this.#options;
    return parent === undefined ? taken : after(parent.tell(event), () => taken);
  }

  readonly #unlessRung = <T>(reading: Promise<T>): Promise<T | undefined> => this.#inbox.rungBefore(reading);

  readonly #tell = (event: OwnEvent): void => {
    this.#inbox.push(event);
    this.#report?.own(event);
  };

  // --- reading a round ----------------------------------------------------------------------------------------------

  async #read(setup: RunSetup, round: ModelRound): Promise<StreamPart | undefined> {
    const { requests, guard } = setup;
    if (this.#untilWhole.isAwaited && isWhole(round)) this.#untilWhole.reached();
    if (round.askedAbout === 0 && areRequestsHere(round, guard) && isWorthAsking(round, guard.tools)) {
      if ((await this.#keepSoFar(setup, round)) !== false) {
        await requests.askAll(round);
        return undefined;
      }
    }
    const read = await this.#stream.next(mayHear(round) ? this.#unlessRung : undefined);
    if (read === undefined) return undefined;
    const { done, value } = read;
    if (!done) {
      const part = partOf(value);
      const shown = takePart(round, part, requests);
      // The part itself is yielded first.
      if (part.type === 'tool-call')
        for (const event of this.#early.take(part.toolCallId ?? '')) void this.#hear(event);
      // Before anybody hears of the failure, and sends the answer once more.
      if (part.type === 'tool-error' && part.toolCallId !== undefined && guard.guards(part.toolName ?? ''))
        await this.#asker.gate.endUnused(this.runId, part.toolCallId, 'The call failed.');
      // Somebody is asked about another call: what has run meanwhile is kept, too.
      if ((round.askedAbout > 0 || round.isKeptSoFar) && isResult(part)) this.#keepSoFar(setup, round)?.catch(() => {});
      return shown;
    }
    const isAborted = this.#options.signal.aborted;
    for (const next of this.#happened({ type: 'round-read', isAborted, roundAborted: round.aborted }))
      await this.#do(next);
    return undefined;
  }

  #keepSoFar(setup: RunSetup, round: ModelRound): Promise<boolean> | undefined {
    return this.#keeping?.saveSoFar(setup, round, () => this.#round === round && this.#state.phase === 'reading');
  }

  async #closeRound(setup: RunSetup, round: ModelRound): Promise<void> {
    if (round.error !== undefined) throw round.error.error;
    if (round.finish === undefined) throw new TypeError('The AI SDK ended its stream without finishing.');
    this.#conversation.close(round, round.finish, setup.sdk.version);
    if (!round.silent) this.#stream.spoke();
    if (round.requested.length > 0) await this.#keeping?.save(setup, round);
    const unasked = round.requested.length - round.askedAbout;
    for (const next of this.#happened({ type: 'round-kept', unasked })) await this.#do(next);
  }

  // --- going on -----------------------------------------------------------------------------------------------------

  /** All is decided. What does not hold is asked about once more. */
  async #askAgain(setup: RunSetup, round: ModelRound): Promise<void> {
    const waits = await setup.requests.askAgain(round);
    for (const next of this.#happened({ type: 'asked-again', waits, endsTurn: endsTurn(round) })) await this.#do(next);
  }

  /** The next round, or the end. */
  async #answer(setup: RunSetup, round: ModelRound): Promise<void> {
    const conversation = this.#conversation;
    const context = { gate: this.#asker.gate, setup, conversation, tell: this.#tell };
    const answers = round.requested.map((asked) => answerTo(asked, context));
    await this.#children.drop(answers.flatMap(({ runs, toolCallId }) => (runs ? [] : [toolCallId])));
    if (answers.length > 0) {
      conversation.messages = withResults(conversation.messages, deniedBeside(round, context));
      conversation.messages = answered(conversation.messages, answers);
    }
    const next = this.#opening.newRound(round.number + 1, answers);
    next.silent = waitsForClient(round, answers, setup);
    const event = { type: 'answered', isSilent: next.silent, needsRound: answers.some(needsRound) } as const;
    for (const effect of this.#happened(event))
      await (effect.do === 'open-round' ? this.#open(next) : this.#do(effect));
  }

  /** A human ended the turn: nothing else of the step runs. */
  async #stopTurn(setup: RunSetup, round: ModelRound): Promise<void> {
    this.#options.parent?.endTurn();
    await this.#cancelling.cancel(TURN_ENDED, 'system');
    closeTurn(round, this.#conversation, this.#tell);
    await this.#end(setup, round);
  }

  // --- ending -------------------------------------------------------------------------------------------------------

  async #end(setup: RunSetup, round: ModelRound): Promise<void> {
    const { nobody } = this.#asker.human;
    // The model has been told. The caller of the run must be told, too.
    if (nobody !== undefined && this.#options.parent === undefined) throw nobody;
    const output = wantsOutput(setup.callOptions) ? await this.#stream.output() : undefined;
    await this.#callbacks.finish(setup.sdk.version, this.#conversation);
    // Nothing is done that cannot be kept.
    this.#asker.gate.closing?.throwIfAborted();
    const result = this.#resultWith(output);
    this.#endRun();
    if (this.#keeping !== undefined) await this.#asker.gate.beforeClose(this.#keepDone(this.#keeping, setup, round));
    else await this.#children.drop();
    this.#finish(result);
  }

  async #keepDone(keeping: Keeping, setup: RunSetup, round: ModelRound): Promise<void> {
    await this.#children.drop();
    await keeping.done(setup, round);
  }

  #resultWith(output: unknown): RunResult {
    return { runId: this.runId, ...this.#conversation.result(), output };
  }

  #finish(result: RunResult): void {
    this.#endRun();
    this.#children.end();
    this.#resolve(result);
    this.#tell({ type: 'run-done', ...result });
  }

  /** What was granted for the run goes with it. */
  #endRun(): void {
    this.#happened({ type: 'ended' });
    const { setup } = this.#opening;
    if (setup !== undefined) void this.#callbacks.left(setup.sdk.version);
    this.#untilWhole.never(isOver);
    this.#opening.end();
    this.#asker.gate.control.endRun(this.runId);
  }

  async #abort(reason: unknown): Promise<void> {
    const conversation = this.#conversation;
    const ended = this.#cancelling.abort();
    this.#endRun();
    this.#stream.stop(this.#options.signal.reason);
    await ended;
    await this.#children.cancelled();
    this.#children.end();
    const round = this.#round;
    if (round !== undefined) {
      await Promise.all(round.waits);
      if (round.finish === undefined) {
        const soFar = this.#opening.sdk.version.messagesSoFar(round.ownSteps, round.first);
        conversation.leave([...resultMessages(round), ...soFar], round.steps);
      }
    }
    await this.#callbacks.abort({ steps: conversation.steps });
    this.#reject(reason);
    this.#tell({ type: 'run-aborted', reason, messages: closed(conversation.messages, () => CANCELLED) });
  }

  /** What went wrong, as a part, unless the stream has told it. */
  async #fail(effect: RunEffect & { do: 'fail' }): Promise<StreamPart | undefined> {
    const { error: failure, isElsewhere, leavesParent } = effect;
    if (leavesParent) this.#options.parent?.leave(failure);
    else this.#report?.failed(failure);
    this.#endRun();
    // Where it may be continued, so may what it started.
    if (this.#keeping === undefined) this.#children.end();
    else this.#children.leave();
    const cancelled = isElsewhere ? this.#keeping?.release() : this.#cancelling.cancel('The run failed.', 'system');
    this.#stream.stop(this.#options.signal.reason);
    await cancelled;
    if (!isElsewhere) await this.#keeping?.failed(this.#opening.setup, this.#round);
    if (this.#round?.error === undefined) await this.#callbacks.error(failure);
    this.#options.unheard.fail(failure);
    if (!leavesParent) this.#reject(failure);
    await Promise.all(this.#round?.waits ?? []);
    return this.#round?.error === undefined ? { type: 'error', error: failure } : undefined;
  }

  /** Ends it here, and leaves what waits to the process that continues it. */
  async #letGo(reason: DOMException): Promise<void> {
    const { parent } = this.#options;
    const { setup } = this.#opening;
    const isBetween = this.#state.phase !== 'reading';
    // In the middle of a step it was kept when the run that it was left for was: since then other calls may have run.
    if (!isBetween && setup !== undefined && this.#round?.isKeptSoFar === true)
      await this.#keepSoFar(setup, this.#round);
    // Who continues the parent must find the call that began this one, also where this one has done nothing yet.
    await parent?.keep();
    this.#happened({ type: 'let-go', hasParent: parent !== undefined });
    this.#stream.stop(this.#options.signal.reason);
    if (parent === undefined) this.#reject(reason);
    this.#asker.gate.stopWaiting(this.runId, reason);
    if (isBetween && setup !== undefined && this.#round !== undefined) await this.#keeping?.save(setup, this.#round);
    await this.#keeping?.release();
    this.#endRun();
    this.#children.leave();
    this.#disown?.();
    parent?.leave(reason);
  }

  // --- runs that are a part of it -----------------------------------------------------------------------------------

  /** @see Parent.keep */
  async #keepFor(toolCallId: string): Promise<void> {
    const round = this.#round;
    // A call that somebody was asked about was kept before.
    if (
      this.#keeping === undefined ||
      round === undefined ||
      round.answers.some((each) => each.toolCallId === toolCallId)
    )
      return;
    if (this.#state.phase !== 'reading') throw isOver();
    if (!isWhole(round)) {
      const whole = this.#untilWhole.wait();
      this.#inbox.ring();
      await whole;
    }
    // What has its result while this is written is written after it.
    round.isKeptSoFar = true;
    if ((await this.#keepSoFar(this.#opening.setup as RunSetup, round)) === false)
      throw new Error(`The step of the call ${JSON.stringify(toolCallId)} was over before it was kept.`);
  }

  /** Nothing more can be asked or kept: it ends with this. */
  #lost(error: unknown): void {
    if (this.#round !== undefined) this.#round.lost ??= { reason: error };
    this.#inbox.ring();
  }

  /** A run that is a part of it was let go of: it cannot go on here either. */
  #leaveWith(error: unknown): void {
    this.#now({ type: 'part-left', error });
  }

  /** Whether nothing is left that must come to its end first. */
  get #canBeLetGo(): boolean {
    const round = this.#round;
    if (this.#state.phase !== 'reading' || round === undefined) return true;
    if (!this.#children.areLeft) return false;
    return isStill(round, (toolCallId) => this.#children.wasLeft(toolCallId));
  }

  #endTurn(): void {
    this.#now({ type: 'turn-ended' });
  }

  #cancelRequests(): void {
    for (const { record, decision } of this.#round?.requested ?? []) {
      if (record !== undefined && decision === undefined)
        void this.#asker.gate.cancel(record.approvalId, TURN_ENDED, 'system');
    }
    this.#options.parent?.endTurn();
  }

  async #cancelledWhole(): Promise<void> {
    await this.#cancelling.abort();
    await this.#children.cancelled();
    await Promise.all(this.#round?.waits ?? []);
    // The parent's own end comes after this, and it may be read no further than there.
    this.#report?.own({ type: 'run-aborted', reason: this.#options.signal.reason, messages: [] });
  }
}

/** Nothing more comes. */
const OVER = Symbol('over');

const isOver = (): DOMException => new DOMException('The run is over.', 'AbortError');
