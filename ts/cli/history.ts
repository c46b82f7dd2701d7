/** `countersign history`: what was decided, by whom, and why. */
import type { KeptRecord, NativeLedger } from '../native.js';
import { Exit, UsageError } from './exit.js';
import { matching, shortId, shortRun } from './ids.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions, wholeNumber } from './options.js';
import { clock } from './duration.js';
import { print, printJson } from './print.js';
import { RISK, riskFilter } from './risk.js';
import { outcome, summary, toJson } from './shown.js';
import { isHighRisk } from '../gate/stands-out.js';
import { columns, fit, oneLine, style } from './style.js';

/** How many are asked for at once. */
const AT_ONCE = 1000;

export async function history(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...LEDGER,
    ...RISK,
    run: { type: 'string' },
    tool: { type: 'string' },
    limit: { type: 'string' },
  });
  if (positionals.length > 0) throw new UsageError(`history takes no ${JSON.stringify(positionals[0])}`);
  const limit = wholeNumber('--limit', values.limit ?? '50', 0) || Infinity;
  const { run, tool = null } = values;
  const isOfRisk = riskFilter(values.risk);
  const isMeant = (record: KeptRecord): boolean =>
    (run === undefined || matching([record.runId], run).length > 0) && isOfRisk(record);
  return withLedger(values, 'look', async (ledger) => {
    const found: KeptRecord[] = [];
    for await (const record of decidedBackwards(ledger, tool)) {
      if (found.length >= Math.max(limit, AT_ONCE)) break;
      if (isMeant(record)) found.push(record);
    }
    // They come in the order in which they were asked. A request that waited while that many others were asked is rare.
    found.sort((one, other) => (one.decidedAt ?? one.createdAt) - (other.decidedAt ?? other.createdAt));
    if (found.length > limit) found.splice(0, found.length - limit);
    if (values.json === true) for (const record of found) await printJson(toJson(record));
    else if (found.length === 0) await print('nothing was decided');
    else for (const record of found) await print(...linesOf(record, columns()));
    return Exit.ok;
  });
}

/** The newest first. */
async function* decidedBackwards(ledger: NativeLedger, toolName: string | null): AsyncGenerator<KeptRecord> {
  for (let before: string | null = null; ;) {
    const some: KeptRecord[] = await ledger.history({ runId: null, toolName, before, limit: AT_ONCE });
    for (const record of some) if (record.status !== 'pending') yield record;
    const last = some.at(-1);
    if (last === undefined || some.length < AT_ONCE) return;
    before = last.approvalId;
  }
}

/** What it was, and below that what became of it. */
function linesOf(record: KeptRecord, width: number): string[] {
  const { approvalId, createdAt, runId, decidedAt = null } = record;
  const head = `${style('dim', clock(decidedAt ?? createdAt))}  ${style('cyan', shortId(approvalId))}  `;
  const risk = isHighRisk(toJson(record)) ? `${style('red', 'high risk')}  ` : '';
  const room = Math.max(20, width - 31 - (risk === '' ? 0 : 11));
  return [
    `${head}${risk}${summary(record, room)}`,
    `  ${fit(`${outcome(toJson(record))}  (run ${oneLine(shortRun(runId))})`, Math.max(20, width - 2))}`,
  ];
}
