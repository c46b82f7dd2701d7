/** Edits that write files: what was shown of a file goes with the decision, also to the process that continues the run. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, GateOptions, PolicyInput } from '../../index.js';
import { edit } from '../../ts/cli/edit.js';
import { CallAsker } from '../../ts/gate/asker.js';
import { localGate } from '../../ts/gate/gate.js';
import { definePolicy } from '../../ts/index.js';
import { call, calls, says } from '../support/model.js';
import { askThenLeave, goOn, stage, type Stage } from './stage.js';

interface Desk extends Stage {
  path(name: string): string;
  write(name: string, text: string): void;
}

/** A project with a file, and gates that know its policy, or have none. */
function desk(policy: PolicyInput | null = definePolicy([{ tools: ['write_file'], effect: 'ask' }])): Desk {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-edited-files-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of ['.git', '.countersign']) mkdirSync(join(cwd, name));
  const on = stage();
  const path = (name: string) => join(cwd, name);
  const write = (name: string, text: string) => writeFileSync(path(name), text);
  write('README.md', 'old\nlines\n');
  const execute = async ({ file_path: name, content }: { file_path: string; content: string }) => {
    on.ran.push(name);
    write(name, content);
  };
  const inputSchema = z.object({ file_path: z.string(), content: z.string() });
  const tools = () => ({ write_file: tool({ inputSchema, execute }) });
  const gate = (more?: GateOptions) => on.gate({ place: { cwd }, ...(policy === null ? {} : { policy }), ...more });
  return { ...on, gate, tools: tools as never, path, write };
}

const FRESH = { file_path: 'fresh.md', content: 'new\n' };
const INTO = { file_path: 'README.md', content: 'new\n' };
const interruptOn = { write_file: true };

/** A call that waits, and whose process is gone. */
async function left(on: Desk, args: object = FRESH): Promise<ApprovalRequest> {
  const { waiting } = await askThenLeave(on, [calls(call('write_file', args, 'c1'))], 1, { interruptOn });
  return waiting[0]!;
}

/** The next life of the run, in which all is rejected, and what it asked. */
async function asked(on: Desk): Promise<ApprovalRequest[]> {
  const requests: ApprovalRequest[] = [];
  const onApprovalRequest = (request: ApprovalRequest) => {
    requests.push(request);
    return false;
  };
  await goOn(on, [says('done')], { interruptOn, onApprovalRequest });
  return requests;
}

/** Edits it where the call was shown so, as an inbox and a chat do. */
async function editShown(on: Desk, request: ApprovalRequest, meanwhile = () => {}): Promise<void> {
  const gate = on.gate();
  const { changes } = await localGate(gate, 'test').readEdit(request, INTO);
  expect(changes).toMatchObject([{ removed: 2 }]);
  meanwhile();
  await gate.edit(request.approvalId, INTO);
  await gate.close();
}

describe('a call is edited into another file while no process runs', () => {
  it('is asked about again where the file changes before the run goes on', async () => {
    const on = desk();
    await editShown(on, await left(on));
    on.write('README.md', 'precious\n');
    expect(await asked(on)).toMatchObject([
      { args: INTO, description: expect.stringMatching(/^Asked again: .*changed since it was edited/) as unknown },
    ]);
    expect(on.ran).toEqual([]);
  });

  it('is asked about again where the file changes between what was shown and the yes', async () => {
    const on = desk();
    await editShown(on, await left(on), () => on.write('README.md', 'precious\n'));
    expect(await asked(on)).toMatchObject([{ args: INTO }]);
    expect(on.ran).toEqual([]);
  });

  it('is asked about again where a file is there by now that was not when it was shown', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    const into = { ...INTO, file_path: 'other.md' };
    await on.gate().edit(approvalId, into);
    on.write('other.md', 'precious\n');
    expect(await asked(on)).toMatchObject([{ args: into }]);
    expect(on.ran).toEqual([]);
  });

  it('runs where the file is what it was', async () => {
    const on = desk();
    await editShown(on, await left(on));
    expect(await asked(on)).toEqual([]);
    expect(on.ran).toEqual(['README.md']);
  });

  it('is bound to the file as it is where code decides, and nothing was shown', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    on.write('README.md', 'other\n');
    await on.gate().edit(approvalId, INTO);
    expect(await asked(on)).toEqual([]);
    expect(on.ran).toEqual(['README.md']);
  });

  it('is asked about again where code decides, and the file changes after that', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    await on.gate().edit(approvalId, INTO);
    on.write('README.md', 'precious\n');
    expect(await asked(on)).toMatchObject([{ args: INTO }]);
    expect(on.ran).toEqual([]);
  });
});

