/** What code asks about by itself is judged by the policies, the judge and the mode of its gate, as the call of a tool is. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, Gate, GateOptions, GateRequest, PolicyDocument, Resolution } from '../../index.js';
import { createGate, definePolicy, streamWithEvents } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { waiting } from '../support/play.js';

const policy: PolicyDocument = {
  version: 1,
  default: 'ask',
  rule: [
    { effect: 'allow', tools: ['look'] },
    { effect: 'deny', tools: ['wipe'], reason: 'never' },
    { effect: 'deny', commands: ['rm'] },
    { effect: 'deny', reads: ['**/.env'], writes: ['**/.env'], reason: 'secrets' },
    { effect: 'ask', tools: ['deploy'], approvers: ['bob'], reason: 'deploys are for bob' },
    { effect: 'ask', tools: ['pay'], quorum: 2 },
    { effect: 'ask', reads: ['${project}/payroll/**'], approvers: ['ada'] },
  ],
};

/** A project whose `notes.txt` may lead elsewhere. */
function project() {
  const root = scratch();
  mkdirSync(join(root, 'payroll'));
  for (const file of ['notes.txt', 'other.txt', '.env', 'payroll/june']) writeFileSync(join(root, file), 'same\n');
  const place = { cwd: root, project: root, home: '/nonexistent' };
  const lead = (to: string) => {
    rmSync(join(root, 'notes.txt'));
    symlinkSync(to, join(root, 'notes.txt'));
  };
  return { place, lead };
}

const read = (file_path = 'notes.txt') => ({ toolName: 'read_file', args: { file_path } });

/** What is asked, and how it ends. */
async function asking(gate: Gate, request: GateRequest): Promise<[ApprovalRequest, Promise<Resolution>]> {
  const resolution = gate.request(request);
  const [asked] = await waiting(gate);
  return [asked!, resolution];
}

