/** `countersign doctor`: what it says of a machine, in text and as JSON, and how it ends. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { confinementReport, createGate } from '../../ts/index.js';
import { sdkProblems } from '../../ts/cli/doctor.js';
import { scratch } from '../policy/support.js';
import { linkIn } from '../support/installed.js';
import { quickly as countersign } from './command.js';

/** A project with the AI SDK, and a home of its own. */
function there(policy?: string) {
  const root = scratch();
  writeFileSync(join(root, 'package.json'), '{}');
  for (const folder of ['.countersign', 'node_modules']) mkdirSync(join(root, folder));
  if (policy !== undefined) writeFileSync(join(root, '.countersign/policy.toml'), policy);
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
  return { root, run: (...args: string[]) => countersign(['doctor', ...args], { cwd: root, env }) };
}

describe('doctor', () => {
  it('says where the AI SDK needs a newer Node', () => {
    expect(sdkProblems('7.0.1', { node: '20.19.0' })).toEqual([expect.stringContaining('needs Node 22')]);
    for (const [ai, versions] of [
      ['6.0.1', { node: '20.19.0' }],
      ['7.0.1', { node: '22.12.0' }],
      ['7.0.1', { node: '20.19.0', bun: '1.4.0' }],
      [null, { node: '20.19.0' }],
    ] as const)
      expect(sdkProblems(ai, versions)).toEqual([]);
    expect(sdkProblems('5.0.1', { node: '22.12.0' })).toEqual([expect.stringContaining('neither version 6 nor 7')]);
  });

  it('says what holds a confined command here', async () => {
    const { root, run } = there();
    linkIn(root, 'ai', 'ai6');
    const { stdout, code } = await run('--json');
    const found = JSON.parse(stdout) as Record<string, unknown>;
    expect(found).toMatchObject({ confinement: confinementReport(), problems: [], policies: [] });
    expect(found['ai']).toMatch(/^[67]\./);
    expect(code).toBe(0);
    const text = (await run()).stdout;
    expect(text).toMatch(/^countersign +\d/);
    expect(text).toMatch(/^runtime +Node \d/m);
    if (confinementReport().by === 'landlock') expect(text).toMatch(/^confinement +Landlock \d+, seccomp, /m);
  });

  it('says which policy files count, and whether what they allow does', async () => {
    const { root, run } = there('version = 1\n[[rule]]\neffect = "deny"\ncommands = ["rm"]\n');
    linkIn(root, 'ai', 'ai6');
    const { stdout, code } = await run('--json');
    const { policies } = JSON.parse(stdout) as { policies: unknown };
    expect(policies).toEqual([
      { layer: 'project', file: expect.stringContaining('.countersign/policy.toml'), trusted: false },
    ]);
    expect(code).toBe(0);
    expect((await run()).stdout).toMatch(/project: .*not trusted: it tightens only/);
  });

  it('ends with 1 where something is wrong, and says what', async () => {
    const { run } = there('version = 1\nrul = []\n');
    const { stdout, code } = await run('--json');
    const { problems } = JSON.parse(stdout) as { problems: string[] };
    expect(problems.join('\n')).toMatch(/policy\.toml/);
    expect(code).toBe(1);
    expect((await run()).stdout).toMatch(/^problem /m);
  });

  it('says once that a policy file is broken, and not that there are no files', async () => {
    const { root, run } = there('version = 1\n[[rule]]\nefect = "deny"\nreads = ["${project}/.env"]\n');
    const file = join(root, '.countersign/policy.toml');
    const { stdout } = await run('--json');
    const { broken, policies, problems } = JSON.parse(stdout) as Record<string, string[]>;
    expect([broken, policies]).toEqual([[file], []]);
    expect(problems!.filter((text) => text.includes('efect'))).toEqual([
      expect.stringMatching(/^[^:]*policy\.toml:3:1: unknown key/),
    ]);
    const text = (await run()).stdout;
    expect(text).toMatch(/^policies +broken: .*policy\.toml \(none of its rules count, denies included/m);
    expect(text).not.toContain('no files');
  });

  it('ends with 0 where nothing is broken: a folder needs no AI SDK', async () => {
    const { run } = there();
    const { stdout, code } = await run();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^AI SDK +none in this folder; .*npm install ai$/m)]);
  });

  it('ends with 1 for an AI SDK that it does not know', async () => {
    const { root, run } = there();
    const folder = join(root, 'node_modules', 'ai');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "name": "ai", "version": "5.0.0" }');
    expect(await run()).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^problem +ai 5\.0\.0 is of neither/m),
    });
  });

  it('says which ledger the other commands use, and what is wrong with it', async () => {
    const { root, run } = there();
    expect((await run()).stdout).toMatch(/^ledger +none: commands on requests need --ledger/m);
    const missing = await run('--ledger', `sqlite:${join(root, 'gone.db')}`);
    expect(missing).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^problem +the ledger cannot be used: there is no ledger at .*gone\.db/m),
    });
    const file = join(root, '.countersign/ledger.db');
    const gate = createGate({ ledger: `sqlite:${file}` });
    await gate.pending();
    await gate.close();
    const { code, stdout } = await run('--json');
    expect([code, (JSON.parse(stdout) as { ledger: string }).ledger]).toEqual([0, expect.stringContaining(file)]);
    writeFileSync(file, 'x'.repeat(5000));
    expect((await run()).stdout).toMatch(/^problem +the ledger cannot be used: /m);
  });

  it('takes no arguments', async () => {
    const { run } = there();
    expect((await run('x')).code).toBe(2);
    expect((await run('--help')).stdout).toMatch(/countersign doctor[^]*--json/);
  });
});
