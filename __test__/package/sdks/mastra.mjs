/** An agent of Mastra with gated tools, of the AI SDK and of its own: prints what was asked, what ran and what the model was told. */
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import * as ai from 'ai';
import { gateTools } from 'countersign';
import { z } from 'zod';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const call = (toolName, path) => ({
  type: 'tool-call',
  toolCallId: `${toolName} ${path}`,
  toolName,
  input: JSON.stringify({ path }),
});
const turns = [
  ['/a', '/b'].flatMap((path) => [call('own', path), call('theirs', path)]),
  [{ type: 'text', text: 'done' }],
];
const told = {};
const model = {
  specificationVersion: 'v3',
  provider: 'none',
  modelId: 'none',
  supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    for (const { content } of prompt.filter(({ role }) => role === 'tool'))
      for (const { toolCallId, output } of content) told[toolCallId] = output;
    const content = turns.shift() ?? [];
    const unified = content[0]?.type === 'tool-call' ? 'tool-calls' : 'stop';
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  },
};

const ran = [];
const asked = [];
const inputSchema = z.object({ path: z.string() });
const execute =
  (name) =>
  async ({ path }) => {
    ran.push(`${name} ${path}`);
    return `${name} ${path} done`;
  };
const tools = gateTools(
  {
    own: ai.tool({ description: 'of the AI SDK', inputSchema, execute: execute('own') }),
    theirs: createTool({ id: 'theirs', description: 'of Mastra', inputSchema, execute: execute('theirs') }),
  },
  {
    interruptOn: 'all',
    onApprovalRequest: ({ toolName, toolCallId, args }) => {
      asked.push(`${toolCallId}: ${toolName} ${args.path}`);
      return args.path === '/a' ? true : { type: 'reject', reason: 'keep it' };
    },
  },
);
const agent = new Agent({ id: 'a', name: 'a', instructions: 'x', model, tools });
const { text } = await agent.generate('go');
console.log(JSON.stringify({ asked: asked.toSorted(), ran: ran.toSorted(), told, text }));
