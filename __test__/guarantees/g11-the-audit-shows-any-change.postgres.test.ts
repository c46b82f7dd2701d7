/** G11 over PostgreSQL: anyone who may write the tables may change them, and verifying names the first changed entry. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AuditHead, AuditReport } from '../../index.js';
import { eventually, stage } from '../ledger/processes.js';
import { ledgerIn } from '../support/ledger.js';
import { sample } from '../support/effort.js';
import { isMissing, query, shared, titled } from '../support/postgres.js';

const on = stage();

/** The chain as docs/commands-ledger.md has it, written once more. */
function link(prev: string, body: string): string {
  const hash = createHash('sha256').update('countersign-audit-v1\0').update(Buffer.from(prev, 'hex')).update(body);
  return hash.digest('hex');
}

interface Made {
  ledger: string;
  head: AuditHead;
  ids: string[];
  /** The number of the entry that tells of that decision. */
  entry: (at: number) => number;
  size: number;
}

/** A ledger with four decisions. */
async function made(): Promise<Made> {
  const ledger = ledgerIn('');
  const gate = on.gate(ledger);
  const asked = Array.from({ length: 4 }, (_, at) => gate.request({ toolName: 'del', args: { at }, runId: 'run' }));
  const ids = await eventually(async () => {
    const waiting = await gate.pending();
    return waiting.length === 4 ? waiting.map(({ approvalId }) => approvalId) : undefined;
  });
  for (const [at, id] of ids.entries()) await gate.skip(id, { reason: `honest ${at}`, by: 'mia' });
  await Promise.all(asked);
  const head = await gate.audit.head();
  expect(await gate.audit.verify({ head })).toMatchObject({ ok: true, records: 4, standing: 'same' });
  const seqs: number[] = [];
  for await (const { kind, seq } of gate.audit.list({ kind: 'decided' })) if (kind === 'decided') seqs.push(seq);
  await gate.close();
  const sorted = seqs.toSorted((a, b) => a - b);
  return { ledger, head, ids, entry: (at) => sorted[at] as number, size: head.size };
}

/** As the owner of the tables; `@name` is one of them. */
async function change({ ledger }: Made, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const schema = new URL(ledger).searchParams.get('schema');
  let rows: Record<string, unknown>[] = [];
  for (const sql of statements) rows = await query(shared.url as string, sql.replaceAll('@', `${schema}.`));
  return rows;
}

async function report({ ledger, head }: Made): Promise<AuditReport> {
  return on.gate(ledger).audit.verify({ head });
}

