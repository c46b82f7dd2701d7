/** A deep agent whose model runs commands. */
import type { DeepAgentOptions } from '../../agent.js';
import type { ApprovalAnswer, ApprovalRequest } from '../../index.js';
import { createDeepAgent } from '../../ts/agent/index.js';
import { call, calls, says, scripted } from './model.js';

/** Who is asked; no callback if no one is. */
export type Asked = ((request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>) | undefined;

/** Calls `execute` with each of these, one after another; what the model got, as JSON. */
export async function executed(
  all: readonly object[],
  options: Omit<DeepAgentOptions, 'model'>,
  onApprovalRequest: Asked,
): Promise<string> {
  const turns = all.map((args, index) => calls(call('execute', args, `c${index}`)));
  const { model, prompts } = scripted([...turns, says('done')]);
  const agent = createDeepAgent({ model, ...options } as DeepAgentOptions);
  await agent.generate({ prompt: 'go', ...(onApprovalRequest === undefined ? {} : { onApprovalRequest }) } as never);
  return JSON.stringify(prompts.at(-1));
}
