/** A run that another gate continues: who had to agree goes on having to, and nobody alone makes that last. */
import { describe, expect, it } from 'vitest';
import { call, calls, says, sleep } from '../support/model.js';
import type { Gate } from '../../index.js';
import { askThenLeave, goOn, stage } from './stage.js';

describe('a request that several must approve, asked about again by a run that names nobody', () => {
  it('needs them still, and nothing of it is offered to be remembered', async () => {
    const on = stage();
    const interruptOn = { del: { approvers: ['ada', 'bo'], quorum: 2 } };
    await askThenLeave(on, [calls(call('del', { path: '/1' }, 'c1'))], 1, { interruptOn });
    const gate = on.gate();
    const [before] = await gate.pending();
    const { del, ...others } = on.tools();
    const going = goOn(on, [says('.')], { gate, tools: { ...others, del: { ...del, description: 'Another tool' } } });
    for (;;) {
      const [now] = await gate.pending();
      if (now !== undefined && now.approvalId !== before?.approvalId) break;
      await sleep(5);
    }
    const [again] = await gate.pending();
    const { approvalId: id, needs, always } = again!;
    expect(needs).toEqual([interruptOn.del]);
    expect(always).toEqual({ allow: null, deny: null });
    for (const by of ['ada', 'eve'])
      await expect(gate.approve(id, { by, remember: 'session' })).rejects.toMatchObject({
        code: 'ERR_INVALID_DECISION',
      });
    expect(await gate.approve(id, { by: 'ada' })).toMatchObject({ status: 'pending' });
    expect(await gate.grants.list()).toEqual([]);
    expect(on.ran).toEqual([]);
    await gate.approve(id, { by: 'bo' });
    await going;
    expect(on.ran).toEqual(['del /1']);
  });
});

/** Another request than this one, as soon as one waits. */
async function nextPending(gate: Gate, before?: string) {
  for (;;) {
    const [now] = await gate.pending();
    if (now !== undefined && now.approvalId !== before) return now;
    await sleep(5);
  }
}

/** A callback that answers nothing; `told` is the id of what is put to it first. */
function listener() {
  let tell: (approvalId: string) => void;
  const told = new Promise<string>((resolve) => (tell = resolve));
  const onApprovalRequest = ({ approvalId }: { approvalId: string }) => {
    tell(approvalId);
    return new Promise<never>(() => {});
  };
  return { told, onApprovalRequest };
}

const refused = { code: 'ERR_NOT_APPROVER' };

describe('a run that goes on with other approvers', () => {
  it('named by interruptOn: what waits needs those of before, what is asked from then on the new ones', async () => {
    const on = stage();
    const naming = (name: string) => ({ interruptOn: { del: { approvers: [name] } } });
    await askThenLeave(on, [calls(call('del', { path: '/1' }, 'c1'))], 1, naming('ada'));
    const gate = on.gate();
    const { approvalId: id } = await nextPending(gate);
    const { told, onApprovalRequest } = listener();
    const turns = [calls(call('del', { path: '/2' }, 'c2')), says('.')];
    const going = goOn(on, turns, { gate, onApprovalRequest, ...naming('bo') });
    expect(await told).toBe(id);
    await expect(gate.approve(id, { by: 'bo' })).rejects.toMatchObject(refused);
    expect(await nextPending(gate)).toMatchObject({ approvalId: id, needs: [{ approvers: ['ada'] }] });
    await gate.approve(id, { by: 'ada' });
    const next = await nextPending(gate, id);
    expect(on.ran).toEqual(['del /1']);
    expect(next.needs).toEqual([{ approvers: ['bo'] }]);
    await gate.approve(next.approvalId, { by: 'bo' });
    await going;
    expect(on.ran).toEqual(['del /1', 'del /2']);
  });

  it('named by a policy: when it is to run it is judged again, and both those of before and the new ones must agree', async () => {
    const on = stage();
    const naming = (name: string) => ({
      interruptOn: 'none',
      policy: { version: 1, rule: [{ effect: 'ask', tools: ['del'], approvers: [name] }] },
    });
    await askThenLeave(on, [calls(call('del', { path: '/1' }, 'c1'))], 1, naming('ada'));
    const gate = on.gate();
    const { approvalId: id } = await nextPending(gate);
    const { told, onApprovalRequest } = listener();
    const going = goOn(on, [says('.')], { gate, onApprovalRequest, ...naming('bo') });
    expect(await told).toBe(id);
    await expect(gate.approve(id, { by: 'bo' })).rejects.toMatchObject(refused);
    await gate.approve(id, { by: 'ada' });
    const again = await nextPending(gate, id);
    expect(again.description).toContain('The policy changed since it was approved');
    expect(again.needs).toEqual([{ approvers: ['bo'] }, { approvers: ['ada'] }]);
    expect(await gate.approve(again.approvalId, { by: 'bo' })).toMatchObject({ status: 'pending' });
    expect(on.ran).toEqual([]);
    await gate.approve(again.approvalId, { by: 'ada' });
    await going;
    expect(on.ran).toEqual(['del /1']);
  });
});