describe('countersign edit has looked at the file by the policy files of the project', () => {
  it.each([
    ['it is asked about again where the file changes before the run goes on', 'precious\n', []],
    ['it runs where the file is what it was', undefined, ['README.md']],
  ])('%s', async (_, text, ran) => {
    const files = desk(null);
    files.write('.countersign/policy.toml', 'version = 1\n[[rule]]\neffect = "ask"\ntools = ["write_file"]\n');
    const ledger = `sqlite:${files.path('l.db')}` as const;
    const on = { ...files, gate: (more?: GateOptions) => files.gate({ ledger, policyFiles: true, ...more }) };
    const { approvalId } = await left(on);
    const told = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void told.mockRestore());
    const said = ['--ledger', ledger, '--by', 'ada', '--yes', '--json'];
    expect(await edit([approvalId, '--args', JSON.stringify(INTO), ...said])).toBe(0);
    if (text !== undefined) on.write('README.md', text);
    expect(await asked(on)).toHaveLength(text === undefined ? 0 : 1);
    expect(on.ran).toEqual(ran);
  });
});

describe('a call is edited where its files are not known', () => {
  const edited = async (on: Desk, request: ApprovalRequest, args: object) => {
    const other = on.gate({ place: { cwd: tmpdir() } });
    await other.edit(request.approvalId, args);
    await other.close();
  };

  it('is asked about again where it writes over a file that was not shown', async () => {
    const on = desk(null);
    await edited(on, await left(on), INTO);
    on.write('README.md', 'precious\n');
    expect(await asked(on)).toMatchObject([
      { args: INTO, description: expect.stringMatching(/^Asked again: .*README\.md was not looked at/) as unknown },
    ]);
    expect(on.ran).toEqual([]);
  });

  it('runs where it writes a file that is not there', async () => {
    const on = desk(null);
    await edited(on, await left(on), { ...INTO, file_path: 'other.md' });
    expect(await asked(on)).toEqual([]);
    expect(on.ran).toEqual(['other.md']);
  });

  it('runs where it writes the file that the request has shown, and that is what it was', async () => {
    const on = desk(null);
    await edited(on, await left(on, { ...INTO, content: 'hi' }), INTO);
    expect(await asked(on)).toEqual([]);
    expect(on.ran).toEqual(['README.md']);
  });
});

describe('a call is edited in the process that asks', () => {
  it('does not run where its file changes while a judge is asked right before it runs', async () => {
    const on = desk();
    let isLookedAt = false;
    const look = CallAsker.prototype.editStaleness;
    const spy = vi.spyOn(CallAsker.prototype, 'editStaleness').mockImplementation(async function (
      this: CallAsker,
      ...edit
    ) {
      const reason = await look.apply(this, edit);
      isLookedAt = true;
      return reason;
    });
    onTestFinished(() => void spy.mockRestore());
    const judge = () => {
      if (isLookedAt) on.write('README.md', 'precious\n');
      return 'ask' as const;
    };
    const gate = on.gate({ judge });
    await left(on);
    await goOn(on, [says('done')], { interruptOn, onApprovalRequest: () => ({ type: 'edit', args: INTO }), gate });
    expect(on.ran).toEqual([]);
    expect(isLookedAt).toBe(true);
  });

  it.each([
    ['is asked about again where its file changes between what was shown and the yes', true, []],
    ['is bound to its file as it is where code decides, and nothing was shown', false, ['README.md']],
  ])('%s', async (_, isShown, ran) => {
    const on = desk();
    const requests: ApprovalRequest[] = [];
    const gate = on.gate();
    const onApprovalRequest = async (request: ApprovalRequest) => {
      requests.push(request);
      if (requests.length > 1) return false;
      if (isShown) await localGate(gate, 'test').readEdit(request, INTO);
      on.write('README.md', 'precious\n');
      return { type: 'edit', args: INTO };
    };
    await left(on);
    await goOn(on, [says('done')], { interruptOn, onApprovalRequest, gate });
    expect(on.ran).toEqual(ran);
    expect(requests.slice(1).map(({ description }) => description)).toEqual(
      isShown ? [expect.stringMatching(/^Asked again: .*README\.md changed since it was shown/)] : [],
    );
  });
});
