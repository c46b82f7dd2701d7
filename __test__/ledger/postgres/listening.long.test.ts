/** What wakes the processes that wait: a hint that may get lost, a look at once where it may have been, and a slow poll behind. */
import { afterEach, describe, expect, it } from 'vitest';
import { effort, isThorough } from '../../support/effort.js';
import { isMissing, ownDatabase, query, titled } from '../../support/postgres.js';
import { proxyOf, type Proxy } from '../../support/proxy.js';
import { eventually, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();
const proxies: Proxy[] = [];
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())));

describe.skipIf(isMissing)(titled('listening'), () => {
  const server = ownDatabase();
  const NEVER = 600_000;
  /** Everybody else on this database, which no other test uses. */
  const OTHERS = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  const LISTENERS = `SELECT pid ${OTHERS} AND query ILIKE 'LISTEN%'`;

  const proxied = async () => {
    const proxy = await proxyOf(Number(new URL(server.url).port));
    proxies.push(proxy);
    return proxy;
  };

  it('wakes without a poll', async () => {
    const run = await waiting(on, server.ledger({ poll: NEVER }));
    await on.gate(run.ledger).approve(run.approvalId);
    await goesOn(on, run);
  });

  it('a listener that is terminated misses nothing', async () => {
    for (let round = 0; round < effort(1, 3); round++) {
      const run = await waiting(on, server.ledger({ poll: NEVER }));
      const gate = on.gate(run.ledger);
      await gate.ready();
      await query(server.url, LISTENERS.replace('pid', 'pg_terminate_backend(pid)'));
      await gate.approve(run.approvalId);
      await goesOn(on, run);
      await gate.close();
    }
  });

  it.runIf(isThorough)(
    'every connection terminated, again and again: the decision is made once and carried out once',
    async () => {
      const run = await waiting(on, server.ledger({ poll: NEVER }));
      const gate = on.gate(run.ledger);
      await gate.ready();
      for (let time = 0; time < effort(2, 5); time++) {
        await query(server.url, `SELECT pg_terminate_backend(pid) ${OTHERS}`);
        expect(await gate.pending()).toHaveLength(1);
      }
      await query(server.url, `SELECT pg_terminate_backend(pid) ${OTHERS}`);
      await gate.approve(run.approvalId, { by: 'mia' });
      await goesOn(on, run);
      expect(await gate.get(run.approvalId)).toMatchObject({ decidedBy: 'mia', status: 'succeeded' });
      expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
    },
  );

  it.runIf(isThorough)('where nobody can listen, the poll wakes', async () => {
    const proxy = await proxied();
    proxy.refuse(true);
    const run = await waiting(on, server.ledger({ poll: 200, listen_host: '127.0.0.1', listen_port: proxy.port }));
    await on.gate(run.ledger).approve(run.approvalId);
    await goesOn(on, run);
  });

  it('a listener that nothing arrives at, and that nobody told, does not stop the poll', async () => {
    const proxy = await proxied();
    const run = await waiting(on, server.ledger({ poll: 200, listen_host: '127.0.0.1', listen_port: proxy.port }));
    await eventually(() => proxy.open > 0 || undefined);
    proxy.halfOpen();
    await on.gate(run.ledger).approve(run.approvalId);
    await goesOn(on, run);
  });

  it('one connection listens, however many runs a process has', async () => {
    const ledger = server.ledger({ pool: 4 });
    const before = (await query(server.url, LISTENERS)).length;
    const runs = effort(5, 30);
    const agents = on.start('agents', [ledger, 'a', String(runs), String(runs), on.path()]);
    const gate = on.gate(ledger);
    await eventually(async () => (await gate.pending()).length === runs || undefined);
    await gate.close();
    // That of the gate here goes with it.
    await eventually(async () => (await query(server.url, LISTENERS)).length - before === 1 || undefined);
    await agents.kill();
    await eventually(async () => (await query(server.url, LISTENERS)).length === before || undefined);
  });
});
