/** `countersign audit …` on files: exports, keys and signed heads. What needs a ledger is in ledger.test.ts. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarationsOf } from '../support/declarations.js';
import { signAuditHead } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { sample } from '../support/effort.js';
import { quickly as countersign } from './command.js';

/** An export of `count` entries. */
function made(count: number): string[] {
  let prev = '0'.repeat(64);
  return Array.from({ length: count }, (_, index) => {
    const body = `{"at":${index},"kind":"decided","seq":${index + 1}}`;
    const hash = createHash('sha256').update('countersign-audit-v1\0').update(Buffer.from(prev, 'hex')).update(body);
    const line = `${body.slice(0, -1)},"prev":"${prev}","hash":"${(prev = hash.digest('hex'))}"}`;
    return line;
  });
}

function there(lines: readonly string[]) {
  const root = scratch();
  writeFileSync(join(root, 'export.jsonl'), lines.map((line) => `${line}\n`).join(''));
  return { root, run: (...args: string[]) => countersign(['audit', ...args], { cwd: root }) };
}

describe('verify --file', () => {
  it('an export as it was written', async () => {
    const { run } = there(made(5));
    const { code, stdout, stderr } = await run('verify', '--file', 'export.jsonl');
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^intact: 5 entries; head [0-9a-f]{64}\n$/), '']);
  });

  it.each(
    sample<[string, (lines: string[]) => string[], RegExp]>(
      [
        [
          'changed',
          (lines) => lines.with(2, lines[2]!.replace('decided', 'granted')),
          /entry 3 of the audit log was changed/,
        ],
        ['dropped', (lines) => lines.toSpliced(2, 1), /entry 3 .* is missing: entry 4/],
        ['moved', (lines) => lines.with(2, lines[3]!).with(3, lines[2]!), /entry 3 .* is out of order/],
        ['doubled', (lines) => lines.toSpliced(2, 0, lines[2]!), /entry 4 .* is not there: entry 3/],
        ['put before', (lines) => ['{}', ...lines], /entry 1 .* was changed/],
        ['without its beginning', (lines) => lines.slice(1), /entry 1 .* should be the first/],
        ['empty lines', (lines) => lines.toSpliced(2, 0, ''), /entry 3 .* was changed/],
      ],
      2,
    ),
  )('%s: exit 1, and the first bad record', async (_, change, message) => {
    const { run } = there(change(made(5)));
    const { code, stdout } = await run('verify', '--file', 'export.jsonl');
    expect([code, message.test(stdout)], stdout).toEqual([1, true]);
    const json = await run('verify', '--file', 'export.jsonl', '--json');
    const [damage] = (JSON.parse(json.stdout) as { damage: { seq: number }[] }).damage;
    expect([json.code, damage?.seq]).toEqual([1, Number(/entry (\d+)/.exec(stdout)?.[1])]);
  });

  it('a part of one', async () => {
    const { run } = there(made(5).slice(2));
    expect((await run('verify', '--file', 'export.jsonl', '--from', '3')).code).toBe(0);
    expect((await run('verify', '--file', 'export.jsonl', '--from', '2')).code).toBe(1);
  });
});

