/** A network that drops, cuts and delays what is between a process and its server; and a pooler in between. */
import { afterEach, describe, expect, it } from 'vitest';
import { effort, isThorough } from '../../support/effort.js';
import { poolerOf, type Pooler } from '../../support/pooler.js';
import { isMissing, ownDatabase, titled, urlWith } from '../../support/postgres.js';
import { proxyOf, type Proxy } from '../../support/proxy.js';
import { eventually, sleep, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();
const made: (Proxy | Pooler)[] = [];
afterEach(() => Promise.all(made.splice(0).map((one) => one.close())));

describe.skipIf(isMissing)(titled('a network'), () => {
  const server = ownDatabase();

  /** A ledger, and the same through a network that can break. */
  const far = async (parameters = {}) => {
    const proxy = await proxyOf(Number(new URL(server.url).port));
    made.push(proxy);
    const ledger = server.ledger(parameters);
    return { proxy, ledger, far: urlWith(ledger, { port: proxy.port }) };
  };

  it.runIf(isThorough)('that drops all for a while: what was decided meanwhile is carried out, once', async () => {
    const { proxy, ledger, far: behind } = await far({ poll: 500 });
    const run = await waiting(on, behind);
    proxy.drop();
    await on.gate(ledger).approve(run.approvalId);
    const { lost } = proxy;
    // It asked, and nobody heard it.
    await eventually(() => proxy.lost > lost || undefined);
    expect(on.lines(run.ran)).toEqual([]);
    proxy.mend();
    await goesOn(on, run);
  });

  it.runIf(isThorough)('whose other end is gone without a word: the same', async () => {
    const { proxy, ledger, far: behind } = await far({ poll: 500 });
    const run = await waiting(on, behind);
    proxy.halfOpen();
    await on.gate(ledger).approve(run.approvalId);
    await goesOn(on, run);
  });

  // It waits for as long as a ledger does: twenty seconds.
  it.runIf(isThorough)(
    'that drops what a decision is told with: it is refused in time, and can be made again',
    async () => {
      const { proxy, ledger, far: behind } = await far();
      const run = await waiting(on, ledger);
      const gate = on.gate(behind);
      await gate.ready();
      proxy.drop();
      await expect(gate.approve(run.approvalId, { by: 'mia' })).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_LEDGER_(IO|BUSY)$/),
      });
      proxy.mend();
      await gate.approve(run.approvalId, { by: 'mia' });
      await goesOn(on, run);
    },
  );

  it('that is cut again and again: every run comes to its end, and every tool runs once', async () => {
    const { proxy, ledger, far: behind } = await far({ poll: 500 });
    const ran = on.path();
    const decider = on.start('decider', [ledger, 'mia']);
    const runs = effort(4, 12);
    const agents = on.start('agents', [behind, 'a', String(runs), '4', ran]);
    const isOver = agents.ended.then(() => true);
    for (let cuts = 0; cuts < 40; cuts++) {
      if (await Promise.race([isOver, sleep(150).then(() => false)])) break;
      proxy.cut();
    }
    expect(await agents.ended, agents.all).toEqual({ code: 0, signal: null });
    decider.tell('end');
    expect(await decider.ended, decider.all).toEqual({ code: 0, signal: null });
    const lines = on.lines(ran);
    expect(lines.length).toBe(new Set(lines).size);
    // All but that of the eighth run, which is always rejected.
    expect(lines.length, agents.all).toBe(2 * runs - (runs > 7 ? 1 : 0));
    expect(await on.gate(ledger).audit.verify()).toMatchObject({ ok: true, faults: [] });
  });

  it.runIf(isThorough)('that is slow: it takes longer, and that is all', async () => {
    const { proxy, far: behind } = await far();
    proxy.delay(100);
    const run = await waiting(on, behind);
    await on.gate(behind).approve(run.approvalId);
    await goesOn(on, run);
  });

  it('with a transaction pooler in it: all works but listening, which goes past it', async () => {
    const pooler = await poolerOf(server.url);
    made.push(pooler);
    const past = { listen_host: '127.0.0.1', listen_port: Number(new URL(server.url).port), poll: 600_000 };
    const ledger = urlWith(server.ledger(past), { port: pooler.port });
    const run = await waiting(on, ledger);
    const gate = on.gate(ledger);
    await gate.approve(run.approvalId);
    await goesOn(on, run);
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
    const ran = on.path();
    const decider = on.start('decider', [ledger, 'mia']);
    const agents = on.start('agents', [ledger, 'a', '10', '10', ran]);
    expect(await agents.ended, agents.all).toEqual({ code: 0, signal: null });
    decider.tell('end');
    await decider.ended;
    expect(on.lines(ran).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, n) => [1, 2].map((step) => `a.${n}.${step}`))
        .flat()
        .filter((line) => line !== 'a.7.2'),
    );
    expect(agents.lines.filter((line) => /^(ERR|CUT)/.test(line))).toEqual([]);
    expect(pooler.carried.moved).toBeGreaterThan(20);
    expect(pooler.carried.named).toBe(0);
  });

  it.each(isThorough ? [{}, { prepare: 'auto' }, { prepare: 'off' }] : [{}])(
    'with a pooler in it and no way past: the poll wakes, and nothing is prepared (%o)',
    async (parameters) => {
      const pooler = await poolerOf(server.url);
      made.push(pooler);
      const ledger = urlWith(server.ledger({ poll: 300, ...parameters }), { port: pooler.port });
      const run = await waiting(on, ledger);
      await on.gate(ledger).approve(run.approvalId);
      await goesOn(on, run);
      expect(pooler.carried.moved).toBeGreaterThan(0);
      expect(pooler.carried.named).toBe(0);
    },
  );

  it('with a pooler in it that is said to keep what is prepared, and does not: it goes on without', async () => {
    const pooler = await poolerOf(server.url);
    made.push(pooler);
    const gate = on.gate(urlWith(server.ledger({ poll: 300, prepare: 'on' }), { port: pooler.port }));
    const ask = async (toolCallId: string) => {
      const asked = gate.request({ runId: 'r', toolCallId, toolName: 'write', args: {} });
      const { approvalId } = await eventually(async () =>
        (await gate.pending()).find((request) => request.toolCallId === toolCallId),
      );
      await gate.approve(approvalId);
      return (await asked).approved;
    };
    const calls = Array.from({ length: 8 }, (_, n) => `c${n}`);
    expect(await Promise.all(calls.map(ask))).toEqual(calls.map(() => true));
    const { named } = pooler.carried;
    expect(named).toBeGreaterThan(0);
    expect(await ask('last')).toBe(true);
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
    expect(pooler.carried.named).toBe(named);
  });
});
