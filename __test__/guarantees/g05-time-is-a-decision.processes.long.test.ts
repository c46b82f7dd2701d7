/**
 * G5 over processes: a passed deadline is `expired`, even if processes were stopped or dead when it passed. Other clocks:
 * `crates/core/tests/ledger_time.rs`.
 */
import { describe, expect, it } from 'vitest';
import { ApprovalExpiredError } from '../../ts/index.js';
import { eventually, left, sleep, stage, type Worker } from '../ledger/processes.js';
import { isWhole, sample } from '../support/effort.js';

const on = stage();

interface Asked {
  ledger: string;
  ran: string;
  waiter: Worker;
  approvalId: string;
  /** Resolves when the deadline has passed. */
  passed: () => Promise<void>;
}

/**
 * Plays with a deadline, and again with a later one until what has to come before it does: on a busy machine a process may not
 * be stopped or killed, or a decision be made, in less than a second.
 *
 * @param play whether all came in time; what it expects, it expects only then
 */
async function inTime(play: (asked: Asked) => Promise<boolean>): Promise<void> {
  for (let timeout = 800; ; timeout *= 3) {
    expect(timeout).toBeLessThan(100_000);
    const [ledger, ran] = [on.ledger(), on.path()];
    const waiter = on.start('waiter', [ledger, 'run', ran, 'start', String(timeout)]);
    const approvalId = await waiter.says('asked');
    // It was asked before we heard of it.
    const latest = Date.now() + timeout;
    const passed = () => sleep(latest - Date.now() + 20);
    if (await play({ ledger, ran, waiter, approvalId, passed })) return;
    await waiter.kill();
  }
}

const isBefore = async (deadlineOf: { ledger: string; approvalId: string }, time: number): Promise<boolean> => {
  const { expiresAt } = (await on.gate(deadlineOf.ledger).get(deadlineOf.approvalId)) ?? {};
  if (expiresAt === undefined || expiresAt === null) throw new Error('it has no deadline');
  return time < expiresAt;
};

/** Approves, if it is not too late for that. */
const approves = async (ledger: string, approvalId: string): Promise<boolean> => {
  const late = await on
    .gate(ledger)
    .approve(approvalId)
    .then(
      () => undefined,
      (error: { code?: string }) => error,
    );
  if (late !== undefined) expect(late.code).toBe('ERR_EXPIRED');
  return late === undefined;
};

/** Stops it where it does not write: a process that is stopped in a write keeps all others from writing. */
async function standStill(waiter: Worker, ledger: string): Promise<void> {
  const gate = on.gate(ledger);
  const write = async (runId: string) => {
    void gate.request({ runId, toolName: 'probe', args: {} }).catch(() => {});
    const probe = await eventually(async () => (await gate.pending({ runId }))[0]);
    await gate.reject(probe.approvalId);
    return true;
  };
  for (let attempt = 0; ; attempt++) {
    await sleep(100);
    waiter.signal('SIGSTOP');
    const writing = write(`probe ${attempt}`);
    if (await Promise.race([writing, sleep(1_000 * (attempt + 1))])) return;
    waiter.signal('SIGCONT');
    await writing;
  }
}

describe.skipIf(process.platform === 'win32')('a process that stands still over the deadline', () => {
  it.each(sample([['before it goes on'], ['after it goes on']], 1))(
    'a late approval, %s, is refused, and nothing runs',
    (when) =>
      inTime(async ({ ledger, ran, waiter, approvalId, passed }) => {
        await standStill(waiter, ledger);
        if (!(await isBefore({ ledger, approvalId }, Date.now()))) return false;
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
        return true;
      }),
  );

  it('an approval in time is carried out when it goes on, though the deadline is past by then', () =>
    inTime(async ({ ledger, ran, waiter, approvalId, passed }) => {
      await standStill(waiter, ledger);
      if (!(await approves(ledger, approvalId))) return false;
      await passed();
      waiter.signal('SIGCONT');
      await waiter.says('end');
      expect(on.lines(ran)).toEqual(['del /a']);
      return true;
    }));
});

describe('a deadline that passes while no process runs', () => {
  it('is expired for whoever comes: nobody can approve it, and the run goes on without it', () =>
    inTime(async ({ ledger, ran, waiter, approvalId, passed }) => {
      await waiter.kill();
      const killed = Date.now();
      await passed();
      const gate = on.gate(ledger);
      await expect(gate.approve(approvalId)).rejects.toMatchObject({ code: 'ERR_EXPIRED', approvalId });
      if (!(await isBefore({ ledger, approvalId }, killed))) return false;
      await left(gate, 'run');
      const resumed = on.start('waiter', [ledger, 'run', ran, 'resume']);
      await resumed.says('end');
      expect(on.lines(ran)).toEqual([]);
      expect(await gate.get(approvalId)).toMatchObject({ status: 'expired' });
      // Written down once, and by the deadline.
      const told: unknown[] = [];
      for await (const { decision, via } of gate.audit.list({ kind: 'decided' })) told.push([decision, via]);
      expect(told).toEqual([['expired', 'deadline']]);
      return true;
    }));

  it.runIf(isWhole)('is expired without anybody asking: opening the ledger is enough', () =>
    inTime(async ({ ledger, waiter, approvalId, passed }) => {
      await waiter.kill();
      const killed = Date.now();
      await passed();
      const gate = on.gate(ledger);
      expect(await gate.pending()).toEqual([]);
      await eventually(async () => ((await gate.get(approvalId))?.status === 'expired' ? true : undefined));
      return isBefore({ ledger, approvalId }, killed);
    }),
  );

  it.runIf(isWhole)('an approval that came in time outlives both the process and the deadline', () =>
    inTime(async ({ ledger, ran, waiter, approvalId, passed }) => {
      await waiter.kill();
      if (!(await approves(ledger, approvalId))) return false;
      await passed();
      const gate = on.gate(ledger);
      await left(gate, 'run');
      const resumed = on.start('waiter', [ledger, 'run', ran, 'resume']);
      await resumed.says('end');
      expect(on.lines(ran)).toEqual(['del /a']);
      return true;
    }),
  );
});
