/**
 * One run through any number of approval stops.
 *
 * The AI SDK ends its stream at a gated call; the pending state is the message history. So a run is a loop of `streamText`
 * calls ("rounds"): read the stream, ask about the gated calls of its last step, put all answers into one tool message,
 * call again. What the loop yields is the SDK's own parts, as one stream, and its own events beside them.
 */
import type { ModelMessage, ToolSet } from 'ai';
import type { InterruptOn, RunResult } from '../../index.js';
import type { Asker } from '../gate/asker.js';
import { isApproval } from '../gate/records.js';
import { GateClosedError, InvalidConfigError, RunError } from '../errors/index.js';
import type { InterruptPlan, RunStatus } from '../native.js';
import { isLater, type Awaitable } from '../values/awaitable.js';
import { snapshot } from '../values/snapshot.js';
import { digestOf, Edits } from './edits.js';
import { Flow } from './flow.js';
import { Guard, type Executed } from './guard.js';
import { driftBetween, fingerprintsOf, type Fingerprints } from './fingerprints.js';
import { answered, closed, withResults, type Answer, type Result } from './history.js';
import { hostJudgeOf } from './host-judge.js';
import { Inbox } from './inbox.js';
import { RunKeeper } from './keep-run.js';
import { callsIn, openStepOf, planFor, type OpenStep } from './open-step.js';
import type { OwnEvent } from './own-events.js';
import { CANCELLED, EDIT_NOTE, INTERRUPTED_TOOL, reasonOf, TURN_ENDED } from './reasons.js';
import { Requests, type Denial } from './requests.js';
import { callWith, resultMessages, Round, valueOf, type Asked } from './round.js';
import { marksIn, stateOf, type KeptRun, type StepMark } from './saved-run.js';
import { resultOf, stepsOf } from './saved-step.js';
import type { CallOptions, FinishEvent, Sdk, Step, StreamPart, StreamResult } from './sdk.js';
import { signApproval } from './signature.js';
import { addUsage, changeStep } from './steps.js';
import { StepSoFar } from './step-so-far.js';
import { executes, isRecord, ownTool, withNote, withNotes } from './tools.js';
import { silentModel, turnOf, watchModel, type Turn, type TurnEndEvent } from './turn.js';

/** Turns what happens into what is yielded; `undefined` is not yielded. */
export interface View<E> {
  /** When there is one, it shows each part of the SDK as it is, before what `part` makes of it. */
  raw?: ((part: StreamPart) => E) | undefined;
  part(part: StreamPart): E | undefined;
  own(event: OwnEvent): E | undefined;
}

/** Opens one `streamText` call, from the options for this round. */
export type OpenCall = (
  change: (options: CallOptions) => CallOptions,
  signal: AbortSignal,
) => PromiseLike<StreamResult>;

export interface RunOptions {
  sdk: () => Promise<Sdk>;
  asker: Asker;
  plan: (tools: ToolSet) => InterruptPlan;
  interruptOn: InterruptOn | undefined;
  maxSteps: number | undefined;
  hideDeniedTools: boolean;
  signal: AbortSignal;
  /** What the user passed for the SDK: its messages are the conversation until the first call is opened. */
  call: CallOptions;
  /** How a round is opened: with `streamText` or with an agent. */
  open: (sdk: Sdk) => OpenCall;
  /** The same options before any call is opened: for a run that is continued. */
  prepare: (sdk: Sdk, signal: AbortSignal) => PromiseLike<CallOptions>;
  /** Whether the ledger has this run, and it goes on from there. */
  resumes: boolean;
  /** The user's callbacks of the given names, from wherever they may stand. */
  callbacks: (names: readonly string[]) => ((event: never) => unknown)[];
}

export class Run {
  readonly result: Promise<RunResult>;
  readonly #options: RunOptions;
  readonly #asker: Asker;
  readonly #inbox = new Inbox<OwnEvent>();
  #resolve!: (result: RunResult) => void;
  #reject!: (error: unknown) => void;

  #phase: 'starting' | 'reading' | 'waiting' | 'over' = 'starting';
  #starting: Promise<void> | undefined;
  #sdk!: Sdk;
  #call!: OpenCall;
  #guard!: Guard;
  #requests!: Requests;
  #round!: Round;
  #result: StreamResult | undefined;
  #reader!: ReadableStreamDefaultReader<unknown>;
  #reading: Promise<ReadableStreamReadResult<unknown>> | undefined;
  readonly #flow = new Flow();

  /** The options as they were passed, with an agent's own filled in. */
  #callOptions: CallOptions = {};
  #history: ModelMessage[] = [];
  #inputLength = 0;
  #steps: Step[] = [];
  #usage: unknown;
  #finish: FinishEvent | undefined;
  /** The last result for which the model was called. */
  #spoken: StreamResult | undefined;
  #finishReason = 'other';
  #toldAbort = false;

