/** Calls every entry whose result goes into the loop of its caller, and prints what it said: `null`, or the code of an error. */
import * as agents from 'countersign/agent';
import * as countersign from 'countersign';
import { toldBy } from './told-by.mjs';

const model = { specificationVersion: 'v3', provider: 'none', modelId: 'none', doStream() {}, doGenerate() {} };
const tools = { wipe: { inputSchema: { jsonSchema: { type: 'object' } }, execute: async () => {} } };
const gate = countersign.createGate({ ledger: 'memory:' });
const agent = agents.createDeepAgent({ model, interruptOn: 'all' });
const rules = { interruptOn: 'all', gate };

const entries = {
  gateTools: () => countersign.gateTools(tools, rules),
  applyInterruptConfig: () => countersign.applyInterruptConfig(tools, 'all'),
  toolApproval: () => countersign.toolApproval(rules),
  verifyApprovals: () => countersign.verifyApprovals([], gate),
  createTaskTool: () => agents.createTaskTool({ subagents: [{ name: 'a', description: 'a', model }] }),
  agentTools: () => agent.tools,
  // The runtime stands between.
  gateToolsByMap: () => [tools].map((each) => Reflect.apply(countersign.gateTools, undefined, [each, rules])),
  gateToolsWithoutStacks: () => {
    Error.stackTraceLimit = 0;
    return countersign.gateTools(tools, rules);
  },
  // What tells it who has called it tells nothing: what the program was started with is looked at.
  gateToolsOutOfSight: () => {
    const { captureStackTrace } = Error;
    Error.captureStackTrace = () => {};
    try {
      return countersign.gateTools(tools, rules);
    } finally {
      Error.captureStackTrace = captureStackTrace;
    }
  },
};

const told = await toldBy(entries);
await gate.close();
console.log(JSON.stringify({ told }));
