// @ts-check
/**
 * A deep agent with files in a folder and a policy in a file: some calls run, one is asked about with its diff, some never run.
 *
 *     node examples/agents/files.mjs
 */
import { join } from 'node:path';
import { createGate, loadPolicy, safeText } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';
import { scratchFolder, showFiles } from './folder.mjs';

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [
    { tool: 'write_todos', args: { todos: [{ content: 'Correct the README', status: 'in_progress' }] } },
    { tool: 'read_file', args: { file_path: 'README.md' } },
    { tool: 'read_file', args: { file_path: '.env' } },
  ],
  [
    // In notes/: allowed. The README: no rule, so the human is asked.
    { tool: 'write_file', args: { file_path: 'notes/typos.md', content: '- README: recieve\n' } },
    { tool: 'edit_file', args: { file_path: 'README.md', old_string: 'recieve', new_string: 'receive' } },
    { tool: 'execute', args: { command: 'git commit -am "Typo" && git push' } },
  ],
  [{ tool: 'write_todos', args: { todos: [{ content: 'Correct the README', status: 'completed' }] } }],
  (results) => `The README: ${results[4]}`,
);

const folder = scratchFolder({ 'README.md': 'You recieve mail.\n', '.env': 'KEY=secret\n' });

// The gate starts where the files are: what is judged and shown is what is written.
const gate = createGate({
  policy: await loadPolicy(join(import.meta.dirname, 'policy.toml')),
  place: { cwd: folder, project: folder },
});
const agent = createDeepAgent({ model, gate, backend: createLocalBackend({ root: folder }) });

const run = agent.streamWithEvents({
  prompt: 'Correct the typo in the README.',
  // The preview has the diff, and an approval holds only while the file stays as it was shown.
  onApprovalRequest: askOnTerminal,
});

for await (const event of run) {
  switch (event.type) {
    case 'todos-changed':
      for (const { status, content } of event.todos) console.log(`plan: ${status}: ${safeText(content)}`);
      break;
    case 'file-read':
      console.log(`read ${safeText(event.path)}: ${event.lines} lines`);
      break;
    case 'file-written':
      console.log(`wrote ${safeText(event.path)}: ${event.bytes} bytes`);
      break;
    case 'file-edited':
      console.log(`edited ${safeText(event.path)}, now ${event.sha256.slice(0, 8)}…`);
      break;
    case 'tool-denied':
      console.log(`did not run ${event.toolName}: ${safeText(event.reason ?? '')}`);
      break;
    case 'text-segment':
      console.log(safeText(event.text));
      break;
  }
}
showFiles(folder);
await gate.close();
