/** What a confined command makes where a policy denies to write: nothing, whichever way it takes. */
import { execSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import type { ConfineSettings, PolicyInput } from '../../index.js';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { confinementReport, createGate } from '../../ts/index.js';
import { executed } from '../support/confined-agent.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, scripted } from '../support/model.js';
import { ownPlace } from '../support/own-place.js';
import { listenToWarnings } from '../support/warnings.js';

const report = confinementReport();

const base = ownPlace('confine-made');
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(base, 'x-'))), 'project');
  for (const folder of ['locked/sub', 'locked/ok', 'src']) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['own', 'locked/old', 'y.lock']) writeFileSync(join(root, name), 'x');
});

type ScriptOptions = Omit<Partial<DeepAgentOptions>, 'confine'> & { confine?: ConfineSettings };

/** Runs a script that this policy allows, or a human. */
async function runScript(
  script: string,
  writes: string[],
  { confine, ...options }: ScriptOptions = {},
): Promise<string> {
  writeFileSync(join(root, 'x.sh'), `${script}\necho rea''ched`);
  const policy: PolicyInput = {
    version: 1,
    rule: [
      { effect: 'allow', commands: ['sh x.sh'] },
      { effect: 'deny', writes },
    ],
  };
  const own = { backend: createLocalBackend({ root }), policy, ...options, confine: { always: true, ...confine } };
  return executed([{ command: 'sh x.sh' }], own as Omit<DeepAgentOptions, 'model'>, () => true);
}

/** Each way to make something in a folder. */
const makeIn = (folder: string): string =>
  [
    `touch ${folder}/file`,
    `mkdir ${folder}/folder`,
    `ln -s ../own ${folder}/link`,
    `ln own ${folder}/hard`,
    `cp own o && mv o ${folder}/moved`,
    `mkdir d && mv d ${folder}/moved-folder`,
    `cd ${folder} && touch from-inside; cd "$OLDPWD"`,
    `ln -s ${folder} by-link; touch by-link/file-by-link`,
    'rm -rf by-link o d',
  ].join('\n');

const list = (folder: string): string[] => readdirSync(join(root, folder)).toSorted();

