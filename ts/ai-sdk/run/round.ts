/** One `streamText` call of a run, and the calls that it stopped at. */
import type { ModelMessage } from 'ai';
import type { ApprovalRecord, DecidedVia, DecisionOutcome } from '../../../index.js';
import { messageOf } from '../../errors/message-of.js';
import { snapshot, type ValueSnapshot } from '../../values/snapshot.js';
import type { AskedTimes } from '../../gate/ask-call.js';
import type { OpenedRequest } from '../../gate/asker.js';
import type { CheckedEdits } from '../../gate/edits.js';
import type { GuardedExecution } from '../gating/guard.js';
import { modelOutput, type CallAnswer } from '../messages/history.js';
import { partsOf } from '../messages/messages.js';
import type { CallQuestions } from '../tools/questions.js';
import type { FinishEvent, SdkStep, StreamPart } from '../sdk/sdk.js';
import type { StepSoFar } from '../saved/step-so-far.js';
import type { ModelTurn } from '../sdk/turn.js';

/** A call that waits for an answer, or has one. */
export interface RequestedCall {
  part: StreamPart;
  toolCallId: string;
  toolName: string;
  /** Of the run, from 1. */
  step: number;
  /** `undefined`: they cannot be shown. */
  args: ValueSnapshot | undefined;
  /** What the messages have, where a human had changed it before it was asked about again: `args` are the human's. */
  editedFrom: ValueSnapshot | undefined;
  /** What that human wrote, where the tool's schema makes something else of it. */
  written: ValueSnapshot | undefined;
  /** What processes that are gone had started of it. */
  started: readonly ValueSnapshot[];
  /** By the provider itself (hosted MCP): the answer goes there. */
  providerExecuted: boolean;
  record: ApprovalRecord | undefined;
  decision: DecisionOutcome | undefined;
  /** Through what it came. */
  via: DecidedVia | undefined;
  /** Who made it, as far as it is known. */
  by: string | undefined;
  /** Settles with it, or when no decision will come any more. */
  decided: Promise<unknown>;
  /** Why an approval does not hold any more. */
  staleness: OpenedRequest['staleness'] | undefined;
  edits: CheckedEdits;
  times: AskedTimes;
  /** Where it runs nothing and asks the human something, and was not denied. */
  questioning: CallQuestions | undefined;
}

/** One `streamText` call. */
export class ModelRound {
  readonly steps: SdkStep[] = [];
  /** The same as the SDK gave them, with the messages of this call only. */
  readonly ownSteps: SdkStep[] = [];
  /** What the call began with: results of calls that were approved before it, as far as the SDK tells them. */
  first: readonly ModelMessage[] = [];
  /** The step that is being read, where the run is kept. */
  readonly soFar: StepSoFar | undefined;
  readonly requested: RequestedCall[] = [];
  /** What runs before the model is called: calls that were approved. */
  readonly executed: GuardedExecution[] = [];
  /** Calls of the current step. */
  calls: StreamPart[] = [];
  toolCallsSeen = 0;
  providerRequestsSeen = 0;
  /** The model has sent an error. Whether the SDK calls it once more is known at the end of the round. */
  hasErred = false;
  /** The model's turns, one per step: they may be ahead of the parts that were read. */
  readonly turns: ModelTurn[] = [];
  stepsStarted = 0;
  /** The steps of the run that were done before it. */
  readonly stepsBefore: number;
  /** The current step was kept before its end: results that come are kept, too. */
  isKeptSoFar = false;
  /** How many of the requests were put to somebody, in their order. */
  askedAbout = 0;
  /** Why calls of the step may be cut short, once it is known: the SDK has run none of them. */
  cut: string | undefined;
  /** Requests that are not decided. */
  waiting = 0;
  readonly waits: Promise<void>[] = [];
  finish: FinishEvent | undefined;
  finishReason = 'other';
  error: { error: unknown } | undefined;
  /** What it waits for cannot be waited for any more. */
  lost: { reason: unknown } | undefined;
  aborted: { reason: unknown } | undefined;
  /** It goes on with the model, though nothing was asked in it: its calls have their results. */
  goesOn = false;
  /** The model is not called: only what was approved is run. */
  silent = false;

  readonly number: number;
  /** What it starts with. */
  readonly answers: readonly CallAnswer[];

  constructor(number: number, stepsBefore: number, answers: readonly CallAnswer[], soFar?: StepSoFar) {
    this.number = number;
    this.stepsBefore = stepsBefore;
    this.answers = answers;
    this.soFar = soFar;
  }

  /** The turn of the step that is being read; `undefined` while nothing is known of it. */
  get turn(): ModelTurn | undefined {
    return this.turns[this.stepsStarted - 1];
  }
}

/** Results of calls that ran before the first step, as a message: an abort leaves no step that would hold them. */
export function resultMessages(round: ModelRound): ModelMessage[] {
  if (round.steps.length > 0) return [];
  // Once the first step has begun, the SDK has told them itself.
  const told = new Set(round.first.flatMap(partsOf).map((part) => part['toolCallId']));
  const untold = round.executed.filter(({ toolCallId }) => !told.has(toolCallId));
  if (untold.length === 0) return [];
  const content = untold.map(({ toolCallId, toolName, outcome }) => ({
    type: 'tool-result',
    toolCallId,
    toolName,
    output: 'output' in outcome ? modelOutput(outcome.output) : { type: 'error-text', value: messageOf(outcome.error) },
  }));
  return [{ role: 'tool', content } as ModelMessage];
}

/** The call as the SDK shows it, with these arguments. */
export function callWith({ part, toolCallId, toolName }: RequestedCall, input: unknown): StreamPart {
  return { type: 'tool-call', ...part.toolCall, toolCallId, toolName, input };
}

/** A copy of the arguments, for somebody else. */
export function valueOf(args: ValueSnapshot | undefined): unknown {
  return args === undefined ? undefined : snapshot(args.value).value;
}
