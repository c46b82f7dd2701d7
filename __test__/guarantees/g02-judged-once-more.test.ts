/**
 * G2, for what the verdict was made of: right before an approved call runs it is judged once more, by the policies and the files as
 * they are then, whatever tool it is of and however it came to be approved.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, PolicyDocument } from '../../index.js';
import { createTaskTool } from '../../ts/agent/index.js';
import { createGate, resume, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { answer, stoppingEntries, toolEntries, waitingEntries } from '../support/entries.js';
import { ledgerIn } from '../support/ledger.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { waiting } from '../support/play.js';
import { scratch } from '../policy/support.js';

const policy: PolicyDocument = {
  version: 1,
  default: 'ask',
  tools: { upload: { read: 'local' } },
  rule: [
    {
      effect: 'deny',
      reads: ['**/.env', '${project}/.git/**'],
      writes: ['**/.env', '${project}/.git/**'],
      reason: 'never',
    },
    { effect: 'ask', reads: ['${project}/payroll/**'], approvers: ['ada'] },
  ],
};

/** A project with a file that may become a link, and a folder that may. */
function project() {
  const root = scratch();
  const at = (path: string) => join(root, path);
  for (const folder of ['.git/hooks', 'sub', 'payroll']) mkdirSync(at(folder), { recursive: true });
  for (const file of ['notes.txt', 'other.txt', '.env', 'sub/x', '.git/hooks/x', 'payroll/june', 'evil.txt'])
    writeFileSync(at(file), 'same\n');
  return {
    root,
    place: { cwd: root, project: root, home: '/nonexistent' },
    /** From now on both lead to what the policy denies. */
    swap() {
      for (const path of ['notes.txt', 'sub']) rmSync(at(path), { recursive: true });
      symlinkSync('.env', at('notes.txt'));
      symlinkSync('.git/hooks', at('sub'));
    },
    /** From now on the file leads to this one. */
    lead(to: string) {
      rmSync(at('notes.txt'));
      symlinkSync(to, at('notes.txt'));
    },
  };
}

type OneCall = readonly [toolName: string, args: Record<string, unknown>];

const oneCalls: OneCall[] = [
  ['read_file', { file_path: 'notes.txt' }],
  ['grep', { pattern: '.', path: 'notes.txt' }],
  ['ls', { path: 'sub' }],
  ['execute', { command: 'cat notes.txt' }],
  ['execute', { command: 'echo evil > notes.txt' }],
  ['execute', { command: 'cp evil.txt sub/pre' }],
  ['append_file', { path: 'notes.txt', content: 'x' }],
  ['delete_file', { path: 'sub/x' }],
  ['str_replace', { path: 'notes.txt', old_str: 'same', new_str: 'evil' }],
  ['create_directory', { path: 'sub/new' }],
  ['read_multiple_files', { paths: ['notes.txt'] }],
  ['upload', { local: 'notes.txt' }],
];

function anyTool(name: string) {
  const ran: string[] = [];
  const execute = async () => {
    ran.push(name);
    return 'done';
  };
  const tools: ToolSet = { [name]: tool({ inputSchema: z.looseObject({}), execute }) };
  return { ran, tools };
}

const turnsOf = ([toolName, args]: OneCall) => [calls(call(toolName, args, 'c1')), says('.')];
const user = { role: 'user', content: 'go' } as const;

