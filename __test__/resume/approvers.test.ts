/** A run that another gate continues: who had to agree goes on having to, and nobody alone makes that last. */
import { describe, expect, it } from 'vitest';
import { call, calls, says, sleep } from '../support/model.js';
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
