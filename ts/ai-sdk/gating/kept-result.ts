import type { Tool } from 'ai';
import { copyOf, type ValueSnapshot } from '../../values/snapshot.js';
import { errorTextOf } from '../sdk/error-text.js';
import type { ExecutionOutcome } from './follow.js';
import { modelOutput, type ModelOutput } from '../messages/history.js';
import { loadSdk } from '../sdk/sdk.js';

/** What the model gets of an execution: kept by durable ledgers, for the process that continues the run. */
export async function keptResult(
  tool: Tool | undefined,
  toolCallId: string,
  args: ValueSnapshot,
  outcome: ExecutionOutcome,
): Promise<ModelOutput> {
  if ('error' in outcome) {
    const { version } = await loadSdk();
    return { type: 'error-text', value: errorTextOf(outcome.error, version) };
  }
  const { output } = outcome;
  if (tool?.toModelOutput === undefined) return modelOutput(output);
  return (await tool.toModelOutput({ toolCallId, input: copyOf(args), output } as never)) as ModelOutput;
}
