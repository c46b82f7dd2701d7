// @ts-check
// The same run on LangGraph, with LangChain's human-in-the-loop middleware and LangGraph's saver for SQLite.

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openSaver } from './langgraph-saver.mjs';
import { gatedTool, lastWords, question, system, toolResult, turns } from './long-run.mjs';
import { directory } from './task.mjs';

const approvals = Number(process.argv[2]);
const script = turns(approvals);

let turn = 0;
class ScriptedModel extends BaseChatModel {
  _llmType() {
    return 'scripted';
  }
  /** The script knows the tools already. @returns {any} */
  bindTools() {
    return this;
  }
  async _generate() {
    const now = script[turn++];
    const text = now?.text ?? lastWords;
    const tool_calls = now
      ? [{ type: /** @type {const} */ ('tool_call'), id: now.id, name: now.tool, args: now.args }]
      : [];
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] };
  }
}

let ran = 0;
const answer = async () => {
  ran += 1;
  return toolResult();
};
const file = join(directory('bytes'), 'checkpoints.db');
const checkpointer = openSaver(file);
const agent = createAgent({
  model: new ScriptedModel({}),
  systemPrompt: system,
  tools: [
    tool(answer, { name: 'read_file', description: 'Reads.', schema: z.object({ path: z.string() }) }),
    tool(answer, { name: gatedTool, description: 'Runs.', schema: z.object({ command: z.string() }) }),
  ],
  middleware: [humanInTheLoopMiddleware({ interruptOn: { [gatedTool]: { allowedDecisions: ['approve', 'reject'] } } })],
  checkpointer,
});

const config = { configurable: { thread_id: 'thread-1' }, recursionLimit: 100_000 };
let asked = 0;
let state = /** @type {any} */ (await agent.invoke({ messages: [{ role: 'user', content: question }] }, config));
while (state.__interrupt__) {
  asked += 1;
  state = await agent.invoke(
    /** @type {any} */ (new Command({ resume: { decisions: [{ type: 'approve' }] } })),
    config,
  );
}
assert.deepEqual([asked, ran], [approvals, script.length]);
checkpointer.db.pragma('wal_checkpoint(TRUNCATE)');
checkpointer.db.close();
process.stdout.write(JSON.stringify({ approvals, file: statSync(file).size }));
