/** In which AsyncLocalStorage context the user's functions run. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { jsonSchema, tool } from 'ai';
import { createGate, gateTools, streamWithEvents } from 'countersign';
import { call, finish, say, says, scripted, sleep } from './lib.mjs';

const storage = new AsyncLocalStorage();
const seen = {};
const look = (name) => void (seen[name] ??= []).push(storage.getStore() ?? 'none');

const execute = async (_, { toolCallId }) => look(`execute ${toolCallId}`);
const tools = { del: tool({ inputSchema: jsonSchema({ type: 'object' }), execute }) };
const turn = [call('/a', 'asked'), call('/b', 'allowed'), finish('tool-calls')];
const options = () => ({
  model: scripted(turn, says('.')),
  tools,
  prompt: 'go',
  interruptOn: {
    del: {
      shouldApprove: async (_, { toolCallId }) => (look('shouldApprove'), await sleep(1), toolCallId === 'asked'),
      description: async () => (look('description'), await sleep(1), 'Deletes.'),
    },
  },
  onApprovalRequest: async () => (look('onApprovalRequest'), await sleep(1), true),
});
const read = async (run) => {
  for await (const _ of run);
};
const drain = async (stream) => {
  for (const reader = stream.getReader(); !(await reader.read()).done;);
};

const ways = {
  /** Made and read in one context. */
  events: () => storage.run('mine', () => read(streamWithEvents(options()))),
  /** Made in one, read in another. */
  'events, read elsewhere': () => {
    const run = storage.run('mine', () => streamWithEvents(options()));
    return storage.run('other', () => read(run));
  },
  'result, awaited elsewhere': () => storage.run('mine', () => streamWithEvents(options())).result,
  /** As a server does it: the handler makes the response, the server reads it. */
  response: () => {
    const response = storage.run('mine', () => streamWithEvents(options()).toUIMessageStreamResponse());
    return drain(response.body);
  },
  /** A request that is decided from somewhere else. */
  'decided at a gate': async () => {
    const gate = createGate();
    const { onApprovalRequest: _, ...rest } = options();
    const done = storage.run('mine', () => read(streamWithEvents({ ...rest, gate })));
    await storage.run('other', async () => {
      while ((await gate.pending()).length === 0) await sleep(1);
      for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    });
    await done;
  },
  /** A deadline, which nothing of JavaScript brings about. */
  'after a deadline': () =>
    storage.run('mine', async () => {
      await createGate().request({ toolName: 'x', args: {}, timeout: 20 });
      look('after request');
    }),
  gateTools: () =>
    storage.run('mine', async () => {
      const { interruptOn, onApprovalRequest } = options();
      const gated = gateTools(tools, { interruptOn, onApprovalRequest });
      await gated.del.execute({}, { toolCallId: 'asked', messages: [] });
    }),
};

for (const [name, way] of Object.entries(ways)) {
  for (const key of Object.keys(seen)) delete seen[key];
  await way();
  for (const [what, contexts] of Object.entries(seen)) say(`${name}: ${what}: ${[...new Set(contexts)].join()}`);
}
