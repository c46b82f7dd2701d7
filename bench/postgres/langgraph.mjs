// @ts-check
// LangGraph's PostgresSaver, with its own settings but for the size of its pool.

import { Annotation, Command, emptyCheckpoint, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import assert from 'node:assert/strict';
import { Pool } from 'pg';
import { nextCall, SIZES } from '../ledger/task.mjs';

/** @param {string} url */
async function setUp(url) {
  const saver = PostgresSaver.fromConnString(url, { schema: 'langgraph' });
  await saver.setup();
  await saver.end();
}

/** @param {string} url @param {number} max */
function open(url, max) {
  const pool = new Pool({ connectionString: url, max });
  return new PostgresSaver(/** @type {any} */ (pool), undefined, { schema: 'langgraph' });
}

/** What a graph tells its saver when it is interrupted before a tool. @type {import('./worker.mjs').Contestant} */
export const putAndWrites = {
  setUp,
  async open(url, connections) {
    const saver = open(url, connections);
    return {
      async run() {
        const { toolCallId, toolName, args } = nextCall(SIZES.run1);
        const message = { role: 'assistant', content: '', tool_calls: [{ id: toolCallId, name: toolName, args }] };
        const checkpoint = {
          ...emptyCheckpoint(),
          channel_values: { messages: [message] },
          channel_versions: { messages: 1 },
        };
        const config = { configurable: { thread_id: toolCallId, checkpoint_ns: '' } };
        const metadata = /** @type {const} */ ({ source: 'loop', step: 1, parents: {} });
        const kept = await saver.put(config, checkpoint, metadata, { messages: 1 });
        const asked = { value: { actionRequests: [{ name: toolName, args }] }, id: toolCallId };
        await saver.putWrites(kept, [['__interrupt__', [asked]]], crypto.randomUUID());
      },
      close: () => saver.end(),
    };
  },
};

/** A graph of one node that asks, interrupted and resumed. @type {import('./worker.mjs').Contestant} */
export const whole = {
  setUp,
  async open(url, connections) {
    const saver = open(url, connections);
    const State = Annotation.Root({ call: Annotation(), approved: Annotation() });
    const graph = new StateGraph(State)
      .addNode('ask', ({ call }) => ({ approved: interrupt(call) }))
      .addEdge(START, 'ask')
      .addEdge('ask', END)
      .compile({ checkpointer: saver });
    return {
      async run() {
        const call = nextCall(SIZES.run1);
        const config = { configurable: { thread_id: call.toolCallId } };
        await graph.invoke({ call }, config);
        const { approved } = await graph.invoke(new Command({ resume: true }), config);
        assert.equal(approved, true);
      },
      close: () => saver.end(),
    };
  },
};