describe('keys and heads', () => {
  it('a key is written once, for its owner only, and signs what verify --head believes', async () => {
    const lines = made(5);
    const { root, run } = there(lines);
    const made_ = await run('keygen', 'example.com/ledger');
    expect([made_.code, made_.stdout]).toEqual([
      0,
      expect.stringMatching(/^example\.com\/ledger\+[0-9a-f]{8}\+\S+\n$/),
    ]);
    const file = join(root, 'example.com-ledger.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(made_.stdout + made_.stderr).not.toContain('PRIVATE');
    const again = await run('keygen', 'example.com/ledger');
    expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/was not written/)]);

    const { hash } = JSON.parse(lines[4]!) as { hash: string };
    const note = signAuditHead({ size: 5, hash, at: 4 }, { privateKey: readFileSync(file, 'utf8') });
    writeFileSync(join(root, 'head.txt'), note);
    writeFileSync(join(root, 'key.pub'), made_.stdout);
    const against = async (...key: string[]) => run('verify', '--file', 'export.jsonl', '--head', 'head.txt', ...key);
    for (const key of [made_.stdout.trim(), join(root, 'key.pub')]) {
      expect(await against('--key', key)).toMatchObject({ code: 0, stdout: expect.stringMatching(/kept/) as unknown });
    }
    writeFileSync(join(root, 'export.jsonl'), `${lines.slice(0, 4).join('\n')}\n`);
    const cut = await against('--key', 'key.pub');
    expect([cut.code, cut.stdout]).toEqual([1, expect.stringMatching(/its end was dropped/)]);
    const forged = made(9).map((line) => line.replaceAll('decided', 'granted'));
    writeFileSync(join(root, 'export.jsonl'), `${forged.join('\n')}\n`);
    expect((await against('--key', 'key.pub')).code).toBe(1);

    writeFileSync(join(root, 'head.txt'), note.replace('\n5\n', '\n4\n'));
    const changed = await against('--key', 'key.pub');
    expect([changed.code, changed.stderr]).toEqual([1, expect.stringMatching(/ERR_AUDIT_HEAD: the signature by/)]);
    const other = await run('keygen', 'other', '-o', 'other.key');
    writeFileSync(join(root, 'head.txt'), note);
    const unknown = await against('--key', other.stdout.trim());
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/none of the given keys signed it/)]);
  });

  it.each(
    sample<[string[], RegExp]>(
      [
        [[], /audit needs one of: list, verify/],
        [['x'], /no command "audit x"/],
        [['keygen'], /needs a name/],
        [['verify', '--head', 'x'], /go together/],
        [['verify', '--from', '2'], /--from with --file alone/],
        [['verify', '--file', 'export.jsonl', '--from', '0'], /whole number from 1/],
        [['head', '--origin', 'x'], /--origin is for --sign/],
        [['list', '--limit', '-1'], /limit/],
        [['list', '--kind', 'x'], /--kind must be one of requested, voted, refused, reminded, escalated, decided/],
        [['list', '--since', 'x'], /--since must be/],
        [['list', '--ledger', 'memory:'], /no other process can see/],
        [['list', '--ledger', 'postgres:x'], /must be sqlite:PATH/],
        [['list', '--ledger', 'sqlite:'], /must name a file/],
        [['export', '--from', 'x'], /whole number/],
      ],
      1,
    ),
  )('%j: exit 2', async (args, message) => {
    const { code, stderr } = await there(made(1)).run(...args);
    expect([code, message.test(stderr)], stderr).toEqual([2, true]);
  });

  it('a ledger that is not there is not made', async () => {
    const { root, run } = there([]);
    const { code, stderr } = await run('list', '--ledger', 'sqlite:none.db');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^countersign: ERR_LEDGER_IO: there is no ledger at .*none\.db/),
    ]);
    expect(() => statSync(join(root, 'none.db'))).toThrow(/ENOENT/);
  });
});

it('list takes each kind that the core writes, and the documents and the types have no other', async () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const kinds = [...read('crates/core/src/ledger/audit/note.rs').matchAll(/Self::\w+ => "([a-z-]+)"/g)].map(
    ([, name]) => name!,
  );
  expect(kinds).toContain('refused');
  const { stderr } = await countersign(['audit', 'list', '--kind', 'x']);
  const [, taken = ''] = /one of ([a-z, -]+), not/.exec(stderr) ?? [];
  expect(taken.split(', ').toSorted()).toEqual(kinds.toSorted());
  const section = read('docs/audit.md').split('An entry has')[0]!;
  const rows = [...section.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) => cell!.replaceAll('`', '').split(', '));
  expect(rows.toSorted()).toEqual(kinds.toSorted());
  const union = declarationsOf('index.d.ts').split('export type AuditKind =')[1]!.split(';')[0]!;
  expect([...union.matchAll(/\| '([a-z-]+)'/g)].map(([, name]) => name).toSorted()).toEqual(kinds.toSorted());
});

it('a text that is no ledger is told as far as it holds no password', async () => {
  for (const ledger of [
    'host=h password=SECRET',
    'jdbc:postgresql://h/x?password=SECRET',
    'postgress://a:SECRET@h/x',
  ]) {
    const { code, stderr } = await countersign(['pending', '--ledger', ledger]);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('SECRET')]);
    expect(stderr).toContain('sqlite:PATH or postgres://');
  }
  for (const ledger of ['postgres://a:p@ssSECRET@127.0.0.1:1/x', 'postgres://a:p?SECRET@127.0.0.1:1/x']) {
    const { stderr } = await countersign(['pending', '--ledger', ledger]);
    expect(stderr).toMatch(/^countersign: ERR_LEDGER_IO: .*percent-encode/);
    expect(stderr).not.toContain('SECRET');
  }
});
