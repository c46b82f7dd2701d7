/**
 * A Bun script that asks before it does something, with types from the tools to the answer. Ctrl+C cancels what waits, and
 * nothing runs any more.
 *
 *     bun examples/bun-script.ts
 */
import { tool } from 'ai';
import { createGate, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

const tools = {
  rename_branch: tool({
    description: 'Renames a branch',
    inputSchema: z.object({ from: z.string(), to: z.string() }),
    execute: async ({ from, to }) => `renamed ${from} to ${to}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'rename_branch', args: { from: 'master', to: 'main' } }],
  (results) => `The branch: ${results.join('; ')}.`,
);

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('Ctrl+C')));

// A gate beside the callback keeps a record of what was asked and decided, for as long as the process lives.
await using gate = createGate();

const run = streamWithEvents({
  model,
  tools,
  prompt: 'Rename the branch.',
  interruptOn: { rename_branch: { description: 'Others may have this branch checked out.' } },
  gate,
  onApprovalRequest: (request, options) => {
    console.log(request.description, `It becomes ${request.args.to}.`); // `args` has the type of the tool's input
    return askOnTerminal(request, options);
  },
  abortSignal: interrupted.signal,
});

let approvalId = '';
for await (const event of run) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'approval-requested') approvalId = event.approvalId;
  else if (event.type === 'tool-result') console.log('ran:', event.result);
  else if (event.type === 'tool-denied') console.log(`did not run ${event.toolName}`);
  else if (event.type === 'abort') {
    console.log('\naborted: nothing ran');
    process.exitCode = 130;
  }
}

const record = await gate.get(approvalId);
console.log(`\nthe record says: ${record?.status} by ${record?.decidedBy}`);
