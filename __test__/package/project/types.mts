/** Compiled by `tsc --strict` against the installed package: what a user's editor would say. */
import { createGate, streamWithEvents, type ApprovalRequest } from 'countersign';
import { createDeepAgent } from 'countersign/agent';
import { tool, type LanguageModel } from 'ai';
import { z } from 'zod';

declare const model: LanguageModel;

const tools = {
  send: tool({ inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => `sent to ${to}` }),
  transfer: tool({ inputSchema: z.object({ amount: z.number() }), execute: async ({ amount }) => amount }),
};

const run = streamWithEvents({
  model,
  prompt: 'go',
  tools,
  interruptOn: { send: true, transfer: { shouldApprove: ({ amount }) => amount.toFixed() !== '0' } },
  onApprovalRequest: (request) => {
    if (request.toolName === 'transfer') {
      const amount: number = request.args.amount;
      // @ts-expect-error the arguments of another tool
      void request.args.to;
      return amount < 10;
    }
    return { type: 'edit', args: { to: request.args.to.toUpperCase() } };
  },
});

// @ts-expect-error no tool has this name
streamWithEvents({ model, prompt: 'go', tools, interruptOn: { nosuchtool: true } });

for await (const event of run) {
  if (event.type === 'approval-requested' && event.toolName === 'send') {
    const to: string = event.args.to;
    console.log(to);
  }
}

const { text } = await run.result;
const words: string[] = text.split(' ');
await using gate = createGate({ timeout: 1_000 });
const pending: ApprovalRequest[] = await gate.pending();
console.log(words, pending);

const agent = createDeepAgent({ model, tools, interruptOn: { send: true, write_file: true } });
// @ts-expect-error no tool has this name
createDeepAgent({ model, tools, interruptOn: { nosuchtool: true } });
for await (const event of agent.streamWithEvents({ prompt: 'go' })) {
  if (event.type === 'tool-call' && event.dynamic !== true && event.toolName === 'execute')
    console.log(event.args.command.trim());
  if (event.type === 'todos-changed') console.log(event.todos.map(({ content }) => content));
}
const answer: string = (await agent.generate({ prompt: 'go', onApprovalRequest: () => true })).text;
console.log(answer);
