/** The agent of the chat: a deep agent on the folder. */
import type { LanguageModel } from 'ai';
import type { Gate, PolicyInput } from '../../../index.js';
import { createDeepAgent, createLocalBackend } from '../../agent/index.js';
import type { ChatAgent } from './parts.js';

export interface AgentOptions {
  model: LanguageModel;
  gate: Gate;
  /** Absolute: the `place.cwd` of the gate. */
  folder: string;
  /** Narrows what the gate's own policies say. */
  policy: readonly PolicyInput[];
}

export function createAgent({ model, gate, folder, policy }: AgentOptions): ChatAgent {
  const backend = createLocalBackend({ root: folder });
  return createDeepAgent({ model, gate, backend, ...(policy.length === 0 ? {} : { policy }) });
}