describe.skipIf(isMissing)(titled('in the tables'), () => {
  const changes: [name: string, sql: (of: Made) => string[], bad: (of: Made) => number][] = [
    [
      'a letter changed',
      ({ entry }) => [`UPDATE @audit SET body = replace(body, 'skip', 'edit') WHERE seq = ${entry(1)}`],
      ({ entry }) => entry(1),
    ],
    [
      'another hash',
      ({ entry }) => [`UPDATE @audit SET hash = decode(repeat('00', 32), 'hex') WHERE seq = ${entry(1)}`],
      ({ entry }) => entry(1),
    ],
    ['another time', ({ entry }) => [`UPDATE @audit SET at = at + 1 WHERE seq = ${entry(2)}`], ({ entry }) => entry(2)],
    [
      'another kind',
      ({ entry }) => [`UPDATE @audit SET kind = 'refused' WHERE seq = ${entry(2)}`],
      ({ entry }) => entry(2),
    ],
    ['dropped', ({ entry }) => [`DELETE FROM @audit WHERE seq = ${entry(1)}`], ({ entry }) => entry(1)],
    [
      'swapped',
      ({ entry }) => [
        `UPDATE @audit SET seq = -1 WHERE seq = ${entry(1)}`,
        `UPDATE @audit SET seq = ${entry(1)} WHERE seq = ${entry(2)}`,
        `UPDATE @audit SET seq = ${entry(2)} WHERE seq = -1`,
      ],
      ({ entry }) => entry(1),
    ],
    [
      'inserted at the end',
      ({ size }) => [
        `INSERT INTO @audit SELECT seq + 1, at, kind, approval_id, leaf, body, hash FROM @audit WHERE seq = ${size}`,
      ],
      ({ size }) => size + 1,
    ],
    ['the first dropped', () => ['DELETE FROM @audit WHERE seq = 1'], () => 1],
  ];
  it.each(sample(changes))('%s', async (_, sql, bad) => {
    const ledger = await made();
    await change(ledger, ...sql(ledger));
    const { ok, faults } = await report(ledger);
    expect(ok).toBe(false);
    expect(faults[0]?.seq).toBe(bad(ledger));
  });

  it('the end dropped, and what says where the end is: told against the published head', async () => {
    const ledger = await made();
    const [last] = await change(
      ledger,
      `SELECT at, encode(hash, 'hex') AS hash FROM @audit WHERE seq = ${ledger.size - 1}`,
    );
    await change(
      ledger,
      `DELETE FROM @audit WHERE seq = ${ledger.size}`,
      `UPDATE @chain SET seq = ${ledger.size - 1}, at = ${String(last?.at)}, head = decode('${String(last?.hash)}', 'hex')`,
    );
    expect(await report(ledger)).toMatchObject({ ok: false, standing: 'truncated' });
  });

  it('all of it written anew with hashes that fit: told against the published head', async () => {
    const ledger = await made();
    const entries = (await change(ledger, 'SELECT seq, body FROM @audit ORDER BY seq')) as {
      seq: string;
      body: string;
    }[];
    let prev = '0'.repeat(64);
    for (const { seq, body } of entries) {
      const forged = body.replace('"by":"mia"', '"by":"eve"');
      prev = link(prev, forged);
      await change(
        ledger,
        `UPDATE @audit SET body = '${forged.replaceAll("'", "''")}', hash = decode('${prev}', 'hex') WHERE seq = ${seq}`,
      );
    }
    await change(ledger, `UPDATE @chain SET head = decode('${prev}', 'hex')`);
    expect(await report(ledger)).toMatchObject({ ok: false, standing: 'forked' });
  });

  it('a decision changed beside the audit: the records are named', async () => {
    const ledger = await made();
    await change(ledger, "UPDATE @approval SET decider = 'eve'");
    const { ok, faults } = await report(ledger);
    expect([ok, faults.flatMap(({ record }) => record ?? []).toSorted()]).toEqual([false, ledger.ids.toSorted()]);
  });

  it('all of it dropped: every record is named', async () => {
    const ledger = await made();
    await change(ledger, 'DELETE FROM @audit');
    const { ok, faults, standing } = await report(ledger);
    expect([ok, standing]).toEqual([false, 'forked']);
    expect(faults.flatMap(({ record }) => record ?? []).toSorted()).toEqual(ledger.ids.toSorted());
  });

  it('a record that waits dropped beside the audit: it is named', async () => {
    const ledger = await made();
    const gate = on.gate(ledger.ledger);
    gate.request({ toolName: 'del', args: {}, runId: 'late' }).catch(() => {});
    const [request] = await eventually(async () => {
      const waiting = await gate.pending();
      return waiting.length === 1 ? waiting : undefined;
    });
    await change(ledger, `DELETE FROM @approval WHERE id = '${request?.approvalId}'`);
    const { ok, faults } = await report(ledger);
    expect(ok).toBe(false);
    expect(faults.flatMap(({ record }) => record ?? [])).toEqual([request?.approvalId]);
  });

  it('the decision of a record dropped with it: that something is missing is told', async () => {
    const ledger = await made();
    await change(ledger, `DELETE FROM @approval WHERE id = '${ledger.ids[1]}'`);
    expect(await report(ledger)).toMatchObject({ ok: false });
  });

  it('something that happened, dropped before it was chained, and what it was made from: its record is named', async () => {
    const ledger = await made();
    const gate = on.gate(ledger.ledger);
    const asking = gate.request({ toolName: 'del', args: {}, runId: 'late' });
    asking.catch(() => {});
    const [request] = await eventually(async () => {
      const waiting = await gate.pending();
      return waiting.length === 1 ? waiting : undefined;
    });
    const gone = await change(ledger, `DELETE FROM @leaf WHERE approval_id = '${request?.approvalId}' RETURNING id`);
    const { ok, faults } = await report(ledger);
    // Unless the sequencer was faster: then it is in the chain, and nothing was dropped.
    if (gone.length === 0) return expect(ok).toBe(true);
    expect([ok, faults.flatMap(({ record }) => record ?? [])]).toEqual([false, [request?.approvalId]]);
  });
});
