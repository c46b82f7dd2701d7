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
  mkdirSync(join(folder, 'conf'));
  writeFileSync(join(folder, 'conf/a.js'), 'const a = 2;\n');
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
  'cp -rT conf src',
  'cp -r conf/. src',
  'cp -r conf/ src',
  'cp -r src/. .',
  'rsync -a conf/ src/',
  'find src -type f -exec tee {} +',
  "find src -name 'a.js' -exec tee {} \\;",
  'find . -name README.md -exec tee {} +',
  'find src -type f -exec sed -i s/a/b/ {} +',
  'find src -type f -print0 | xargs -0 tee',
  'find src -type f -print0 | xargs -0 sed -i s/a/b/',
  'git checkout README.md',
  'git checkout HEAD README.md',
  'git checkout HEAD src',
  'git checkout --ours README.md',
  'git switch -f x',
  'git switch --discard-changes x',
  'git switch -C main',
  'git checkout -B main',
  'git mv -f src/a.js README.md',
  'cp x /dev/sda',
  'echo x > /dev/sda',
  'mv README.md /dev/null',
  'echo x 1<> README.md',
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
  'npm test',
  'git checkout -b new',
  'git checkout main',
  'git checkout new.md',
  'git switch main',
  'git switch -c new',
  'cp -r conf new',
  'cp -r conf src',
  'cp -r conf/. new',
  'rsync -a conf/ new/',
  'rsync -a conf src',
  'find src -type f -exec cat {} +',
  'find src -type f -exec prettier --write {} +',
  'echo x > /dev/stderr',
  'echo x > /dev/tty',
  'cat README.md | tee /dev/stderr',
  'cat README.md | tee /dev/fd/2',
  'cat <> README.new',
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
