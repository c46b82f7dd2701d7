/** What a server refuses: each refusal is an error that says which it is and what to do, and nothing runs on it. */
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../../../ts/index.js';
import { effort, isThorough } from '../../support/effort.js';
import { freshName, isMissing, ownDatabase, query, titled, urlWith } from '../../support/postgres.js';
import { eventually, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();

describe.skipIf(isMissing)(titled('a server that refuses'), () => {
  const server = ownDatabase();
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'nothing',
      (error: unknown) => error,
    );
  const PASSWORD = 'a-word-that-is-never-shown';

  /** A role that may only connect, unless it is granted more. */
  const role = async (more = '') => {
    const user = freshName('role');
    await query(server.url, `CREATE ROLE ${user} LOGIN PASSWORD '${PASSWORD}' ${more}`);
    return { user, as: (ledger: string) => urlWith(ledger, { user, password: PASSWORD }) };
  };

  /** A request that waits, whose rows somebody else holds. */
  const held = async () => {
    const ledger = server.ledger();
    const run = await waiting(on, ledger);
    const gate = on.gate(ledger);
    await gate.ready();
    const holder = new Client({ connectionString: server.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM ${new URL(ledger).searchParams.get('schema')}.approval FOR UPDATE`);
    const letGo = async () => {
      await holder.query('ROLLBACK');
      await holder.end();
    };
    const schema = `%${new URL(ledger).searchParams.get('schema')}%`;
    const theirs = `FROM pg_stat_activity WHERE query LIKE $1 AND state <> 'idle' AND pid NOT IN (pg_backend_pid(), $2)`;
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const count = async (more: string) =>
      (await query(server.url, `SELECT pid ${theirs} ${more}`, [schema, rows[0]?.pid])).length;
    return {
      run,
      gate,
      letGo,
      /** Resolves when somebody waits for those rows. */
      isWaitedFor: () => eventually(async () => (await count("AND wait_event_type = 'Lock'")) > 0 || undefined),
      /** Resolves when this ledger is no longer in use. */
      isQuiet: () => eventually(async () => (await count('')) === 0 || undefined),
    };
  };

  it('a role that may nothing: it is told what it lacks, before and after somebody made the ledger', async () => {
    const ledger = server.ledger();
    const { as } = await role();
    for (let time = 0; time < 2; time++) {
      const refused = await refusal(on.gate(as(ledger)).ready());
      expect(refused).toBeInstanceOf(LedgerError);
      expect(refused).toMatchObject({ code: 'ERR_LEDGER_PERMISSION', message: expect.stringMatching(/grant/i) });
      expect(String(refused)).not.toContain(PASSWORD);
      await on.gate(ledger).ready();
    }
  });

  it('a wrong password, and a database that is not there', async () => {
    const wrong = urlWith(server.ledger(), { password: PASSWORD });
    const refused = await refusal(on.gate(wrong).ready());
    expect(refused).toMatchObject({ code: 'ERR_LEDGER_PERMISSION' });
    expect(String(refused)).not.toContain(PASSWORD);
    const elsewhere = await refusal(on.gate(urlWith(server.ledger(), { database: 'nowhere' })).ready());
    expect(elsewhere).toMatchObject({ code: 'ERR_LEDGER_IO', message: expect.stringContaining('nowhere') });
  });

  // This and others below wait for as long as a ledger does: fifteen seconds and more.
  it.runIf(isThorough)('a host that is not there', async () => {
    const nobody = await refusal(on.gate(urlWith(server.ledger({ connect_timeout: 1 }), { port: 1 })).ready());
    expect(nobody).toMatchObject({ code: 'ERR_LEDGER_IO' });
  });

  it.runIf(isThorough)('no connection left: refused in time as busy, and it goes on when there is one', async () => {
    const ledger = server.ledger();
    await on.gate(ledger).ready();
    const { user, as } = await role('CONNECTION LIMIT 1 IN ROLE postgres');
    const only = new Client({ connectionString: new URL(as(server.url)).href });
    await only.connect();
    const gate = on.gate(as(ledger));
    expect(await refusal(gate.ready()), user).toMatchObject({ code: 'ERR_LEDGER_BUSY' });
    await only.end();
  });

  it('fewer connections than there is to do at once: all of it is done', async () => {
    // Each of them waits for all others.
    const many = effort(12, 40);
    const gate = on.gate(server.ledger({ pool: 1 }));
    const asked = Array.from({ length: many }, (_, index) => gate.request({ toolName: 't', args: { index } }));
    const ids = await eventually(async () => {
      const waiting = await gate.pending();
      return waiting.length === many ? waiting.map(({ approvalId }) => approvalId) : undefined;
    });
    await Promise.all(ids.map((id) => gate.approve(id)));
    expect((await Promise.all(asked)).map(({ decision }) => decision.type)).toEqual(
      Array.from({ length: many }, () => 'approve'),
    );
  });

  it('rows that somebody else holds: refused in time, or done when they are let go of; never both', async () => {
    const { run, gate, letGo, isWaitedFor } = await held();
    const first = refusal(gate.approve(run.approvalId, { by: 'mia' }));
    await isWaitedFor();
    expect(on.lines(run.ran)).toEqual([]);
    await letGo();
    expect(await first).toBe('nothing');
    await goesOn(on, run);
  });

  it.runIf(isThorough)('rows that are held for longer than anybody waits', async () => {
    const { run, gate, letGo, isQuiet } = await held();
    expect(await refusal(gate.approve(run.approvalId, { by: 'mia' }))).toMatchObject({ code: 'ERR_LEDGER_BUSY' });
    await letGo();
    // What was refused must not be done behind our back.
    await isQuiet();
    expect(await gate.get(run.approvalId)).toMatchObject({ status: 'pending' });
    await gate.reject(run.approvalId);
    await run.waiter.says('end');
    expect(on.lines(run.ran)).toEqual([]);
  });
});
