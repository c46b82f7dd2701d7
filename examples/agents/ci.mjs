// @ts-check
/**
 * An agent in CI, where there is nobody to ask: what the policy allows runs, and every ask is a denial. At the end the audit says
 * what it did and what it was kept from, and is checked.
 *
 *     node examples/agents/ci.mjs
 */
import { join } from 'node:path';
import { createGate, parsePolicy, safeText } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';
import { scriptedModel } from '../model.mjs';
import { scratchFolder, showFiles } from './folder.mjs';

const policy = parsePolicy(
  `
  version = 1
  forbid  = ["auto"]

  [[rule]]
  effect   = "allow"
  reads    = ["\${project}/**"]
  writes   = ["\${project}/src/**"]
  commands = ["node --test"]

  [[rule]]
  effect   = "deny"
  commands = ["npm publish", "git push"]
  reason   = "releases are made by people"
  `,
  { name: 'ci.toml' },
);

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'edit_file', args: { file_path: 'src/sum.js', old_string: 'a - b', new_string: 'a + b' } }],
  [{ tool: 'execute', args: { command: 'node --test' } }],
  // No rule speaks of this file. On a terminal a human would be asked.
  [{ tool: 'write_file', args: { file_path: 'package.json', content: '{}' } }],
  [{ tool: 'execute', args: { command: 'node --test && npm publish' } }],
  (results) => `The tests ${/# fail 0/.test(results[1] ?? '') ? 'pass' : 'fail'}. I could not release it.`,
);

const folder = scratchFolder({
  'repo/package.json': '{"type":"module"}',
  'repo/src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'repo/src/sum.test.js':
    "import test from 'node:test';\nimport { sum } from './sum.js';\n" +
    "test('sum', (t) => t.assert.equal(sum(1, 2), 3));\n",
});
const root = join(folder, 'repo');

// The audit outlives the build: keep the file, or publish a signed head of it.
const gate = createGate({
  ledger: `sqlite:${join(folder, 'audit.db')}`,
  mode: 'deny-all-asks',
  policy,
  place: { cwd: root, project: root },
});
const agent = createDeepAgent({ model, gate, backend: createLocalBackend({ root }) });
const { text, runId } = await agent.generate({ prompt: 'Correct the sum, and release it.' });
console.log(safeText(text));

for await (const { seq, kind, toolName, effect, decision, by, reason } of gate.audit.list({ runId })) {
  const what = [kind, toolName, effect ?? decision, by && `by ${by}`, reason && `(${reason})`];
  console.log(`${seq}. ${safeText(what.filter(Boolean).join(' '))}`);
}
const { ok, entries } = await gate.audit.verify();
console.log(ok ? `All ${entries} entries are as they were written.` : 'The audit was changed.');
if (!ok) process.exitCode = 1;
showFiles(root);
await gate.close();
