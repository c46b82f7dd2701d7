/** G11: the audit chain shows any change (flip, drop, reorder, truncate, insert), and verifying names the first bad record. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { AuditHead, AuditReport } from '../../index.js';
import { AuditHeadError, createGate, signAuditHead, verifyAuditHead } from '../../ts/index.js';
import { AuditVerifier, newAuditKey } from '../../ts/native.js';
import { runtimes } from '../runtimes.js';
import { effort } from '../support/effort.js';

const GENESIS = '0'.repeat(64);

/** The chain as docs/commands-ledger.md has it, written once more: so that what the core makes is what is documented. */
function link(prev: string, body: string): string {
  const hash = createHash('sha256').update('countersign-audit-v1\0').update(Buffer.from(prev, 'hex')).update(body);
  return hash.digest('hex');
}

/** An export of a log of our own making. */
function madeUp(count: number, what = 'honest'): string[] {
  let prev = GENESIS;
  return Array.from({ length: count }, (_, index) => {
    const seq = index + 1;
    const body = `{"at":${1000 + seq},"kind":"decided","reason":"${what} ${seq}","seq":${seq}}`;
    const hash = link(prev, body);
    const line = `${body.slice(0, -1)},"prev":"${prev}","hash":"${hash}"}`;
    prev = hash;
    return line;
  });
}

const headOf = (lines: readonly string[]): AuditHead => {
  const { hash, at } = JSON.parse(lines.at(-1)!) as { hash: string; at: number };
  return { size: lines.length, hash, at };
};

function verified(lines: readonly (string | Buffer)[], head: AuditHead | null = null, from = 1) {
  const verifier = new AuditVerifier(from, head);
  for (const line of lines) verifier.see(typeof line === 'string' ? Buffer.from(line) : line);
  return verifier.finish();
}

const lines = madeUp(12);
const published = headOf(lines);

describe('an export', () => {
  test('as it was written is intact, and leads to the same head', () => {
    expect(verified(lines)).toEqual({ entries: 12, head: published, broken: null, standing: null });
    expect(verified([])).toMatchObject({ entries: 0, head: { size: 0, hash: GENESIS }, broken: null });
  });

  test('any bit of any entry', () => {
    for (const [index, line] of lines.entries()) {
      const bytes = Buffer.from(line);
      // Of two entries every byte, or every third; of the others some.
      const step = (index === 0 || index === 6 ? 1 : 7) * effort(3, 1);
      for (let at = 0; at < bytes.length; at += step) {
        for (const bit of [1, 32, 128]) {
          const flipped = Buffer.from(bytes);
          flipped[at]! ^= bit;
          // A line feed in it would be two lines: the first of them is as bad.
          const { broken, entries } = verified([...lines.slice(0, index), flipped, ...lines.slice(index + 1)]);
          expect([at, bit, broken?.seq, entries]).toEqual([at, bit, index + 1, index]);
        }
      }
    }
  });

  test.each(lines.map((_, index) => index))(
    'entry %i dropped, moved, doubled, or another one put before it',
    (index) => {
      const before = lines.slice(0, index);
      const line = lines[index]!;
      const after = lines.slice(index + 1);
      const seq = index + 1;
      // The last one dropped is what a log without it looks like: see below.
      if (after.length > 0) {
        expect(verified([...before, ...after]).broken?.seq).toBe(seq);
        expect(verified([...before, after[0]!, line, ...after.slice(1)]).broken?.seq).toBe(seq);
        expect(verified([...before, ...after, line]).broken?.seq).toBe(seq);
      }
      expect(verified([...before, line, line, ...after]).broken?.seq).toBe(seq + 1);
      const forged = madeUp(12, 'forged')[index]!;
      expect(verified([...before, forged, ...(index === 0 ? lines : [line, ...after])]).broken?.seq ?? seq).toBe(
        index === 0 ? 2 : seq,
      );
    },
  );

  test('one entry rewritten with a hash that fits it breaks the next', () => {
    const body = `{"at":1004,"kind":"decided","reason":"forged","seq":4}`;
    const prev = (JSON.parse(lines[3]!) as { prev: string }).prev;
    const forged = `${body.slice(0, -1)},"prev":"${prev}","hash":"${link(prev, body)}"}`;
    expect(verified([...lines.slice(0, 3), forged, ...lines.slice(4)]).broken?.seq).toBe(5);
  });

  it.each([
    ['an empty line', ''],
    ['other spaces', lines[4]!.replace('{"', '{ "')],
    ['another order', `{"kind":"decided","at":1005,${lines[4]!.slice(lines[4]!.indexOf('"reason"'))}`],
    ['a key given twice', lines[4]!.replace('"seq":5', '"seq":5,"seq":5')],
    ['no JSON', 'x'],
    ['a return', `${lines[4]!}\r`],
  ])('%s is no entry', (_, line) => {
    expect(verified([...lines.slice(0, 4), line, ...lines.slice(5)]).broken?.seq).toBe(5);
  });

  test('that begins later is verified from there on', () => {
    expect(verified(lines.slice(4), published, 5)).toMatchObject({
      entries: 8,
      broken: null,
      standing: { word: 'same' },
    });
    expect(verified(lines.slice(5), null, 5).broken?.seq).toBe(5);
    expect(verified(lines.slice(4)).broken?.seq).toBe(1);
  });
});

