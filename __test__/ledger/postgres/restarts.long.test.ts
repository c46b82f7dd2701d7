/** A server that dies and comes back while runs wait: nothing is lost, nothing is doubled, and waiting runs continue. */
import { describe, expect, it } from 'vitest';
import { AlreadyDecidedError, LedgerError } from '../../../ts/index.js';
import { effort, isThorough } from '../../support/effort.js';
import { isMissing, ownServer, titled, type Stop } from '../../support/postgres.js';
import { eventually, sleep, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();

describe.skipIf(isMissing)(titled('a server that stops while a run waits'), () => {
  const server = ownServer();
  /** So slow that only what is read at once on a new connection can wake anybody. */
  const NEVER = 600_000;
  /** How long a step is tried again without an answer, in ms. */
  const STAMINA = 15_000;

  it.each((isThorough ? ['crash', 'immediate', 'fast'] : ['crash']) satisfies Stop[])(
    '%s: decided as soon as it is back, the run goes on',
    async (how) => {
      const run = await waiting(on, server.ledger({ poll: NEVER }));
      const gate = on.gate(run.ledger);
      expect(await gate.pending()).toHaveLength(1);
      await server.stop(how);
      await server.start();
      // Most likely before the other process listens again: it must look for what it missed.
      await gate.approve(run.approvalId, { by: 'mia' });
      await goesOn(on, run);
      expect(await gate.get(run.approvalId)).toMatchObject({ status: 'succeeded', decidedBy: 'mia' });
      expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
    },
  );

  it('a decision that is made while it is away waits for it', async () => {
    for (;;) {
      const run = await waiting(on, server.ledger());
      const gate = on.gate(run.ledger);
      await gate.ready();
      await server.stop('crash');
      const since = performance.now();
      const approved = gate.approve(run.approvalId, { by: 'mia' }).catch((error: unknown) => error);
      await sleep(200);
      await server.start();
      const outcome = await approved;
      // The machine is too busy for this limit: once more.
      if (outcome instanceof LedgerError && performance.now() - since > STAMINA) continue;
      expect(outcome).toMatchObject({ decidedBy: 'mia' });
      return goesOn(on, run);
    }
  });

  it.runIf(isThorough)('a decision that nobody takes is refused in the end, and nothing is written', async () => {
    const run = await waiting(on, server.ledger({ lease: 3_600_000 }));
    const gate = on.gate(run.ledger);
    await gate.ready();
    await server.stop('crash');
    const refused: unknown = await gate.approve(run.approvalId).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LedgerError);
    expect(refused).toMatchObject({ code: 'ERR_LEDGER_IO' });
    expect(String(refused)).not.toContain(new URL(server.url).password);
    expect(on.lines(run.ran)).toEqual([]);
    await server.start();
    expect(await eventually(async () => (await gate.get(run.approvalId)) ?? undefined)).toMatchObject({
      status: 'pending',
    });
    await gate.approve(run.approvalId);
    await goesOn(on, run);
  });

  it.runIf(isThorough)('away for longer than a process may be silent: whoever waits still goes on', async () => {
    const run = await waiting(on, server.ledger({ lease: 3_000 }));
    const gate = on.gate(run.ledger);
    await gate.ready();
    await server.stop('crash');
    await sleep(4_500);
    await server.start();
    await gate.approve(run.approvalId);
    await goesOn(on, run);
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
  });

  it('killed at any moment of a decision and its execution: the tool runs once, and there is one decision', async () => {
    for (let round = 0; round < effort(1, 6); round++) {
      const run = await waiting(on, server.ledger({ poll: 500 }));
      const gate = on.gate(run.ledger);
      await gate.ready();
      const approved = gate.approve(run.approvalId, { by: 'mia' }).catch((error: unknown) => error);
      await sleep(round * 4);
      const since = performance.now();
      await server.stop(round % 2 === 0 ? 'crash' : 'immediate');
      await server.start();
      // An executor gives up a call that is not taken for this long, as another test has it.
      if (performance.now() - since > STAMINA / 2) {
        round--;
        await gate.close();
        continue;
      }
      const outcome: unknown = await approved;
      if (outcome instanceof Error) {
        // A caller without an answer asks again, and learns the decision if there was one.
        expect(outcome).toBeInstanceOf(LedgerError);
        const again: unknown = await gate.approve(run.approvalId, { by: 'mia' }).catch((error: unknown) => error);
        if (again instanceof Error) expect(again).toBeInstanceOf(AlreadyDecidedError);
      }
      await goesOn(on, run);
      expect(await gate.get(run.approvalId)).toMatchObject({ status: 'succeeded', decidedBy: 'mia' });
      const kinds: string[] = [];
      for await (const { kind, approvalId } of gate.audit.list()) if (approvalId === run.approvalId) kinds.push(kind);
      expect(kinds).toEqual(['requested', 'decided', 'started', 'settled']);
      expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
      await gate.close();
    }
  });

  it('a deadline that passes while it is away is one: nothing runs', async () => {
    for (let timeout = 1_000, isPassed = false; !isPassed; timeout *= 4) {
      const run = await waiting(on, server.ledger(), { timeout });
      const before = on.gate(run.ledger);
      const expiresAt = (await before.get(run.approvalId))?.expiresAt ?? Number.NaN;
      await before.close();
      await server.stop('crash');
      // On a busy machine it may have passed before: then again, with a later one.
      isPassed = Date.now() < expiresAt;
      if (isPassed) await sleep(expiresAt + 50 - Date.now());
      await server.start();
      const gate = on.gate(run.ledger);
      await expect(gate.approve(run.approvalId)).rejects.toMatchObject({ code: 'ERR_EXPIRED' });
      await run.waiter.ended;
      expect(on.lines(run.ran)).toEqual([]);
      expect(await gate.get(run.approvalId)).toMatchObject({ status: 'expired', via: 'deadline' });
    }
  });

  it.runIf(isThorough)('a run whose server never comes back ends, nothing runs, and its process ends', async () => {
    const run = await waiting(on, server.ledger(), { timeout: 2_000 });
    await server.stop('crash');
    await run.waiter.ended;
    expect(on.lines(run.ran)).toEqual([]);
    expect(run.waiter.lines.join('\n'), run.waiter.all).toMatch(/answered (expired|cancelled)|error ERR_LEDGER_IO/);
  });

  // Twice as long as a ledger waits.
  it.runIf(isThorough)(
    'nothing can be asked while it is away: nothing runs, the error says why and not the password',
    async () => {
      const ledger = server.ledger();
      const gate = on.gate(ledger);
      await gate.ready();
      await server.stop('fast');
      const ran = on.path();
      const waiter = on.start('waiter', [ledger, 'run', ran, 'start']);
      await waiter.ended;
      expect(on.lines(ran)).toEqual([]);
      expect(waiter.all).toContain('ERR_LEDGER_IO');
      expect(waiter.lines.join('\n')).not.toContain(new URL(ledger).password);
      await expect(gate.request({ toolName: 't', args: {} })).rejects.toMatchObject({ code: 'ERR_LEDGER_IO' });
      await server.start();
      expect(await gate.pending()).toEqual([]);
    },
  );
});
