/** What the snippets of the documentation leave out; typed in `globals.d.ts`. */
import { tool } from 'ai';
import { z } from 'zod';
import { scriptedModel } from '../../examples/model.mjs';

const inputSchema = z.object({ path: z.string() });

globalThis.model = scriptedModel(
  [{ tool: 'delete_file', args: { path: 'notes.txt' } }],
  (results) => `The tool said: ${results.join(', ')}`,
);
globalThis.tidyingModel = scriptedModel(
  ['a.txt', 'b.txt', 'c.txt'].map((path) => ({ tool: 'delete_file', args: { path } })),
  (results) => `The tools said: ${results.join(', ')}`,
);
globalThis.payingModel = scriptedModel(
  [{ tool: 'pay', args: { euros: 900, to: 'ACME' } }],
  (results) => `The tool said: ${results.join(', ')}`,
);
globalThis.writingModel = scriptedModel(
  [{ tool: 'write_file', args: { file_path: 'hello.txt', content: 'Hello!\n' } }],
  (results) => `The tool said: ${results.join(', ')}`,
);
globalThis.delegatingModel = scriptedModel(
  [{ tool: 'task', args: { subagent_type: 'cleaner', description: 'Delete notes.txt' } }],
  (results) => `The cleaner said: ${results.join(', ')}`,
);
globalThis.askingModel = scriptedModel(
  [
    {
      tool: 'ask_user',
      args: {
        questions: [
          {
            kind: 'multiple_choice',
            question: 'Which database?',
            options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }],
          },
          { kind: 'text', question: 'Anything else?', required: false },
        ],
      },
    },
  ],
  (results) => results.join('\n'),
);
globalThis.tools = {
  read_file: tool({ inputSchema, execute: async ({ path }) => `the text of ${path}` }),
  delete_file: tool({ inputSchema, execute: async ({ path }) => `deleted ${path}` }),
};
globalThis.askTheHuman = async () => ({ type: 'approve' });

// A model that is given by its name.
globalThis.AI_SDK_DEFAULT_PROVIDER = { languageModel: () => globalThis.model };