describe.runIf(report.namespaces)('where a policy denies to write', () => {
  test.each([[['locked/**']], [['locked/**', '!locked/ok/**']], [['**', '!src/**', '!locked/ok/**']]])(
    'under %j a script makes nothing in a locked folder',
    async (writes) => {
      const said = await runScript(`${makeIn('locked')}\n${makeIn('locked/sub')}`, writes);
      expect(said).toContain('reached');
      expect(list('locked')).toEqual(['ok', 'old', 'sub']);
      expect(list('locked/sub')).toEqual([]);
    },
  );

  test('a folder that a rule leaves out stays open, and what is locked in it is not', async () => {
    mkdirSync(join(root, 'locked/ok/shut'));
    const writes = ['**', '!src/**', '!locked/ok/**', 'locked/ok/shut/**'];
    const said = await runScript(
      'touch src/a locked/ok/a locked/ok/shut/a locked/b top; echo x > own; mv locked/ok locked/ko; rm -rf locked/ok/shut',
      writes,
    );
    expect(said).toContain('reached');
    expect([list('src'), list('locked/ok'), list('locked/ok/shut')]).toEqual([['a'], ['a', 'shut'], []]);
    expect([list('locked'), existsSync(join(root, 'top'))]).toEqual([['ok', 'old', 'sub'], false]);
  });

  test('what a rule leaves out of a package stays open', async () => {
    for (const folder of ['ok/shut', 'other']) mkdirSync(join(root, 'node_modules/p', folder), { recursive: true });
    const said = await runScript(
      'touch node_modules/p/ok/a node_modules/p/ok/shut/a node_modules/p/a node_modules/p/other/a',
      ['node_modules/p/**', '!node_modules/p/ok/**', 'node_modules/p/ok/shut/**'],
    );
    expect(said).toContain('reached');
    expect([list('node_modules/p'), list('node_modules/p/ok')]).toEqual([
      ['ok', 'other'],
      ['a', 'shut'],
    ]);
    expect([list('node_modules/p/ok/shut'), list('node_modules/p/other')]).toEqual([[], []]);
  });

  test('a ledger in the project is out of reach by each of its names', async () => {
    mkdirSync(join(root, 's/l-owners'), { recursive: true });
    for (const name of ['s/l', 's/l-lock']) writeFileSync(join(root, name), 'as before');
    linkSync(join(root, 's/l'), join(root, 'src/hard'));
    const said = await runScript('cat src/hard; echo x >> src/hard; mv src/hard src/soft', ['locked/**']);
    expect(said).toContain('reached');
    expect(said).not.toContain('as before');
    expect([readFileSync(join(root, 's/l'), 'utf8'), list('src')]).toEqual(['as before', ['hard']]);
  });

  test.each<[string, ScriptOptions]>([
    ['the program protects', { confine: { protect: ['locked'] } }],
    ['the program protects, by its home,', { confine: { protect: ['~/project/locked'] } }],
    ['the program gives no place', { confine: { write: ['src'] } }],
    ['a symlink leads to', {}],
  ])('what a rule leaves out is not opened where %s', async (which, options) => {
    if (which.startsWith('a symlink')) {
      rmSync(join(root, 'locked/ok'), { recursive: true });
      symlinkSync('../src', join(root, 'locked/ok'));
    }
    const env = { ...process.env, HOME: join(root, '..') };
    const said = await runScript('touch locked/ok/a locked/a', ['locked/**', 'src/**', '!locked/ok/**'], {
      backend: createLocalBackend({ root, env }),
      ...options,
    });
    expect(said).toContain('reached');
    expect([list('locked'), list('src')]).toEqual([['ok', 'old', 'sub'], []]);
    expect(existsSync(join(root, 'locked/ok/a'))).toBe(false);
  });

  test('an exception for a symlink in a locked folder opens nothing: what it leads to is read-only by each name', async () => {
    rmSync(join(root, 'locked/ok'), { recursive: true });
    symlinkSync('../src', join(root, 'locked/ok'));
    const said = await runScript('touch locked/ok/a src/b; rm locked/ok', ['locked/**', '!locked/ok/**']);
    expect(said).toContain('reached');
    expect([list('locked'), list('src')]).toEqual([['ok', 'old', 'sub'], []]);
  });

  test.each([
    ['a folder that is not there yet', ['new/in/**'], 'mkdir -p new/in; echo x > new/in/x', 'new/in/x'],
    ['a folder behind a symlink', ['lk/**'], 'mv lk z; mkdir lk; echo x > lk/x', 'lk/x'],
    ['a folder behind a symlink with another one in its place', ['lk/**'], 'ln -sfn src lk; echo x > lk/x', 'lk/x'],
    ['packages', ['node_modules/**'], 'mkdir node_modules/m; echo x > node_modules/x', 'node_modules/x'],
    ['a folder but for some names', ['locked/**', '!**/new-*'], 'echo x > locked/n1', 'locked/n1'],
    ['a folder but for names with a digit', ['locked/**', '!locked/*[0-9]*'], 'echo x > locked/abc', 'locked/abc'],
    ['a new folder but for some names', ['new/**', '!new/[!.]*'], 'mkdir new; echo x > new/.npmrc', 'new/.npmrc'],
  ])('a script makes nothing in %s', async (_, writes, script, path) => {
    mkdirSync(join(root, 'node_modules'));
    symlinkSync('locked', join(root, 'lk'));
    const said = await runScript(script, writes);
    expect(said).toContain('reached');
    expect(existsSync(join(root, path))).toBe(false);
    expect(list('node_modules')).toEqual([]);
    if (path.startsWith('new')) expect(said).toContain('since commands must not make it');
  });

  test.each([
    ['a symlink that leads nowhere', 'lk', 'ln -s nowhere lk'],
    ['a symlink to itself', 'lk', 'ln -s lk lk'],
    ['a symlink to a file', 'lk', 'ln -s own lk'],
    ['a file', 'ff', 'echo x > ff'],
    ['a pipe', 'ff', 'mkfifo ff'],
    ['a file in packages', 'node_modules/p', 'echo x > node_modules/p'],
    ['a symlink in packages that leads nowhere', 'node_modules/p', 'ln -s nowhere node_modules/p'],
    ['a symlink on the way', 'lk/new', 'ln -s locked lk'],
    ['a symlink on the way that leads nowhere', 'lk/new', 'ln -s nowhere lk'],
    ['symlinks on the way', 'lk/new', 'mkdir q; ln -s ../src/zz q/new; ln -s q lk'],
    ['packages by a symlink', 'nm/p', 'mkdir real; ln -s real nm'],
    ['a package by a symlink', 'node_modules/p/sub', 'mkdir -p node_modules/.pnpm/p; ln -s .pnpm/p node_modules/p'],
    ['a symlink to what is outside', 'lk/new', 'mkdir ../out; ln -s ../out lk'],
    ['a file on the way', 'ff/in', 'echo x > ff'],
    ['a file on the way, behind a symlink', 'lk/in', 'ln -s own lk'],
  ])('a script makes nothing where a denied folder has in its place %s', async (_, folder, setup) => {
    mkdirSync(join(root, 'node_modules'));
    execSync(setup, { cwd: root });
    const top = folder.startsWith('node_modules') ? 'node_modules/p' : folder.split('/')[0];
    const before = lstatSync(join(root, top as string));
    const script = `rm -rf ${top}; mv -T ${top} z; mkdir -p ${folder} && echo x > ${folder}/x`;
    expect(await runScript(script, [`${folder}/**`])).toContain('reached');
    expect(existsSync(join(root, folder, 'x'))).toBe(false);
    expect(lstatSync(join(root, top as string))).toMatchObject({ mode: before.mode, ino: before.ino });
  });

  test.each([
    ['a denied folder', 'new'],
    ['a repository further down', 'src/q/.git'],
  ])('what an aborted script made and must not have made is warned of: %s', async (_, made) => {
    using heard = listenToWarnings();
    writeFileSync(join(root, 'x.sh'), `mkdir -p ${made}; touch src/begun; while :; do sleep 1; done`);
    const rule = [
      { effect: 'allow', commands: ['sh x.sh'] },
      { effect: 'deny', writes: ['new/**'] },
    ] as const;
    const { model } = scripted([calls(call('execute', { command: 'sh x.sh' }, 'c'))]);
    const agent = createDeepAgent({
      model,
      backend: createLocalBackend({ root }),
      policy: { version: 1, rule: [...rule] },
      confine: { always: true },
    });
    const control = new AbortController();
    const run = agent.generate({ prompt: 'go', abortSignal: control.signal });
    await vi.waitFor(() => expect(existsSync(join(root, 'src/begun'))).toBe(true), PATIENTLY);
    control.abort();
    await run.catch(() => {});
    await vi.waitFor(() => expect(heard.warnings.join()).toContain(`other names now: ${join(root, made)}.`), PATIENTLY);
    expect(existsSync(join(root, made))).toBe(false);
  });

  test.each([
    ['the repository', '.'],
    ['a repository further down', 'src/low'],
  ])('a script plants no hook behind a symlink in %s', async (_, folder) => {
    const at = join(root, folder);
    execSync(`git init -q ${folder}; cd ${folder}; mkdir to; ln -s to hk; git config core.hooksPath hk/x`, {
      cwd: root,
    });
    const hook = 'hk/x/pre-commit';
    const said = await runScript(`cd ${folder}; rm hk; mkdir -p hk/x; echo x > ${hook}; chmod +x ${hook}`, ['z/**']);
    expect(said).toContain('reached');
    expect(said).toContain('since commands must not make it');
    expect([lstatSync(join(at, 'hk')).isSymbolicLink(), existsSync(join(at, 'hk/x'))]).toEqual([true, false]);
  });

  test.each([['**/new-*'], ['**/*[0-9]*'], ['{src,locked}/[!a-z]*'], ['{src,locked}/????*']])(
    'a rule on some names of new files closes no folder: %s',
    async (writes) => {
      const said = await runScript('echo x > src/a; echo x > locked/b', [writes]);
      expect(said).toContain('reached');
      expect([list('src'), list('locked')]).toEqual([['a'], ['b', 'ok', 'old', 'sub']]);
    },
  );

  test('the policy of a caller keeps what another policy leaves out', async () => {
    const rule = [
      { effect: 'allow', commands: ['sh x.sh'] },
      { effect: 'deny', writes: ['locked/**'] },
    ] as const;
    await using gate = createGate({ policy: { version: 1, rule: [...rule] }, place: { cwd: root } });
    const said = await runScript('touch locked/ok/a', ['locked/**', '!locked/ok/**'], { gate });
    expect(said).toContain('reached');
    expect(list('locked/ok')).toEqual([]);
  });

  test('a name in an open folder is kept once it is there, and can be made before', async () => {
    const said = await runScript('echo x > y.lock; echo x > new.lock', ['*.lock']);
    expect(said).toContain('writing');
    expect([existsSync(join(root, 'new.lock'))]).toEqual([true]);
  });
});
