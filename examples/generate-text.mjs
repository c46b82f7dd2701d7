// @ts-check
/**
 * `generateText` has a loop of its own. `gateTools` wraps the tools instead: each gated call waits inside `execute`.
 *
 *     node examples/generate-text.mjs
 */
import { generateText, stepCountIs, tool } from 'ai';
import { gateTools, isExecutionDenied } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

const tools = {
  get_balance: tool({
    description: 'Says how much is in an account',
    inputSchema: z.object({ account: z.string() }),
    execute: async ({ account }) => `${account} holds 120 EUR`,
  }),
  transfer: tool({
    description: 'Transfers money',
    inputSchema: z.object({ to: z.string(), euros: z.number() }),
    execute: async ({ to, euros }) => `transferred ${euros} EUR to ${to}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [
    { tool: 'get_balance', args: { account: 'savings' } },
    { tool: 'transfer', args: { to: 'Ada', euros: 20 } },
    { tool: 'transfer', args: { to: 'Mallory', euros: 100 } },
  ],
  (results) => `The calls came to: ${results.join('; ')}.`,
);

const { text, steps } = await generateText({
  model,
  tools: gateTools(tools, {
    interruptOn: {
      // Small amounts need no approval.
      transfer: { shouldApprove: ({ euros }) => euros > 50 },
    },
    onApprovalRequest: askOnTerminal,
  }),
  prompt: 'Pay my debts.',
  stopWhen: stepCountIs(5),
});

for (const { toolName, output } of steps.flatMap(({ toolResults }) => toolResults)) {
  // A call that may not run has this as its result. The model was told it as `execution-denied`.
  if (isExecutionDenied(output)) console.log(`did not run ${toolName} (${output.decision}): ${output.reason}`);
  else console.log(`ran ${toolName}: ${output}`);
}
console.log(text);