describe('a call that a policy denies by the time that it is to run does not run', () => {
  describe.each(waitingEntries)('%s', (_, entry) => {
    it.each(sample(oneCalls))('%s %j', async (...one) => {
      const { place, swap } = project();
      const { ran, tools } = anyTool(one[0]);
      let asked = 0;
      const onApprovalRequest = () => {
        if (++asked === 1) swap();
        return true;
      };
      await entry({ turns: turnsOf(one), tools, gate: createGate({ policy, place }), onApprovalRequest } as never);
      expect([ran, asked]).toEqual([[], 1]);
    });
  });

  describe.each(stoppingEntries)('%s', (_, open) => {
    it.each(sample(oneCalls))('%s %j', async (...one) => {
      const { place, swap } = project();
      const { ran, tools } = anyTool(one[0]);
      const gate = createGate({ policy, place });
      const chat = open({ gate, tools, runId: 'chat' });
      const history = await chat.speak([user], [turnsOf(one)[0] as never]);
      const sent = await verifyApprovals(answer(history, true), gate, { runId: 'chat' });
      swap();
      const after = await chat.speak(sent, [says('.')]);
      expect(ran).toEqual([]);
      expect(JSON.stringify(after)).toContain('never');
      // Nor does it run once the file is what it was: the approval is over.
      expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
    });
  });

  it('of a run that goes on elsewhere', async () => {
    for (const one of sample(oneCalls)) {
      const { root, place, swap } = project();
      const { ran, tools } = anyTool(one[0]);
      const ledger = ledgerIn(root);
      const before = createGate({ ledger, policy, place });
      const run = streamWithEvents({
        gate: before,
        runId: 'left',
        model: scripted(turnsOf(one).slice(0, 1)).model,
        tools,
        prompt: 'x',
      });
      for await (const event of run) if (event.type === 'approval-requested') await run.suspend();
      for (const { approvalId } of await before.pending()) await before.approve(approvalId);
      await before.close();
      swap();
      const gate = createGate({ ledger, policy, place });
      await collect(resume({ gate, runId: 'left', model: scripted([says('.')]).model, tools } as never));
      expect(ran, JSON.stringify(one)).toEqual([]);
      await gate.close();
    }
  });

  it('of a subagent', async () => {
    const { place, swap } = project();
    const { ran, tools } = anyTool('read_file');
    const child = {
      name: 'reader',
      description: 'Reads.',
      model: scripted(turnsOf(oneCalls[0] as OneCall)).model,
      tools,
    };
    const task = call('task', { description: 'read', subagent_type: 'reader' }, 't1');
    let asked = 0;
    await collect(
      streamWithEvents({
        model: scripted([calls(task), says('.')]).model,
        tools: { task: createTaskTool({ subagents: [child] } as never) },
        prompt: 'x',
        policy,
        place,
        interruptOn: { task: false },
        onApprovalRequest: ({ toolName }: ApprovalRequest) => {
          if (toolName === 'read_file' && ++asked === 1) swap();
          return true;
        },
      } as never),
    );
    expect([ran, asked]).toEqual([[], 1]);
  });

  it.each([
    ['notes.txt', true],
    ['other.txt', { type: 'edit', args: { file_path: 'notes.txt' } }],
  ] as const)('after the approval of %s as %j, while somebody looks at another call', async (file_path, decision) => {
    const { place, swap } = project();
    const { ran, tools } = anyTool('read_file');
    const del = tool({ inputSchema: z.looseObject({}), execute: async () => void ran.push('del') });
    const { result } = streamWithEvents({
      model: scripted([calls(call('read_file', { file_path }, 'c1'), call('del', {}, 'c2')), says('.')]).model,
      tools: { ...tools, del },
      prompt: 'x',
      gate: createGate({ policy, place }),
      onApprovalRequest: ({ toolName }: ApprovalRequest) => {
        if (toolName !== 'del') return decision;
        swap();
        return true;
      },
    } as never);
    expect(JSON.stringify((await result).messages)).toContain('never');
    expect(ran).toEqual(['del']);
  });

  it.each(toolEntries)('where the mode approves it: %s', async (_, entry) => {
    const { place, swap } = project();
    const { ran, tools } = anyTool('read_file');
    const gate = createGate({ policy, place });
    const ended = entry({ turns: turnsOf(oneCalls[0] as OneCall), tools, gate });
    await waiting(gate);
    swap();
    await gate.setMode('auto');
    for (const { approvalId } of await gate.pending()) await gate.reject(approvalId);
    await ended;
    expect(ran).toEqual([]);
    await gate.close();
  });
});

