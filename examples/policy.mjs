// @ts-check
/**
 * A policy decides what runs, what is asked about and what does not run. What a human always allows is not asked again.
 *
 *     node examples/policy.mjs
 */
import { tool } from 'ai';
import { createGate, parsePolicy, preview, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

const policy = parsePolicy(
  `
  version = 1

  [[rule]]
  effect   = "allow"
  commands = ["git status", "git log", "npm test"]
  reason   = "everyday work"

  [[rule]]
  effect   = "deny"
  commands = ["git push"]
  reads    = ["~/.ssh/**"]
  reason   = "never from an agent"
  examples = { match = ["git push --force", "npm test; git push"], not_match = ["git status"] }
  `,
  { name: 'policy.toml' },
);

const tools = {
  execute: tool({
    description: 'Runs a command line',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => `ran ${command}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'execute', args: { command: 'git status && npm test' } }],
  [{ tool: 'execute', args: { command: 'make build' } }],
  // The same words: a human who always allowed them is not asked again.
  [{ tool: 'execute', args: { command: "make 'build'" } }],
  [{ tool: 'execute', args: { command: 'make build && cat ~/.ssh/id_rsa' } }],
  'That is all.',
);

const gate = createGate({ policy });
const run = streamWithEvents({
  model,
  tools,
  prompt: 'Build it.',
  gate,
  onApprovalRequest: async (request, options) => {
    // Its preview says which part of the command asks, and why.
    const decision = await askOnTerminal(request, options);
    const { allow } = request.always;
    if (decision.type !== 'approve' || allow === null) return decision;
    // A real program would ask for this as well: y, n, or always.
    console.log(`from now on: ${allow.label}`);
    return { ...decision, remember: 'session' };
  },
});

for await (const event of run) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'tool-result') console.log(event.result);
  else if (event.type === 'tool-denied') {
    // What the model wrote stands in the arguments and in the reason: make it safe before it is printed.
    const args = { ...Object(event.args), reason: event.reason };
    console.log(preview({ toolName: 'did not run', args }).text);
  }
}

console.log('\nremembered:', (await gate.grants.list()).map(({ label }) => label).join(', ') || 'nothing');
await gate.close();
