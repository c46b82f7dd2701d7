// @ts-check
/**
 * Money. A human changes the amount, answers in the bank's place, or lets the time pass: what is paid is what they approved,
 * and a payment that nobody approved in time is not made.
 *
 *     node examples/agents/payments.mjs
 */
import { tool } from 'ai';
import { createGate, safeText } from 'countersign';
import { createDeepAgent } from 'countersign/agent';
import { z } from 'zod';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';

/** The bank, which believes everything it is told. @type {Record<string, number>} */
const paid = {};

const inputSchema = z.object({ to: z.string(), euros: z.number().positive().max(10_000) });
/** @param {z.infer<typeof inputSchema>} args */
const execute = async ({ to, euros }) => {
  paid[to] = (paid[to] ?? 0) + euros;
  return `paid ${euros} EUR to ${to}`;
};
const tools = {
  pay: tool({ description: 'Pays an invoice', inputSchema, execute }),
  pay_abroad: tool({ description: 'Pays an invoice from abroad', inputSchema, execute }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [
    { tool: 'pay', args: { to: 'Ada', euros: 20 } },
    { tool: 'pay', args: { to: 'Grace', euros: 900 } },
    { tool: 'pay', args: { to: 'Linus', euros: 120 } },
    { tool: 'pay_abroad', args: { to: 'Mallory', euros: 5_000 } },
  ],
  'I did what I could.',
);

const gate = createGate();
const agent = createDeepAgent({
  model,
  tools,
  builtinTools: [],
  gate,
  interruptOn: {
    pay: {
      // Small amounts need no approval.
      shouldApprove: ({ euros }) => euros > 50,
      description: ({ args: { to, euros } }) => `${euros} EUR would go to ${to}.`,
      allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
      timeout: 60_000, // ms: who has not decided by then has said no
    },
    pay_abroad: { timeout: 50 }, // An example cannot take a day.
  },
});

const run = agent.streamWithEvents({
  prompt: 'Pay the invoices.',
  async onApprovalRequest(request, options) {
    // `toolName` narrows `args`. Nobody ever looks at what comes from abroad.
    if (request.toolName !== 'pay') return await new Promise(() => {});
    const { to, euros } = request.args;
    // This one was paid by hand: the tool does not run, and the model gets this as its result.
    if (to === 'Linus') return { type: 'respond', output: 'paid in cash last week' };
    const decision = await askOnTerminal(request, options);
    if (decision.type !== 'approve') return decision;
    // A tenth is held back. The new arguments pass the tool's schema and the policies too, and the model is told.
    return { type: 'edit', args: { to, euros: euros * 0.9 } };
  },
});

for await (const event of run) {
  if (event.type === 'approval-requested') console.log(`asked: ${event.description}`);
  else if (event.type === 'approval-response')
    console.log(`${event.toolCallId}: ${event.decision.type} by ${event.decidedBy}`);
  else if (event.type === 'tool-result') console.log(`the model gets: ${safeText(String(event.result))}`);
  else if (event.type === 'tool-denied') console.log(`did not pay: ${safeText(event.reason ?? '')}`);
}
console.log('Really paid:', JSON.stringify(paid));
await gate.close();
