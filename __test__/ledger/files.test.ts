/** What a ledger does with the file it is given: others' files, newer ones, who may read it, and its key. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Gate } from '../../index.js';
import { LedgerError } from '../../ts/index.js';
import { eventually, stage } from './processes.js';

const on = stage();
const isRoot = process.getuid?.() === 0;
const isWindows = process.platform === 'win32';

/** Asks without waiting for an answer. */
async function ask(gate: Gate, args: unknown): Promise<string> {
  void gate.request({ toolName: 't', args }).catch(() => {});
  return eventually(async () => (await gate.pending())[0]?.approvalId);
}

async function refuses(gate: Gate, code: string): Promise<LedgerError> {
  const error: unknown = await gate.ready().then(
    () => undefined,
    (refused: unknown) => refused,
  );
  expect(error).toBeInstanceOf(LedgerError);
  expect(error).toMatchObject({ code });
  // Nothing else works either, and the error is the same.
  await expect(gate.pending()).rejects.toMatchObject({ code });
  await expect(gate.request({ toolName: 't', args: {} })).rejects.toMatchObject({ code });
  return error as LedgerError;
}

describe('a file of another application is refused and left as it is', () => {
  const others: [name: string, make: (path: string) => Promise<void> | void][] = [
    ['an SQLite of another', (path) => on.sql(path, 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)')],
    [
      'an SQLite of another, in WAL mode',
      (path) => on.sql(path, 'PRAGMA journal_mode = WAL; CREATE TABLE mine (a); INSERT INTO mine VALUES (1)'),
    ],
    [
      'an SQLite with another application id',
      (path) => on.sql(path, 'PRAGMA application_id = 252006673; CREATE TABLE approval (id)'),
    ],
    ['a text', (path) => writeFileSync(path, 'Dear diary,\n'.repeat(500))],
    ['a short text', (path) => writeFileSync(path, 'x')],
    ['zeros', (path) => writeFileSync(path, Buffer.alloc(8192))],
    ['a folder', (path) => void mkdirSync(path)],
  ];

  it.each(others)('%s', async (_, make) => {
    const path = on.path();
    await make(path);
    const bytes = () => (statSync(path).isDirectory() ? null : readFileSync(path));
    const before = bytes();
    const { mtimeMs } = statSync(path);
    const error = await refuses(on.gate(path), 'ERR_LEDGER_FOREIGN');
    expect(error.message).toContain(path);
    expect(bytes()).toEqual(before);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(dirname(path)).filter((name) => /-(wal|shm|journal|lock|owners)$/.test(name))).toEqual([]);
  });
});

it('a rollback journal beside a ledger is refused, and the ledger is as it was once that is away', async () => {
  const path = on.path();
  const gate = on.gate(path);
  await ask(gate, {});
  await gate.close();
  const journal = `${path}-journal`;
  expect(statSync(journal).size).toBe(0);
  writeFileSync(journal, 'a journal of another program');
  const error = await refuses(on.gate(path), 'ERR_LEDGER_CORRUPT');
  expect(error.message).toContain(`countersign did not write ${journal}`);
  rmSync(journal);
  expect(await on.gate(path).pending()).toHaveLength(1);
});

describe('a ledger of a later version', () => {
  async function made(): Promise<string> {
    const path = on.path();
    const gate = on.gate(path);
    await ask(gate, {});
    await gate.close();
    return path;
  }

  it.each([
    ['that no earlier one can read', "UPDATE meta SET v = 99 WHERE k IN ('schema', 'min_reader', 'min_writer')"],
    ['that no earlier one can write', "UPDATE meta SET v = 99 WHERE k IN ('schema', 'min_writer')"],
  ])('%s is refused', async (_, change) => {
    const path = await made();
    await on.sql(path, `PRAGMA user_version = 99; ${change}`);
    await refuses(on.gate(path), 'ERR_LEDGER_TOO_NEW');
  });

  it('that comes while it is open: nothing more is written to it', async () => {
    const path = await made();
    const gate = on.gate(path);
    const [request] = await gate.pending();
    await on.sql(
      path,
      "PRAGMA user_version = 99; UPDATE meta SET v = 99 WHERE k IN ('schema', 'min_reader', 'min_writer')",
    );
    await expect(gate.approve(request?.approvalId ?? '')).rejects.toMatchObject({ code: 'ERR_LEDGER_TOO_NEW' });
  });
});

