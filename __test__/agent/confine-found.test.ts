/** What is found in the project, and kept from the commands of a deep agent: by the kernel, whatever the line says. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import { createLocalBackend } from '../../ts/agent/index.js';
import { confinementReport, createGate } from '../../ts/index.js';
import { executed, type Asked } from '../support/confined-agent.js';
import { ownPlace } from '../support/own-place.js';
import { listenToWarnings } from '../support/warnings.js';

const report = confinementReport();

const base = ownPlace('confine-found');
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(base, 'x-'))), 'project');
  mkdirSync(root);
});

async function runAll(lines: string[], options: Partial<DeepAgentOptions> = {}) {
  const asked: string[] = [];
  const onApprovalRequest: Asked = ({ description }) => {
    asked.push(description ?? '');
    return false;
  };
  const own = { backend: createLocalBackend({ root }), interruptOn: 'none', confine: true, ...options };
  const all = lines.map((command) => ({ command }));
  return { said: await executed(all, own as Omit<DeepAgentOptions, 'model'>, onApprovalRequest), asked };
}

describe.runIf(report.namespaces)('a ledger of another gate in the project', () => {
  test('is neither read nor changed by a command, nor are the files beside it', async () => {
    const gate = createGate({ ledger: `sqlite:${join(root, 'server.db')}` });
    await gate.pending();
    const names = readdirSync(root);
    expect(names).toEqual(expect.arrayContaining(['server.db', 'server.db-lock', 'server.db-owners']));
    const write = 'for f in server.db*; do echo x >> $f && echo chan""ged; done';
    const { said } = await runAll([
      `head -c 15 server.db; ${write}; mv server.db a; rm -rf server.db*; echo rea""ched`,
    ]);
    expect(said).toContain('reached');
    expect(said).not.toMatch(/SQLite format|changed/);
    expect(readdirSync(root).toSorted()).toEqual(names.toSorted());
    await gate.close();
  });
});

/** Another program, such as an editor, changes a file in this way while the command runs. */
async function runMeanwhile(line: string, change: () => void, options: Partial<DeepAgentOptions> = {}) {
  writeFileSync(join(root, 'x.sh'), `touch began; until [ -e go ]; do sleep 0.05; done; ${line}; echo rea''ched`);
  const running = runAll(['sh x.sh'], {
    policy: { version: 1, rule: [{ effect: 'allow', commands: ['sh x.sh'] }] },
    ...options,
  });
  const ended = { is: false };
  void running.finally(() => (ended.is = true));
  while (!ended.is && !existsSync(join(root, 'began'))) await sleep(20);
  change();
  writeFileSync(join(root, 'go'), '');
  return running;
}

describe.runIf(report.namespaces)('a file that is kept and that another program changes while a command runs', () => {
  const replace = (name: string, text: string) => {
    writeFileSync(join(root, 'new'), text);
    renameSync(join(root, 'new'), join(root, name));
  };
  beforeEach(() => {
    mkdirSync(join(root, '.github'));
    for (const name of ['.env', '.github/ci']) writeFileSync(join(root, name), 'KEPT');
  });

  const toldOf = (name: string) =>
    new RegExp(`Files that are kept from the command were replaced or removed while it ran: .*${name}`);

  test.each<[string, string, () => void]>([
    ['another one takes its place, since nothing keeps that', 'cat .env', () => replace('.env', 'NEW')],
    ['the command then removes the other one', 'cat .env; rm .env', () => replace('.env', 'NEW')],
    ['the command then gives the other one a new name', 'mv .env x', () => replace('.env', 'NEW')],
    [
      'it is removed, since the command may make one there',
      'echo x > .env; rm -f .env',
      () => rmSync(join(root, '.env')),
    ],
  ])('is told where %s', async (_, line, change) => {
    using heard = listenToWarnings();
    const { said } = await runMeanwhile(line, change);
    const told = toldOf('.env');
    expect(said).toContain('reached');
    expect(said).toMatch(told);
    expect(heard.warnings).toEqual([expect.stringMatching(told)]);
  });

  test.each<[string, () => void]>([
    ['it is written in its place', () => writeFileSync(join(root, '.env'), 'NEW')],
    ['its folder is kept', () => replace('.github/ci', 'NEW')],
  ])('is not told where %s', async (_, change) => {
    using heard = listenToWarnings();
    const { said } = await runMeanwhile('cat .env; echo x > .github/ci', change);
    expect(said).toContain('reached');
    expect(said).not.toMatch(/Files that are kept|KEPT/);
    expect(heard.warnings).toEqual([]);
  });

  test('is told as well where a setting names it with ~', async () => {
    writeFileSync(join(root, 'own'), 'KEPT');
    const backend = createLocalBackend({ root, env: { ...process.env, HOME: join(root, '..') } });
    const { said } = await runMeanwhile('true', () => replace('own', 'NEW'), {
      backend,
      confine: { protect: ['~/project/own'] },
    });
    expect(said).toMatch(toldOf('own'));
  });
});