describe('a signed head tells what the log alone cannot', () => {
  const { privateKey, publicKey } = newAuditKey('example.com/ledger');
  const note = signAuditHead(published, { privateKey });
  const head = verifyAuditHead(note, publicKey);

  test('it is what was signed, and by whom', () => {
    expect(head).toEqual({ ...published, origin: 'example.com/ledger', by: ['example.com/ledger'] });
    expect(verifyAuditHead(signAuditHead(published, { privateKey, origin: 'prod' }), [publicKey]).origin).toBe('prod');
  });

  it.each<[name: string, word: string, by: number, log: readonly string[]]>([
    ['the same', 'same', 0, lines],
    ['more of it', 'extended', 3, madeUp(15)],
    ['its end dropped', 'truncated', 3, lines.slice(0, 9)],
    ['all of it dropped', 'truncated', 12, []],
    ['written anew', 'forked', 0, madeUp(12, 'forged')],
    ['written anew, and longer', 'forked', 0, madeUp(20, 'forged')],
    ['its end written anew', 'forked', 0, [...lines.slice(0, 11), ...forgedAfter(11)]],
  ])('%s: %s', (_, word, by, log) => {
    expect(verified(log, head)).toMatchObject({ broken: null, standing: { word, by } });
  });

  function forgedAfter(count: number): string[] {
    const prev = (JSON.parse(lines[count]!) as { prev: string }).prev;
    const body = `{"at":1012,"kind":"decided","reason":"forged","seq":${count + 1}}`;
    return [`${body.slice(0, -1)},"prev":"${prev}","hash":"${link(prev, body)}"}`];
  }

  test('any byte of the note', () => {
    const bytes = Buffer.from(note);
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      expect(() => verifyAuditHead(flipped.toString('latin1'), publicKey), `byte ${at}`).toThrow(AuditHeadError);
      expect(() => verifyAuditHead(flipped.toString('utf8'), publicKey), `byte ${at}`).toThrow(AuditHeadError);
    }
  });

  test('another key, and no key', () => {
    const other = newAuditKey('example.com/ledger');
    expect(() => verifyAuditHead(note, other.publicKey)).toThrow(AuditHeadError);
    expect(() => verifyAuditHead(note, [])).toThrow(AuditHeadError);
    expect(verifyAuditHead(note, [other.publicKey, publicKey]).by).toEqual(['example.com/ledger']);
    for (const key of ['', 'x', publicKey, privateKey.slice(0, -2), privateKey.replace('example', 'exomple')]) {
      expect(() => signAuditHead(published, { privateKey: key }), key).toThrow(AuditHeadError);
    }
    for (const name of ['', 'a b', 'a+b', 'a\u0007']) expect(() => newAuditKey(name), name).toThrow(AuditHeadError);
  });
});