describe('what is denied is not put to a human', () => {
  const wipe = { toolName: 'wipe', args: {} };
  const look = { toolName: 'look', args: {} };
  const denied: [string, GateRequest, GateOptions, string][] = [
    ['by the name of the tool', wipe, { policy }, 'never'],
    ['for a command', { toolName: 'execute', args: { command: 'ls; rm -rf x' } }, { policy }, '(rule 3) denies'],
    ['for a file', read('.env'), { policy }, 'secrets'],
    ['by a condition', wipe, { policy: definePolicy([{ tools: ['*'], if: () => true, effect: 'deny' }]) }, 'denies'],
    ['by the judge', look, { policy, judge: () => ({ effect: 'deny', reason: 'budget' }) }, 'budget'],
    ['by the judge alone', wipe, { judge: () => 'deny' }, 'Denied by the judge'],
    ['in plan mode', { toolName: 'execute', args: { command: 'make' } }, { policy, mode: 'plan' }, 'Plan mode'],
    ['in plan mode, without a policy', wipe, { mode: 'plan' }, 'Plan mode'],
    ['where nobody is there', { toolName: 'pay', args: {} }, { policy, mode: 'deny-all-asks' }, 'Nobody is there'],
    [
      'where nobody is there to ask about what a rule allows',
      look,
      { policy, mode: 'deny-all-asks' },
      'Nobody is there',
    ],
    ['where nobody is there, without a policy', wipe, { mode: 'deny-all-asks' }, 'Nobody is there'],
  ];

  it.each(denied)('%s', async (_, request, options, reason) => {
    await using gate = createGate({ place: project().place, ...options });
    const resolution = await gate.request(request);
    expect(resolution).toMatchObject({ approved: false, decision: { type: 'reject' } });
    expect(resolution.reason).toContain(reason);
    expect(await gate.pending()).toEqual([]);
    const { status, via, toolName } = (await gate.get(resolution.approvalId))!;
    expect([status, via, toolName]).toEqual(['rejected', 'system', request.toolName]);
  });

  it('and whoever is faster to approve it has approved nothing', async () => {
    await using gate = createGate({ policy });
    const approving = (async () => {
      for await (const event of gate.events())
        if (event.type === 'requested') await gate.approve(event.request.approvalId).catch(() => {});
    })();
    expect(await gate.request(wipe)).toMatchObject({ approved: false });
    expect((await gate.history()).map(({ status }) => status).filter((status) => status === 'approved')).toEqual([]);
    await gate.close();
    await approving;
  });

  it('nor to the callback of the run whose tool asks', async () => {
    const gate = createGate({ policy });
    const asked: string[] = [];
    let resolution: Resolution | undefined;
    const execute = async () => {
      resolution = await gate.request(wipe);
      return 'done';
    };
    const { model } = scripted([calls(call('tidy', {}, 'c1')), says('.')]);
    const run = streamWithEvents({
      model,
      prompt: 'x',
      gate,
      tools: { tidy: tool({ inputSchema: z.object({}), execute }) },
      onApprovalRequest: ({ toolName }: ApprovalRequest) => {
        asked.push(toolName);
        return true;
      },
    });
    const told = (await collect(run)).filter(({ type }) => type === 'approval-requested');
    expect(asked).toEqual(['tidy']);
    expect(resolution).toMatchObject({ approved: false, reason: expect.stringContaining('never') });
    expect(told).toMatchObject([{ toolName: 'tidy' }, { toolName: 'wipe', isAutomatic: true }]);
  });

  it('by the policy of the run whose tool asks', async () => {
    const gate = createGate();
    let resolution: Resolution | undefined;
    const execute = async () => {
      resolution = await gate.request(wipe);
      return 'done';
    };
    const { model } = scripted([calls(call('look', {}, 'c1')), says('.')]);
    const tools = { look: tool({ inputSchema: z.object({}), execute }) };
    await streamWithEvents({ model, prompt: 'x', gate, policy, tools, onApprovalRequest: () => true }).result;
    expect(resolution).toMatchObject({ approved: false, reason: expect.stringContaining('never') });
  });
});

describe('what is not denied is asked about', () => {
  it.each([
    ['that a rule allows', { policy }],
    ['in the mode auto', { policy, mode: 'auto' }],
    ['in the mode auto, without a policy', { mode: 'auto' }],
    ['that the judge allows', { judge: () => 'allow' as const }],
  ] satisfies [string, GateOptions][])('%s', async (_, options) => {
    await using gate = createGate(options);
    const [request, resolution] = await asking(gate, { toolName: 'look', args: {}, description: 'Look at it?' });
    expect(request).toMatchObject({ description: 'Look at it?', always: { allow: null, deny: null } });
    await gate.setMode('auto');
    expect(await gate.pending()).toHaveLength(1);
    await gate.approve(request.approvalId);
    expect(await resolution).toMatchObject({ approved: true, approvalId: request.approvalId });
  });

  it('with what the policies say of it', async () => {
    await using gate = createGate({ policy });
    const [request, resolution] = await asking(gate, { toolName: 'deploy', args: {} });
    expect(request.verdict).toMatchObject({ effect: 'ask', reason: expect.stringContaining('deploys are for bob') });
    await gate.reject(request.approvalId, 'no', { by: 'bob' });
    expect(await resolution).toMatchObject({ approved: false, reason: 'no' });
  });

  it('of whom a rule names, and of whom the caller names', async () => {
    await using gate = createGate({ policy });
    const [request, resolution] = await asking(gate, { toolName: 'deploy', args: {}, approvers: ['eve'] });
    expect(request.needs).toMatchObject([{ approvers: ['eve'] }, { approvers: ['bob'] }]);
    const id = request.approvalId;
    await expect(gate.approve(id, { by: 'mallory' })).rejects.toMatchObject({ code: 'ERR_NOT_APPROVER' });
    expect((await gate.approve(id, { by: 'eve' })).status).toBe('pending');
    expect((await gate.approve(id, { by: 'bob' })).status).toBe('approved');
    expect(await resolution).toMatchObject({ approved: true });
  });

  it('of as many as a rule wants', async () => {
    await using gate = createGate({ policy });
    const [{ approvalId }, resolution] = await asking(gate, { toolName: 'pay', args: {} });
    expect((await gate.approve(approvalId, { by: 'eve' })).status).toBe('pending');
    await gate.approve(approvalId, { by: 'bob' });
    expect(await resolution).toMatchObject({ approved: true });
  });
});

