// @ts-check
// The OpenAI Agents SDK: a tool with `needsApproval`, the run's interruptions, `state.approve`, and the run again.
// Tracing is off, which spares it work that the others do not do either.

import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents';
import { z } from 'zod';
import { question, toolArgs, toolCallId, toolDescription, toolName, turns, usage, Witness } from '../conversation.mjs';

setTracingDisabled(true);

/** The conversation that is under way: the agent outlives it. */
let witness = new Witness();

const newUsage = () =>
  new Usage({ inputTokens: usage.input, outputTokens: usage.output, totalTokens: usage.input + usage.output });

const outputs = turns.map(({ text, callsTool }) => [
  {
    type: /** @type {const} */ ('message'),
    role: /** @type {const} */ ('assistant'),
    status: /** @type {const} */ ('completed'),
    content: [{ type: /** @type {const} */ ('output_text'), text: text.join('') }],
  },
  ...(callsTool
    ? [
        {
          type: /** @type {const} */ ('function_call'),
          callId: toolCallId,
          name: toolName,
          status: /** @type {const} */ ('completed'),
          arguments: JSON.stringify(toolArgs),
        },
      ]
    : []),
]);

/** Which turn it is can be read off the input: the second one has the tool's result. */
const turnAfter = (/** @type {import('@openai/agents').ModelRequest} */ request) =>
  Array.isArray(request.input) && request.input.some((item) => item.type === 'function_call_result') ? 1 : 0;

/** Not the SDK's own `ScriptedModel`, which records a deep copy of every request: that would be unfair to it. */
const model = {
  /** @param {import('@openai/agents').ModelRequest} request */
  async getResponse(request) {
    witness.modelCalled();
    const turn = turnAfter(request);
    return { responseId: `response_${turn}`, usage: newUsage(), output: outputs[turn] };
  },
  /** @param {import('@openai/agents').ModelRequest} request */
  async *getStreamedResponse(request) {
    witness.modelCalled();
    const turn = turnAfter(request);
    yield { type: /** @type {const} */ ('response_started') };
    for (const delta of turns[turn].text) yield { type: /** @type {const} */ ('output_text_delta'), delta };
    yield {
      type: /** @type {const} */ ('response_done'),
      response: {
        id: `response_${turn}`,
        usage: {
          inputTokens: usage.input,
          outputTokens: usage.output,
          totalTokens: usage.input + usage.output,
        },
        output: outputs[turn],
      },
    };
  },
};

const newAgent = (/** @type {boolean} */ needsApproval) =>
  new Agent({
    name: 'assistant',
    model,
    tools: [
      tool({
        name: toolName,
        description: toolDescription,
        parameters: z.object({ path: z.string() }),
        needsApproval,
        execute: async (args) => witness.toolRan(args),
      }),
    ],
  });
const agent = newAgent(true);
const ungatedAgent = newAgent(false);
const runner = new Runner({ tracingDisabled: true });

/** @param {{ interruptions: any[], state: any }} result */
function approveAll(result) {
  for (const item of result.interruptions) {
    witness.asked(item.rawItem.name, JSON.parse(item.rawItem.arguments));
    result.state.approve(item);
  }
  return result.state;
}

/** Iterates one streamed run to its end and returns the text of its last turn. @param {any} result */
async function textOf(result) {
  let text = '';
  for await (const event of result) {
    if (event.type !== 'raw_model_stream_event') continue;
    if (event.data.type === 'response_started') text = '';
    else if (event.data.type === 'output_text_delta') text += event.data.delta;
  }
  await result.completed;
  return text;
}

export async function run() {
  witness = new Witness();
  const first = await runner.run(agent, question, { stream: true });
  await textOf(first);
  const second = await runner.run(agent, approveAll(first), { stream: true });
  witness.finished(await textOf(second));
}

export async function runWithoutStreaming() {
  witness = new Witness();
  const first = await runner.run(agent, question);
  const second = await runner.run(agent, approveAll(first));
  witness.finished(/** @type {string} */ (second.finalOutput));
}

/** The same conversation without asking. */
export async function runUngated() {
  witness = new Witness({ gated: false });
  witness.finished(await textOf(await runner.run(ungatedAgent, question, { stream: true })));
}
