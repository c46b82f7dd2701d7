/** How a run calls the SDK: the user's options as each `streamText` call needs them. */
import type { ModelMessage, ToolSet } from 'ai';
import { only, quietly, tellingError, type RunCallbacks } from './callbacks.js';
import type { RunConversation } from './conversation.js';
import type { StepFlow } from '../sdk/flow.js';
import type { Keeping } from './keeping.js';
import type { ModelRound } from './round.js';
import type { RunOptions } from './run-options.js';
import type { CallOptions, FinishEvent, SdkStep } from '../sdk/sdk.js';
import type { RunSetup } from './setup.js';
import { requireModel } from '../sdk/check-model.js';
import { changesBy } from '../sdk/hooks.js';
import { warnNotRead } from '../sdk/not-read.js';
import { changeStep } from '../sdk/steps.js';
import { isQuestionTool } from '../tools/questions.js';
import { refuseMisplaced } from '../../options/check.js';
import { warnOnce } from '../../errors/warn-once.js';
import { ownTool, withNotes } from '../tools/tools.js';
import { silentModel, turnOf, watchModel, type ModelTurn, type TurnEndEvent } from '../sdk/turn.js';

export interface CallingOptions {
  run: RunOptions;
  setup: RunSetup;
  conversation: RunConversation;
  callbacks: RunCallbacks;
  keeping: Keeping | undefined;
  flow: StepFlow;
  /** Whether the model is not to be called any more. */
  mustStop: () => boolean;
  /** Has the run look at its round. */
  wake: () => void;
}

export class ModelCalls {
  readonly #options: CallingOptions;

  constructor(options: CallingOptions) {
    this.#options = options;
  }

  /** The user's options as one round needs them. `signal` aborts this call: that of the run, or its time limit. */
  optionsFor(round: ModelRound, options: CallOptions, signal: AbortSignal): CallOptions {
    const { setup, conversation, callbacks, run } = this.#options;
    const { version } = setup.sdk;
    requireModel(options['model'], run.asker.place);
    return {
      ...options,
      prompt: undefined,
      messages: conversation.messages,
      ...(options['tools'] === undefined ? {} : { tools: this.#tools(round) }),
      ...this.#activeTools(options),
      model: this.#watch(round, options['model']),
      abortSignal: signal,
      stopWhen: ({ steps }: { steps: SdkStep[] }) => this.#mayStop([...conversation.steps, ...steps]),
      prepareStep: this.#prepareStep(round),
      // Folded into the guard: a status that the SDK does not know would run the tool.
      toolApproval: undefined,
      onError: this.#onError(round, options['onError']),
      onAbort: (event: { steps?: SdkStep[] }) =>
        callbacks.abort({ ...event, steps: [...conversation.steps, ...(event.steps ?? [])] }),
      ...(round.number === 0 ? {} : Object.fromEntries(version.firstCallOnly.map((name) => [name, undefined]))),
      ...this.#turnEnd(round, options),
      ...only(version.onStep, (step: SdkStep) => this.#onStep(round, step)),
      ...only(version.onFinish, (event: FinishEvent) => {
        round.finish = event;
      }),
    };
  }

  #onError(round: ModelRound, own: unknown): (event: { error: unknown }) => unknown {
    const tell = typeof own === 'function' ? tellingError(own as never) : undefined;
    return (event) => {
      round.hasErred = true;
      return tell?.(event);
    };
  }

  /** The guarded tools; with the result of a call they tell the model what the human changed, or said. */
  #tools(round: ModelRound): ToolSet {
    const { conversation, setup } = this.#options;
    const { tools, searches } = setup.guard;
    // The SDK begins anew with each call.
    searches.recall(conversation.added);
    const noted = round.answers.filter(({ note }) => note !== undefined);
    return noted.length === 0 ? tools : withNotes(tools, noted);
  }

  /** Without questions that no one could answer; and, if wanted, without tools that are denied regardless of the arguments. */
  #activeTools(options: Record<string, unknown>): { activeTools?: string[] } {
    const { run, setup } = this.#options;
    const given = options['activeTools'] as readonly string[] | undefined;
    const names = given ?? Object.keys(setup.guard.tools);
    const { tools } = setup.guard;
    const hidden = new Set([
      ...(run.hideDeniedTools ? run.asker.hidden(names, tools) : []),
      ...(run.asker.human.canAskQuestions ? [] : names.filter((name) => isQuestionTool(ownTool(tools, name)))),
    ]);
    return hidden.size === 0 ? {} : { activeTools: names.filter((name) => !hidden.has(name)) };
  }

  #watch(round: ModelRound, model: unknown): unknown {
    const { run, setup, flow, wake } = this.#options;
    const { ai, version } = setup.sdk;
    const onStart = (turn: ModelTurn) => {
      round.turns.push(turn);
    };
    const toldByCallback = version.onTurnEnd.length > 0;
    const watches = (this.#followsTurns && !toldByCallback) || version.readsAhead;
    return watchModel(model, ai, run.signal, watches ? { onStart, onEnd: wake, flow } : undefined);
  }