describe('a yes counts for what was asked', () => {
  it('not for a file that is denied by then', async () => {
    const { place, lead } = project();
    await using gate = createGate({ policy, place });
    const [{ approvalId }, resolution] = await asking(gate, read());
    lead('.env');
    await gate.approve(approvalId);
    expect(await resolution).toMatchObject({ approved: false, reason: expect.stringContaining('secrets') });
    expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('not for a file that is for others by then: they are asked', async () => {
    const { place, lead } = project();
    await using gate = createGate({ policy, place });
    const [{ approvalId }, resolution] = await asking(gate, read());
    lead('payroll/june');
    await gate.approve(approvalId, { by: 'eve' });
    const [again] = await waiting(gate);
    expect(again).toMatchObject({ needs: [{ approvers: ['ada'] }] });
    expect(again!.description).toContain('Asked again');
    await gate.approve(again!.approvalId, { by: 'ada' });
    expect(await resolution).toMatchObject({ approved: true, approvalId: again!.approvalId });
  });

  it('not for a file that leads elsewhere by then: it is asked about again', async () => {
    const { place, lead } = project();
    await using gate = createGate({ policy, place });
    const [{ approvalId }, resolution] = await asking(gate, read());
    lead('other.txt');
    await gate.approve(approvalId);
    const [again] = await waiting(gate);
    await gate.reject(again!.approvalId, 'not that one');
    expect(await resolution).toMatchObject({ approved: false, reason: 'not that one' });
  });

  it.each(['plan', 'deny-all-asks'] as const)('not in the mode %s, set since', async (mode) => {
    for (const options of [{ policy }, {}]) {
      await using gate = createGate(options);
      const [{ approvalId }, resolution] = await asking(gate, { toolName: 'write_file', args: { file_path: 'a' } });
      await gate.setMode(mode);
      await gate.approve(approvalId);
      expect(await resolution).toMatchObject({ approved: false });
      expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
    }
  });

  it('an edit is judged, too', async () => {
    const { place } = project();
    await using gate = createGate({ policy, place });
    const [{ approvalId }, resolution] = await asking(gate, read());
    const edit = async (file_path: string) => gate.edit(approvalId, { file_path }, { by: 'eve' });
    await expect(edit('.env')).rejects.toMatchObject({ code: 'ERR_INVALID_DECISION' });
    await expect(edit('payroll/june')).rejects.toThrow('Others must approve');
    await edit('other.txt');
    expect(await resolution).toMatchObject({ approved: true, args: { file_path: 'other.txt' } });
  });

  it('and not once the caller has gone', async () => {
    await using gate = createGate({ policy });
    const abort = new AbortController();
    const resolution = gate.request({ toolName: 'pay', args: {} }, { abortSignal: abort.signal });
    await waiting(gate);
    abort.abort();
    expect(await resolution).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
    expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
  });
});

it('a second request for the same call is refused', async () => {
  await using gate = createGate({ policy });
  const request = { toolName: 'pay', args: {}, runId: 'r', toolCallId: 'c' };
  const [{ approvalId }, first] = await asking(gate, request);
  await expect(gate.request(request)).rejects.toMatchObject({ code: 'ERR_DUPLICATE_REQUEST' });
  await gate.reject(approvalId, { by: 'eve' });
  await first;
});
