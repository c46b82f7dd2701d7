/** `countersign ledger …`. */
import type { NativeTidied } from '../native.js';
import { durationOf } from './duration.js';
import { Exit, unknownCommand, UsageError } from './exit.js';
import { subcommandsOf } from './manual.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions } from './options.js';
import { count, print, printJson } from './print.js';
import { oneLine, style } from './style.js';

export async function ledgerCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'info':
      return info(rest);
    case 'verify':
      return verify(rest);
    case 'compact':
      return compact(rest);
    default:
      throw command === undefined
        ? new UsageError(`ledger needs one of: ${subcommandsOf('ledger').join(', ')}`)
        : unknownCommand(`ledger ${command}`, subcommandsOf('ledger'));
  }
}

async function info(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, LEDGER);
  return withLedger(values, 'look', async (ledger) => {
    const about = await ledger.about();
    if (values.json === true) await printJson(about);
    else {
      const { place, schema, encrypted, records, pending, runs, entries, bytes } = about;
      await print(
        `place      ${oneLine(place)}`,
        `schema     ${schema}`,
        `encrypted  ${encrypted ? 'yes' : 'no'}`,
        `requests   ${records}, ${pending} waiting`,
        `runs       ${runs}`,
        `audit      ${count(entries, 'entry', 'entries')}`,
        `size       ${size(bytes)}`,
      );
    }
    return Exit.ok;
  });
}

async function verify(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, LEDGER);
  return withLedger(values, 'look', async (ledger) => {
    const { entries, records, faults, head } = await ledger.verify();
    const ok = faults.length === 0;
    if (values.json === true) await printJson({ ok, entries, records, hash: head, damage: faults });
    else {
      for (const { what } of faults) await print(`${style('red', 'damaged')}: ${oneLine(what)}`);
      await print(
        `${ok ? style('green', 'intact') : 'intact'}: ${count(entries, 'entry', 'entries')} of the audit; ${count(records, 'request')} looked at`,
      );
    }
    return ok ? Exit.ok : Exit.failure;
  });
}

async function compact(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...LEDGER, contents: { type: 'string' }, records: { type: 'string' } });
  const ms = (name: 'contents' | 'records'): number | null =>
    values[name] === undefined ? null : durationOf(`--${name}`, values[name]);
  const [contents, records] = [ms('contents'), ms('records')];
  return withLedger(values, 'change', async (ledger) => {
    const done = sum(await ledger.tidy(contents, records), await ledger.compact());
    if (values.json === true) await printJson(done);
    else
      await print(
        `dropped the contents of ${count(done.contents, 'request')}, ${count(done.records, 'record')}, ${count(done.entries, 'entry', 'entries')} of histories`,
        `gave back ${size(done.bytes)}`,
      );
    return Exit.ok;
  });
}

const sum = (one: NativeTidied, other: NativeTidied): NativeTidied => ({
  contents: one.contents + other.contents,
  records: one.records + other.records,
  entries: one.entries + other.entries,
  bytes: one.bytes + other.bytes,
});

function size(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${at === 0 ? bytes : (bytes / 1024 ** at).toFixed(1)} ${units[at]}`;
}