describe('inside the file of a ledger', () => {
  /** A ledger with decisions, closed; a copy of it for each who wants to change it. */
  let folder = '';
  let file = '';
  let head: AuditHead;
  let ids: string[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    file = join(folder, 'ledger.db');
    const gate = createGate({ ledger: `sqlite:${file}` });
    const asked = Array.from({ length: 4 }, (_, at) =>
      gate.request({ toolName: 'delete_file', args: { at }, runId: 'run' }),
    );
    ids = (await gate.pending()).map(({ approvalId }) => approvalId);
    for (const [at, id] of ids.entries()) await gate.skip(id, { reason: `honest ${at}`, by: 'mia' });
    await Promise.all(asked);
    head = await gate.audit.head();
    expect(await gate.audit.verify({ head })).toMatchObject({ ok: true, records: 4, standing: 'same' });
    await gate.close();
    // All of it is in the file itself.
    expect(await report(copy())).toMatchObject({ ok: true, standing: 'same' });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const copy = (): string => {
    const to = join(mkdtempSync(join(folder, 'copy-')), 'ledger.db');
    copyFileSync(file, to);
    return to;
  };

  async function report(path: string): Promise<AuditReport> {
    const gate = createGate({ ledger: `sqlite:${path}` });
    try {
      return await gate.audit.verify({ head });
    } finally {
      await gate.close();
    }
  }

  test('what is exported is the chain as it is documented', async () => {
    const gate = createGate({ ledger: `sqlite:${copy()}` });
    let prev = GENESIS;
    const all: string[] = [];
    for await (const line of gate.audit.export()) {
      const [, body = '', before, hash] = /^(.*),"prev":"(\w{64})","hash":"(\w{64})"\}$/.exec(line) ?? [];
      expect([before, hash]).toEqual([prev, link(prev, `${body}}`)]);
      prev = hash!;
      all.push(line);
    }
    await gate.close();
    expect(verified(all, head)).toMatchObject({ broken: null, standing: { word: 'same' } });
    expect(all.join('\n')).toContain('honest 2');
  });

  test('a bit of any entry, wherever it lies', async () => {
    const bytes = readFileSync(file);
    const places: number[] = [];
    for (let at = bytes.indexOf('"kind":"'); at !== -1; at = bytes.indexOf('"kind":"', at + 1)) places.push(at);
    expect(places.length).toBeGreaterThan(8);
    const named = new Set<number>();
    for (const at of places) {
      const path = copy();
      const seq = Number(/"seq":(\d+)/.exec(bytes.subarray(at, at + 1000).toString('latin1'))?.[1]);
      const flipped = Buffer.from(bytes);
      flipped[at + 9]! ^= 1;
      writeFileSync(path, flipped);
      const { faults } = await report(path).catch((error: unknown) => {
        // A ledger that is seen to be damaged when it is opened is as good.
        expect(error).toMatchObject({ code: 'ERR_LEDGER_CORRUPT' });
        return { faults: [{ seq, record: null, what: '' }] };
      });
      // Space that is free may hold what was there once: to change that changes nothing.
      if (faults.length === 0) continue;
      expect(faults[0]?.seq).toBe(seq);
      named.add(seq);
    }
    expect([...named].toSorted((a, b) => a - b)).toEqual(Array.from({ length: head.size }, (_, index) => index + 1));
  });

  const sqlite = nodeWithSqlite();
  const END = 'SELECT max(seq) FROM audit';
  describe.skipIf(sqlite === undefined)('with SQL, the triggers dropped', () => {
    /** The number of the entry that tells of the decision with this reason. */
    const entry = (at: number) => `(SELECT seq FROM audit WHERE body LIKE '%honest ${at}%')`;

    it.each<[name: string, sql: string, bad: string]>([
      ['changed', `UPDATE audit SET body = replace(body, 'skip', 'edit') WHERE seq = ${entry(1)}`, entry(1)],
      ['another hash', `UPDATE audit SET hash = zeroblob(32) WHERE seq = ${entry(1)}`, entry(1)],
      ['dropped', `DELETE FROM audit WHERE seq = ${entry(1)}`, entry(1)],
      [
        'swapped',
        `CREATE TEMP TABLE s AS SELECT ${entry(1)} a, ${entry(2)} b; UPDATE audit SET seq = -1 WHERE seq = (SELECT a FROM s);
         UPDATE audit SET seq = (SELECT a FROM s) WHERE seq = (SELECT b FROM s); UPDATE audit SET seq = (SELECT b FROM s) WHERE seq = -1`,
        entry(2),
      ],
      [
        'inserted at the end',
        `INSERT INTO audit SELECT seq + 1, at, kind, approval_id, body, hash FROM audit WHERE seq = (${END})`,
        `(${END})`,
      ],
    ])('%s', async (_, sql, bad) => {
      const path = copy();
      const before = inFile(path, [], `SELECT ${bad} n`);
      const [row] = inFile(path, [sql], `SELECT (${END}) n`);
      // What was inserted is known only afterwards; the others only before.
      const seq = bad === `(${END})` ? row?.n : before[0]?.n;
      const { ok, faults } = await report(path);
      const first = faults[0]?.seq;
      expect([ok, first]).toEqual([
        false,
        bad === entry(2) ? Number(inFile(file, [], `SELECT ${entry(1)} n`)[0]?.n) : seq,
      ]);
    });

    test('the end dropped: told against the published head', async () => {
      const path = copy();
      inFile(path, [`DELETE FROM audit WHERE seq = (${END})`], 'SELECT 1 n');
      expect(await report(path)).toMatchObject({ ok: false, standing: 'truncated' });
    });

    test('all of it written anew with hashes that fit: told against the published head', async () => {
      const path = copy();
      const entries = inFile(path, [], 'SELECT seq, body FROM audit ORDER BY seq') as { seq: number; body: string }[];
      let prev = GENESIS;
      const sql = entries.map(({ seq, body }) => {
        const forged = body.replace('"by":"mia"', '"by":"eve"');
        prev = link(prev, forged);
        return `UPDATE audit SET body = '${forged.replaceAll("'", "''")}', hash = x'${prev}' WHERE seq = ${seq}`;
      });
      inFile(path, sql, 'SELECT 1 n');
      expect(await report(path)).toMatchObject({ ok: false, standing: 'forked' });
    });

    test('a decision changed beside the audit', async () => {
      const path = copy();
      inFile(path, ["UPDATE approval SET decider = 'eve'"], 'SELECT 1 n');
      const { ok, faults } = await report(path);
      expect([ok, faults.flatMap(({ record }) => record ?? []).toSorted()]).toEqual([false, ids.toSorted()]);
    });
  });

  /** Runs SQL as anyone who can write the file could. Gives the rows of the query. */
  function inFile(path: string, sql: readonly string[], query: string): Record<string, unknown>[] {
    const script = `
      const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]);
      for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) db.exec('DROP TRIGGER ' + name);
      for (const one of JSON.parse(process.argv[2])) db.exec(one);
      console.log(JSON.stringify(db.prepare(process.argv[3]).all()));
      db.close();`;
    const done = spawnSync(sqlite!, ['--no-warnings', '-e', script, path, JSON.stringify(sql), query], {
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(done.stderr);
    return JSON.parse(done.stdout) as Record<string, unknown>[];
  }
});

/** A Node that has SQLite in it: not the oldest that is supported. */
function nodeWithSqlite(): string | undefined {
  const nodes = runtimes().filter(({ kind }) => kind === 'node');
  return nodes.find(({ path }) => spawnSync(path, ['--no-warnings', '-e', "require('node:sqlite')"]).status === 0)
    ?.path;
}
