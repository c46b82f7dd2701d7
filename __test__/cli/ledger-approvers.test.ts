/** Requests that name who may decide, on the command line. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApprovalRecord, Gate, GateRequest } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { isThorough } from '../support/effort.js';
import { countersign as apart, quickly, linesOf } from './command.js';

const countersign = isThorough ? apart : quickly;

const gates: Gate[] = [];
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()));
});

/** A ledger with one request that waits. */
async function asking(request: Partial<GateRequest>) {
  const root = scratch();
  const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  gates.push(gate);
  const answer = gate.request({ toolName: 'deploy', args: { to: 'prod' }, ...request });
  answer.catch(() => {});
  const [waiting] = await gate.pending();
  const id = waiting?.approvalId ?? '';
  const env = { COUNTERSIGN_LEDGER: ledger, HOME: root, XDG_CONFIG_HOME: join(root, 'config'), NO_COLOR: '1' };
  return { answer, id, run: (...args: string[]) => countersign(args, { cwd: root, env }) };
}

const two = { approvers: ['ada', 'group:ops'], quorum: 2, requester: 'eve' };

describe('who may decide', () => {
  it('approve --by --group: what is counted says what is still needed', async () => {
    const { answer, id, run } = await asking(two);
    const shown = (await run('show', id)).stdout;
    expect(shown).toMatch(/^needs +0 of 2 approvals, needs 2 of: ada, group:ops$/mu);
    expect(shown).toMatch(/^for +eve$/mu);
    const refused = await run('approve', id, '--by', 'bo');
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/bo may not decide this request.*--by NAME --group GROUP/) as unknown,
    });
    // A group is not a person: it is given beside the name.
    const group = await run('approve', id, '--by', 'group:ops');
    expect(group).toMatchObject({ code: 2, stderr: expect.stringContaining('--by NAME --group ops') as unknown });
    const counted = await run('approve', id, '--by', 'ada');
    expect([counted.code, linesOf(counted.stdout).at(-1)]).toEqual([
      0,
      `counted  ${id.slice(-8)}  1 of 2 approvals (ada), needs 2 of: ada, group:ops`,
    ]);
    const again = await run('approve', id, '--by', 'ada', '--json');
    const { taken, record } = JSON.parse(again.stdout) as { taken: boolean; record: ApprovalRecord };
    expect([taken, record.status, record.votes.length]).toEqual([true, 'pending', 1]);
    expect((await run('pending', '--json')).stdout).toContain('"votes":[{"by":"ada","via":"terminal"');
    // Written as approvers are, it is the same group.
    const last = await run('approve', id, '--by', 'cy', '--group', 'all', '--group', 'group:ops');
    expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining('approved') as unknown });
    expect(await answer).toMatchObject({ approved: true, decidedBy: 'cy' });
  });

  it('one who is named rejects it; nobody is no group', async () => {
    const { answer, id, run } = await asking(two);
    expect(await run('reject', id, '--by', 'cy', '--group', ' ')).toMatchObject({ code: 2 });
    // What should have written into the pipe has failed.
    const nothing = await run('respond', id, '-', '--by', 'eve');
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin is empty') as unknown });
    expect(await run('reject', id, '--by', 'eve', '--reason', 'not today')).toMatchObject({ code: 0 });
    expect(await answer).toMatchObject({ approved: false, reason: 'not today', decidedBy: 'eve' });
  });
});
