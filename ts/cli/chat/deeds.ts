/** What commands of the chat tell: of the ledger, of the rules, of what is remembered. */
import type { Gate, RunInfo } from '../../../index.js';
import { listRuns } from '../../ai-sdk/stream/resume.js';
import { LedgerError } from '../../errors/index.js';
import { parentRunOf } from '../../gate/run-ids.js';
import { told } from '../duration.js';
import { UsageError } from '../exit.js';
import { matching, shortId, shortRun } from '../ids.js';
import { count } from '../print.js';
import { fit, oneLine } from '../style.js';
import { COMMANDS } from './commands.js';
import { pageOf, policyLines, type NoteWindow } from './policy-page.js';
import { titleOf } from './safe.js';

/** The lines that a command answers with. */
export type CommandAction = (gate: Gate, rest: string, shown: CommandShown) => Promise<string[]>;

export interface CommandShown {
  /** The rules that hold, in words. */
  policies: readonly string[];
  window: NoteWindow;
}

/** How many of anything are listed. */
const MOST = 20;
/** How many runs are offered at the start. */
const OFFERED = 5;

/** Keys, below the commands. */
const KEYS: readonly string[] = [
  'Enter sends it, Ctrl+J is a new line, up and down are earlier prompts. Ctrl+C cancels a run; twice, it leaves.',
  'When a call waits: y runs it, n does not and asks why, e changes it, d has the details, ? all keys.',
];

export const deeds = {
  help: async () => {
    const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
    return [...COMMANDS.map(({ usage, help }) => `${usage.padEnd(width)}  ${help}`), ...KEYS];
  },

  policy: async (gate, rest, { policies, window }) => {
    if (rest === '' || /^\d{1,4}$/.test(rest))
      return pageOf(await policyLines(gate, policies), Number(rest || 1), window);
    const { effect, reason, rule } = await gate.check({ toolName: 'execute', args: { command: rest } });
    const place = rule === null ? '' : `${rule.source}${rule.line === null ? '' : `:${rule.line}`}`;
    return [`${effect}: ${oneLine(reason)}${reason.includes(place) ? '' : ` (${oneLine(place)})`}`];
  },

  pending: async (gate) => {
    const waiting = await gate.pending();
    if (waiting.length === 0) return ['Nothing waits.'];
    const lines = waiting.map(
      ({ approvalId, toolName, args, runId }) =>
        `${shortId(approvalId)}  ${oneLine(toolName)}  ${titleOf(toolName, args)}  (run ${oneLine(shortRun(runId))})`,
    );
    return listed(lines);
  },

  grants: async (gate, rest) => {
    const [verb, id, ...more] = rest.split(/\s+/).filter((word) => word !== '');
    const grants = await gate.grants.list();
    if (verb === undefined) {
      if (grants.length === 0) return ['Nothing is remembered.'];
      return listed(
        grants.map(({ id, effect, scope, label }) => `${shortId(id)}  ${effect}  ${scope}  ${oneLine(label)}`),
      );
    }
    if (verb !== 'revoke' || id === undefined || more.length > 0)
      throw new UsageError('Use /grants, or /grants revoke ID.');
    const found = theOne(
      grants.map((grant) => grant.id),
      id,
      'nothing remembered',
    );
    await gate.grants.revoke(found);
    return [`Revoked: ${shortId(found)}`];
  },

  runs: async (gate) => {
    const runs = (await listRuns(gate, { limit: 100 })).filter(isWhole);
    return runs.length === 0 ? ['There are no runs.'] : listed(runs.map(lineOf));
  },
} satisfies Record<string, CommandAction>;

const listed = (lines: string[]): string[] =>
  lines.length <= MOST ? lines : [...lines.slice(0, MOST), `… and ${lines.length - MOST} more`];

/** Runs of subagents are parts of others. */
const isWhole = ({ runId }: RunInfo): boolean => parentRunOf(runId) === null;

/** Whether something of this run belongs to the other one: it is the same, or a subagent of it. */
function isWithin(runId: string, whole: string): boolean {
  if (runId === whole) return true;
  const parent = parentRunOf(runId);
  return parent !== null && isWithin(parent, whole);
}

const lineOf = ({ runId, status, steps, pending, updatedAt }: RunInfo): string =>
  [
    oneLine(shortRun(runId)),
    status,
    count(steps, 'step'),
    ...(pending === 0 ? [] : [`${pending} waiting`]),
    `${told(Date.now() - updatedAt)} ago`,
  ].join('  ');

/** Runs that can be continued, the latest first; none where the ledger keeps none. */
async function open(gate: Gate): Promise<RunInfo[]> {
  try {
    const runs = await listRuns(gate, { open: true, limit: 1000 });
    return runs.filter((run) => isWhole(run) && (run.status === 'suspended' || run.status === 'failed'));
  } catch (error) {
    if (LedgerError.isInstance(error) && error.code === 'ERR_LEDGER_TEMPORARY') return [];
    throw error;
  }
}

/** Their ids, for completion. */
export const openIds = async (gate: Gate): Promise<string[]> => (await open(gate)).map(({ runId }) => runId);

/** What is offered at the start: each run, with what waits in it. */
export async function resumable(gate: Gate): Promise<string[]> {
  const runs = await open(gate);
  if (runs.length === 0) return [];
  const waiting = await gate.pending();
  const lines = runs
    .slice(0, OFFERED)
    .flatMap((run) => [
      `  /resume ${oneLine(shortRun(run.runId))}  ${told(Date.now() - run.updatedAt)} ago, ${run.status}`,
      ...waiting
        .filter(({ runId }) => isWithin(runId, run.runId))
        .map(({ toolName, args }) => fit(`    waits: ${oneLine(toolName)} ${titleOf(toolName, args)}`, 120)),
    ]);
  const more = runs.length > OFFERED ? [`  … and ${runs.length - OFFERED} more: /runs`] : [];
  return [[`${count(runs.length, 'run')} can be continued:`, ...lines, ...more].join('\n')];
}

/** The run that is meant; without an id the latest that can be continued. @throws {UsageError} */
export async function runOf(gate: Gate, typed: string): Promise<string> {
  const runs = await open(gate);
  const [latest] = runs;
  if (typed === '') {
    if (latest === undefined) throw new UsageError('No run can be continued.');
    return latest.runId;
  }
  return theOne(
    runs.map(({ runId }) => runId),
    typed,
    'no run that can be continued',
  );
}

/** The id that is meant by it, its beginning or its end. @throws {UsageError} */
function theOne(ids: readonly string[], typed: string, nothing: string): string {
  const [first, ...others] = ids.includes(typed) ? [typed] : matching(ids, typed);
  if (first === undefined) throw new UsageError(`There is ${nothing} ${JSON.stringify(typed)}.`);
  if (others.length > 0)
    throw new UsageError(`${JSON.stringify(typed)} may be ${others.length + 1} of them: give more of it.`);
  return first;
}