describe('a call of which a path leads elsewhere by the time that it is to run is asked about again', () => {
  it.each(waitingEntries)('%s', async (name, entry) => {
    for (const one of sample(oneCalls.filter(([, args]) => JSON.stringify(args).includes('notes.txt')))) {
      const { place, lead } = project();
      const { ran, tools } = anyTool(one[0]);
      let asked = 0;
      const onApprovalRequest = () => {
        if (++asked > 1) return false;
        lead('other.txt');
        return true;
      };
      await entry({ turns: turnsOf(one), tools, gate: createGate({ policy, place }), onApprovalRequest } as never);
      // Where the SDK asks, the model is told to call it again.
      expect([ran, asked], JSON.stringify(one)).toEqual([[], name === 'toolApproval' ? 1 : 2]);
    }
  });

  it.each(stoppingEntries)('and does not run: %s', async (_, open) => {
    const { place, lead } = project();
    const { ran, tools } = anyTool('read_file');
    const gate = createGate({ policy, place });
    const chat = open({ gate, tools });
    const history = await chat.speak([user], [turnsOf(oneCalls[0] as OneCall)[0] as never]);
    const sent = await verifyApprovals(answer(history, true), gate, { runId: 'chat' });
    lead('other.txt');
    await chat.speak(sent, [says('.')]);
    expect(ran).toEqual([]);
  });

  it.each(toolEntries)('by those who must agree there: %s', async (_, entry) => {
    const { place, lead } = project();
    const { ran, tools } = anyTool('read_file');
    const needs: unknown[] = [];
    const onApprovalRequest = (request: ApprovalRequest) => {
      needs.push(request.needs);
      if (needs.length === 1) lead('payroll/june');
      return true;
    };
    const warn = (line: string, { approvalId }: { approvalId: string }) => {
      if (line === 'the answer was not taken') void gate.reject(approvalId, { by: 'ada' });
    };
    const gate = createGate({ policy, place, logger: { warn: warn as never } });
    await entry({ turns: turnsOf(oneCalls[0] as OneCall), tools, gate, onApprovalRequest });
    expect(needs).toMatchObject([[], [{ approvers: ['ada'] }]]);
    expect((await gate.history()).map(({ status }) => status)).toEqual(['rejected', 'cancelled']);
    expect(ran).toEqual([]);
  });
});

describe('a call runs as it was approved', () => {
  const quiet: [string, (at: (path: string) => string) => void][] = [
    ['nothing changes', () => {}],
    ['files beside it come and go', (at) => (writeFileSync(at('sub/new'), ''), rmSync(at('evil.txt')))],
    ['the file is made that it names', (at) => writeFileSync(at('later.txt'), '')],
    ['a symlink comes that it does not name', (at) => symlinkSync('.env', at('link'))],
  ];

  it.each(waitingEntries)('%s', async (_, entry) => {
    for (const [what, meanwhile] of quiet) {
      const { root, place } = project();
      symlinkSync('sub', join(root, 'led'));
      for (const path of ['notes.txt', 'later.txt', 'led/x']) {
        const { ran, tools } = anyTool('execute');
        let asked = 0;
        const onApprovalRequest = () => {
          if (asked++ === 0 && path === 'notes.txt') meanwhile((name) => join(root, name));
          return true;
        };
        const one = ['execute', { command: `cat ${path}` }] as const;
        await entry({ turns: turnsOf(one), tools, gate: createGate({ policy, place }), onApprovalRequest } as never);
        expect([ran, asked], `${what}: ${path}`).toEqual([['execute'], 1]);
      }
    }
  });

  const toEdit = ['execute', { command: 'cat led/x' }] as const;
  const edited = { command: 'cat notes.txt' };
  /** What is asked about leads elsewhere, and what a human makes of it does not. */
  const linked = () => {
    const { root, place } = project();
    symlinkSync('sub', join(root, 'led'));
    return { ...anyTool('execute'), gate: createGate({ policy, place }) };
  };

  it.each(waitingEntries.filter(([name]) => name !== 'toolApproval'))(
    'edited to another path: %s',
    async (_, entry) => {
      const { ran, tools, gate } = linked();
      let asked = 0;
      const onApprovalRequest = () => (asked++ === 0 ? { type: 'edit', args: edited } : false);
      await entry({ turns: turnsOf(toEdit), tools, gate, onApprovalRequest } as never);
      expect([ran, asked]).toEqual([['execute'], 1]);
    },
  );

  it.each(stoppingEntries.filter(([name]) => name !== 'toolApproval'))(
    'edited to another path: %s',
    async (_, open) => {
      const { ran, tools, gate } = linked();
      const chat = open({ gate, tools, runId: 'chat' });
      const history = await chat.speak([user], [turnsOf(toEdit)[0] as never]);
      const [request] = await gate.pending();
      await gate.edit(request?.approvalId ?? '', edited);
      await chat.speak(await verifyApprovals(answer(history, true), gate, { runId: 'chat' }), [says('.')]);
      expect(ran).toEqual(['execute']);
    },
  );
});
