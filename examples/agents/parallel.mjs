// @ts-check
/**
 * Five calls of one step, asked about at the same time and answered by five people, the last one first. Each call gets the
 * decision that was made about it, and no other.
 *
 *     node examples/agents/parallel.mjs
 */
import { tool } from 'ai';
import { createGate, safeText } from 'countersign';
import { createDeepAgent } from 'countersign/agent';
import { z } from 'zod';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';

/** @import { ApprovalRequest, Decision } from 'countersign' */

const inputSchema = z.object({ service: z.string(), graceful: z.boolean() });

/** What really happened, whatever anybody says. @type {string[]} */
const restarted = [];

const tools = {
  restart: tool({
    description: 'Restarts a service',
    inputSchema,
    execute: async ({ service, graceful }) => {
      restarted.push(service);
      return `restarted ${service}${graceful ? ' and nobody was thrown out' : ''}`;
    },
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  ['billing', 'search', 'mail', 'login', 'web'].map((service) => ({
    tool: 'restart',
    args: { service, graceful: false },
  })),
  (results) => results.map((result) => `- ${result.split('\n')[0]}`).join('\n'),
);

/** Who decides about a service, and what they say. About the others, you do. @type {Record<string, [who: string, says: Decision]>} */
const owners = {
  billing: ['ada', { type: 'approve' }],
  search: ['grace', { type: 'edit', args: { service: 'search', graceful: true } }],
  mail: ['linus', { type: 'reject', reason: 'people are writing mails' }],
  login: ['margaret', { type: 'respond', output: 'it was restarted an hour ago' }],
};

const gate = createGate({ timeout: 60_000 }); // ms, for each of them
const agent = createDeepAgent({ model, tools, builtinTools: [], interruptOn: { restart: true }, gate });

/** @param {ApprovalRequest} request */
async function decide(request) {
  const [by, says] = owners[inputSchema.parse(request.args).service] ?? ['you', await askOnTerminal(request)];
  await gate.decide(request.approvalId, says, { by });
}

const run = agent.streamWithEvents({ prompt: 'Restart everything.' });
/** @type {ApprovalRequest[]} */
const waiting = [];
for await (const event of run) {
  if (event.type === 'approval-requested') {
    waiting.push(event);
    if (waiting.length < 5) continue;
    console.log(`${(await gate.pending()).length} calls wait`);
    for (const request of waiting.toReversed()) await decide(request);
  } else if (event.type === 'approval-response') {
    console.log(`${event.toolCallId}: ${event.decision.type} by ${event.decidedBy}`);
  } else if (event.type === 'text-segment') {
    console.log(`The model was told:\n${safeText(event.text)}`);
  }
}
console.log('Really restarted:', restarted.toSorted().join(', ') || 'nothing');
await gate.close();
