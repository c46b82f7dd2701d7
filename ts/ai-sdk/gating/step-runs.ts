/** The runs of calls for which no `runId` was given: those of one step are one run, so that they can be decided together. */
import { unnamedRun } from '../../gate/run-ids.js';
import { messagesIn } from '../messages/messages.js';

interface StepRun {
  readonly runId: string;
  /** Of the conversation: a loop may add to the same array, and begin another step. */
  readonly length: number;
  readonly toolCallIds: Set<string>;
}

/** By the conversation: the SDK hands the same array to each call of a step. */
const STEPS = new WeakMap<readonly unknown[], StepRun>();

/** Without a conversation, and with an id that another call of the step has, a call is a run of its own. */
export function runOfStep(call: { toolCallId: string }): string {
  const messages = messagesIn(call);
  if (messages === undefined || messages.length === 0) return unnamedRun();
  const { length } = messages;
  const known = STEPS.get(messages);
  if (known?.length === length) {
    if (known.toolCallIds.has(call.toolCallId)) return unnamedRun();
    known.toolCallIds.add(call.toolCallId);
    return known.runId;
  }
  const runId = unnamedRun();
  STEPS.set(messages, { runId, length, toolCallIds: new Set([call.toolCallId]) });
  return runId;
}
