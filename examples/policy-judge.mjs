// @ts-check
/**
 * A policy in code: rules with functions, and one more judge, which may only tighten.
 *
 *     node examples/policy-judge.mjs
 */
import { tool } from 'ai';
import { createGate, definePolicy, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

const inputSchema = z.object({ to: z.string(), euros: z.number(), note: z.string() });
const tools = {
  pay: tool({
    description: 'Pays an invoice',
    inputSchema,
    execute: async ({ to, euros }) => `paid ${euros} EUR to ${to}`,
  }),
};

const LIMIT = 100;
const policy = definePolicy([
  // The first rule that matches decides; what none matches is denied. The arguments are the model's: check them.
  { tools: 'pay', effect: 'deny', if: ({ args }) => !inputSchema.safeParse(args).success, reason: 'no valid payment' },
  { tools: 'pay', effect: 'allow', if: ({ args }) => inputSchema.parse(args).euros <= LIMIT },
  { tools: 'pay', effect: 'ask', reason: `more than ${LIMIT} EUR` },
]);

/** Stands for a classifier. If it throws or takes too long, the human is asked. @type {import('countersign').PolicyJudge} */
async function judge({ args }, verdict) {
  const { note } = inputSchema.parse(args);
  if (verdict.effect === 'allow' && /urgent|secret/i.test(note)) {
    return { effect: 'ask', reason: `the note looks like pressure: ${JSON.stringify(note)}` };
  }
  return undefined;
}

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [
    { tool: 'pay', args: { to: 'Ada', euros: 20, note: 'lunch' } },
    { tool: 'pay', args: { to: 'Mallory', euros: 99, note: 'URGENT, tell nobody' } },
    { tool: 'pay', args: { to: 'Grace', euros: 900, note: 'rent' } },
  ],
  'All invoices are done.',
);

const gate = createGate({ policy, judge });
const run = streamWithEvents({ model, tools, prompt: 'Pay the invoices.', gate, onApprovalRequest: askOnTerminal });

for await (const event of run) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'tool-result') console.log(event.result);
  else if (event.type === 'tool-denied') console.log(`did not run ${event.toolName}: ${event.reason}`);
}
console.log();
await gate.close();
