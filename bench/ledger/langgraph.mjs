// @ts-check
// LangGraph's SqliteSaver, told what LangGraph tells it when a graph is interrupted before a tool: a checkpoint of a thread
// whose only message is the call, and the interrupt. Its own settings, which are those of better-sqlite3: in WAL mode
// `synchronous = NORMAL`, so what it acknowledged last is gone after a power failure.

import { emptyCheckpoint } from '@langchain/langgraph';
import { join } from 'node:path';
import { openSaver } from './langgraph-saver.mjs';
import { directory, runs } from './task.mjs';

export const { run1, run16, run256 } = runs(
  () => openSaver(join(directory('langgraph'), 'checkpoints.db')),
  async (saver, { toolCallId, toolName, args }) => {
    const config = { configurable: { thread_id: toolCallId, checkpoint_ns: '' } };
    const message = { role: 'assistant', content: '', tool_calls: [{ id: toolCallId, name: toolName, args }] };
    const checkpoint = { ...emptyCheckpoint(), channel_values: { messages: [message] } };
    const kept = await saver.put(config, checkpoint, { source: 'loop', step: 1, parents: {} });
    // The middleware's interrupt shows the call once more.
    const interrupt = { value: { actionRequests: [{ name: toolName, args }] }, id: toolCallId };
    await saver.putWrites(kept, [['__interrupt__', [interrupt]]], crypto.randomUUID());
  },
);
