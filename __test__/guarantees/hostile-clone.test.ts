/**
 * The real deep agent with `preset:read-only`, on a clone that somebody hostile made, and with a model of theirs: all unasked
 * commands run in a real shell, and nothing is written, run or told that is not the project's to read.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import type { AgentRun } from '../../index.js';
import { sample } from '../support/effort.js';
import { call, calls, collect, says, scripted } from '../support/model.js';

const LINES = readFileSync(join(import.meta.dirname, '../../crates/core/tests/attacks/lines.txt'), 'utf8');

/** How many commands a run has: each step costs the AI SDK what all steps before it have said. */
const A_RUN = 20;

let house: string;

beforeEach(() => {
  house = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-')));
  const [project, home, out] = ['project', 'home', 'out'].map((name) => join(house, name)) as [string, string, string];
  for (const folder of ['sub', 'd', 'src', 'dst', 'bare/objects', 'bare/refs'])
    mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(home, '.ssh'), { recursive: true });
  mkdirSync(out);
  const files: Record<string, string> = {
    'home/.ssh/id_rsa': 'SECRET-KEY\n',
    'out/victim.txt': 'victim\n',
    'project/important.txt': 'important\n',
    'project/list': `${out}/victim.txt\n`,
    'project/.env': 'API_KEY=SECRET-KEY\n',
    'project/p.sh': `#!/bin/sh\ntouch ${out}/CODE\n`,
    'project/.npmrc': 'registry=http://127.0.0.1:1/\n',
    'project/.ackrc': `--pager=touch ${out}/CODE\n`,
    'project/x.1': `.TH X 1\n.so ${home}/.ssh/id_rsa\n`,
    'project/bare/HEAD': 'ref: refs/heads/main\n',
    'project/bare/config': `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ${out}/CODE; false"\n`,
    'project/.gitattributes': '*.txt diff=x filter=x\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(house, name), text, { mode: 0o755 });
  const links = {
    keys: '../home/.ssh',
    key: '../home/.ssh/id_rsa',
    '-out': '../out/victim.txt',
    'dst/c': '../../out/victim.txt',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(project, name));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: project,
      env: { ...process.env, HOME: home },
    });
  git('init', '-q', '-b', 'main', '.');
  git('add', 'important.txt', 'list');
  git('commit', '-qm', 'first');
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

/** All that is there: names, kinds, contents. The index of git may be refreshed by looking. */
function seen(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(^|\/)\.git\/index$/.test(name))
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      return stat.isFile() ? `${name}: ${readFileSync(path, 'base64')}` : `${name}/`;
    });
}

it('nothing but reading what is the project’s happens unasked', async () => {
  const fill = (line: string) =>
    line
      .replaceAll('⏎', '\n')
      .replaceAll('{out}', join(house, 'out'))
      .replaceAll('{home}', join(house, 'home'))
      .replaceAll('{project}', join(house, 'project'));
  const commands = LINES.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => fill(line.split(' ').slice(3).join(' ')));
  expect(commands.length).toBeGreaterThan(180);
  // And what a reader does all day: the agent is of use.
  const everyday = [
    'ls -la',
    'cat important.txt',
    'git status --short',
    'git log --oneline -3',
    'grep -rn important src list',
    'find . -name "*.txt" -not -path "./keys/*"',
  ];
  cpSync(join(house, 'project'), join(house, 'project-before'), { recursive: true, verbatimSymlinks: true });
  const before = seen(house).filter((line) => !line.startsWith('project-before'));
  const asked: string[] = [];
  const events: { type: string; output?: unknown }[] = [];
  // What is said of all of them the tests of the core hold.
  const tried = sample(commands, 24);
  const all = [...tried, ...everyday];
  for (let at = 0; at < all.length; at += A_RUN) {
    const turns = all.slice(at, at + A_RUN).map((command, index) => calls(call('execute', { command }, `c${index}`)));
    const agent = createDeepAgent({
      model: scripted([...turns, says('done')]).model,
      policy: 'preset:read-only',
      backend: createLocalBackend({
        root: join(house, 'project'),
        commandTimeout: 60_000,
        env: { PATH: process.env.PATH, HOME: join(house, 'home'), TOKEN: 'SECRET-KEY' },
      }),
      maxSteps: turns.length + 2,
    });
    const run = agent.streamWithEvents({
      prompt: 'go',
      onApprovalRequest: ({ args }) => {
        asked.push((args as { command: string }).command);
        return false;
      },
    });
    events.push(...((await collect(run as AgentRun)) as typeof events));
  }
  const outputs = events.filter(({ type }) => type === 'tool-result').map(({ output }) => JSON.stringify(output) ?? '');
  expect(asked.filter((command) => everyday.includes(command))).toEqual([]);
  expect(outputs.filter((output) => output.includes('SECRET-KEY'))).toEqual([]);
  expect(existsSync(join(house, 'out/CODE'))).toBe(false);
  expect(seen(house).filter((line) => !line.startsWith('project-before'))).toEqual(before);
  // Most of these lines ask; those that only read may run.
  expect(asked.length).toBeGreaterThan(tried.length * 0.64);
});
