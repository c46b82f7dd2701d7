/** Edits that write files: what was shown of a file goes with the decision, also to the process that continues the run. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, DecideOptions, GateOptions, PolicyInput } from '../../index.js';
import { edit } from '../../ts/cli/edit.js';
import { CallAsker } from '../../ts/gate/asker.js';
import { localGate } from '../../ts/gate/gate.js';
import type { CheckAnswer } from '../../ts/inbox/protocol.js';
import { definePolicy } from '../../ts/index.js';
import { inboxOf, Person } from '../inbox/support.js';
import { effort } from '../support/effort.js';
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
  const { changes, shown } = await localGate(gate, 'test').readEdit(request, INTO);
  expect(changes).toMatchObject([{ removed: 2 }]);
  meanwhile();
  await gate.edit(request.approvalId, INTO, { shown });
  await gate.close();
}

/** What another process shows of the edit to a person, with an inbox of its own. */
function inbox(on: Desk, name = 'ada') {
  const gate = on.gate();
  const person = new Person(inboxOf(gate), name);
  return {
    check: async (id: string, args: object = INTO) =>
      (await person.post<CheckAnswer>(`api/requests/${id}/check`, { args })).body,
    decide: async (id: string, shown?: string | null) =>
      (await person.decide(id, { type: 'edit', args: INTO, ...(shown === undefined ? {} : { shown }) })).status,
    close: () => gate.close(),
  };
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

describe('what was shown of an edit goes with the decision', () => {
  const AGAIN = [{ args: INTO, description: expect.stringMatching(/^Asked again: .*README\.md/) as unknown }];

  it('to another process of the inbox, or the same one after a restart', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    rmSync(on.path('README.md'));
    const first = inbox(on);
    const { shown, dangers } = await first.check(approvalId);
    expect(dangers).toEqual([]);
    await first.close();
    on.write('README.md', 'precious\n');
    expect(await inbox(on).decide(approvalId, shown)).toBe(200);
    expect(await asked(on)).toMatchObject(AGAIN);
    expect(on.ran).toEqual([]);
  });

  it('and the call runs where another process finds the same', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    const { shown } = await inbox(on).check(approvalId);
    expect(await inbox(on).decide(approvalId, shown)).toBe(200);
    expect(await asked(on)).toEqual([]);
    expect(on.ran).toEqual(['README.md']);
  });

  it('past any number of other edits that were shown meanwhile', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    rmSync(on.path('README.md'));
    const { check, decide } = inbox(on);
    const { shown } = await check(approvalId);
    for (let at = 0; at < effort(5, 205); at++) await check(approvalId, { ...INTO, content: `new ${at}\n` });
    on.write('README.md', 'precious\n');
    expect((await check(approvalId)).shown).not.toBe(shown);
    expect(await decide(approvalId, shown)).toBe(200);
    expect(await asked(on)).toMatchObject(AGAIN);
  });

  it('to each person what that person was shown', async () => {
    const on = desk();
    const { approvalId } = await left(on);
    const [ada, bob] = [inbox(on), inbox(on, 'bob')];
    await ada.check(approvalId);
    rmSync(on.path('README.md'));
    const { shown } = await bob.check(approvalId);
    on.write('README.md', 'old\nlines\n');
    expect(await bob.decide(approvalId, shown)).toBe(200);
    expect(await asked(on)).toMatchObject(AGAIN);
    expect(on.ran).toEqual([]);
  });

  it('to each of two persons at one gate', async () => {
    const on = desk();
    const request = await left(on);
    const gate = on.gate();
    const shown = async () => (await localGate(gate, 'test').readEdit(request, INTO)).shown;
    await shown();
    rmSync(on.path('README.md'));
    const second = await shown();
    on.write('README.md', 'old\nlines\n');
    await gate.edit(request.approvalId, INTO, { shown: second });
    expect(await asked(on)).toMatchObject(AGAIN);
  });

  it.each([
    ['is asked about again where it would write over a file', 'precious\n', 1],
    ['runs where it writes a file that is not there', undefined, 0],
  ])('and where the inbox is not told it, the call %s', async (_, text, times) => {
    const on = desk();
    const { approvalId } = await left(on);
    const { check, decide } = inbox(on);
    rmSync(on.path('README.md'));
    if (text !== undefined) on.write('README.md', text);
    await check(approvalId);
    expect(await decide(approvalId)).toBe(200);
    expect(await asked(on)).toHaveLength(times);
    expect(on.ran).toHaveLength(1 - times);
  });

  it.each([
    ['the same', undefined, 0],
    ['something else', 'precious\n', 1],
  ])('from the process that asks to one that finds %s', async (_, text, times) => {
    const on = desk();
    const request = await left(on);
    const asking = on.gate();
    const again: ApprovalRequest[] = [];
    const onApprovalRequest = (each: ApprovalRequest) =>
      each.approvalId === request.approvalId ? new Promise<never>(() => {}) : again.push(each) < 0;
    const done = goOn(on, [says('done')], { interruptOn, gate: asking, onApprovalRequest });
    await expect.poll(() => localGate(asking, 'test').isWaitedFor(request.approvalId)).toBe(true);
    const { shown } = await localGate(asking, 'test').readEdit(request, INTO);
    if (text !== undefined) on.write('README.md', text);
    await on.gate().edit(request.approvalId, INTO, { shown });
    await done;
    expect(again).toHaveLength(times);
    expect(on.ran).toHaveLength(1 - times);
  });

  it('and is one edit’s, of one request', async () => {
    const on = desk();
    const request = await left(on);
    const gate = on.gate();
    const { shown } = await localGate(gate, 'test').readEdit(request, { ...INTO, content: 'other\n' });
    await gate.edit(request.approvalId, INTO, { shown });
    expect(await asked(on)).toMatchObject(AGAIN);
  });

  it.each([
    ['approve', { type: 'approve', shown: 'a' }],
    ['a number', { type: 'edit', args: INTO, shown: 1 }],
    ['no name of what was shown', { type: 'edit', args: INTO, shown: 'a b' }],
    ['another one than that of the options', { type: 'edit', args: INTO, shown: 'a' }, { shown: null }],
  ])(
    'and nothing is decided by what says it of something else: %s',
    async (_, decision, options: DecideOptions = {}) => {
      const on = desk();
      const { approvalId } = await left(on);
      const gate = on.gate();
      await expect(gate.decide(approvalId, decision as never, options)).rejects.toThrow(/Nothing was decided/);
      expect(await gate.pending()).toHaveLength(1);
    },
  );
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
      const shown = isShown ? (await localGate(gate, 'test').readEdit(request, INTO)).shown : undefined;
      on.write('README.md', 'precious\n');
      return { type: 'edit', args: INTO, ...(isShown ? { shown } : {}) };
    };
    await left(on);
    await goOn(on, [says('done')], { interruptOn, onApprovalRequest, gate });
    expect(on.ran).toEqual(ran);
    expect(requests.slice(1).map(({ description }) => description)).toEqual(
      isShown ? [expect.stringMatching(/^Asked again: .*README\.md.* has changed since it was edited/)] : [],
    );
  });
});
