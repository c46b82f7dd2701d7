/**
 * G2, for what the verdict was made of: right before an approved call runs it is judged once more, by the policies and the files as
 * they are then, whatever tool it is of and however it came to be approved.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, Gate, PolicyDocument } from '../../index.js';
import { createTaskTool } from '../../ts/agent/index.js';
import { createGate, definePolicy, resume, streamWithEvents, verifyApprovals } from '../../ts/index.js';
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
  describe.each(waitingEntries.map(([name, entry], turn) => [name, entry, turn] as const))('%s', (_, entry, turn) => {
    it.each(sample(oneCalls, 1, turn))('%s %j', async (...one) => {
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

  describe.each(stoppingEntries.map(([name, open], turn) => [name, open, turn] as const))('%s', (_, open, turn) => {
    it.each(sample(oneCalls, 1, turn))('%s %j', async (...one) => {
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
    for (const one of sample(oneCalls, 1)) {
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
  // What was found with the first decision says nothing of what the second one brought about.
  it('of a run, while somebody looks at another call', async () => {
    const { place, lead } = project();
    const { ran, tools } = anyTool('read_file');
    const del = tool({ inputSchema: z.looseObject({}), execute: async () => void ran.push('del') });
    const asked: string[] = [];
    const turns = [calls(call('read_file', { file_path: 'notes.txt' }, 'c1'), call('del', {}, 'c2')), says('.')];
    const { result } = streamWithEvents({
      model: scripted(turns).model,
      tools: { ...tools, del },
      prompt: 'x',
      gate: createGate({ policy, place }),
      onApprovalRequest: ({ toolName }: ApprovalRequest) => {
        asked.push(toolName);
        if (toolName === 'del') lead('other.txt');
        return toolName !== 'del';
      },
    } as never);
    await result;
    expect([asked, ran]).toEqual([['read_file', 'del', 'read_file'], ['read_file']]);
  });

  it.each(waitingEntries)('%s', async (name, entry) => {
    for (const one of sample(
      oneCalls.filter(([, args]) => JSON.stringify(args).includes('notes.txt')),
      1,
    )) {
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

describe('a line that runs something else by the time that it is to run is asked about again', () => {
  const lines = [
    './run.sh',
    'sub/tool x',
    'cd sub && make test',
    'env -C sub make test',
    'pytest sub',
    'cat s*/x',
    'for f in sub/*; do cat "$f"; done',
  ];

  it.each(waitingEntries)('%s', async (name, entry) => {
    const again = name === 'toolApproval' ? 1 : 2;
    for (const command of [...sample(lines, 1), 'make test']) {
      const { root, place } = project();
      const at = (path: string) => join(root, path);
      const { ran, tools } = anyTool('execute');
      for (const folder of ['other', 'here']) mkdirSync(at(folder));
      for (const path of ['run.sh', 'other/x']) writeFileSync(at(path), '');
      // What names no path runs what stands in its folder.
      const path = command === 'make test' ? 'here' : command === './run.sh' ? 'run.sh' : 'sub';
      let asked = 0;
      const onApprovalRequest = () => {
        if (++asked > 1) return false;
        rmSync(at(path), { recursive: true });
        symlinkSync(path === 'run.sh' ? 'other/x' : 'other', at(path));
        return true;
      };
      const cwd = path === 'here' ? at('here') : root;
      const gate = createGate({ policy, place: { ...place, cwd } });
      await entry({ turns: turnsOf(['execute', { command }]), tools, gate, onApprovalRequest } as never);
      expect([ran, asked], command).toEqual([[], again]);
    }
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
    for (const [what, meanwhile] of sample(quiet, 1)) {
      const { root, place } = project();
      symlinkSync('sub', join(root, 'led'));
      for (const path of sample(['notes.txt', 'later.txt', 'led/x'], 1)) {
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

describe('an edited call that leads elsewhere by the time that it is to run does not run on that edit', () => {
  const edits: [toolName: string, argsFor: (path: string) => Record<string, unknown>][] = [
    ['read_file', (file_path) => ({ file_path })],
    ['write_file', (file_path) => ({ file_path, content: 'new' })],
    ['execute', (path) => ({ command: `cat ${path}` })],
  ];
  const targets = ['other.txt', 'payroll/june'];

  it.each(edits)('of a run, while somebody looks at another call: %s', async (toolName, argsFor) => {
    for (const target of targets) {
      const { place, lead } = project();
      const { ran, tools } = anyTool(toolName);
      const wait = tool({ inputSchema: z.object({}), execute: async () => 'done' });
      const gate = createGate({ policy, place });
      const turns = [calls(call(toolName, argsFor('evil.txt'), 'c1'), call('wait', {}, 'c2')), says('.')];
      const run = streamWithEvents({
        gate,
        model: scripted(turns).model,
        tools: { ...tools, wait },
        prompt: 'x',
      } as never);
      const reading = collect(run);
      const [edited, other] = await waiting(gate, 2);
      await gate.edit(edited!.approvalId, argsFor('notes.txt'), { by: 'eve' });
      lead(target);
      await gate.reject(other!.approvalId);
      const [again] = await waiting(gate);
      expect(again!.description).toContain('Asked again');
      await gate.reject(again!.approvalId, { by: 'ada' });
      await reading;
      expect(ran, target).toEqual([]);
    }
  });

  it('of a run whose edit writes a file that changed since', async () => {
    const { root, place } = project();
    const { ran, tools } = anyTool('write_file');
    const wait = tool({ inputSchema: z.object({}), execute: async () => 'done' });
    const gate = createGate({ policy, place });
    const write = (file_path: string) => ({ file_path, content: 'new' });
    const turns = [calls(call('write_file', write('evil.txt'), 'c1'), call('wait', {}, 'c2')), says('.')];
    const run = streamWithEvents({
      gate,
      model: scripted(turns).model,
      tools: { ...tools, wait },
      prompt: 'x',
    } as never);
    const reading = collect(run);
    const [edited, other] = await waiting(gate, 2);
    await gate.edit(edited!.approvalId, write('notes.txt'), { by: 'eve' });
    writeFileSync(join(root, 'notes.txt'), 'of somebody else\n');
    await gate.reject(other!.approvalId);
    const [again] = await waiting(gate);
    expect(again!.description).toContain('changed since');
    await gate.reject(again!.approvalId);
    await reading;
    expect(ran).toEqual([]);
  });

  const WAYS = ['by a gate with the same policies', 'by a gate without any', 'by the run that was left'] as const;
  describe.each(WAYS.map((by, turn) => [by, turn] as const))(
    'of a run that goes on elsewhere, edited %s',
    (by, turn) => {
      it.each(sample(edits, 1, turn))('%s', async (toolName, argsFor) => {
        for (const target of [undefined, ...targets]) {
          const { root, place, lead } = project();
          const { ran, tools } = anyTool(toolName);
          const ledger = ledgerIn(root);
          const before = createGate({ ledger, policy, place });
          const run = streamWithEvents({
            gate: before,
            runId: 'left',
            model: scripted([calls(call(toolName, argsFor('evil.txt'), 'c1'))]).model,
            tools,
            prompt: 'x',
          } as never);
          const edit = async (gate: Gate) => {
            for (const { approvalId } of await gate.pending())
              await gate.edit(approvalId, argsFor('notes.txt'), { by: 'eve' });
          };
          for await (const event of run)
            if (event.type === 'approval-requested') {
              await run.suspend();
              if (by === 'by the run that was left') await edit(before);
            }
          await before.close();
          if (by !== 'by the run that was left') {
            const elsewhere = createGate({ ledger, ...(by === 'by a gate without any' ? {} : { policy, place }) });
            await edit(elsewhere);
            await elsewhere.close();
          }
          if (target !== undefined) lead(target);
          const gate = createGate({ ledger, policy, place });
          let asked = 0;
          const onApprovalRequest = () => {
            asked++;
            return { type: 'reject', by: 'ada' };
          };
          const model = scripted([says('.')]).model;
          await collect(resume({ gate, runId: 'left', model, tools, onApprovalRequest } as never));
          // A gate of another place has not seen the file that an edit would replace.
          const unseen = by === 'by a gate without any' && toolName === 'write_file';
          expect([ran, asked], String(target)).toEqual(target === undefined && !unseen ? [[toolName], 0] : [[], 1]);
          await gate.close();
        }
      });
    },
  );

  it.each(edits)('of a chat that is answered later: %s', async (toolName, argsFor) => {
    const [stopping] = stoppingEntries;
    for (const target of targets)
      for (const when of ['before', 'after']) {
        const { place, lead } = project();
        const { ran, tools } = anyTool(toolName);
        const gate = createGate({ policy, place });
        const chat = stopping![1]({ gate, tools, runId: 'chat' });
        const history = await chat.speak([user], [calls(call(toolName, argsFor('evil.txt'), 'c1'))]);
        const [request] = await gate.pending();
        await gate.edit(request!.approvalId, argsFor('notes.txt'), { by: 'eve' });
        if (when === 'before') lead(target);
        const sent = await verifyApprovals(answer(history, true), gate, { runId: 'chat' });
        if (when === 'after') lead(target);
        await chat.speak(sent, [says('.')]);
        expect(ran, `${target} ${when}`).toEqual([]);
        expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
      }
  });
});

describe('an approved call that the judge of the gate denies by the time that it is to run does not run', () => {
  const one: OneCall = ['del', { path: 'a' }];
  /** From `late` on it denies. */
  const judging = () => {
    const judge = { late: false, asked: 0 };
    const gate = createGate({
      policy: { version: 1, default: 'ask' },
      judge: () => {
        judge.asked++;
        return judge.late ? { effect: 'deny', reason: 'the budget is used up' } : undefined;
      },
    });
    return { ...anyTool('del'), gate, judge };
  };

  it.each(waitingEntries)('%s', async (_, entry) => {
    const { ran, tools, gate, judge } = judging();
    let asked = 0;
    const onApprovalRequest = () => {
      asked++;
      judge.late = true;
      return true;
    };
    await entry({ turns: turnsOf(one), tools, gate, onApprovalRequest } as never);
    expect([ran, asked]).toEqual([[], 1]);
    expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
  });

  it.each(stoppingEntries)('%s', async (_, open) => {
    const { ran, tools, gate, judge } = judging();
    const chat = open({ gate, tools, runId: 'chat' });
    const history = await chat.speak([user], [turnsOf(one)[0] as never]);
    const sent = await verifyApprovals(answer(history, true), gate, { runId: 'chat' });
    judge.late = true;
    const after = await chat.speak(sent, [says('.')]);
    expect(ran).toEqual([]);
    expect(JSON.stringify(after)).toContain('the budget is used up');
  });

  it('of gate.request', async () => {
    const { gate, judge } = judging();
    const resolution = gate.request({ toolName: 'del', args: {} });
    const [request] = await waiting(gate);
    judge.late = true;
    await gate.approve(request!.approvalId);
    expect(await resolution).toMatchObject({ approved: false, reason: expect.stringContaining('budget') });
  });

  it('and one that the judge only asks about by then runs: a human has answered', async () => {
    const { ran, tools } = anyTool('del');
    for (const late of ['ask', new Error('down')]) {
      const state = { late: false };
      const judge = () => {
        if (state.late && late instanceof Error) throw late;
        return state.late ? ('ask' as const) : undefined;
      };
      const gate = createGate({ policy: { version: 1, default: 'ask' }, judge });
      const onApprovalRequest = () => (state.late = true);
      await streamWithEvents({
        model: scripted(turnsOf(one)).model,
        tools,
        gate,
        onApprovalRequest,
        prompt: 'x',
      } as never).result;
    }
    expect(ran).toEqual(['del', 'del']);
  });
});

describe('what changes while a condition is asked about an approved call, at the last moment', () => {
  const one: OneCall = ['write_file', { file_path: 'notes.txt', content: 'new' }];

  /** How often the condition of a rule is asked, and what became of the call. @param at the time at which `meanwhile` happens */
  async function asking(entry: (typeof waitingEntries)[number][1], meanwhile: (made: Made) => unknown, at: number) {
    const { root, place } = project();
    const { ran, tools } = anyTool('write_file');
    let asked = 0;
    const condition = async () => {
      if (++asked === at) await meanwhile({ gate, root });
      return true;
    };
    const gate = createGate({ policy: definePolicy([{ effect: 'ask', tools: 'write_file', if: condition }]), place });
    let humans = 0;
    const onApprovalRequest = () => ++humans === 1;
    await entry({ turns: turnsOf(one), tools, gate, onApprovalRequest } as never);
    await gate.close();
    return { asked, ran };
  }

  interface Made {
    gate: Gate;
    root: string;
  }

  it.each(waitingEntries)('counts: %s', async (_, entry) => {
    const { asked, ran } = await asking(entry, () => {}, 0);
    expect(ran).toEqual(['write_file']);
    const changes: ((made: Made) => unknown)[] = [
      ({ gate }) => gate.setMode('plan'),
      ({ gate }) => gate.setMode('deny-all-asks'),
      ({ root }) => writeFileSync(join(root, 'notes.txt'), 'of somebody else'),
    ];
    for (const [at, meanwhile] of changes.entries())
      expect([at, (await asking(entry, meanwhile, asked)).ran]).toEqual([at, []]);
  });
});
