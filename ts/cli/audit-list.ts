/** `countersign audit list`. */
import type { AuditEntry, AuditKind } from '../../index.js';
import { clock, timeOf } from './duration.js';
import { entriesBackwards } from './entries.js';
import { Exit, UsageError } from './exit.js';
import { matching, shortId, shortRun } from './ids.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions, wholeNumber } from './options.js';
import { print, printJson } from './print.js';
import { fit, oneLine } from './style.js';
import { table, type TableColumn } from './table.js';

/** All kinds: the compiler reports a missing one, and a test compares them with those of the core. */
const KINDS = {
  requested: true,
  voted: true,
  refused: true,
  reminded: true,
  escalated: true,
  decided: true,
  started: true,
  settled: true,
  interrupted: true,
  verdict: true,
  reviewed: true,
  granted: true,
  'grant-revoked': true,
  'run-started': true,
  'run-resumed': true,
  'run-ended': true,
  'clock-jump': true,
  pruned: true,
  opened: true,
} as const satisfies Record<AuditKind, true>;

export async function list(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    ...LEDGER,
    run: { type: 'string' },
    kind: { type: 'string', multiple: true },
    since: { type: 'string' },
    limit: { type: 'string' },
  });
  const { run, kind: kinds } = values;
  const wrong = kinds?.find((kind) => !Object.hasOwn(KINDS, kind));
  if (wrong !== undefined)
    throw new UsageError(`--kind must be one of ${Object.keys(KINDS).join(', ')}, not ${JSON.stringify(wrong)}`);
  const since = values.since === undefined ? 0 : timeOf('--since', values.since, Date.now());
  const limit = wholeNumber('--limit', values.limit ?? '100', 0) || Infinity;
  const isMeant = (entry: AuditEntry): boolean =>
    (kinds === undefined || kinds.includes(entry.kind)) &&
    (run === undefined || matching([entry.runId ?? ''], run).length > 0);
  return withLedger(values, 'look', async (ledger) => {
    const found: AuditEntry[] = [];
    for await (const entry of entriesBackwards(ledger)) {
      if (entry.at < since || found.length >= limit) break;
      if (isMeant(entry)) found.push(entry);
    }
    found.reverse();
    if (values.json === true) for (const entry of found) await printJson(entry);
    else if (found.length === 0) await print('no such entries');
    else await print(...table(found, COLUMNS));
    return Exit.ok;
  });
}

const COLUMNS: TableColumn<AuditEntry>[] = [
  { title: '#', text: ({ seq }) => String(seq), right: true },
  { title: 'WHEN', text: ({ at }) => clock(at), style: () => 'dim' },
  { title: 'KIND', text: ({ kind }) => oneLine(kind) },
  { title: 'RUN', text: ({ runId }) => fit(oneLine(shortRun(runId ?? '')), 10) },
  { title: 'ID', text: ({ approvalId }) => shortId(approvalId ?? ''), style: () => 'cyan' },
  { title: 'WHAT', text: what, grows: true },
];

function what(entry: AuditEntry): string {
  const { toolName, decision, by, via, effect, rule, reason, more = {} } = entry;
  const who = by ?? via;
  const at = rule === undefined ? undefined : `${rule.source}${rule.line === undefined ? '' : `:${rule.line}`}`;
  return [
    toolName,
    decision ?? effect ?? (entry.kind === 'settled' ? entry.status : undefined),
    who === undefined ? undefined : `by ${who}`,
    reason === undefined ? undefined : `"${reason}"`,
    at === undefined ? undefined : `(${at})`,
    ...Object.entries(more).map(([name, fact]) => `${name}=${String(fact)}`),
  ]
    .filter((part) => part !== undefined)
    .map(oneLine)
    .join(' ');
}
