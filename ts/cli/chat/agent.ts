/** The agent of the chat: a deep agent on the folder. */
import type { LanguageModel } from 'ai';
import type { Gate, PolicyInput } from '../../../index.js';
import type { ChatAgent } from './chat.js';
import { standIn } from './stand-in.js';

export interface AgentOptions {
  model: LanguageModel;
  gate: Gate;
  /** Absolute: the `place.cwd` of the gate. */
  folder: string;
  /** Narrows what the gate's own policies say. */
  policy: readonly PolicyInput[];
}

export const createAgent = (options: AgentOptions): ChatAgent => standIn(options);
