/** `countersign audit verify`. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AuditHead } from '../../index.js';
import { GateAudit } from '../gate/audit.js';
import { AuditVerifier, openAuditHead, type NativeStanding } from '../native.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { byteLines } from './lines.js';
import { LEDGER, withLedger, type LedgerValues } from './open-ledger.js';
import { readOptions, wholeNumber } from './options.js';
import { count, print, printJson } from './print.js';
import { oneLine, style } from './style.js';

export async function verify(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    ...LEDGER,
    file: { type: 'string' },
    from: { type: 'string' },
    head: { type: 'string' },
    key: { type: 'string', multiple: true },
  });
  if ((values.head === undefined) !== (values.key === undefined)) throw new UsageError('--head and --key go together');
  if (values.from !== undefined && values.file === undefined)
    throw new UsageError('give --from with --file alone: a ledger is verified whole');
  const expected = values.head === undefined ? null : await publishedHead(values.head, values.key ?? []);
  const found =
    values.file === undefined ? await ofLedger(values, expected) : await ofFile(values.file, values.from, expected);
  const damage = [...found.damage, ...(found.standing === null ? [] : standingFaults(found.standing, expected))];
  if (values.json === true) await printJson({ ok: damage.length === 0, ...found });
  else {
    for (const each of damage) await print(`${style('red', 'damaged')}: ${oneLine(each.what)}`);
    const { entries, records, hash } = found;
    const last = hash === null ? '' : `; head ${hash}`;
    const all = records === null ? '' : `, ${count(records, 'request')}`;
    await print(
      `${damage.length === 0 ? style('green', 'intact') : 'intact before that'}: ${count(entries, 'entry', 'entries')}${all}${last}`,
    );
    if (damage.length === 0 && expected !== null)
      await print(`the signed head, of ${count(expected.size, 'entry', 'entries')}, is kept`);
  }
  return damage.length === 0 ? Exit.ok : Exit.failure;
}

interface VerifyFinding {
  entries: number;
  records: number | null;
  hash: string | null;
  damage: { seq: number | null; record: string | null; what: string }[];
  standing: NativeStanding['word'] | null;
}

const ofLedger = (values: LedgerValues, expected: AuditHead | null): Promise<VerifyFinding> =>
  withLedger(values, 'look', async (ledger) => {
    const report = await new GateAudit(ledger).verify(expected === null ? {} : { head: expected });
    const { entries, records, hash, faults: damage, standing } = report;
    return { entries, records, hash, damage: [...damage], standing };
  });

async function ofFile(file: string, from: string | undefined, expected: AuditHead | null): Promise<VerifyFinding> {
  const verifier = new AuditVerifier(wholeNumber('--from', from ?? '1', 1), expected);
  const input = file === '-' ? process.stdin : createReadStream(file);
  for await (const line of byteLines(input)) verifier.see(line);
  const { entries, head: last, broken, standing } = verifier.finish();
  if (entries === 0 && broken === null)
    throw new ExitError(
      Exit.failure,
      `${oneLine(file)} has no entries: nothing was verified. Name the file that audit export wrote`,
      'ERR_NO_ENTRIES',
    );
  const damage = broken === null ? [] : [{ seq: broken.seq, record: null, what: broken.what }];
  return { entries, records: null, hash: last?.hash ?? null, damage, standing: standing?.word ?? null };
}

function standingFaults(standing: NativeStanding['word'], expected: AuditHead | null): VerifyFinding['damage'] {
  const size = expected?.size ?? 0;
  const said = {
    same: undefined,
    extended: undefined,
    truncated: `it ends before entry ${size}, which the signed head has: its end was dropped`,
    forked: `entry ${size} is not the one that the signed head has: the log was written again`,
    unknown: `it begins after entry ${size}, so that the signed head says nothing of it`,
  }[standing];
  return said === undefined ? [] : [{ seq: null, record: null, what: said }];
}

/** The head in a signed note. `keys`: as they are printed, or files that hold them. */
async function publishedHead(file: string, keys: readonly string[]): Promise<AuditHead> {
  const known = await Promise.all(
    keys.map(async (key) => (key.includes('+') ? key : (await readFile(key, 'utf8')).trim())),
  );
  const note = await readFile(file, 'utf8');
  const { size, hash, at } = openAuditHead(note, known);
  return { size, hash, at };
}
