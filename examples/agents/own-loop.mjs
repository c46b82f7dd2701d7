// @ts-check
/**
 * A deep agent as people write them: the AI SDK's own loop, a few tools, and a `task` tool that starts another agent.
 * This is `own-loop.before.mjs` with countersign: what either agent saves or deletes is asked about.
 *
 *     node examples/agents/own-loop.mjs
 */
import { stepCountIs, streamText, tool } from 'ai';
import { gateTools, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';

const notes = new Map([
  ['shopping', 'milk'],
  ['idea', 'a clock that runs backwards'],
  ['old', 'call Ada on Monday'],
]);

const noteTools = {
  list_notes: tool({
    description: 'Lists all notes',
    inputSchema: z.object({}),
    execute: async () => [...notes.keys()].join(', '),
  }),
  save_note: tool({
    description: 'Saves a note',
    inputSchema: z.object({ name: z.string(), text: z.string() }),
    execute: async ({ name, text }) => {
      notes.set(name, text);
      return `saved ${name}`;
    },
  }),
  delete_note: tool({
    description: 'Deletes a note',
    inputSchema: z.object({ name: z.string() }),
    execute: async ({ name }) => (notes.delete(name) ? `deleted ${name}` : `there is no ${name}`),
  }),
};

// Real ones: const mainModel = 'anthropic/claude-sonnet-4.5';
const mainModel = scriptedModel(
  [{ tool: 'list_notes', args: {} }],
  [
    { tool: 'save_note', args: { name: 'calls', text: 'Ada, on Monday' } },
    { tool: 'task', args: { description: 'Remove the notes that nobody needs.' } },
  ],
  (results) => `I was told: ${results.slice(1).join('; ')}.`,
);
const cleanerModel = scriptedModel(
  [
    { tool: 'delete_note', args: { name: 'old' } },
    { tool: 'delete_note', args: { name: 'idea' } },
  ],
  (results) => results.join(', '),
);

const task = tool({
  description: 'Starts an agent for a part of the work',
  inputSchema: z.object({ description: z.string() }),
  execute: async ({ description }, options) => {
    const result = streamText({
      model: cleanerModel,
      system: 'You tidy up.',
      prompt: description,
      tools: gateTools(noteTools, { parent: options }),
      stopWhen: stepCountIs(10),
      abortSignal: options.abortSignal,
    });
    return await result.text;
  },
});

const run = streamWithEvents({
  model: mainModel,
  system: 'You look after notes. Give parts of the work to other agents.',
  prompt: 'Tidy up my notes.',
  tools: { ...noteTools, task },
  stopWhen: stepCountIs(20),
  interruptOn: { save_note: true, delete_note: true },
  onApprovalRequest: askOnTerminal,
});

for await (const part of run) {
  switch (part.type) {
    case 'text':
      process.stdout.write(part.text);
      break;
    case 'tool-result':
      console.log(`ran ${part.toolName}: ${part.result}`);
      break;
    case 'tool-error':
      console.log(`failed ${part.toolName}: ${part.error}`);
      break;
    case 'error':
      throw part.error;
  }
}
console.log('\nnotes left:', [...notes.keys()].join(', '));
