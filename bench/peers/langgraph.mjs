// @ts-check
// LangGraph with LangChain's human-in-the-loop middleware. The graph is compiled once, as an application would; each run
// is a thread of its own in LangGraph's in-memory checkpointer, which the middleware needs.

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { question, toolArgs, toolCallId, toolDescription, toolName, turns, usage, Witness } from '../conversation.mjs';

const usage_metadata = {
  input_tokens: usage.input,
  output_tokens: usage.output,
  total_tokens: usage.input + usage.output,
};

/** The conversation that is under way: the tool and the model belong to a graph that outlives it. */
let witness = new Witness();

/** Which turn it is can be read off the messages: the second one has the tool's result. */
const turnAfter = (/** @type {import('@langchain/core/messages').BaseMessage[]} */ messages) =>
  turns[messages.at(-1)?.getType() === 'tool' ? 1 : 0];

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return 'scripted';
  }
  /** The script knows the tool already, so there is nothing to translate. @returns {any} */
  bindTools() {
    return this;
  }
  /** @param {import('@langchain/core/messages').BaseMessage[]} messages */
  async _generate(messages) {
    witness.modelCalled();
    const turn = turnAfter(messages);
    const text = turn.text.join('');
    const message = new AIMessage({
      content: text,
      tool_calls: turn.callsTool ? [{ type: 'tool_call', id: toolCallId, name: toolName, args: toolArgs }] : [],
      usage_metadata,
    });
    return { generations: [{ text, message }] };
  }
  /**
   * @param {import('@langchain/core/messages').BaseMessage[]} messages
   * @param {this['ParsedCallOptions']} _options
   * @param {import('@langchain/core/callbacks/manager').CallbackManagerForLLMRun} [runManager]
   */
  async *_streamResponseChunks(messages, _options, runManager) {
    witness.modelCalled();
    const turn = turnAfter(messages);
    for (const text of turn.text) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
    const tool_call_chunks = turn.callsTool
      ? [
          {
            type: /** @type {const} */ ('tool_call_chunk'),
            index: 0,
            id: toolCallId,
            name: toolName,
            args: JSON.stringify(toolArgs),
          },
        ]
      : [];
    const last = new ChatGenerationChunk({
      text: '',
      message: new AIMessageChunk({ content: '', tool_call_chunks, usage_metadata }),
    });
    yield last;
    await runManager?.handleLLMNewToken('', undefined, undefined, undefined, undefined, { chunk: last });
  }
}

const checkpointer = new MemorySaver();
const model = new ScriptedModel({});
const tools = [
  tool(async (args) => witness.toolRan(args), {
    name: toolName,
    description: toolDescription,
    schema: z.object({ path: z.string() }),
  }),
];
const ungatedAgent = createAgent({ model, tools });
const agent = createAgent({
  model,
  tools,
  middleware: [
    humanInTheLoopMiddleware({ interruptOn: { [toolName]: { allowedDecisions: ['approve', 'edit', 'reject'] } } }),
  ],
  checkpointer,
});

let threads = 0;
const nextThread = () => ({ configurable: { thread_id: `thread-${++threads}` } });
const firstMessage = { messages: [{ role: 'user', content: question }] };

/** @param {any} interrupts */
function approveAll(interrupts) {
  const { actionRequests } = interrupts[0].value;
  for (const { name, args } of actionRequests) witness.asked(name, args);
  return new Command({ resume: { decisions: actionRequests.map(() => ({ type: 'approve' })) } });
}

export async function run() {
  witness = new Witness();
  // Interrupts come as updates, text as messages.
  const config = { ...nextThread(), streamMode: /** @type {any} */ (['messages', 'updates']) };
  let resume;
  for await (const [mode, part] of await /** @type {any} */ (agent).stream(firstMessage, config)) {
    if (mode === 'updates' && '__interrupt__' in part) resume = approveAll(part.__interrupt__);
  }
  let text = '';
  for await (const [mode, part] of await /** @type {any} */ (agent).stream(resume, config)) {
    if (mode === 'messages' && part[0].getType() === 'ai') text += part[0].text;
  }
  witness.finished(text);
}

export async function runWithoutStreaming() {
  witness = new Witness();
  const config = nextThread();
  const first = await agent.invoke(firstMessage, config);
  const resume = approveAll(first.__interrupt__);
  const second = await agent.invoke(/** @type {any} */ (resume), config);
  witness.finished(/** @type {string} */ (second.messages.at(-1)?.text));
}

/** The same conversation without asking: no middleware, and no checkpointer, which only the middleware needs. */
export async function runUngated() {
  witness = new Witness({ gated: false });
  let text = '';
  for await (const [part] of await ungatedAgent.stream(firstMessage, { streamMode: 'messages' })) {
    if (part.getType() === 'tool') text = '';
    else if (part.getType() === 'ai') text += part.text;
  }
  witness.finished(text);
}

/** Untimed: what the runs left in the checkpointer would only burden the garbage collector. */
export async function cleanUp() {
  for (const thread of Object.keys(checkpointer.storage)) await checkpointer.deleteThread(thread);
}
