/** A server that follows another: it takes no changes, until it becomes the server when the other is gone. */
import { afterEach, describe, expect, it } from 'vitest';
import { isMissing, ownServer, titled, urlWith } from '../../support/postgres.js';
import { proxyOf, type Proxy } from '../../support/proxy.js';
import { eventually, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();
const made: Proxy[] = [];
afterEach(() => Promise.all(made.splice(0).map((one) => one.close())));

describe.skipIf(isMissing)(titled('a follower'), () => {
  const server = ownServer();

  it('takes no changes', async () => {
    const ledger = server.ledger();
    const run = await waiting(on, ledger);
    const follower = await server.standby();
    await server.caughtUp(follower);
    const there = urlWith(ledger, { port: Number(new URL(follower).port) });
    await expect(on.gate(there).approve(run.approvalId)).rejects.toMatchObject({ code: 'ERR_LEDGER_READ_ONLY' });
    const gate = on.gate(ledger);
    expect(await gate.get(run.approvalId)).toMatchObject({ status: 'pending' });
    await gate.approve(run.approvalId);
    await goesOn(on, run);
  });
});

describe.skipIf(isMissing)(titled('a network'), () => {
  const server = ownServer();

  it('that leads to a follower which has become the server: nothing is lost, and the run goes on there', async () => {
    const proxy = await proxyOf(Number(new URL(server.url).port));
    made.push(proxy);
    const behind = urlWith(server.ledger({ poll: 500 }), { port: proxy.port });
    const run = await waiting(on, behind);
    const gate = on.gate(behind);
    await gate.ready();
    const follower = await server.standby();
    const second = await waiting(on, behind.replace('schema=', 'prefix=second&schema='));
    await server.caughtUp(follower);
    await server.stop('crash');
    proxy.lead(Number(new URL(follower).port));
    await server.promote(follower);
    await eventually(async () => (await gate.pending().catch(() => [])).length === 1 || undefined);
    await gate.approve(run.approvalId, { by: 'mia' });
    await on.gate(second.ledger).approve(second.approvalId);
    await Promise.all([goesOn(on, run), goesOn(on, second)]);
    expect(await gate.get(run.approvalId)).toMatchObject({ status: 'succeeded', decidedBy: 'mia' });
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
  });
});
