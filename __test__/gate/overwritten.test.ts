/** What a command takes away of what is there stands out, whatever its program is called: as the policies have read it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dangersOf } from '../../ts/gate/danger.js';
import { checkPolicy } from '../../ts/index.js';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-overwritten-')));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'README.md'), 'old\n');
  writeFileSync(join(folder, 'src/a.js'), 'const a = 1;\n');
  writeFileSync(join(folder, 'empty'), '');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const dangersIn = async (command: string) => {
  const call = { toolName: 'execute', args: { command } };
  const verdict = await checkPolicy('preset:read-only', call, { cwd: folder });
  return dangersOf({ ...call, verdict, changes: [] });
};

test.each([
  'echo x > README.md',
  'echo x >| README.md',
  'echo x | tee README.md',
  'mv README.md src/a.js',
  'cp README.md src/a.js',
  'cp -r README.md src/a.js',
  'sed -i s/a/b/ README.md',
  'dd if=/dev/zero of=README.md',
  'truncate -s 0 README.md',
  'sort -o README.md README.md',
  'curl -o README.md https://a.example',
  'cd src && echo x > a.js',
  'F=README.md; echo x > $F',
  // It cannot be told which one that is.
  'echo x > "$OUT"',
])('%s writes over what is there', async (command) => {
  expect(await dangersIn(command)).toContain('overwrites');
});

test.each([
  'echo x > new.md',
  'echo x > empty',
  'echo x > /dev/null',
  'echo x > new.md; echo y > new.md',
  'echo x >> README.md',
  'echo x | tee -a README.md',
  'mv README.md new.md',
  'mv README.md src',
  'git mv README.md new.md',
  'cp README.md new.md',
  'touch README.md',
  'mkdir -p src',
  'prettier --write README.md',
  'prettier --write .',
  'cat README.md 2>&1',
])('%s does not', async (command) => {
  expect(await dangersIn(command)).toEqual([]);
});

test('what deletes does so by its name, or by what the policies have read of it', async () => {
  expect(await dangersIn('rm README.md')).toEqual(['deletes']);
  const actions = [{ kind: 'write', path: 'a', text: 'a', loss: 'deleted', effect: 'ask', rule: null }];
  const verdict = { effect: 'ask', rule: null, reason: '', actions };
  expect(dangersOf({ toolName: 'any', args: {}, verdict: verdict as never, changes: [] })).toEqual(['deletes']);
});

test.each([
  './deploy.sh staging',
  'bash deploy.sh',
  'npm run deploy',
  'npm run deploy:staging',
  'pnpm release',
  'make publish',
  'node scripts/release.mjs',
])('%s gives something out, as far as its name says', async (command) => {
  expect(await dangersIn(command)).toEqual(['publishes']);
});

test.each(['cat deploy.sh', 'ls scripts/release.mjs', 'npm run build', 'grep -rn deploy .'])(
  '%s does not',
  async (command) => {
    expect(await dangersIn(command)).not.toContain('publishes');
  },
);
