// @ts-check
/**
 * A `ToolLoopAgent` as it is. `streamWithEvents` runs it through any number of approval stops; the human can also change the
 * arguments, answer in the tool's place, or end the turn.
 *
 *     node examples/agent.mjs
 */
import { ToolLoopAgent, tool } from 'ai';
import { streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'deploy', args: { branch: 'main', environment: 'production' } }],
  [{ tool: 'post_message', args: { channel: 'general', text: 'We are live.' } }],
  (results) => `I got: ${results.join('; ')}.`,
);

const agent = new ToolLoopAgent({
  model,
  instructions: 'You release software.',
  tools: {
    deploy: tool({
      description: 'Deploys a branch',
      inputSchema: z.object({ branch: z.string(), environment: z.enum(['staging', 'production']) }),
      execute: async ({ branch, environment }) => `deployed ${branch} to ${environment}`,
    }),
    post_message: tool({
      description: 'Posts a message',
      inputSchema: z.object({ channel: z.string(), text: z.string() }),
      execute: async ({ channel }) => `posted to ${channel}`,
    }),
  },
});

const run = streamWithEvents({
  agent,
  prompt: 'Release it.',
  interruptOn: {
    deploy: { description: 'A deployment cannot be undone.' },
    post_message: { allowedDecisions: ['approve', 'reject'] },
  },
  async onApprovalRequest(request, options) {
    const decision = await askOnTerminal(request, options);
    // `toolName` narrows `args`. An approved production deployment goes to staging first.
    if (request.toolName === 'deploy' && decision.type === 'approve' && request.args.environment === 'production') {
      return { type: 'edit', args: { ...request.args, environment: 'staging' } };
    }
    return decision;
  },
});

for await (const event of run) {
  switch (event.type) {
    case 'step-start':
      console.log(`--- step ${event.stepNumber}`);
      break;
    case 'text':
      process.stdout.write(event.text);
      break;
    case 'approval-response':
      console.log(`${event.toolName}: ${event.decision.type}`);
      break;
    case 'tool-result':
      console.log('ran:', event.result);
      break;
    case 'tool-denied':
      console.log(`did not run ${event.toolName}: ${event.reason}`);
      break;
    case 'done':
      console.log(`\n${event.steps.length} steps, ${event.usage.totalTokens} tokens`);
      break;
  }
}
