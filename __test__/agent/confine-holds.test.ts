/** What a deep agent hides and protects stays so, whatever its commands do before; where it cannot, nothing runs unasked. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Backend, DeepAgentOptions } from '../../agent.js';
import type { ConfineSettings } from '../../index.js';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { InvalidConfigError, confinementReport } from '../../ts/index.js';
import { executed, type Asked } from '../support/confined-agent.js';
import { isWhole } from '../support/effort.js';
import { call, calls, says, scripted } from '../support/model.js';
import { listenToWarnings } from '../support/warnings.js';
import { ownPlace } from '../support/own-place.js';

const report = confinementReport();

const base = ownPlace('confine-holds');
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(base, 'x-'))), 'project');
  for (const folder of ['.git/hooks', 'config', 'secrets']) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['.env', 'config/.env', 'secrets/.env', 'secrets/token'])
    writeFileSync(join(root, name), `KEPT ${name}`);
});

type Options = Omit<DeepAgentOptions, 'model'>;

/** Runs these commands one after the other; what the model and a human were told. */
const runAll = (lines: string[], options: Options, answer?: boolean) =>
  runCalls(
    lines.map((command) => ({ command })),
    options,
    answer,
  );

async function runCalls(all: Record<string, unknown>[], options: Options, answer?: boolean) {
  const asked: string[] = [];
  const onApprovalRequest: Asked = ({ description }) => {
    asked.push(description ?? '');
    return answer ?? false;
  };
  const own = { backend: createLocalBackend({ root }), interruptOn: 'none', ...options } as Options;
  const said = await executed(all, own, answer === undefined ? undefined : onApprovalRequest);
  return { said, asked, hasHook: existsSync(join(root, '.git/hooks/evil')) };
}

/** What it prints at its end does not stand in the line itself. */
const STEAL = "cat .env */.env secrets/token; echo evil > .git/hooks/evil; echo rea''ched";

describe.runIf(report.namespaces)('what is hidden', () => {
  test.each<[string, () => Options]>([
    ['by the program and by its policies', () => ({ confine: { hide: ['secrets'] } })],
    ['by the program, its policies and its backend', () => ({ confine: true, backend: own({ hide: ['secrets'] }) })],
    ['twice, with demand', () => ({ confine: { hide: ['secrets', 'secrets/token'], demand: 'whole' } })],
  ])('stays hidden where a folder and something in it are: %s', async (_, options) => {
    const { said, hasHook } = await runAll([STEAL], options());
    expect(said).toContain('reached');
    expect([/KEPT/.test(said), hasHook]).toEqual([false, false]);
  });

  test.each([
    ['node_modules', 'mv config node_modules', 'cat node_modules/.env'],
    ['a folder in node_modules', 'mkdir node_modules; mv config node_modules/c', 'cat node_modules/c/.env'],
    ['what is called as a repository', 'mkdir s; mv config s/.git', 'cat s/.git/.env'],
    ['the repository', 'mv config .git/x', 'cat .git/x/.env'],
  ])('is not moved with its folder to %s', async (_, move, read) => {
    const { said } = await runAll([move, `${read} config/.env; echo rea''ched`], { confine: true });
    expect(said).toContain('reached');
    expect(said).not.toContain('KEPT');
    expect(existsSync(join(root, 'config/.env'))).toBe(true);
  });

  test('by the program is not moved with its folder, in one command or in two', async () => {
    const confine = { hide: ['secrets/token'] };
    const { said } = await runAll(['mv secrets s2; cat s2/token; cat */token', "cat */token; echo rea''ched"], {
      confine,
    });
    expect(said).toContain('reached');
    expect(said).not.toContain('KEPT secrets/token');
  });

  test.runIf(isWhole)('stays hidden however many names there are', async () => {
    const { said } = await runAll(['mkdir a && cd a && seq 1 20001 | xargs touch', STEAL], { confine: true });
    expect(said).toContain('reached');
    expect(said).not.toMatch(/KEPT (?:config\/)?\.env/);
  });
});

