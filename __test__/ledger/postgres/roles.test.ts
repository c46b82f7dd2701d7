/** Roles with the grants that docs/postgres-grants.md gives them: what they may do works, and the rest is refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshName, isMissing, ownDatabase, query, titled, urlWith } from '../../support/postgres.js';
import { left, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/postgres-grants.md'), 'utf8');

describe.skipIf(isMissing)(titled('a role with the documented grants'), () => {
  const server = ownDatabase();

  /** A ledger that somebody made, and the same for a role with the grants that the page has for it. */
  async function granted(role: 'agents' | 'deciders', parameters = {}) {
    const ledger = server.ledger(parameters);
    await on.gate(ledger).ready();
    const user = freshName(role);
    const block = PAGE.split('```').find((one) => one.includes(`TO ${role};`));
    if (block === undefined) throw new Error(`docs/postgres-grants.md has no grants for ${role}`);
    const schema = new URL(ledger).searchParams.get('schema') as string;
    const grants = block.slice(block.indexOf('\n')).replaceAll('countersign', schema).replaceAll(role, user);
    await query(server.url, `CREATE ROLE ${user} LOGIN PASSWORD 'secret'; ${grants}`);
    return { ledger, theirs: urlWith(ledger, { user, password: 'secret' }) };
  }

  it('agents: run from the first call to the last', async () => {
    const { theirs } = await granted('agents');
    const run = await waiting(on, theirs);
    const gate = on.gate(theirs);
    await gate.approve(run.approvalId);
    await goesOn(on, run);
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
  });

  it('deciders: see what waits and decide it', async () => {
    const { ledger, theirs } = await granted('deciders');
    const run = await waiting(on, ledger);
    const gate = on.gate(theirs);
    expect((await gate.pending()).map(({ approvalId }) => approvalId)).toEqual([run.approvalId]);
    expect(await gate.approve(run.approvalId, { by: 'mia' })).toMatchObject({ decidedBy: 'mia' });
    await goesOn(on, run);
    expect(await on.gate(ledger).audit.verify()).toMatchObject({ ok: true, faults: [] });
  });

  it('deciders: ask nothing and run nothing', async () => {
    // Its process is killed below, and then soon counts as gone.
    const { ledger, theirs } = await granted('deciders', { lease: 3_000 });
    const permission = expect.objectContaining({ code: 'ERR_LEDGER_PERMISSION' });
    await expect(on.gate(theirs).request({ toolName: 't', args: {} })).rejects.toEqual(permission);
    const ran = on.path();
    const agent = on.start('waiter', [theirs, 'run', ran, 'start']);
    await agent.ended;
    expect(agent.all).toContain('ERR_LEDGER_PERMISSION');
    // Nor what somebody else has asked.
    const run = await waiting(on, ledger);
    await run.waiter.kill();
    const gate = on.gate(ledger);
    await gate.approve(run.approvalId);
    await left(gate, 'run');
    const resumed = on.start('waiter', [theirs, 'run', run.ran, 'resume']);
    await resumed.ended;
    expect(resumed.all).toContain('ERR_LEDGER_PERMISSION');
    expect([...on.lines(ran), ...on.lines(run.ran)]).toEqual([]);
  });
});
