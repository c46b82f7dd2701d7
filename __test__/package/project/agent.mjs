/** The deep agent of `countersign/agent` on the files of a folder, on whichever AI SDK is installed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerError } from 'countersign';
import { BackendError, createDeepAgent, createLocalBackend } from 'countersign/agent';
import { modelOf, call, says } from './scenario.mjs';

const root = mkdtempSync(join(tmpdir(), 'countersign-agent-'));
try {
  const agent = createDeepAgent({
    model: modelOf([
      [call('write_file', { file_path: 'a.txt', content: 'hello\n' }), call('execute', { command: 'rm a.txt' })],
      says('done'),
    ]),
    backend: createLocalBackend({ root }),
    interruptOn: { write_file: true, execute: true },
  });
  const asked = [];
  const told = [];
  for await (const event of agent.streamWithEvents({
    prompt: 'go',
    onApprovalRequest: ({ toolName }) => toolName === 'write_file',
  })) {
    if (event.type === 'approval-requested') asked.push([event.toolName, event.changes.length]);
    if (event.type === 'file-written' || event.type === 'tool-denied') told.push(event.type);
  }
  const outside = await createLocalBackend({ root })
    .readFile('../x')
    .catch((error) => [BackendError.isInstance(error), LedgerError.isInstance(error), error.code]);
  console.log(
    JSON.stringify({
      asked: asked.toSorted(),
      told: told.toSorted(),
      file: readFileSync(join(root, 'a.txt'), 'utf8'),
      outside,
    }),
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
