/**
 * G1 over a ledger that goes away: removed, replaced or overwritten while a run waits. The tool does not run, the approver is
 * told why, and nobody waits for ever.
 */
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { stage } from './processes.js';

const on = stage();
/** The run's deadline in ms: it ends soon after, whatever happened to the ledger. On a busy machine it takes a later one. */
const DEADLINES = [1_000, 5_000, 25_000, 125_000];

const BESIDE = ['', '-wal', '-shm'];

async function waiting(deadline: number) {
  const path = on.path();
  const ran = `${path}.ran`;
  // In this process another gate that somebody decides at; it is open by then.
  const gate = on.gate(path);
  const waiter = on.start('waiter', [`sqlite:${path}`, 'run', ran, 'start', String(deadline)]);
  const approvalId = await waiter.says('asked');
  const { expiresAt = 0 } = (await gate.get(approvalId)) ?? {};
  return { path, ran, gate, waiter, approvalId, isInTime: () => Date.now() < Number(expiresAt) };
}

function overwrite(path: string, from: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - from, 0x2a), 0, undefined, from);
  closeSync(file);
}

const ways: [name: string, code: RegExp, change: (path: string) => Promise<void> | void][] = [
  ['removed', /^ERR_LEDGER_CORRUPT$/, (path) => BESIDE.forEach((suffix) => rmSync(path + suffix))],
  [
    'moved away',
    /^ERR_LEDGER_CORRUPT$/,
    (path) => BESIDE.forEach((suffix) => renameSync(path + suffix, `${path}.old${suffix}`)),
  ],
  [
    'replaced by a new ledger',
    /^ERR_LEDGER_CORRUPT$/,
    async (path) => {
      for (const suffix of BESIDE) rmSync(path + suffix);
      const other = on.gate(path);
      await other.ready();
    },
  ],
  ['only its log removed', /^ERR_LEDGER_CORRUPT$/, (path) => rmSync(`${path}-wal`)],
  // In place, and all but the header of the log: otherwise it would count as cut off, and be repaired.
  [
    'overwritten',
    /^ERR_LEDGER_CORRUPT$/,
    (path) => {
      overwrite(path, 0);
      overwrite(`${path}-wal`, 32);
    },
  ],
];

describe.skipIf(process.platform === 'win32').each(sample(ways, 1))(
  'a ledger that is %s while a run waits',
  (_, code, change) => {
    it('an approval is refused, the tool does not run, and the run ends', async () => {
      for (const deadline of DEADLINES) {
        const { path, ran, gate, waiter, approvalId, isInTime } = await waiting(deadline);
        await change(path);
        const refused: unknown = await gate.approve(approvalId).then(
          () => 'approved',
          (error: unknown) => error,
        );
        // What it is refused for is about the ledger only as long as it could have been approved.
        if (!isInTime() && deadline !== DEADLINES.at(-1)) continue;
        expect(refused).toBeInstanceOf(LedgerError);
        expect(refused).toMatchObject({ code: expect.stringMatching(code) });
        await waiter.ended;
        expect(on.lines(ran), waiter.all).toEqual([]);
        expect(waiter.lines.join('\n')).toMatch(/answered|error/);
        return;
      }
    });
  },
);
