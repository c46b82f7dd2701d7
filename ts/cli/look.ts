/** `countersign pending | show | runs`. */
import { askedBefore, LOOKED_AT } from '../gate/asked-before.js';
import { projectLookup } from '../gate/call-place.js';
import { parentRunOf } from '../gate/run-ids.js';
import type { KeptRecord, NativeLedger, NativeRunInfo } from '../native.js';
import { told } from './duration.js';
import { Exit, UsageError } from './exit.js';
import { recordOf } from './ids.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions } from './options.js';
import { print, printJson } from './print.js';
import { besideOf } from './beside.js';
import { RISK, riskFilter } from './risk.js';
import { pendingColumns, toJson, whole } from './shown.js';
import { columns, fit, oneLine } from './style.js';
import { table, type TableColumn } from './table.js';

export async function pending(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { ...LEDGER, ...RISK, run: { type: 'string' } });
  none(positionals, 'pending');
  const isMeant = riskFilter(values.risk);
  return withLedger(values, 'look', async (ledger) => {
    const now = Date.now();
    const waiting = (await ledger.pending(null)).filter(
      (record) =>
        (record.expiresAt === null || record.expiresAt > now) && isRun(record.runId, values.run) && isMeant(record),
    );
    if (values.json === true) for (const record of waiting) await printJson(toJson(record));
    else if (waiting.length === 0) await print('nothing waits');
    else await print(...table(waiting, pendingColumns(now, columns())));
    return Exit.ok;
  });
}

const isRun = (runId: string, typed: string | undefined): boolean =>
  typed === undefined || runId === typed || (typed.length >= 6 && (runId.startsWith(typed) || runId.endsWith(typed)));

export async function show(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, LEDGER);
  if (positionals.length === 0) throw new UsageError('show needs the id of a request: countersign show ID');
  return withLedger(values, 'look', async (ledger) => {
    for (const [at, typed] of positionals.entries()) {
      const record = await recordOf(ledger, typed, true);
      if (values.json === true) await printJson(toJson(record));
      else {
        const beside = { ...(await besideOf(ledger, record)), askedBefore: await approvedBefore(ledger, record) };
        await print(...(at > 0 ? [''] : []), ...whole(record, columns(), Date.now(), beside));
      }
    }
    return Exit.ok;
  });
}

/** How often a person approved the like of what waits. */
async function approvedBefore(ledger: NativeLedger, record: KeptRecord): Promise<number> {
  const request = toJson(record);
  if (request.status !== 'pending' || request.always.allow === null) return 0;
  const earlier = await ledger.history({ runId: null, toolName: request.toolName, before: null, limit: LOOKED_AT });
  return askedBefore(request, earlier.map(toJson), projectLookup(ledger.records));
}

/** More than anybody reads, less than a string holds. */
const MOST_RUNS = 10_000;

export async function runs(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { ...LEDGER, all: { type: 'boolean' } });
  none(positionals, 'runs');
  return withLedger(values, 'look', async (ledger) => {
    const found = await ledger.runs(values.all !== true, MOST_RUNS);
    if (values.json === true)
      for (const run of found) await printJson({ ...run, status: statusOf(run), parent: parentRunOf(run.runId) });
    else if (found.length === 0) await print(values.all === true ? 'there are no runs' : 'no run is open');
    else await print(...table(found, runColumns(Date.now())));
    return Exit.ok;
  });
}

/** As `listRuns` names it. */
const statusOf = ({ status, active }: NativeRunInfo): string =>
  status === 'running' ? (active ? 'active' : 'suspended') : status;

const runColumns = (now: number): TableColumn<NativeRunInfo>[] => [
  { title: 'RUN', text: ({ runId }) => fit(oneLine(runId), columns() < 80 ? 12 : 36), style: () => 'cyan' },
  { title: 'STATUS', text: statusOf },
  { title: 'STEPS', text: ({ steps }) => String(steps), right: true },
  { title: 'WAITING', text: ({ pending: waiting }) => (waiting === 0 ? '' : String(waiting)), right: true },
  { title: 'AGE', text: ({ createdAt }) => told(now - createdAt), right: true },
  { title: 'CHANGED', text: ({ updatedAt }) => `${told(now - updatedAt)} ago`, grows: true },
];

function none(positionals: readonly string[], command: string): void {
  if (positionals.length > 0) throw new UsageError(`${command} takes no ${JSON.stringify(positionals[0])}`);
}