  /** Where the gate's ledger lasts. */
  readonly #keeper: RunKeeper | undefined;
  /** The steps that messages of the history began, by the index of the message. */
  #marks = new Map<number, StepMark>();
  #fingerprints: Promise<Fingerprints> | undefined;
  /** Why it must not go on here, though it is not over. */
  #suspended: DOMException | undefined;
  #tookOptions = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#asker = options.asker;
    this.#history = messagesOf(options.call);
    this.#keeper = options.asker.gate.lasts ? new RunKeeper(options.asker.gate.runs, options.asker.runId) : undefined;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever does not look at it must not be ended by it.
    this.result.catch(() => {});
  }

  get runId(): string {
    return this.#asker.runId;
  }

  /** Why a call did not run, for the event that tells it. */
  denial(toolCallId: string): Denial | undefined {
    return this.#requests.denial(toolCallId);
  }

  /** Opens the first call. Idempotent. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** What a converter of the SDK's parts needs. To be called when `start` is done. */
  get opened(): { sdk: Sdk; result: StreamResult; tools: ToolSet } {
    return { sdk: this.#sdk, result: this.#result ?? this.#silentResult(), tools: this.#guard.tools };
  }

  /** A run that is continued may have to wait before it calls the SDK: a result of nothing, for its converter. */
  #silentResult(): StreamResult {
    const model = silentModel(this.#sdk.version.modelSpecification);
    return this.#sdk.ai.streamText({ model, prompt: '.', onError: () => {} } as never);
  }

  /** Runs. To be called once; `beforeYield` is called whenever control goes back to the reader. */
  async *items<E>(view: View<E>, beforeYield: () => void): AsyncGenerator<E, undefined, undefined> {
    const { signal } = this.#options;
    const onAbort = () => {
      // What was let go of is not ours any more.
      if (this.#phase !== 'over') void this.#cancelAndEnd();
      this.#stopReading();
      this.#inbox.ring();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        const own = this.#inbox.take();
        let event: E | undefined;
        if (own !== undefined) event = view.own(own);
        else if (this.#phase === 'over') return undefined;
        else {
          const part = await this.#advance();
          if (part === undefined) continue;
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
      signal.removeEventListener('abort', onAbort);
      const left = this.abandon();
      if (isLater(left)) await left;
      this.#asker.gate.control.endRun(this.runId);
      beforeYield();
    }
  }

  /** Left, perhaps before its end, perhaps before its start: nothing of it may start any more. Never rejects. */
  abandon(): Awaitable<void> {
    if (this.#phase === 'over') return;
    this.#endRun();
    const ended = this.#cancelAndEnd();
    this.#stopReading();
    this.#reject(this.#options.signal.reason ?? new DOMException('The run was left before its end.', 'AbortError'));
    return ended;
  }

  /** It was aborted. A ledger that lasts is told at once, whoever reads on and whatever becomes of the gate. Never rejects. */
  #cancelAndEnd(): Awaitable<void> {
    const cancelled = this.#cancel(CANCELLED, 'abort');
    return this.#keeper === undefined ? cancelled : this.#asker.gate.beforeClose(this.#endKept('cancelled', cancelled));
  }

  /** Nothing of this run may start any more. What another process has asked in a run of this id is not ours to cancel. */
  #cancel(reason: string, via: 'abort' | 'system'): Awaitable<void> {
    if (this.#keeper?.isOurs === false) return undefined;
    return this.#asker.gate.cancelRun(this.runId, reason, via);
  }

  /** Ends here what another process may continue. To be called once; the iterator must be read on until it ends. */
  suspend(): void {
    if (this.#keeper === undefined) {
      throw new InvalidConfigError({
        message:
          "run.suspend: the run has no gate with a ledger that lasts, such as createGate({ ledger: 'sqlite:runs.db' }).",
      });
    }
    this.#suspended ??= new DOMException(
      `The run was suspended: resume({ gate, runId: ${JSON.stringify(this.runId)} }) continues it.`,
      'AbortError',
    );
    this.#inbox.ring();
  }

  /** Goes on until there is a part to show or something in the inbox. */
  async #advance(): Promise<StreamPart | undefined> {
    try {
      if (this.#options.signal.aborted) await this.#abort(this.#options.signal.reason);
      else if (this.#lost !== undefined) throw this.#lost.error;
      else if (this.#suspended !== undefined && this.#phase !== 'reading') await this.#letGo(this.#suspended);
      else if (this.#phase === 'reading') return await this.#read();
      else if (this.#phase === 'starting') await this.start();
      else if (this.#round.waiting > 0) await this.#inbox.rung();
      else await this.#continue();
      return undefined;
    } catch (error) {
      if (!this.#options.signal.aborted) return await this.#fail(error);
      await this.#abort(this.#options.signal.reason);
      return undefined;
    }
  }

  get #lost(): Round['lost'] {
    return (this.#round as Round | undefined)?.lost;
  }

  // --- reading a round ----------------------------------------------------------------------------------------------

  async #start(): Promise<void> {
    this.#sdk = await this.#options.sdk();
    if (this.#options.hideDeniedTools) await this.#asker.refresh();
    this.#call = this.#options.open(this.#sdk);
    if (this.#options.resumes) await this.#resume();
    else await this.#open(this.#newRound(0, []));
  }

  #newRound(number: number, answers: readonly Answer[]): Round {
    return new Round(number, answers, this.#keeper === undefined ? undefined : new StepSoFar());
  }

  async #read(): Promise<StreamPart | undefined> {
    const round = this.#round;
    if (round.askedAbout === 0 && this.#requests.areComplete(round) && this.#isWorthAsking(round)) {
      await this.#keepSoFar(round);
      await this.#requests.askAll(round);
      return undefined;
    }
    this.#reading ??= this.#reader.read();
    this.#flow.wait();
    // The race is only paid for while something else than the stream can happen.
    if (round.requested.length > 0 && (await Promise.race([this.#reading, this.#inbox.rung()])) === undefined)
      return undefined;
    const { done, value } = await this.#reading;
    this.#flow.arrived();
    this.#reading = undefined;
    if (!done) return this.#onPart(round, (value as { part?: StreamPart }).part ?? (value as StreamPart));
    if (this.#options.signal.aborted) return undefined;
    if (round.aborted !== undefined) await this.#abort(round.aborted.reason);
    else await this.#closeRound(round);
    return undefined;
  }

  /** Keeps the books and says what is shown of a part. */
  #onPart(round: Round, part: StreamPart): StreamPart | undefined {
    round.soFar?.add(part);
    switch (part.type) {
      case 'tool-result':
      case 'tool-error':
        // Somebody is asked about another call: what has run meanwhile is kept, too.
        if (round.askedAbout > 0 && this.#keeper !== undefined) this.#keepSoFar(round).catch(() => {});
        return part;
      case 'text-delta':
      case 'text-start':
      case 'text-end':
      case 'reasoning-delta':
      case 'reasoning-start':
      case 'reasoning-end':
        // The SDK counts anew in each call.
        return round.number === 0 ? part : { ...part, id: `${round.number}:${part.id}` };
      case 'start':
        return round.number === 0 ? part : undefined;
      case 'finish':
        round.finishReason = part.finishReason ?? 'other';
        return undefined;
      case 'start-step':
        round.calls = [];
        round.stepsStarted++;
        round.toolCallsSeen = 0;
        round.providerRequestsSeen = 0;
        return round.silent ? undefined : part;
      case 'finish-step':
        return round.silent ? undefined : part;
      case 'tool-call':
        round.toolCallsSeen++;
        round.calls.push(part);
        this.#requests.saw(part.toolCallId as string);
        return part;
      case 'tool-approval-request':
        return this.#requests.add(round, part);
      case 'error':
        round.error ??= { error: part.error };
        return part;
      case 'abort':
        // Not through our signal: a timeout of the SDK's, which tells its message only.
        round.aborted = {
          reason: typeof part.reason === 'string' ? new DOMException(part.reason, 'TimeoutError') : part.reason,
        };
        return undefined;
      default:
        return part;
    }
  }

  async #closeRound(round: Round): Promise<void> {
    if (round.error !== undefined) throw round.error.error;
    if (round.finish === undefined) throw new TypeError('The AI SDK ended its stream without finishing.');
    const all = this.#sdk.version.responseMessages(round.finish);
    const added = round.silent ? all.filter(({ role }) => role === 'tool') : all;
    this.#marks = this.#marksWith(added, round.steps);
    this.#history = [...this.#history, ...added];
    this.#steps = [...this.#steps, ...round.steps];
    this.#usage = addUsage(this.#usage, round.finish.totalUsage);
    if (!round.silent) {
      this.#finish = round.finish;
      this.#finishReason = round.finishReason;
      this.#spoken = this.#result;
    }
    this.#phase = 'waiting';
    if (round.requested.length > 0) await this.#keeper?.save(await this.#kept());
    if (round.askedAbout < round.requested.length && this.#suspended === undefined) await this.#requests.askAll(round);
  }

  // --- going on -----------------------------------------------------------------------------------------------------

  /** All is decided: the next round, or the end. */
  async #continue(): Promise<void> {
    const round = this.#round;
    if (round.requested.length === 0 && !round.goesOn) return this.#end();
    if (await this.#requests.askAgain(round)) return;
    if (round.requested.some(({ decision }) => decision?.type === 'reject' && decision.stop === true))
      return this.#stopTurn(round);
    const answers = round.requested.map((asked) => this.#answer(asked));
    if (answers.length > 0) this.#history = answered(this.#history, answers);
    const next = this.#newRound(round.number + 1, answers);
    const waitsForClient = this.#waitsForClient(round, answers);
    if (waitsForClient && !answers.some(needsRound)) return this.#end();
    next.silent = waitsForClient;
    await this.#open(next);
  }

  #answer(asked: Asked): Answer {
    const { part, toolCallId, toolName, providerExecuted, args } = asked;
    const decision = asked.decision ?? { type: 'cancelled', reason: CANCELLED };
    const executable = executes(this.#guard.tools, toolName);
    const answer: Answer = {
      requestId: part.approvalId as string,
      toolCallId,
      toolName,
      decision,
      runs: isApproval(decision),
      reason: reasonOf(decision),
      providerExecuted,
      executable,
      input: args === undefined ? part.toolCall?.input : snapshot(args.value).value,
    };
    this.#guard.markAnswered(toolCallId);
    if (decision.type === 'respond') {
      this.#inbox.push({ type: 'call-responded', call: callWith(asked, valueOf(args)), output: decision.output });
      this.#recordResult({ toolCallId, toolName, args: valueOf(args), outcome: { output: decision.output } });
    }
    return decision.type === 'edit' ? this.#editedAnswer(answer, asked, decision.args) : answer;
  }

  #editedAnswer(answer: Answer, asked: Asked, decided: unknown): Answer {
    const { toolCallId, toolName } = asked;
    const edit = asked.edits.checked(decided);
    if (edit === undefined) {
      // Decided elsewhere, unchecked: it must not run on what the schema has not seen.
      const reason = 'The edited arguments were not checked against the tool.';
      void this.#asker.gate.withdraw(asked.record?.approvalId ?? '', reason);
      this.#requests.deny(toolCallId, { args: decided, reason });
      return { ...answer, decision: { type: 'cancelled', reason }, runs: false, reason };
    }
    const { args, written } = edit;
    const input = snapshot(args.value).value;
    this.#inbox.push({ type: 'call-edited', call: callWith(asked, valueOf(args)) });
    const secret = this.#callOptions['experimental_toolApprovalSecret'] as string | Uint8Array | undefined;
    return {
      ...answer,
      input,
      schemaInput: digestOf(args) === digestOf(written) ? undefined : { value: written.value },
      signature:
        secret === undefined
          ? undefined
          : signApproval(this.#sdk.version, secret, { approvalId: answer.requestId, toolCallId, toolName, input }),
    };
  }

  /** Whether calls of the step are left for the client: tools without `execute`, which only it can answer. */
  #waitsForClient(round: Round, answers: readonly Answer[]): boolean {
    const approved = new Map(answers.map((answer) => [answer.toolCallId, answer]));
    return round.calls.some(({ toolCallId, toolName, invalid, providerExecuted }) => {
      if (invalid === true || providerExecuted === true) return false;
      if (executes(this.#guard.tools, toolName as string)) return false;
      const answer = approved.get(toolCallId as string);
      return answer === undefined || answer.runs;
    });
  }

  /** A human ended the turn: nothing else of the step runs. */
  async #stopTurn(round: Round): Promise<void> {
    await this.#cancel(TURN_ENDED, 'system');
    const reasons = new Map<string, string>();
    for (const { toolCallId, toolName, decision, args } of round.requested) {
      const reason = decision !== undefined && !isApproval(decision) ? (reasonOf(decision) ?? 'Rejected.') : TURN_ENDED;
      reasons.set(toolCallId, reason);
      this.#inbox.push({ type: 'tool-denied', toolCallId, toolName, args: valueOf(args), reason });
    }
    this.#history = closed(this.#history, (toolCallId) => reasons.get(toolCallId) ?? TURN_ENDED);
    await this.#end();
  }

  async #end(): Promise<void> {
    const responseMessages = this.#history.slice(this.#inputLength);
    const output = await this.#output();
    const callbacks = this.#options.callbacks(this.#sdk.version.onFinish);
    if (this.#finish !== undefined && callbacks.length > 0) {
      const event = this.#sdk.version.finishEvent(this.#finish, {
        steps: this.#steps,
        usage: this.#usage,
        messages: responseMessages,
      });
      for (const callback of callbacks) await quietly(() => callback(event as never));
    }
    const result: RunResult = {
      runId: this.runId,
      text: this.#steps.at(-1)?.text ?? '',
      messages: this.#history,
      responseMessages,
      usage: this.#usage as RunResult['usage'],
      steps: this.#steps,
      finishReason: this.#finishReason,
      output,
    };
    this.#endRun();
    if (this.#keeper !== undefined) await this.#keeper.end('done', this.#notKept, await this.#kept());
    this.#resolve(result);
    this.#inbox.push({ type: 'run-done', ...result });
  }

  /** What was granted for the run goes with it. */
  #endRun(): void {
    this.#phase = 'over';
    this.#asker.gate.control.endRun(this.runId);
  }

  /** The structured output of the last round, when one was asked for and the model gave one. */
  async #output(): Promise<unknown> {
    if (!this.#wantsOutput()) return undefined;
    try {
      return await this.#spoken?.output;
    } catch {
      return undefined;
    }
  }

  #wantsOutput(): boolean {
    return (this.#callOptions['output'] ?? this.#callOptions['experimental_output']) !== undefined;
  }

  async #abort(reason: unknown): Promise<void> {
    const ended = this.#cancelAndEnd();
    this.#endRun();
    this.#stopReading();
    await ended;
    const round = this.#round as Round | undefined;
    if (round !== undefined) {
      await Promise.all(round.waits);
      if (round.finish === undefined) {
        this.#history = [...this.#history, ...resultMessages(round), ...this.#messagesSoFar(round)];
        this.#steps = [...this.#steps, ...round.steps];
      }
    }
    if (!this.#toldAbort) {
      this.#toldAbort = true;
      for (const callback of this.#options.callbacks(['onAbort']))
        await quietly(() => callback({ steps: this.#steps } as never));
    }
    this.#reject(reason);
    this.#inbox.push({ type: 'run-aborted', reason, messages: closed(this.#history, () => CANCELLED) });
  }

  /** What went wrong, as a part, unless the stream has told it. */
  async #fail(failure: unknown): Promise<StreamPart | undefined> {
    // Where the gate was closed, or the run could not even be continued, it is not over: another process may have it.
    const isLeft = GateClosedError.isInstance(failure) || (this.#options.resumes && this.#phase === 'starting');
    this.#endRun();
    const cancelled = isLeft ? this.#keeper?.release(this.#notKept) : this.#cancel('The run failed.', 'system');
    this.#stopReading();
    await cancelled;
    if (this.#keeper !== undefined && !isLeft) await this.#keepFailed();
    this.#reject(failure);
    const round = this.#round as Round | undefined;
    await Promise.all(round?.waits ?? []);
    this.#round ??= new Round(0, []);
    return round?.error === undefined ? { type: 'error', error: failure } : undefined;
  }

  #stopReading(): void {
    this.#flow.stop();
    const reader = this.#reader as ReadableStreamDefaultReader<unknown> | undefined;
    void reader?.cancel(this.#options.signal.reason).catch(() => {});
  }

  // --- calling the SDK ----------------------------------------------------------------------------------------------

  async #open(round: Round): Promise<void> {
    this.#round = round;
    this.#result = await this.#call((options) => this.#roundOptions(round, options), this.#options.signal);
    this.#options.signal.throwIfAborted();
    this.#reader = streamOf(this.#result as StreamResult, this.#wantsOutput()).getReader();
    this.#reading = undefined;
    this.#phase = 'reading';
  }

  /** The user's options as one round needs them. */
  #roundOptions(round: Round, options: CallOptions): CallOptions {
    const { version } = this.#sdk;
    if (!this.#tookOptions) this.#takeOptions(options, messagesOf(options));
    return {
      ...options,
      prompt: undefined,
      messages: this.#history,
      ...(options['tools'] === undefined ? {} : { tools: this.#roundTools(round) }),
      ...this.#activeTools(options),
      model: this.#watch(round, options['model']),
      abortSignal: this.#options.signal,
      stopWhen: ({ steps }: { steps: Step[] }) => this.#mayStop([...this.#steps, ...steps]),
      prepareStep: this.#prepareStep(round),
      // Folded into the guard: a status that the SDK does not know would run the tool.
      toolApproval: undefined,
      onError: options['onError'] ?? (() => {}),
      onAbort: this.#tellAbort,
      ...(round.number === 0 ? {} : Object.fromEntries(version.firstCallOnly.map((name) => [name, undefined]))),
      ...this.#turnEnd(round, options),
      ...only(version.onStep, (step: Step) => this.#onStep(round, step)),
      ...only(version.onFinish, (event: FinishEvent) => {
        round.finish = event;
      }),
    };
  }

  /** Without the tools that are denied whatever the arguments, where that is wanted. */
  #activeTools(options: Record<string, unknown>): { activeTools?: string[] } {
    if (!this.#options.hideDeniedTools) return {};
    const given = options['activeTools'] as readonly string[] | undefined;
    const names = given ?? Object.keys(this.#guard.tools);
    const hidden = this.#asker.hidden(names);
    return hidden.size === 0 ? {} : { activeTools: names.filter((name) => !hidden.has(name)) };
  }

  readonly #tellAbort = async (event: { steps?: Step[] }): Promise<void> => {
    if (this.#toldAbort) return;
    this.#toldAbort = true;
    const steps = [...this.#steps, ...(event.steps ?? [])];
    for (const callback of this.#options.callbacks(['onAbort']))
      await quietly(() => callback({ ...event, steps } as never));
  };

  #takeOptions(options: CallOptions, input: ModelMessage[], alsoGuarded?: ReadonlySet<string>): void {
    this.#tookOptions = true;
    this.#callOptions = options;
    this.#history = input;
    this.#inputLength = this.#history.length;
    const tools = (options['tools'] ?? {}) as ToolSet;
    const hostJudge = options['toolApproval'];
    this.#guard = new Guard({
      tools,
      plan: this.#options.plan(tools),
      interruptOn: this.#options.interruptOn,
      asker: this.#asker,
      signal: this.#options.signal,
      alsoGuarded,
      ...hostJudgeOf(hostJudge, options, tools),
      onExecuted: (executed) => {
        this.#round.executed.push(executed);
        this.#recordResult(executed);
      },
    });
    this.#requests = new Requests({
      asker: this.#asker,
      guard: this.#guard,
      signal: this.#options.signal,
      tell: (event) => this.#inbox.push(event),
      wake: () => this.#inbox.ring(),
      editsOf: (toolCallId, toolName) => this.#editsOf(toolCallId, toolName),
    });
  }

  /** What an edit of this call must pass. */
  #editsOf(toolCallId: string, toolName: string): Edits {
    const refinements = this.#callOptions['experimental_refineToolInput'];
    return new Edits({
      toolName,
      inputSchema: ownTool(this.#guard.tools, toolName)?.inputSchema,
      ai: async () => this.#sdk.ai,
      refine: isRecord(refinements) && Object.hasOwn(refinements, toolName) ? refinements[toolName] : undefined,
      judge: (args) => this.#guard.judgeEdit(toolCallId, toolName, args),
    });
  }

  #watch(round: Round, model: unknown): unknown {
    const onStart = (turn: Turn) => {
      round.turns.push(turn);
    };
    const toldByCallback = this.#sdk.version.onTurnEnd.length > 0;
    const watches = (this.#guard.guardsAnything && !toldByCallback) || this.#sdk.version.readsAhead;
    const watcher = watches ? { onStart, onEnd: () => this.#inbox.ring(), flow: this.#flow } : undefined;
    return watchModel(model, this.#sdk.ai, this.#options.signal, watcher);
  }

  /** The SDK's own news of the turn's end, where it has them; the user's callback gets them first. */
  #turnEnd(round: Round, options: CallOptions): CallOptions {
    const names = this.#sdk.version.onTurnEnd;
    if (names.length === 0 || !this.#guard.guardsAnything) return {};
    const own = names.map((name) => options[name]).find((callback) => typeof callback === 'function');
    return only(names, async (event: TurnEndEvent) => {
      if (typeof own === 'function') await quietly(() => own(event) as unknown);
      round.turns.push(turnOf(event));
      this.#inbox.ring();
    });
  }

  #prepareStep(round: Round): unknown {
    const own = this.#callOptions['prepareStep'] as ((step: Record<string, unknown>) => unknown) | undefined;
    if (own === undefined && round.number === 0 && this.#keeper === undefined) return undefined;
    return async (step: { stepNumber: number; steps: Step[]; [more: string]: unknown }) => {
      if (step.stepNumber === 0) round.first = (step['responseMessages'] as ModelMessage[] | undefined) ?? [];
      const resumed = round.number > 0 && step.stepNumber === 0;
      if (resumed && (round.silent || (await this.#mayStop(this.#steps)))) {
        round.silent = true;
        const model = silentModel(this.#sdk.version.modelSpecification);
        // The model is not asked, so that calls without a result are no error here.
        return { model, messages: [{ role: 'user', content: '.' }], activeTools: [], toolChoice: 'auto' };
      }
      const stepNumber = step.stepNumber + this.#steps.length;
      const prepared = await own?.({ ...step, stepNumber, steps: [...this.#steps, ...step.steps] });
      if (!isRecord(prepared)) return prepared;
      const shown = prepared['activeTools'] === undefined ? prepared : { ...prepared, ...this.#activeTools(prepared) };
      return shown['model'] === undefined ? shown : { ...shown, model: this.#watch(round, shown['model']) };
    };
  }

  async #mayStop(steps: Step[]): Promise<boolean> {
    if (this.#suspended !== undefined) return true;
    const own = this.#callOptions['stopWhen'];
    const conditions = (own === undefined ? [] : Array.isArray(own) ? own : [own]) as ((options: {
      steps: Step[];
    }) => unknown)[];
    const most = this.#options.maxSteps ?? (own === undefined ? DEFAULT_MAX_STEPS : Number.POSITIVE_INFINITY);
    if (steps.length >= most) return true;
    return (await Promise.all(conditions.map((condition) => condition({ steps })))).some(Boolean);
  }

  async #onStep(round: Round, step: Step): Promise<void> {
    if (round.silent) return;
    round.ownSteps.push(step);
    const before = this.#history.slice(this.#inputLength);
    const whole = changeStep(step, {
      stepNumber: this.#steps.length + round.steps.length,
      response: {
        ...step.response,
        messages: this.#sdk.version.stepMessages(before, step) as Step['response']['messages'],
      },
    });
    round.steps.push(whole);
    // The last one is kept with what comes of it.
    const isKeptLater = step.content.some(({ type }) => type === 'tool-approval-request');
    if (this.#keeper !== undefined && !isKeptLater && step.finishReason === 'tool-calls') this.#keepStep(round);
    for (const callback of this.#options.callbacks(this.#sdk.version.onStep)) await callback(whole as never);
  }

  // --- keeping ------------------------------------------------------------------------------------------------------

  /** The run as it is, with what the current round has added so far. */
  async #kept(added: readonly ModelMessage[] = [], steps: readonly Step[] = []): Promise<KeptRun> {
    this.#fingerprints ??= fingerprintsOf(this.#sdk.ai, this.#callOptions, this.#guard.tools, (name) =>
      this.#guard.guards(name),
    );
    const messages = [...this.#history, ...added];
    const marks = added.length === 0 ? this.#marks : this.#marksWith(added, steps);
    const usage = steps.reduce((sum: unknown, step) => addUsage(sum, step.usage), this.#usage);
    const round = (this.#round as Round | undefined)?.number ?? 0;
    const finishReason = steps.at(-1)?.finishReason ?? this.#finishReason;
    const sdk = this.#sdk.version.major;
    const state = stateOf({ sdk, input: this.#inputLength, round, usage, finishReason, ...(await this.#fingerprints) });
    return { messages, marks, state };
  }

  #marksWith(added: readonly ModelMessage[], steps: readonly Step[]): Map<number, StepMark> {
    return new Map([...this.#marks, ...marksIn(added, steps, this.#history.length)]);
  }

  #messagesSoFar(round: Round): ModelMessage[] {
    return this.#sdk.version.messagesSoFar(round.ownSteps, round.first);
  }

  /** Where the run is kept, a human is asked on what the SDK itself says of the step; unless another call still runs. */
  #isWorthAsking({ calls, soFar }: Round): boolean {
    if (soFar === undefined) return true;
    return calls.some(({ toolCallId, toolName, invalid, providerExecuted }) => {
      if (invalid === true || providerExecuted === true || !executes(this.#guard.tools, toolName as string))
        return false;
      return !soFar.hasResult(toolCallId as string) && !soFar.isAskedAbout(toolCallId as string);
    });
  }

  /** Keeps a step that goes on. Fails when it cannot be kept: then nobody may be asked. */
  async #keepSoFar(round: Round): Promise<void> {
    if (this.#keeper === undefined || round.soFar === undefined) return;
    const messages = [
      ...this.#messagesSoFar(round),
      ...(await round.soFar.messages(this.#guard.tools, this.#sdk.version)),
    ];
    const kept = await this.#kept(messages, round.steps);
    // The SDK may have said it itself meanwhile.
    if (this.#round === round && this.#phase === 'reading' && round.finish === undefined) await this.#keeper.save(kept);
  }

  #keepStep(round: Round): void {
    void this.#kept(this.#messagesSoFar(round), round.steps)
      .then((kept) => this.#keeper?.save(kept))
      // It is kept before somebody is asked, or not at all.
      .catch(this.#notKept);
  }

  readonly #notKept = (error: unknown): void => {
    // A gate that is closed lets go of its runs by itself, and what is over is kept.
    const isExpected = GateClosedError.isInstance(error) || (error as { name?: unknown } | null)?.name === 'AbortError';
    if (!isExpected) this.#asker.gate.notKept(this.runId, error);
  };

  /** It is over, once nothing of it can start any more. Never rejects. */
  async #endKept(status: RunStatus, cancelled: Awaitable<void>, run?: KeptRun): Promise<void> {
    await cancelled;
    await this.#keeper?.end(status, this.#notKept, run);
  }

  /** Also one that was never kept: it can be continued from its beginning. */
  async #keepFailed(): Promise<void> {
    try {
      await this.#keeper?.end('failed', this.#notKept, this.#tookOptions ? await this.#kept() : undefined);
    } catch (error) {
      this.#notKept(error);
    }
  }

  /** Ends it here, and leaves what waits to whoever continues it. */
  async #letGo(reason: DOMException): Promise<void> {
    this.#endRun();
    this.#reject(reason);
    this.#asker.gate.stopWaiting(this.runId, reason);
    const keeper = this.#keeper as RunKeeper;
    if (this.#tookOptions && (this.#round as Round | undefined) !== undefined) await keeper.save(await this.#kept());
    await keeper.release(this.#notKept);
  }

  // --- continuing what was kept -------------------------------------------------------------------------------------

  /** Takes the run from the ledger, and its last step as far as its calls have no result. */
  async #resume(): Promise<void> {
    const { gate } = this.#asker;
    const saved = await gate.runs.takeRun(this.runId);
    const kept = (this.#keeper as RunKeeper).took(saved);
    const step = openStepOf(kept.messages);
    const asked = new Set(
      step.open.flatMap(({ call, request }) => (request === undefined ? [] : [String(call.toolName)])),
    );
    this.#takeOptions(await this.#options.prepare(this.#sdk, this.#options.signal), [...kept.messages], asked);
    this.#inputLength = kept.state.input;
    this.#marks = new Map(kept.marks);
    this.#steps = stepsOf(kept);
    this.#usage = kept.state.usage;
    this.#finishReason = kept.state.finishReason;
    await gate.runs.interrupt(this.runId);
    await this.#resumeStep(kept, step);
  }

  async #resumeStep(kept: KeptRun, step: OpenStep): Promise<void> {
    const records = new Map(
      (await this.#asker.gate.runs.records(this.runId)).map((record) => [record.toolCallId, record]),
    );
    this.#fingerprints = fingerprintsOf(this.#sdk.ai, this.#callOptions, this.#guard.tools, (name) =>
      this.#guard.guards(name),
    );
    const drift = driftBetween(kept.state, await this.#fingerprints);
    const round = this.#newRound(kept.state.round, []);
    this.#round = round;
    round.calls = step.calls;
    round.goesOn = !step.isAnswer;
    this.#restoreCalls(kept.messages);
    const interrupted = step.open.flatMap(({ call: { toolCallId = '' } }) =>
      records.get(toolCallId)?.status === 'interrupted' ? [toolCallId] : [],
    );
    const { messages } = kept;
    this.#inbox.push({
      type: 'run-resumed',
      runId: this.runId,
      steps: this.#steps.length,
      messages: [...messages],
      drift,
      interrupted,
    });
    const isStopped = [...records.values()].some(
      ({ decision, toolCallId }) =>
        decision?.type === 'reject' &&
        decision.stop === true &&
        step.open.some(({ call }) => call.toolCallId === toolCallId),
    );
    const plans: Parameters<Requests['resume']>[1][number][] = [];
    const results: Result[] = [];
    for (const { call, request } of step.open) {
      const { toolCallId = '', toolName = '' } = call;
      this.#inbox.push({ type: 'call-open', call });
      if (request === undefined) {
        // Without an `execute` it is for the client to answer.
        if (!executes(this.#guard.tools, toolName)) continue;
        results.push({ toolCallId, toolName, output: { type: 'error-text', value: INTERRUPTED_TOOL } });
        continue;
      }
      const plan = planFor(records.get(toolCallId), {
        drift: driftOf(toolName, drift),
        isThere: call.providerExecuted === true || ownTool(this.#guard.tools, toolName) !== undefined,
        isAmbiguous: this.#requests.isAmbiguous(toolCallId),
        isStopped,
      });
      if (plan.do === 'refuse') {
        throw new RunError({
          code: 'ERR_RUN_ACTIVE',
          message: `The call ${JSON.stringify(toolCallId)} of the run ${JSON.stringify(this.runId)} is being executed by a process that lives. Continue the run when it has ended.`,
        });
      }
      if (plan.do !== 'tell') {
        this.#requests.add(round, request);
        plans.push({ asked: round.requested.at(-1) as Asked, plan });
        continue;
      }
      const { edited } = plan;
      const output = edited === undefined ? plan.output : withNote(plan.output, EDIT_NOTE);
      results.push({
        toolCallId,
        toolName,
        output,
        ...(edited === undefined ? {} : { input: { value: edited.args } }),
      });
    }
    for (const result of results) this.#tellResult(result, step.calls);
    this.#history = withResults(this.#history, results);
    this.#phase = 'waiting';
    await this.#requests.resume(round, plans);
  }

  /** What was called before: no call may have the id of another, and none runs without an approval of its own. */
  #restoreCalls(messages: readonly ModelMessage[]): void {
    for (const call of callsIn(messages)) {
      const { toolCallId = '', toolName = '', input } = call;
      this.#requests.saw(toolCallId);
      if (this.#guard.guards(toolName)) this.#guard.restore(toolCallId, snapshot(input), { toolCallId, messages });
    }
  }

  #tellResult({ toolCallId, toolName, output, input }: Result, calls: readonly StreamPart[]): void {
    const call = calls.find((part) => part.toolCallId === toolCallId) as StreamPart;
    const args = input === undefined ? call.input : input.value;
    const part = { ...resultOf({ type: 'tool-result', toolCallId, toolName, output }), input: args } as StreamPart;
    this.#inbox.push({ type: 'call-ended', part });
    const outcome = part.type === 'tool-error' ? { error: part.error } : { output: part.output };
    this.#recordResult({ toolCallId, toolName, args, outcome });
  }

  /** Puts the result of a call that ran between two rounds into the step that made the call. */
  #recordResult({ toolCallId, toolName, args, outcome }: Executed): void {
    const isCall = (part: StreamPart) => part.type === 'tool-call' && part.toolCallId === toolCallId;
    const content = this.#steps.map((step) => step.content as StreamPart[]).findLast((parts) => parts.some(isCall));
    const type = 'output' in outcome ? 'tool-result' : 'tool-error';
    const dynamic = content?.find(isCall)?.dynamic === true ? { dynamic: true } : {};
    content?.push({ type, toolCallId, toolName, input: args, ...dynamic, ...outcome });
  }

  /** The guarded tools; those whose call was edited tell the model so with the result. */
  #roundTools(round: Round): ToolSet {
    const edited = round.answers.filter(({ decision }) => decision.type === 'edit');
    if (edited.length === 0) return this.#guard.tools;
    return withNotes(this.#guard.tools, edited, EDIT_NOTE);
  }
}

const DEFAULT_MAX_STEPS = 20;

/** Why a call of this tool is to be asked about again. */
function driftOf(
  toolName: string,
  { tools, prompt }: { tools: readonly string[]; prompt: boolean },
): string | undefined {
  if (tools.includes(toolName)) return `The tool ${toolName} has changed since it was asked about.`;
  return prompt ? 'The prompt of the run has changed since it was asked about.' : undefined;
}

/** Callbacks live under several names: only the first is passed on, so that each is called once. */
function only<T>(names: readonly string[], callback: T): Record<string, T | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, index === 0 ? callback : undefined]));
}

/**
 * The stream of a result. The public one is a tee, whose other half keeps every part in memory until the end, however slow
 * the reader is; so its source is read where it can be reached. A structured output needs the tee.
 */
function streamOf(result: StreamResult, wantsOutput: boolean): ReadableStream<unknown> {
  const { baseStream } = result;
  return !wantsOutput && baseStream instanceof ReadableStream && !baseStream.locked ? baseStream : result.fullStream;
}

function messagesOf({ prompt, messages }: CallOptions): ModelMessage[] {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }];
  return [...((messages ?? prompt ?? []) as ModelMessage[])];
}

/** Whether the SDK has something to do for this answer. */
function needsRound({ runs, executable, providerExecuted }: Answer): boolean {
  return !runs || executable || providerExecuted;
}

async function quietly(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch {
    // As in the SDK: a callback that throws does not end the run.
  }
}
