/** Tools of frameworks that do not run tools of the AI SDK: prints what each entry says of them, gated, and what ran. */
import { tool as toolOfLangChain } from '@langchain/core/tools';
import { tool as toolOfAgents } from '@openai/agents-core';
import { applyInterruptConfig, createGate, gateTools, streamWithEvents } from 'countersign';
import { z } from 'zod';

const ran = [];
const execute = async ({ path }) => ran.push(path);
const schema = z.object({ path: z.string() });
const tools = {
  langChain: { del: toolOfLangChain(execute, { name: 'del', description: 'd', schema }) },
  openAiAgents: { del: toolOfAgents({ name: 'del', description: 'd', parameters: schema, execute }) },
};
const entries = {
  gateTools: (tools) => gateTools(tools, { interruptOn: 'all', onApprovalRequest: () => false }),
  stop: (tools) => gateTools(tools, { interruptOn: 'all', gate: createGate({ ledger: 'memory:' }), mode: 'stop' }),
  policy: (tools) => gateTools(tools, { policy: 'preset:read-only', onApprovalRequest: () => false }),
  applyInterruptConfig: (tools) => applyInterruptConfig(tools, 'all'),
  streamWithEvents: (tools) => streamWithEvents({ model: {}, prompt: 'go', tools, interruptOn: { del: true } }),
};
const told = {};
for (const [framework, itsTools] of Object.entries(tools))
  for (const [entry, call] of Object.entries(entries)) {
    try {
      call(itsTools);
      told[`${framework} ${entry}`] = null;
    } catch (error) {
      told[`${framework} ${entry}`] = error.code;
    }
  }
console.log(JSON.stringify({ told, ran }));
