/**
 * G5 over processes: a deadline passed is `expired`, whoever stood still or was dead when it passed. Other clocks:
 * `crates/core/tests/ledger_time.rs`.
 */
import { describe, expect, it, vi } from 'vitest';
import { ApprovalExpiredError } from '../../ts/index.js';
import { eventually, left, sleep, stage } from '../ledger/processes.js';

const on = stage();

/** For each test, in ms: on a server a process counts as gone only once its lease is over. */
vi.setConfig({ testTimeout: 60_000 });

/** Long enough for a process to be stopped or killed in time, in ms. */
const SHORT = 2_000;

async function asked(timeout: number) {
  const ledger = on.ledger();
  const ran = on.path();
  const waiter = on.start('waiter', [ledger, 'run', ran, 'start', String(timeout)]);
  const approvalId = await waiter.says('asked');
  return { ledger, ran, waiter, approvalId };
}

const pastDeadline = async (ledger: string, approvalId: string) => {
  const { expiresAt } = (await on.gate(ledger).get(approvalId)) ?? {};
  if (expiresAt === undefined || expiresAt === null) throw new Error('it has no deadline');
  return async () => sleep(expiresAt - Date.now() + 20);
};

/** Stops it when it has written down where it stands: a process that is stopped in a write keeps all others from writing. */
const standStill = async (waiter: { signal: (name: 'SIGSTOP') => void }) => {
  await sleep(300);
  waiter.signal('SIGSTOP');
};

describe.skipIf(process.platform === 'win32')('a process that stands still over the deadline', () => {
  it.each([['before it goes on'], ['after it goes on']])(
    'a late approval, %s, is refused, and nothing runs',
    async (when) => {
      const { ledger, ran, waiter, approvalId } = await asked(SHORT);
      await standStill(waiter);
      const passed = await pastDeadline(ledger, approvalId);
      await passed();
      // A gate that has just been opened and one that waits.
      const gate = on.gate(ledger);
      if (when === 'after it goes on') {
        waiter.signal('SIGCONT');
        await waiter.says('answered');
      }
      const late = gate.approve(approvalId, { by: 'late' });
      await expect(late).rejects.toBeInstanceOf(ApprovalExpiredError);
      await expect(late).rejects.toMatchObject({ code: 'ERR_EXPIRED', approvalId });
      waiter.signal('SIGCONT');
      expect(await waiter.says('answered')).toMatch(/^expired/);
      await waiter.says('end');
      expect(await gate.get(approvalId)).toMatchObject({
        status: 'expired',
        decision: { type: 'expired' },
        via: 'deadline',
      });
      expect(on.lines(ran)).toEqual([]);
    },
  );

  it('an approval in time is carried out when it goes on, though the deadline is past by then', async () => {
    const { ledger, ran, waiter, approvalId } = await asked(SHORT);
    await standStill(waiter);
    await on.gate(ledger).approve(approvalId);
    await (
      await pastDeadline(ledger, approvalId)
    )();
    waiter.signal('SIGCONT');
    await waiter.says('end');
    expect(on.lines(ran)).toEqual(['del /a']);
  });
});

describe('a deadline that passes while no process runs', () => {
  it('is expired for whoever comes: nobody can approve it, and the run goes on without it', async () => {
    const { ledger, ran, waiter, approvalId } = await asked(SHORT);
    await waiter.kill();
    await sleep(SHORT + 50);
    const gate = on.gate(ledger);
    await expect(gate.approve(approvalId)).rejects.toMatchObject({ code: 'ERR_EXPIRED', approvalId });
    await left(gate, 'run');
    const resumed = on.start('waiter', [ledger, 'run', ran, 'resume']);
    await resumed.says('end');
    expect(on.lines(ran)).toEqual([]);
    expect(await gate.get(approvalId)).toMatchObject({ status: 'expired' });
    // Written down once, and by the deadline.
    const told: unknown[] = [];
    for await (const { decision, via } of gate.audit.list({ kind: 'decided' })) told.push([decision, via]);
    expect(told).toEqual([['expired', 'deadline']]);
  });

  it('is expired without anybody asking: opening the ledger is enough', async () => {
    const { ledger, waiter, approvalId } = await asked(SHORT);
    await waiter.kill();
    await sleep(SHORT + 50);
    const gate = on.gate(ledger);
    expect(await gate.pending()).toEqual([]);
    await eventually(async () => ((await gate.get(approvalId))?.status === 'expired' ? true : undefined));
  });

  it('an approval that came in time outlives both the process and the deadline', async () => {
    const { ledger, ran, waiter, approvalId } = await asked(SHORT);
    await waiter.kill();
    const gate = on.gate(ledger);
    await gate.approve(approvalId);
    await (
      await pastDeadline(ledger, approvalId)
    )();
    await left(gate, 'run');
    const resumed = on.start('waiter', [ledger, 'run', ran, 'resume']);
    await resumed.says('end');
    expect(on.lines(ran)).toEqual(['del /a']);
  });
});
