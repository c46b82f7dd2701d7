/** A deep agent with a scripted model, on files in memory. */
import type { DeepAgentOptions } from '../../agent.js';
import type { AgentEvent, AgentRun } from '../../index.js';
import { createDeepAgent } from '../../ts/agent/index.js';
import { collect, scripted, type ModelTurn } from '../support/model.js';
import { memoryBackend } from './memory-backend.js';

export type Options = Omit<Partial<DeepAgentOptions>, 'tools'> & { files?: Record<string, string>; tools?: object };

export function stage(turns: ModelTurn[], { files, ...options }: Options = {}) {
  const { model, prompts } = scripted(turns);
  const backend = memoryBackend(files);
  const agent = createDeepAgent({ model, backend, ...(options as Partial<DeepAgentOptions>) });
  return { agent, backend, prompts, model };
}

export const eventsOf = async (run: object) => (await collect(run as AgentRun)) as AgentEvent[];
export const systemOf = (prompt: { role: string; content: unknown }[] | undefined) => String(prompt?.[0]?.content);
