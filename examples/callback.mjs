// @ts-check
/**
 * A callback asks the human. The run waits for the answer, and everything comes out of one iterator.
 *
 *     node examples/callback.mjs
 */
import { tool } from 'ai';
import { streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

const files = new Map([
  ['notes.txt', 'remember the milk'],
  ['draft.txt', 'once upon a time'],
]);

const tools = {
  list_files: tool({
    description: 'Lists all files',
    inputSchema: z.object({}),
    execute: async () => [...files.keys()],
  }),
  delete_file: tool({
    description: 'Deletes a file',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => (files.delete(path) ? `deleted ${path}` : `there is no ${path}`),
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'list_files', args: {} }],
  [{ tool: 'delete_file', args: { path: 'draft.txt' } }],
  (results) => `The last call: ${results.at(-1)}.`,
);

const run = streamWithEvents({
  model,
  tools,
  prompt: 'Delete the draft.',
  // Only this tool is asked about. `list_files` runs at once.
  interruptOn: { delete_file: true },
  onApprovalRequest: askOnTerminal,
});

for await (const event of run) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'approval-response') console.log(`${event.toolName}: ${event.decision.type}`);
  else if (event.type === 'tool-result') console.log(`ran ${event.toolName}:`, event.result);
  else if (event.type === 'tool-denied') console.log(`did not run ${event.toolName}: ${event.reason}`);
}

console.log('\nfiles left:', [...files.keys()].join(', '));
