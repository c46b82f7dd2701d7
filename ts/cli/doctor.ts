/** `countersign doctor`: checks this machine. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ConfinementReport, PolicyLayer } from '../../index.js';
import { confinementReport } from '../confine/program.js';
import { messageOf } from '../errors/message-of.js';
import { safeText } from '../native.js';
import { Policies } from '../policy/policies.js';
import { Exit, UsageError } from './exit.js';
import { isLedgerKnown, LEDGER, withLedger, type LedgerValues } from './open-ledger.js';
import { readOptions } from './options.js';
import { print, printJson } from './print.js';

interface Checkup {
  version: string;
  platform: string;
  runtime: string;
  /** The AI SDK of this folder; `null`: not installed. */
  ai: string | null;
  confinement: ConfinementReport;
  policies: { layer: PolicyLayer; file: string; trusted: boolean }[];
  /** Policy files that could not be read. */
  broken: string[];
  /** The ledger that other commands use here; `null`: they find none, or cannot read it. */
  ledger: string | null;
  /** What is wrong. */
  problems: string[];
}

export async function doctor(args: readonly string[], version: string): Promise<number> {
  const { values, positionals } = readOptions(args, LEDGER);
  if (positionals.length > 0) throw new UsageError('doctor takes options alone, no arguments');
  const found = await look(version, values);
  if (values.json === true) await printJson(found);
  else await print(...linesOf(found));
  return found.problems.length === 0 ? Exit.ok : Exit.failure;
}

async function look(version: string, values: LedgerValues): Promise<Checkup> {
  const ai = installedSdk();
  const { policies, broken, problems } = await policyFiles();
  const { ledger, problem } = await usedLedger(values);
  return {
    version,
    platform: `${process.platform}-${process.arch}`,
    runtime: runtime(),
    ai,
    confinement: confinementReport(),
    policies,
    broken,
    ledger,
    problems: [...problems, ...problem, ...sdkProblems(ai, process.versions)],
  };
}

/** It is opened, to be read alone: a wrong path, key or version shows there. */
async function usedLedger(values: LedgerValues): Promise<{ ledger: string | null; problem: string[] }> {
  try {
    if (!isLedgerKnown(values.ledger)) return { ledger: null, problem: [] };
    return { ledger: await withLedger(values, 'look', async (ledger) => (await ledger.about()).place), problem: [] };
  } catch (error) {
    return { ledger: null, problem: [`the ledger cannot be used: ${messageOf(error)}`] };
  }
}

/** None is needed for what the commands do, nor for the chat, which brings its own. */
export function sdkProblems(ai: string | null, { bun, deno, node }: Partial<NodeJS.ProcessVersions>): string[] {
  if (ai === null) return [];
  if (!/^[67]\./.test(ai)) return [`ai ${ai} is of neither version 6 nor 7`];
  // Bun and Deno are new enough wherever countersign runs.
  const isOld = bun === undefined && deno === undefined && Number(node?.split('.')[0]) < 22;
  if (!isOld || !ai.startsWith('7.')) return [];
  return [`ai ${ai} needs Node 22, and this is Node ${node}: update Node, or npm install ai@6`];
}

function runtime(): string {
  const { bun, deno, node } = process.versions;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
}

function installedSdk(): string | null {
  try {
    const own = createRequire(join(process.cwd(), 'package.json'));
    return (own('ai/package.json') as { version: string }).version;
  } catch {
    return null;
  }
}

async function policyFiles(): Promise<Pick<Checkup, 'policies' | 'broken' | 'problems'>> {
  try {
    const all = new Policies({ policy: undefined, files: 'all', place: undefined }, 'doctor');
    const { layers, problems } = await all.layers();
    const counts = new Set(layers.map(({ name }) => name));
    // Beside them are the files of what is remembered and of what is trusted.
    const unread = problems.filter(({ source }) => /policy\.(?:toml|json)$/.test(source) && !counts.has(source));
    return {
      policies: layers.map(({ layer, name, trusted }) => ({ layer, file: name, trusted })),
      broken: [...new Set(unread.map(({ source }) => source))],
      problems: problems.map(({ message }) => message),
    };
  } catch (error) {
    return { policies: [], broken: [], problems: [messageOf(error)] };
  }
}

function linesOf(found: Checkup): string[] {
  const { version, platform, runtime, ai, confinement, policies, broken, ledger, problems } = found;
  const rows = [
    ['countersign', `${version} on ${platform}, with its native addon`],
    ['runtime', runtime],
    ['AI SDK', ai === null ? 'none in this folder; to build an agent here: npm install ai' : `ai ${ai}`],
    ...confinementRows(confinement),
    ...policyRows(policies, broken),
    ['ledger', ledger ?? 'none: commands on requests need --ledger, COUNTERSIGN_LEDGER or a .countersign/ledger.db'],
    ...problems.map((problem) => ['problem', problem] as const),
  ] as const;
  return rows.map(([name, what]) => `${name.padEnd(14)}${safeText(what)}`);
}

function confinementRows(found: ConfinementReport): (readonly [string, string])[] {
  if (!found.supported) return [['confinement', `none: ${found.reason ?? ''}`]];
  if (found.by === 'seatbelt') return [['confinement', 'by sandbox-exec; the authors have not run it']];
  const namespaces = found.namespaces ? 'namespaces' : `no namespaces (${found.noNamespaces ?? ''})`;
  return [
    ['confinement', `Landlock ${found.landlock}, seccomp, ${namespaces}`],
    [
      '',
      found.open.length === 0
        ? 'nothing stays open'
        : `stays open: ${found.open.join(', ')} (docs/confinement-hosts.md)`,
    ],
  ];
}

function policyRows(policies: Checkup['policies'], broken: Checkup['broken']): (readonly [string, string])[] {
  if (policies.length + broken.length === 0)
    return [['policies', 'no files: the chat uses preset:read-only, a gate only the rules of its program']];
  const said = [
    ...policies.map(
      ({ layer, file, trusted }) =>
        `${layer}: ${file}${trusted ? '' : ' (not trusted: it tightens only; npx countersign policy trust)'}`,
    ),
    ...broken.map((file) => `broken: ${file} (none of its rules count, denies included, and nothing is allowed)`),
  ];
  return said.map((text, index) => [index === 0 ? 'policies' : '', text] as const);
}
