/** How the rounds of a run are opened. What it works with is known when the first one is: an agent tells its options then. */
import type { ModelMessage } from 'ai';
import { ModelCalls } from './calling.js';
import type { RunCallbacks } from './callbacks.js';
import type { ChildRuns } from '../gating/children.js';
import { messagesOf, type RunConversation } from './conversation.js';
import type { GuardedExecution } from '../gating/guard.js';
import type { CallAnswer } from '../messages/history.js';
import type { Keeping } from './keeping.js';
import { closeLeft } from '../messages/left-calls.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { ModelRound } from './round.js';
import type { OpenCall, RunOptions } from './run-options.js';
import type { CallOptions, LoadedSdk } from '../sdk/sdk.js';
import type { SdkStream } from './sdk-stream.js';
import { CallSettler, type FoundRequest, type SettledCall } from '../messages/settled-calls.js';
import { setUp, type RunSetup } from './setup.js';
import { readConversation, type CallWord, type SpokenCall } from '../messages/spoken-calls.js';
import { StepSoFar } from '../saved/step-so-far.js';
import { limited } from '../tools/time-limit.js';

export interface OpeningOptions {
  run: RunOptions;
  conversation: RunConversation;
  callbacks: RunCallbacks;
  keeping: Keeping | undefined;
  children: ChildRuns;
  stream: SdkStream;
  onExecuted: (executed: GuardedExecution) => void;
  onLost: (error: unknown) => void;
  /** Whether the model must not be called any more. */
  mustStop: () => boolean;
  tell: (event: OwnEvent) => void;
  /** Has the run look at its round. */
  wake: () => void;
}

export class RunOpening {
  readonly #options: OpeningOptions;
  #sdk!: LoadedSdk;
  #call!: OpenCall;
  #setup: RunSetup | undefined;
  #calling: ModelCalls | undefined;
  #limit: ReturnType<typeof limited> | undefined;

  constructor(options: OpeningOptions) {
    this.#options = options;
  }

  /** There from `begin` on. */
  get sdk(): LoadedSdk {
    return this.#sdk;
  }

  /** There when the options are known, which is before the first round is read. */
  get setup(): RunSetup | undefined {
    return this.#setup;
  }

  /** To be called once, and before all else. */
  async begin(): Promise<void> {
    const { run } = this.#options;
    this.#sdk = await run.sdk();
    if (run.hideDeniedTools) await run.asker.refresh();
    this.#call = run.open(this.#sdk);
  }

  /** The options of the SDK before any call is opened. */
  prepare(): PromiseLike<CallOptions> {
    return this.#options.run.prepare(this.#sdk, this.#limited());
  }

  /** Calls the SDK. Nothing is read yet. */
  async call(round: ModelRound): Promise<void> {
    const signal = this.#limited();
    this.#options.stream.result = await this.#call((options) => this.#roundOptions(round, options, signal), signal);
  }

  /** The signal of the run, which the time of what is opened now aborts as well. */
  #limited(): AbortSignal {
    const { run } = this.#options;
    this.end();
    this.#limit = limited(run.signal, run.timeLimit);
    return this.#limit.signal;
  }

  /** Why what was opened last is aborted; `undefined`: it is not. */
  get aborted(): { reason: unknown } | undefined {
    const signal = this.#limit?.signal;
    return signal?.aborted === true ? { reason: signal.reason as unknown } : undefined;
  }

  /** The time of the call that was opened last counts no more. */
  end(): void {
    this.#limit?.end();
  }

  async #roundOptions(round: ModelRound, options: CallOptions, signal: AbortSignal): Promise<CallOptions> {
    if (this.#setup === undefined) {
      const messages = messagesOf(options);
      this.#options.conversation.begin([...closeLeft(messages, await this.#settleLeft(messages))]);
      this.setUp(options);
    }
    return (this.#calling as ModelCalls).optionsFor(round, options, signal);
  }

  /** What becomes of the calls in the messages that the user went on without. */
  #settleLeft(messages: readonly ModelMessage[]): Promise<Map<string, SettledCall>> {
    const { asker, unanswered } = this.#options.run;
    const settler = new CallSettler({
      gate: asker.gate,
      find: (call) => this.#find(call),
      isAsked: () => false,
      isOther: () => false,
      keepsWaiting: () => unanswered === 'keep',
      by: null,
      onRefused: undefined,
    });
    const calls = [...readConversation(messages).calls.values()];
    return settler.settle(calls.filter(({ word }) => LEFT.has(word)));
  }

  /** A response that stays open has the gate's own id in its messages. */
  async #find({ toolCallId, approvalIds }: SpokenCall): Promise<FoundRequest> {
    const { gate } = this.#options.run.asker;
    for (const approvalId of approvalIds) {
      const record = await gate.get(approvalId).catch(() => undefined);
      if (record?.toolCallId === toolCallId) return { record };
    }
    return { record: undefined };
  }

  /** @param alsoGuarded see the guard's option of this name */
  setUp(callOptions: CallOptions, alsoGuarded?: ReadonlySet<string>): RunSetup {
    const { run, conversation, callbacks, keeping, children, stream, onExecuted, onLost, mustStop, tell, wake } =
      this.#options;
    const setup = setUp({
      run,
      sdk: this.#sdk,
      callOptions,
      alsoGuarded,
      conversation: () => conversation.messages,
      call: (called, inheritance, execute) => children.call(called, inheritance, execute),
      onExecuted,
      onLost,
      tell,
      wake,
    });
    this.#setup = setup;
    this.#calling = new ModelCalls({ run, setup, conversation, callbacks, keeping, flow: stream.flow, mustStop, wake });
    return setup;
  }

  newRound(number: number, answers: readonly CallAnswer[] = []): ModelRound {
    const { conversation, keeping } = this.#options;
    return new ModelRound(
      number,
      conversation.steps.length,
      answers,
      keeping === undefined ? undefined : new StepSoFar(),
    );
  }
}

const LEFT: ReadonlySet<CallWord> = new Set(['left', 'left-yes', 'left-no']);