describe.skipIf(isWindows)('who may read it', () => {
  it('only its user, whatever the umask is: the file and all beside it', async () => {
    const path = on.path();
    const worker = on.start('worker', [`sqlite:${path}`, 'w', `${path}.ran`], { umask: 0 });
    await worker.says('decided');
    const files = readdirSync(dirname(path), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.startsWith('approvals.db')).length).toBeGreaterThanOrEqual(5);
    for (const name of files) {
      if (name === 'approvals.db.ran') continue;
      const { mode } = statSync(join(dirname(path), name));
      expect([name, (mode & 0o777).toString(8)]).toEqual([name, name.endsWith('-owners') ? '700' : '600']);
    }
  });

  it.skipIf(isRoot)('a folder that cannot be written to is said to be one', async () => {
    const path = on.path();
    chmodSync(dirname(path), 0o500);
    await refuses(on.gate(path), 'ERR_LEDGER_READ_ONLY');
    chmodSync(dirname(path), 0o700);
  });

  it.skipIf(isRoot)('a file that cannot be read is said to be one', async () => {
    const path = on.path();
    const gate = on.gate(path);
    await ask(gate, {});
    await gate.close();
    chmodSync(path, 0);
    await refuses(on.gate(path), 'ERR_LEDGER_PERMISSION');
  });

  it('a link that is put where its lock is made is not followed', async () => {
    const path = on.path();
    const victim = join(dirname(path), 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, `${path}-lock`);
    await expect(on.gate(path).ready()).rejects.toBeInstanceOf(LedgerError);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});

describe('a key', () => {
  const KEY = Buffer.alloc(32, 7).toString('base64');
  const OTHER = Buffer.alloc(32, 8).toString('base64');
  const encryption = {};
  const withKey = (key: string | undefined) => vi.stubEnv('COUNTERSIGN_LEDGER_KEY', key);
  afterEach(() => void vi.unstubAllEnvs());

  async function sealed() {
    const path = on.path();
    withKey(KEY);
    const gate = on.gate(path, { encryption });
    const id = await ask(gate, { path: '/very/secret/place' });
    await gate.edit(id, { path: '/another/secret/place' }, { by: 'mia', reason: 'for a secret reason' });
    await gate.close();
    return { path, id };
  }

  it('hides what was asked and answered in every file, and gives it back', async () => {
    const { path, id } = await sealed();
    for (const name of readdirSync(dirname(path), { recursive: true, encoding: 'utf8' })) {
      const file = join(dirname(path), name);
      if (!statSync(file).isFile()) continue;
      const bytes = readFileSync(file).toString('latin1');
      for (const word of ['secret', KEY, 'very']) expect([name, bytes.includes(word)]).toEqual([name, false]);
    }
    const gate = on.gate(path, { encryption });
    expect(await gate.get(id)).toMatchObject({ decision: { type: 'edit', args: { path: '/another/secret/place' } } });
    expect(await gate.audit.verify()).toMatchObject({ ok: true });
  });

  it.each([
    ['another one', OTHER, encryption],
    ['none', undefined, undefined],
    ['none, though the environment has it', KEY, undefined],
    ['one that is no key', 'hush', encryption],
  ])('%s: refused, and the ledger stays as it is', async (_, key, given) => {
    const { path, id } = await sealed();
    withKey(key);
    let gate: Gate | undefined;
    try {
      gate = on.gate(path, given === undefined ? {} : { encryption: given });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_LEDGER_KEY' });
    }
    if (gate !== undefined) await refuses(gate, 'ERR_LEDGER_KEY');
    withKey(KEY);
    expect(await on.gate(path, { encryption }).get(id)).toMatchObject({ approvalId: id });
  });

  it('is asked for when there is none', () => {
    withKey(undefined);
    expect(() => on.gate(on.path(), { encryption })).toThrow(expect.objectContaining({ code: 'ERR_LEDGER_KEY' }));
  });

  it('that a ledger does not have is not needed', async () => {
    const path = on.path();
    const plain = on.gate(path);
    await ask(plain, {});
    await plain.close();
    withKey(KEY);
    await refuses(on.gate(path, { encryption }), 'ERR_LEDGER_KEY');
  });
});

describe('a place', () => {
  it('that is not there is not made', async () => {
    const path = join(dirname(on.path()), 'nowhere', 'approvals.db');
    await refuses(on.gate(path), 'ERR_LEDGER_IO');
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('that is empty becomes a ledger', async () => {
    const path = on.path();
    writeFileSync(path, '');
    await on.gate(path).ready();
  });

  it('copied while nobody writes, goes on as it was', async () => {
    const path = on.path();
    const gate = on.gate(path);
    const id = await ask(gate, { path: '/a' });
    await gate.close();
    const copy = on.path();
    for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
    const other = on.gate(copy);
    expect(await other.get(id)).toMatchObject({ status: 'pending' });
    expect(await other.audit.verify()).toMatchObject({ ok: true });
  });
});
