/**
 * What is kept of a run so that another process can continue it, and back.
 *
 * Its history is a list of entries, one per message, each kept once; beside it stands a small state that is written anew
 * each time. Nothing of either is read by the core.
 */
import type { ModelMessage } from 'ai';
import { LedgerError } from '../../errors/index.js';
import { MESSAGE, revive, snapshot } from '../../values/snapshot.js';
import type { SdkStep } from '../sdk/sdk.js';
import { isRecord } from '../tools/tools.js';

/** The version of the format that is written. */
const FORMAT = 1;

/** An entry of the history, as JSON: a message, and of the step that it came from what messages do not say. */
export interface HistoryEntry {
  /** {@link ModelMessage}, special values tagged. */
  m: unknown;
  /** {@link StepMark} of the step that this message of the assistant is of; none while that step goes on. */
  s?: unknown;
}

/** What is kept of a finished step beside its messages. */
export interface StepMark {
  finishReason: string;
  usage: unknown;
  response: { id?: string; modelId?: string; timestamp?: Date };
  providerMetadata?: unknown;
}

/** What else a resume needs, small. */
export interface RunState {
  /** {@link FORMAT}. A reader refuses what is newer. */
  v: number;
  /** The major version of the AI SDK that wrote the messages. */
  sdk: 6 | 7;
  /** How many of the messages were passed in by the caller. */
  input: number;
  /** The number of the current `streamText` call, from 0. */
  round: number;
  usage: unknown;
  /** Of the last finished step. */
  finishReason: string;
  /** What the model was told to be and to do, as a digest. */
  prompt: string;
  /** Of that without what it says of approvals; absent: as `prompt`. */
  written?: string | undefined;
  /** What each tool said of itself, as a digest. A list of pairs, since a name may be `__proto__`. */
  tools: [name: string, digest: string][];
}

/** A run as it is at one moment. */
export interface KeptRun {
  messages: readonly ModelMessage[];
  /** The step that the message at this index began. */
  marks: ReadonlyMap<number, StepMark>;
  state: RunState;
}

export function stateOf(state: Omit<RunState, 'v'>): RunState {
  return { v: FORMAT, ...state };
}

/** @throws {InvalidArgumentsError} for a message that is no data */
export function encode(message: ModelMessage, mark: StepMark | undefined): HistoryEntry {
  const m = snapshot(message, MESSAGE).json;
  return mark === undefined ? { m } : { m, s: snapshot(mark, MESSAGE).json };
}

/**
 * @throws {LedgerError} `ERR_LEDGER_TOO_NEW` when a newer version of this package has written it, `ERR_LEDGER_CORRUPT`
 * when it is nothing that any version has written
 */
export function decode(runId: string, entries: readonly unknown[], state: unknown): KeptRun {
  if (!isRecord(state) || typeof state['v'] !== 'number') throw corrupt(runId, 'its state has no version');
  if (state['v'] > FORMAT) {
    throw new LedgerError({
      code: 'ERR_LEDGER_TOO_NEW',
      message: `The run ${JSON.stringify(runId)} was written by a newer version of countersign: update the one that continues it.`,
    });
  }
  const messages: ModelMessage[] = [];
  const marks = new Map<number, StepMark>();
  for (const entry of entries) {
    const { m, s } = (isRecord(entry) ? entry : {}) as Partial<HistoryEntry>;
    const message = revive(m);
    if (!isMessage(message)) throw corrupt(runId, `entry ${messages.length} is not a message`);
    if (s !== undefined) marks.set(messages.length, revive(s) as StepMark);
    messages.push(message);
  }
  const kept = revive(state) as Partial<RunState>;
  if (!Number.isInteger(kept.input) || !Number.isInteger(kept.round) || !Array.isArray(kept.tools))
    throw corrupt(runId, 'its state is incomplete');
  return { messages, marks, state: kept as RunState };
}

/** What is kept of a step beside its messages. The same step has the same mark. */
export function markOf(step: SdkStep): StepMark {
  let mark = marks.get(step);
  if (mark === undefined) {
    const { id, modelId, timestamp } = step.response;
    mark = { finishReason: step.finishReason, usage: step.usage, response: { id, modelId, timestamp } };
    if (step.providerMetadata !== undefined) mark.providerMetadata = step.providerMetadata;
    marks.set(step, mark);
  }
  return mark;
}

const marks = new WeakMap<SdkStep, StepMark>();

/** Where each step begins in the messages that came of these steps. */
export function marksIn(
  messages: readonly ModelMessage[],
  steps: readonly SdkStep[],
  offset: number,
): [index: number, mark: StepMark][] {
  // A step in which the model said nothing has no message.
  const speaking = steps.filter(({ content }) => content.some(({ type }) => type !== 'source'));
  const found = messages.flatMap(({ role }, index) => (role === 'assistant' ? [offset + index] : []));
  return found.flatMap((index, number) => {
    const step = speaking[number];
    return step === undefined ? [] : [[index, markOf(step)] as [number, StepMark]];
  });
}

function isMessage(value: unknown): value is ModelMessage {
  return isRecord(value) && typeof value['role'] === 'string' && 'content' in value;
}

function corrupt(runId: string, why: string): LedgerError {
  return new LedgerError({
    code: 'ERR_LEDGER_CORRUPT',
    message: `The run ${JSON.stringify(runId)} cannot be read: ${why}. Start a new one.`,
  });
}
