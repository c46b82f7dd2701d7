/** Calls every entry that uses the AI SDK, and prints what came of each before it returned: `null`, or the code of an error. */
import { acpApprover } from 'countersign/acp';
import * as agents from 'countersign/agent';
import * as countersign from 'countersign';
import { toldBy } from './told-by.mjs';

const model = { specificationVersion: 'v3', provider: 'none', modelId: 'none', doStream() {}, doGenerate() {} };
const ran = [];
const tools = { wipe: { inputSchema: { jsonSchema: { type: 'object' } }, execute: async () => ran.push('wipe') } };
const gate = countersign.createGate({ ledger: 'memory:' });
const subagent = { name: 'a', description: 'a', model };

const entries = {
  streamWithEvents: () => countersign.streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all' }),
  gateTools: () => countersign.gateTools(tools, { interruptOn: 'all', gate }),
  applyInterruptConfig: () => countersign.applyInterruptConfig(tools, 'all'),
  toolApproval: () => countersign.toolApproval({ interruptOn: 'all', gate }),
  verifyApprovals: () => countersign.verifyApprovals([], gate),
  createDeepAgent: () => agents.createDeepAgent({ model, interruptOn: 'all' }),
  createTaskTool: () => agents.createTaskTool({ subagents: [subagent] }),
  // What needs no AI SDK works beside any.
  acpApprover: () => acpApprover({ requestPermission: () => {} }, 's'),
  createGate: () => gate.pending(),
};

const told = await toldBy(entries);
await gate.close();
console.log(JSON.stringify({ told, ran }));
