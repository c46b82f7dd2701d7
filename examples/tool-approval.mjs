// @ts-check
/**
 * AI SDK 7 asks a `toolApproval` function before each call. This one asks a human, and the tools stay as they are.
 *
 *     node examples/tool-approval.mjs
 */
import { stepCountIs, streamText, tool } from 'ai';
import { toolApproval } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

const tools = {
  read_page: tool({
    description: 'Reads a web page',
    inputSchema: z.object({ url: z.string() }),
    execute: async ({ url }) => `the text of ${url}`,
  }),
  submit_form: tool({
    description: 'Submits a form',
    inputSchema: z.object({ url: z.string(), fields: z.record(z.string(), z.string()) }),
    execute: async ({ url }) => `submitted to ${url}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [
    { tool: 'read_page', args: { url: 'https://example.com' } },
    { tool: 'submit_form', args: { url: 'https://example.com/order', fields: { amount: '1000' } } },
  ],
  (results) => `I got: ${results.join('; ')}.`,
);

const result = streamText({
  model,
  tools,
  toolApproval: toolApproval({ interruptOn: { submit_form: true }, onApprovalRequest: askOnTerminal }),
  stopWhen: stepCountIs(5),
  prompt: 'Order it.',
});

for await (const part of result.stream) {
  if (part.type === 'text-delta') process.stdout.write(part.text);
  else if (part.type === 'tool-result') console.log('ran:', part.output);
  else if (part.type === 'tool-output-denied') console.log(`did not run ${part.toolName}`);
}
console.log();