describe.runIf(report.namespaces)('a linked folder', () => {
  beforeEach(() => {
    for (const folder of ['lA/B', 'node_modules/m/in', 'pub', 'sec'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const name of ['lA/B/s', 'node_modules/m/in/s', 'sec/k']) writeFileSync(join(root, name), `KEPT ${name}`);
    symlinkSync('lA/B', join(root, 'lB'));
    symlinkSync('node_modules/m', join(root, 'mm'));
    symlinkSync('pub', join(root, 'pp'));
    symlinkSync('../sec', join(root, 'pub/s'));
  });

  test.each([
    ['l?/s', 'lB/s'],
    ['[l]B/s', 'lB/s'],
    ['m?/**/s', 'mm/in/s'],
    ['pp/**/k', 'pp/s/k'],
  ])('that %s covers is kept from a script as well', async (reads, path) => {
    const rule = [
      { effect: 'allow', commands: ['sh x.sh'] },
      { effect: 'deny', reads: [reads] },
    ] as const;
    writeFileSync(join(root, 'x.sh'), `cat ${path}; echo rea''ched`);
    const { said } = await runAll(['sh x.sh'], { policy: { version: 1, rule: [...rule] } });
    expect(said).toContain('reached');
    expect(said).not.toContain('KEPT');
  });
});

describe.runIf(report.supported)('settings of git', () => {
  const say = (key: string, value: string) => spawnSync('git', ['config', key, value], { cwd: root });

  test.each([
    ['core.hooksPath', '%(prefix)/../x/hk'],
    ['include.path', '%(prefix)/../x/inc'],
  ])('whose %s begins with what is not known ask before a command runs', async (key, value) => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    say(key, value);
    const { said, asked } = await runAll(["echo rea''ched"]);
    expect(asked).toEqual([expect.stringContaining("echo rea''ched")]);
    expect(said).not.toContain('reached');
  });

  test('whose hooksPath looks like a pattern are no error, and no hook is left there', async () => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    say('core.hooksPath', '${PWD}/h*k');
    const { said, asked } = await runAll(["mkdir -p '${PWD}/h*k'; echo x > '${PWD}/h*k/pre-commit'; echo rea''ched"]);
    expect(asked).toEqual([]);
    expect(said).toContain('reached');
    expect(existsSync(join(root, '${PWD}/h*k'))).toBe(false);
  });
});

describe.runIf(report.namespaces)('what policies protect', () => {
  test('is not suggested as a reach, wherever it lies', async () => {
    const outside = join(root, '../home');
    mkdirSync(outside);
    for (const name of ['.npmrc', 'notes']) writeFileSync(join(outside, name), 'x');
    const { said } = await runAll([`cat '${outside}/.npmrc'`]);
    expect(said).toContain(`reading ${outside}/.npmrc`);
    expect(said).not.toContain('again with reach');
    expect((await runAll([`cat '${outside}/notes'`])).said).toContain('again with reach');
  });

  test('nor is a host that they deny', async () => {
    const rule = [
      { effect: 'allow' as const, commands: ['echo'] },
      { effect: 'deny' as const, urls: ['denied.example', '169.254.169.254'] },
    ];
    const policy = { version: 1 as const, rule };
    const told = async (host: string, more: object = {}) => {
      const { said } = await runAll([`echo 'curl: (6) Could not resolve host: ${host}'`], { policy, ...more });
      expect(said).toContain(`connecting to ${host}`);
      return said.includes('again with reach');
    };
    expect(await told('denied.example')).toBe(false);
    expect(await told('169.254.169.254')).toBe(false);
    expect(await told('plain.example')).toBe(true);
    expect(await told('plain.example', { policy: { ...policy, network: ['a.example'] } })).toBe(false);
    expect(await told('a.example', { policy: { ...policy, network: ['a.example'] } })).toBe(true);
  });
});
