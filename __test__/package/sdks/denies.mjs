/** With a human who says no, on the AI SDK that is installed: prints what ran, and what was asked about. */
import * as ai from 'ai';
import * as aiTest from 'ai/test';
import { applyInterruptConfig, createGate, gateTools, streamWithEvents, toolApproval } from 'countersign';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const call = { type: 'tool-call', toolName: 'wipe', toolCallId: 'c1', input: '{}' };
const text = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'done' },
  { type: 'text-end', id: '1' },
];
const turn = (parts, unified) => [...parts, { type: 'finish', finishReason: { unified, raw: unified }, usage }];

/** A model that calls `wipe`, and then says that it is done. */
function modelOf() {
  const turns = [turn([call], 'tool-calls'), turn(text, 'stop')];
  const Mock = aiTest.MockLanguageModelV4 ?? aiTest.MockLanguageModelV3;
  const next = () => turns.shift();
  return new Mock({
    doStream: async () => ({
      stream: aiTest.simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...next()] }),
    }),
    doGenerate: async () => {
      const parts = next();
      const content = parts.flatMap((part) =>
        part.type === 'tool-call' ? [part] : part.type === 'text-delta' ? [{ type: 'text', text: part.delta }] : [],
      );
      return { content, finishReason: parts.at(-1).finishReason, usage, warnings: [] };
    },
  });
}

const asked = [];
const onApprovalRequest = ({ toolName }) => {
  asked.push(toolName);
  return false;
};

const ways = {
  streamWithEvents: async (tools) => {
    const run = streamWithEvents({ model: modelOf(), tools, prompt: 'go', interruptOn: 'all', onApprovalRequest });
    return (await run.result).text;
  },
  agent: async (tools) => {
    const agent = new ai.ToolLoopAgent({ model: modelOf(), tools });
    const run = streamWithEvents({ agent, prompt: 'go', interruptOn: 'all', onApprovalRequest });
    return (await run.result).text;
  },
  gateTools: (tools) => generate(gateTools(tools, { interruptOn: 'all', onApprovalRequest })),
  stop: (tools) =>
    generate(gateTools(tools, { interruptOn: 'all', gate: createGate({ ledger: 'memory:' }), mode: 'stop' })),
  applyInterruptConfig: (tools) => generate(applyInterruptConfig(tools, 'all')),
  toolApproval: (tools) => generate(tools, { toolApproval: toolApproval({ interruptOn: 'all', onApprovalRequest }) }),
};

async function generate(tools, more = {}) {
  const options = { model: modelOf(), tools, prompt: 'go', stopWhen: ai.stepCountIs(3), ...more };
  return (await ai.generateText(options)).text;
}

const told = {};
for (const [name, way] of Object.entries(ways)) {
  const ran = [];
  asked.length = 0;
  const execute = async () => {
    ran.push('wipe');
    return 'wiped';
  };
  const tools = { wipe: ai.tool({ inputSchema: ai.jsonSchema({ type: 'object', properties: {} }), execute }) };
  try {
    told[name] = { ran, said: await way(tools), asked: [...asked] };
  } catch (error) {
    told[name] = { ran, failed: error.code ?? String(error), asked: [...asked] };
  }
}
console.log(JSON.stringify(told));
