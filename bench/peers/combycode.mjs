// @ts-check
// @combycode/llm-sdk: a permission rule whose effect is `ask`, and the agent loop's `approve` callback. It waits inside
// one call, as this package does. The provider is scripted at the seam the SDK has for tests: an adapter and a fetch.

import { AgentLoop, LLMClient, PermissionPolicy } from '@combycode/llm-sdk';
import { question, toolArgs, toolCallId, toolDescription, toolName, turns, usage, Witness } from '../conversation.mjs';

const reportedUsage = {
  inputTokens: usage.input,
  outputTokens: usage.output,
  totalTokens: usage.input + usage.output,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

const responses = turns.map(({ text, callsTool }, index) => {
  const toolCalls = callsTool
    ? [{ type: /** @type {const} */ ('tool_call'), id: toolCallId, name: toolName, arguments: toolArgs }]
    : [];
  return {
    id: `response_${index}`,
    model: 'scripted',
    content: [{ type: /** @type {const} */ ('text'), text: text.join('') }, ...toolCalls],
    finishReason: callsTool ? 'tool_use' : 'stop',
    usage: reportedUsage,
    text: text.join(''),
    toolCalls,
    thinking: null,
    media: [],
    latencyMs: 0,
    raw: null,
  };
});

/** @type {import('@combycode/llm-sdk').StreamEvent[][]} */
const streams = turns.map(({ text, callsTool }) => [
  ...text.map((piece) => ({ type: /** @type {const} */ ('text'), text: piece })),
  ...(callsTool
    ? [
        { type: /** @type {const} */ ('tool_call_start'), id: toolCallId, name: toolName },
        { type: /** @type {const} */ ('tool_call_delta'), id: toolCallId, arguments: JSON.stringify(toolArgs) },
        { type: /** @type {const} */ ('tool_call_end'), id: toolCallId },
      ]
    : []),
  { type: 'usage', usage: reportedUsage },
  { type: 'done', finishReason: callsTool ? 'tool_use' : 'stop' },
]);

/** The conversation that is under way: the client outlives it. */
let witness = new Witness();
let turn = 0;

const adapter = /** @type {import('@combycode/llm-sdk').ProviderAdapter} */ ({
  name: 'openai',
  buildRequest: () => ({ body: {} }),
  parseResponse: (/** @type {any} */ raw) => ({ ...responses[raw] }),
  parseStreamEvent: (/** @type {any} */ event) => [streams[Number(event.event)][Number(event.id)]],
  createStreamParser() {
    return this.parseStreamEvent;
  },
  authHeaders: () => ({}),
  baseURL: () => 'http://scripted.invalid',
  completionPath: () => '/',
});

const client = new LLMClient({
  provider: 'openai',
  model: 'scripted',
  apiKey: 'none',
  adapter,
  fetch: async () => {
    witness.modelCalled();
    return { status: 200, headers: {}, body: turn++ };
  },
  fetchStream: async function* () {
    witness.modelCalled();
    const index = turn++;
    for (let id = 0; id < streams[index].length; id++) yield { event: String(index), id: String(id), data: '' };
  },
});

const tools = [
  {
    definition: {
      name: toolName,
      description: toolDescription,
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
    execute: async (/** @type {Record<string, unknown>} */ args) => witness.toolRan(args),
  },
];
const policy = new PermissionPolicy([{ effect: 'ask' }]);

/** A loop holds one conversation's history, so each run has its own. */
function newLoop({ gated = true } = {}) {
  witness = new Witness({ gated });
  turn = 0;
  return new AgentLoop({
    client,
    tools: /** @type {any} */ (tools),
    ...(gated && {
      policy,
      approve: async (/** @type {{ toolName: string, arguments: unknown }} */ request) => {
        witness.asked(request.toolName, request.arguments);
        return { decision: 'approve' };
      },
    }),
  });
}

/** @param {AgentLoop} loop */
async function stream(loop) {
  let text = '';
  for await (const event of loop.stream(question)) {
    if (event.type === 'step_start') text = '';
    else if (event.type === 'text') text += event.text;
  }
  witness.finished(text);
  loop.destroy();
}

export const run = () => stream(newLoop());

/** The same conversation without asking. */
export const runUngated = () => stream(newLoop({ gated: false }));

export async function runWithoutStreaming() {
  const loop = newLoop();
  const response = await loop.complete(question);
  witness.finished(response.text);
  loop.destroy();
}