  /** The SDK's own news of the turn's end, where it has them; the user's callback gets them first. */
  #turnEnd(round: ModelRound, options: CallOptions): CallOptions {
    const { setup, wake } = this.#options;
    const names = setup.sdk.version.onTurnEnd;
    if (names.length === 0 || !this.#followsTurns) return {};
    const own = names.map((name) => options[name]).find((callback) => typeof callback === 'function');
    return only(names, async (event: TurnEndEvent) => {
      if (typeof own === 'function') await quietly(names, () => own(event) as unknown);
      round.turns.push(turnOf(event));
      wake();
    });
  }

  /** Whether anything is done when the model has said all of a step: somebody is asked, or the step is kept. */
  get #followsTurns(): boolean {
    return this.#options.setup.guard.guardsAnything || this.#options.keeping !== undefined;
  }

  #prepareStep(round: ModelRound): unknown {
    const { setup, conversation, callbacks, keeping } = this.#options;
    const own = setup.callOptions['prepareStep'] as ((step: Record<string, unknown>) => unknown) | undefined;
    if (own === undefined && round.number === 0 && keeping === undefined) return undefined;
    return async (step: { stepNumber: number; steps: SdkStep[]; [more: string]: unknown }) => {
      if (step.stepNumber === 0) round.first = firstOf(step, conversation.messages);
      const resumed = round.number > 0 && step.stepNumber === 0;
      if (resumed) await callbacks.heldSteps(setup.sdk.version);
      if (resumed && (round.silent || (await this.#mayStop(conversation.steps)))) {
        round.silent = true;
        const model = silentModel(setup.sdk.version.modelSpecifications[0]);
        // The model is not asked, so that calls without a result are no error here.
        return { model, messages: [{ role: 'user', content: '.' }], activeTools: [], toolChoice: 'auto' };
      }
      const stepNumber = step.stepNumber + conversation.steps.length;
      const given = await own?.({ ...step, stepNumber, steps: [...conversation.steps, ...step.steps] });
      const prepared = changesBy('prepareStep', given, this.#options.run.asker.place);
      if (prepared === undefined) return undefined;
      checkStep(prepared, step);
      const shown = prepared['activeTools'] === undefined ? prepared : { ...prepared, ...this.#activeTools(prepared) };
      return shown['model'] === undefined ? shown : { ...shown, model: this.#watch(round, shown['model']) };
    };
  }

  async #mayStop(steps: SdkStep[]): Promise<boolean> {
    const { run, setup, mustStop } = this.#options;
    if (mustStop()) return true;
    const own = setup.callOptions['stopWhen'];
    const conditions = (own === undefined ? [] : Array.isArray(own) ? own : [own]) as ((options: {
      steps: SdkStep[];
    }) => unknown)[];
    const most = run.maxSteps ?? (own === undefined ? DEFAULT_MAX_STEPS : Number.POSITIVE_INFINITY);
    if (steps.length >= most) return true;
    return (await Promise.all(conditions.map((condition) => condition({ steps })))).some(Boolean);
  }

  async #onStep(round: ModelRound, step: SdkStep): Promise<void> {
    if (round.silent) return;
    const { setup, conversation, callbacks, keeping } = this.#options;
    const { version } = setup.sdk;
    round.ownSteps.push(step);
    const whole = changeStep(step, {
      stepNumber: conversation.steps.length + round.steps.length,
      response: {
        ...step.response,
        messages: version.stepMessages(conversation.added, step) as SdkStep['response']['messages'],
      },
    });
    round.steps.push(whole);
    // The last one is kept, and told, with what comes of it.
    const isStopped = step.content.some(({ type }) => type === 'tool-approval-request');
    if (keeping !== undefined && !isStopped && step.finishReason === 'tool-calls') keeping.saveStep(setup, round);
    await callbacks.step(version, whole, isStopped);
  }
}

/** The AI SDK passes over what it does not know here. @throws {InvalidConfigError} for what was meant to restrict */
function checkStep(prepared: Record<string, unknown>, step: object): void {
  refuseMisplaced('streamWithEvents', prepared, 'prepareStep', NO_NAMES);
  warnNotRead(prepared, 'prepareStep', Object.keys(step));
  if (prepared['tools'] === undefined) return;
  warnOnce(
    'prepareStep:tools',
    'prepareStep returns tools, which the AI SDK ignores: the run keeps the tools that it began with. Leave some out by activeTools.',
  );
}

/** What the call began with, behind what it was given: results of calls that were approved before it. AI SDK 6 tells both as one. */
function firstOf(step: Record<string, unknown>, given: readonly ModelMessage[]): readonly ModelMessage[] {
  const [own, all] = [step['responseMessages'], step['messages']] as (ModelMessage[] | undefined)[];
  if (own !== undefined || all === undefined) return own ?? [];
  const last = given.at(-1);
  return all.slice(last !== undefined && all.includes(last) ? all.lastIndexOf(last) + 1 : given.length);
}

const NO_NAMES: ReadonlySet<string> = new Set();

const DEFAULT_MAX_STEPS = 20;
