/** What a run has come to so far: its messages, its steps, what they used. */
import type { ModelMessage } from 'ai';
import type { RunResult } from '../../../index.js';
import type { GuardedExecution } from '../gating/guard.js';
import type { ModelRound } from './round.js';
import { marksIn, type KeptRun, type StepMark } from '../saved/saved-run.js';
import { stepsOf } from '../saved/saved-step.js';
import type { CallOptions, FinishEvent, SdkVersion, SdkStep, StreamPart } from '../sdk/sdk.js';
import { addUsage } from '../sdk/steps.js';

export class RunConversation {
  messages: ModelMessage[];
  /** How many of the messages were passed in by the caller. */
  inputLength = 0;
  #marks: ReadonlyMap<number, StepMark> = new Map();
  /** What makes the marks of rounds that were closed: only what is kept has them. */
  readonly #unmarked: (() => ReadonlyMap<number, StepMark>)[] = [];
  steps: SdkStep[] = [];
  usage: unknown;
  /** Why the model stopped when it was last called. */
  finishReason = 'other';
  /** The SDK's last event of the last round in which the model was called. */
  finish: FinishEvent | undefined;

  constructor(messages: ModelMessage[]) {
    this.messages = messages;
  }

  /** The steps that messages began, by the index of the message. */
  get marks(): ReadonlyMap<number, StepMark> {
    for (const marked of this.#unmarked.splice(0)) this.#marks = marked();
    return this.#marks;
  }

  /** What the run added to what was passed in. */
  get added(): ModelMessage[] {
    return this.messages.slice(this.inputLength);
  }

  /** What the user gets of it. */
  result(): Omit<RunResult, 'runId' | 'output'> {
    return {
      text: this.steps.at(-1)?.text ?? '',
      messages: this.messages,
      responseMessages: this.added,
      usage: this.usage as RunResult['usage'],
      steps: this.steps,
      finishReason: this.finishReason,
    };
  }

  begin(input: ModelMessage[]): void {
    this.messages = input;
    this.inputLength = input.length;
  }

  restore(kept: KeptRun): void {
    this.messages = [...kept.messages];
    this.inputLength = kept.state.input;
    this.#unmarked.length = 0;
    this.#marks = new Map(kept.marks);
    this.steps = stepsOf(kept);
    this.usage = kept.state.usage;
    this.finishReason = kept.state.finishReason;
  }

  /** Takes in what came of a round that has finished. */
  close({ silent, steps, finishReason }: ModelRound, finish: FinishEvent, version: SdkVersion): void {
    const all = version.responseMessages(finish);
    const added = silent ? all.filter(({ role }) => role === 'tool') : all;
    const { length } = this.messages;
    this.#unmarked.push(() => this.#marked(added, steps, length));
    this.messages = [...this.messages, ...added];
    this.steps = [...this.steps, ...steps];
    this.usage = addUsage(this.usage, finish.totalUsage);
    if (silent) return;
    this.finish = finish;
    this.finishReason = finishReason;
  }

  /** Takes in what came of a round that was left in its middle. */
  leave(messages: readonly ModelMessage[], steps: readonly SdkStep[]): void {
    this.messages = [...this.messages, ...messages];
    this.steps = [...this.steps, ...steps];
  }

  /** The marks when these messages, of these steps, are added. */
  marksWith(added: readonly ModelMessage[], steps: readonly SdkStep[]): Map<number, StepMark> {
    return this.#marked(added, steps, this.messages.length);
  }

  #marked(added: readonly ModelMessage[], steps: readonly SdkStep[], offset: number): Map<number, StepMark> {
    return new Map([...this.marks, ...marksIn(added, steps, offset)]);
  }

  /** Puts the result of a call that ran between two rounds into the step that made the call. */
  recordResult({ toolCallId, toolName, args, outcome }: GuardedExecution): void {
    const isCall = (part: StreamPart) => part.type === 'tool-call' && part.toolCallId === toolCallId;
    const content = this.steps.map((step) => step.content as StreamPart[]).findLast((parts) => parts.some(isCall));
    const type = 'output' in outcome ? 'tool-result' : 'tool-error';
    const dynamic = content?.find(isCall)?.dynamic === true ? { dynamic: true } : {};
    content?.push({ type, toolCallId, toolName, input: args, ...dynamic, ...outcome });
  }
}

/** The conversation that the user passed. */
export function messagesOf({ prompt, messages }: CallOptions): ModelMessage[] {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }];
  return [...((messages ?? prompt ?? []) as ModelMessage[])];
}