describe.runIf(report.supported)('where more is to be hidden than can be', () => {
  const MANY = 'for i in $(seq 1 1001); do : > k$i.pem; done';

  test('nothing runs when nobody can be asked', async () => {
    const { said, hasHook } = await runAll([MANY, STEAL], { confine: true });
    expect(said).toContain('The command was not run: not all files could be looked at');
    expect([/KEPT|reached/.test(said), hasHook]).toEqual([false, false]);
  });

  test('a new repository is put aside all the same, and it is told that there may be more', async () => {
    using heard = listenToWarnings();
    const { said } = await runAll([`${MANY}; git init -q z/y`], { confine: true });
    expect(existsSync(join(root, 'z/y/.git'))).toBe(false);
    expect(said).toContain('to look at all of them');
    expect(heard.warnings).toContainEqual(expect.stringContaining('to look at all of them'));
  });

  test.runIf(isWhole)('a human is asked and told why, and without a yes nothing runs', async () => {
    const { said, asked } = await runAll([MANY, STEAL], { confine: true }, false);
    expect(asked).toEqual([expect.stringContaining('There are too many files to look at all of them')]);
    expect(asked[0]).toContain(STEAL);
    expect(said).toContain('The command was not run: not all files could be looked at');
    expect(said).not.toContain('KEPT');
  });

  test.runIf(isWhole)('it runs confined once a human said yes', async () => {
    const { said, asked } = await runAll([MANY, "echo x > ../outside; echo rea''ched"], { confine: true }, true);
    expect(asked).toHaveLength(1);
    expect(said).toContain('reached');
    expect(existsSync(join(root, '../outside'))).toBe(false);
  });

  test.runIf(isWhole)('a human is asked once where the command wants a reach too, and told of both', async () => {
    for (let i = 0; i <= 1_001; i++) writeFileSync(join(root, `k${i}.pem`), '');
    const args = { command: "echo x > ../a; echo rea''ched", reach: { write: ['..'] } };
    const { said, asked } = await runCalls([args], { confine: true }, true);
    expect(asked).toEqual([expect.stringMatching(/may also write .*There are too many files to look at/)]);
    expect(said).toContain('reached');
  });

  test.runIf(isWhole)('a human who approved the very command is not asked again', async () => {
    for (let i = 0; i <= 1_001; i++) writeFileSync(join(root, `k${i}.pem`), '');
    const options = { confine: { always: true }, interruptOn: ['execute' as const] };
    const { said, asked } = await runAll(["echo rea''ched"], options, true);
    expect(asked).toHaveLength(1);
    expect(said).toContain('reached');
  });
});

describe.runIf(report.supported)('what restricts and is not there', () => {
  test.each<[string, (confine: ConfineSettings) => unknown]>([
    [
      'an agent',
      (confine) => createDeepAgent({ model: scripted([]).model, backend: createLocalBackend({ root }), confine }),
    ],
    ['a backend', own],
  ])('is an error of %s where it is a pattern, and a warning else', (_, make) => {
    expect(() => make({ hide: ['secrets/**'] })).toThrow(InvalidConfigError);
    expect(() => make({ hide: ['secrets/**'] })).toThrow(/patterns are not read. Name the folder, "secrets", or each/);
    expect(() => make({ protect: ['*.lock'] })).toThrow(/Name each file by its name.*writes = /);
    using heard = listenToWarnings();
    make({ hide: ['secrets'], protect: ['secrets/tokn'] });
    make({ hide: ['secrets'], protect: ['secrets/tokn'] });
    expect(heard.warnings).toEqual([expect.stringContaining(`protect: ${join(root, 'secrets/tokn')} is not there`)]);
  });

  test('is told when it was there before', async () => {
    using heard = listenToWarnings();
    const confine = { hide: ['secrets'] };
    const backend = createLocalBackend({ root });
    const { model } = scripted([calls(call('execute', { command: 'true' }, 'c1')), says('done')]);
    const agent = createDeepAgent({ model, backend, confine, interruptOn: 'none' });
    renameSync(join(root, 'secrets'), join(root, 'moved'));
    await agent.generate({ prompt: 'go' });
    expect(heard.warnings).toEqual([expect.stringContaining(`hide: ${join(root, 'secrets')} is not there`)]);
  });

  test('is the root: the command was not started, and it says what is missing', async () => {
    const backend = own({});
    rmSync(root, { recursive: true });
    await expect(backend.execute('true')).rejects.toThrow(
      `${root}, where it starts, is not a folder, or does not exist`,
    );
  });
});

function own(confine: ConfineSettings): Backend {
  return createLocalBackend({ root, confine: { network: 'none', ...confine } });
}
