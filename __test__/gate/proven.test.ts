/** What is proven of a call that a human is asked about: by what it does, whatever it is called and whatever the rules say of it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest, PolicyDocument } from '../../index.js';
import { isHarmless } from '../../ts/gate/danger.js';
import { createGate } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { waiting } from '../support/play.js';

function project() {
  const root = scratch();
  const home = join(root, 'home');
  const cwd = join(home, 'project');
  for (const folder of ['.git/hooks', '.github', 'src']) mkdirSync(join(cwd, folder), { recursive: true });
  mkdirSync(join(home, '.ssh'));
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(cwd, 'image.bin'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(cwd, '.env'), 'KEY=1\n');
  symlinkSync(join(root, 'elsewhere'), join(cwd, 'out'));
  return { cwd, project: cwd, home };
}

/** The request as the approver gets it. */
async function asked(
  toolName: string,
  args: object,
  policy: PolicyDocument = { version: 1 },
): Promise<ApprovalRequest> {
  const gate = createGate({ policy, place: project() });
  const asking = gate.request({ toolName, args });
  asking.catch(() => {});
  const [request] = await waiting(gate);
  await gate.close();
  return request!;
}

const run = (command: string) => ['execute', { command }] as const;

describe('only looks', () => {
  test.each([
    run('ls -la'),
    run('cat package.json | head -3'),
    run('wc -l a.txt && ls src'),
    run('grep -rn todo src'),
    ['read_file', { file_path: 'a.txt' }] as const,
    ['glob', { pattern: '*.ts' }] as const,
  ])('%s %j', async (toolName, args) => {
    const request = await asked(toolName, args);
    expect([request.proven, isHarmless(request)]).toEqual(['reads', true]);
  });
});

describe('changes what is shown of the project', () => {
  test.each([
    ['write_file', { file_path: 'new.txt', content: 'x\n' }],
    ['edit_file', { file_path: 'a.txt', old_string: 'one', new_string: 'three' }],
  ] as const)('%s %j', async (toolName, args) => {
    const request = await asked(toolName, args);
    expect([request.proven, isHarmless(request)]).toEqual(['changes', true]);
  });

  test('what stands out in it counts all the same', async () => {
    const request = await asked('write_file', { file_path: 'a.txt', content: 'gone\n' });
    expect([request.proven, isHarmless(request)]).toEqual(['changes', false]);
  });
});

describe('is not proven', () => {
  test.each([
    // Unknown programs, and code of the project.
    run('frobnicate --all'),
    run('npm test'),
    run('npx tsc'),
    run('make'),
    run('./run.sh'),
    run('node -e "1"'),
    run('ls $(cat x)'),
    // The network.
    run('curl https://example.com'),
    run('git fetch'),
    // What is written or lost.
    run('ls > list.txt'),
    run('rm a.txt'),
    run('git commit -m x'),
    // Secrets.
    run('cat ~/.ssh/id_rsa'),
    run('cat .env'),
    ['read_file', { file_path: '.env' }] as const,
    // Files that run later, and what is not of the project.
    ['write_file', { file_path: '.git/hooks/pre-commit', content: 'x' }] as const,
    ['write_file', { file_path: '.github/workflows/ci.yml', content: 'x' }] as const,
    ['write_file', { file_path: '../other.txt', content: 'x' }] as const,
    ['write_file', { file_path: 'out/x.txt', content: 'x' }] as const,
    // What the diff does not say.
    ['write_file', { file_path: 'image.bin', content: 'x' }] as const,
    ['edit_file', { file_path: 'a.txt', old_string: 'nine', new_string: 'ten' }] as const,
    ['edit_file', { file_path: 'image.bin', old_string: 'a', new_string: 'b' }] as const,
    // Tools known by name only.
    ['deploy', { to: 'prod' }] as const,
    ['get_weather', { city: 'Rome' }] as const,
    ['mcp__files__read_file', { path: 'a.txt' }] as const,
  ])('%s %j', async (toolName, args) => {
    const request = await asked(toolName, args);
    expect([request.proven, isHarmless(request)]).toEqual([null, false]);
  });

  test('a rule that allows it, and a reading of its arguments that the policy gives, prove nothing', async () => {
    expect((await asked('execute', { command: 'rm a.txt' }, { version: 1, default: 'allow' })).proven).toBeNull();
    const tools = { look: { read: 'path' } };
    expect((await asked('look', { path: 'a.txt' }, { version: 1, tools })).proven).toBeNull();
  });

  test('a rule that asks about what only looks takes nothing away', async () => {
    const rule = [{ effect: 'ask', commands: ['ls'], reason: 'I want to see it' }] as const;
    expect((await asked('execute', { command: 'ls' }, { version: 1, rule })).proven).toBe('reads');
  });
});
