/** Where a decision of another process is remembered: in the project that it was offered for, or nowhere. */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PolicyPlace } from '../../index.js';
import { createGate, gateTools } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { waiting } from '../support/play.js';
import { quickly as countersign } from './command.js';

function project(...path: string[]): string {
  const folder = join(...path);
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  return folder;
}

/** A call that waits, of an agent there. */
async function asking(home: string, place: PolicyPlace, rules: object = { policyFiles: true, policy: { version: 1 } }) {
  const ledger = `sqlite:${join(home, 'ledger.db')}` as const;
  const gate = createGate({ ledger, ...rules, place: { ...place, home } });
  onTestFinished(() => gate.close());
  const inputSchema = { type: 'object' } as never;
  const { write_file: tool } = gateTools({ write_file: { inputSchema, execute: async () => 'done' } } as never, {
    gate,
    interruptOn: 'all',
  }) as { write_file: { execute: (...args: unknown[]) => Promise<unknown> } };
  const call = (path: string, toolCallId: string) =>
    tool.execute({ file_path: path, content: 'x' }, { toolCallId, messages: [] });
  const first = call('src/x.txt', 'first');
  first.catch(() => {});
  await waiting(gate, 1);
  const [request] = await gate.pending();
  const env = { COUNTERSIGN_LEDGER: ledger, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), NO_COLOR: '1' };
  const id = request?.approvalId ?? '';
  return {
    approve: () => countersign(['approve', id, '--remember', 'always', '--yes', '--by', 'ada'], { cwd: home, env }),
    show: () => countersign(['show', id], { cwd: home, env }),
    status: async () => (await gate.get(id))?.status,
  };
}

const remembered = (home: string): unknown => {
  try {
    return JSON.parse(readFileSync(join(home, '.config/countersign/grants.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

test('a project that its agent was given by name', async () => {
  const home = scratch();
  const [a, b] = [project(home, 'a'), project(home, 'b')];
  const { approve, show } = await asking(home, { cwd: a, project: b });
  const { stdout } = await show();
  expect([stdout.includes(`project   ${b}\n`), stdout.includes(`folder    ${a}\n`)], stdout).toEqual([true, true]);
  expect(await approve()).toMatchObject({ code: 0, stderr: expect.stringContaining(`to be remembered in ${b}: `) });
  expect(remembered(home)).toMatchObject({ grants: [{ project: b }] });
});

test('where no policy judged it, nothing is remembered, and no page offers that', async () => {
  const home = scratch();
  const { approve, show, status } = await asking(home, { cwd: project(home, 'a') }, {});
  expect((await show()).stdout).not.toContain('Always allow');
  expect(await approve()).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('because no policy judged it: decide without --remember') as unknown,
  });
  expect([await status(), remembered(home)]).toEqual(['pending', undefined]);
});

test('a project that has another one in it by now', async () => {
  const home = scratch();
  const whole = project(home, 'whole');
  mkdirSync(join(whole, 'part'));
  const { approve } = await asking(home, { cwd: join(whole, 'part') });
  mkdirSync(join(whole, 'part', '.countersign'));
  expect(await approve()).toMatchObject({ code: 0 });
  expect(remembered(home)).toMatchObject({ grants: [{ project: whole }] });
});

test('a project that is no longer marked as one', async () => {
  const home = scratch();
  const inner = project(project(home, 'outer'), 'inner');
  const { approve } = await asking(home, { cwd: inner });
  renameSync(join(inner, '.git'), join(inner, 'was-git'));
  expect(await approve()).toMatchObject({ code: 0 });
  expect(remembered(home)).toMatchObject({ grants: [{ project: inner }] });
});

test('where the folder is a link to another project by now, nothing is decided and nothing remembered', async () => {
  const home = scratch();
  const [a, b] = [project(home, 'a'), project(home, 'b')];
  const { approve, status } = await asking(home, { cwd: a });
  rmSync(a, { recursive: true });
  symlinkSync(b, a);
  expect(await approve()).toMatchObject({ code: 5, stderr: expect.stringContaining('no longer where it was') });
  expect([await status(), remembered(home)]).toEqual(['pending', undefined]);
});
