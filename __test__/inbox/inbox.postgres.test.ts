/** The inbox over PostgreSQL: agents and people on several machines. */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { ErrorBody, PendingAnswer } from '../../ts/inbox/protocol.js';
import { cli } from '../cli/command.js';
import { effort } from '../support/effort.js';
import { freshLedger, isMissing, titled } from '../support/postgres.js';
import { ask, eventsOf, gateOf, inboxOf, later, Person } from './support.js';

describe.skipIf(isMissing)(titled('two inboxes on one database'), () => {
  const setUp = async () => {
    const ledger = freshLedger();
    const [agent, here, there] = [gateOf({ ledger }), gateOf({ ledger }), gateOf({ ledger })];
    await agent.ready();
    return { agent, mia: new Person(inboxOf(here), 'mia'), noah: new Person(inboxOf(there), 'noah') };
  };

  it('show what an agent asks elsewhere, as it happens', async () => {
    const { agent, mia, noah } = await setUp();
    const pages = await Promise.all([mia, noah].map(async (each) => eventsOf(await each.send('GET', 'api/events'))));
    for (const page of pages) expect((await page.next()).value?.event).toBe('hello');
    const { approvalId } = await ask(agent);
    for (const page of pages)
      expect((await page.next()).value).toMatchObject({ event: 'change', data: { ids: [approvalId] } });
    expect((await noah.get<PendingAnswer>('api/pending')).body.items[0]).toMatchObject({
      approvalId,
      summary: 'git push',
    });
  });

  it('take one decision of two, and say to the other who was first', async () => {
    const { agent, mia, noah } = await setUp();
    for (let round = 0; round < effort(3, 10); round++) {
      const { approvalId } = await ask(agent);
      const answers = await Promise.all(
        [mia, noah].map((each) => each.decide<{ error: ErrorBody }>(approvalId, { type: 'reject', reason: 'no' })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const { decidedBy } = (await agent.get(approvalId)) ?? {};
      const lost = answers.find(({ status }) => status === 409)?.body.error;
      expect(lost?.winner?.decision?.by).toBe(decidedBy);
    }
  });

  it('count the approvals of both', async () => {
    const { agent, mia, noah } = await setUp();
    const { approvalId } = await ask(agent, { quorum: 2 });
    await Promise.all([mia, noah].map((each) => each.decide(approvalId, { type: 'approve' })));
    await expect
      .poll(async () => (await agent.get(approvalId))?.votes.map(({ by }) => by).toSorted())
      .toEqual(['mia', 'noah']);
  });

  it('countersign inbox opens it', async () => {
    const ledger = freshLedger();
    const gate = gateOf({ ledger });
    await ask(gate);
    const child = spawn(process.execPath, [cli, 'inbox', '-l', ledger, '--json'], { stdio: 'pipe' });
    later(() => child.kill('SIGKILL'));
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
    child.stderr.on('data', (data: Buffer) => (stderr += String(data)));
    await expect.poll(() => stdout + stderr).toMatch(/"url".*\n/);
    const { url } = JSON.parse(stdout) as { url: string };
    const cookie = (await fetch(url)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const pending = await fetch(new URL('api/pending', url), { headers: { cookie } });
    expect(await pending.json()).toMatchObject({ total: 1 });
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGINT');
    expect([await ended, stderr]).toEqual([130, '']);
  });
});
