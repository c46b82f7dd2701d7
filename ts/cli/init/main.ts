/** `countersign init`: finds the agent of a project, shows the few lines that put an approval before its tools, and writes them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { safeText } from '../../native.js';
import { canAsk, confirm } from '../ask.js';
import { Exit, ExitError, UsageError } from '../exit.js';
import { readOptions } from '../options.js';
import { count, print } from '../print.js';
import { colouredDiff, oneLine } from '../style.js';
import { tellError } from '../tell-error.js';
import { readAgentFile, readFrameworkFile, type AgentReading } from './agent-file.js';
import { linesByHand, PAGE } from './by-hand.js';
import { diffLines } from './edits.js';
import { firstPolicy } from './first-policy.js';
import { isFrameworkFile, readPackage, sourcesOf, type Project } from './project.js';

const POLICY = '.countersign/policy.toml';

interface Change {
  /** In the project, with `/`. */
  file: string;
  /** `undefined`: it is not there. */
  before: string | undefined;
  after: string;
}

interface Plan {
  changes: Change[];
  left: { file: string; found: AgentReading & { kind: 'left' } }[];
  gated: string[];
  hasRoute: boolean;
}

/** Never throws. @returns the exit code */
export async function initCommand(args: readonly string[]): Promise<number> {
  try {
    return await init(args);
  } catch (error) {
    return tellError(error, ['init', ...args]);
  }
}

async function init(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    yes: { type: 'boolean', short: 'y' },
    'dry-run': { type: 'boolean' },
    force: { type: 'boolean' },
  });
  const [directory = '.', ...more] = positionals;
  if (more.length > 0) throw new UsageError('init takes one directory');
  const project = readPackage(resolve(directory));
  const plan = planOf(project);
  await show(plan);
  const hasAgent = plan.changes.length + plan.left.length + plan.gated.length > 0;
  if (!hasAgent) {
    await print(
      'No file here imports streamText, generateText or ToolLoopAgent of ai and gives it tools.',
      'To gate an agent:',
      '',
      ...linesByHand('script'),
    );
    throw new ExitError(
      Exit.failure,
      'no agent was found, and nothing was written: name the folder of the project',
      'ERR_NO_AGENT',
    );
  }
  const exit = plan.left.length === 0 ? Exit.ok : Exit.failure;
  if (plan.changes.length === 0) {
    if (plan.left.length === 0)
      await print('There is nothing to write: each file that was found uses countersign already.');
    return exit;
  }
  if (values['dry-run'] === true) {
    await print('Nothing was written: --dry-run.');
    return exit;
  }
  if (values.force !== true) refuseUncommitted(project, plan.changes);
  if (values.yes !== true) {
    if (!canAsk())
      throw new ExitError(
        Exit.refused,
        'nothing was written: confirmation needed, run again with --yes',
        'ERR_NOT_CONFIRMED',
      );
    if (!(await confirm(`Write ${count(plan.changes.length, 'file')}?`)))
      throw new ExitError(Exit.refused, 'nothing was written', 'ERR_NOT_CONFIRMED');
  }
  for (const change of plan.changes) write(project, change);
  await print(`wrote ${plan.changes.map(({ file }) => oneLine(file)).join(', ')}`, '', ...nextOf(project, plan));
  return exit;
}

function planOf(project: Project): Plan {
  const plan: Plan = { changes: [], left: [], gated: [], hasRoute: false };
  const tools = new Set<string>();
  for (const file of sourcesOf(project.folder)) {
    const before = readFileSync(join(project.folder, file), 'utf8');
    const found = isFrameworkFile(file) ? readFrameworkFile(before) : readAgentFile(before);
    if (found.kind === 'left') plan.left.push({ file, found });
    else if (found.kind === 'gated') plan.gated.push(file);
    else if (found.kind === 'changed') {
      plan.changes.push({ file, before, after: found.after });
      plan.hasRoute ||= found.shape === 'route';
      for (const name of found.tools) tools.add(name);
    }
  }
  const hasWork = plan.changes.length + plan.left.length > 0;
  if (hasWork && !project.has(POLICY))
    plan.changes.push({ file: POLICY, before: undefined, after: firstPolicy(project, [...tools]) });
  return plan;
}

async function show({ changes, left, gated }: Plan): Promise<void> {
  for (const { file, before, after } of changes) {
    await print(...colouredDiff(diffLines(file, before, after).map(safeText)), '');
  }
  for (const { file, found } of left) {
    await print(
      `${oneLine(file)}:${found.line} was not changed: ${found.because}. Add these lines:`,
      '',
      ...linesByHand(found.shape),
      '',
    );
  }
  for (const file of gated)
    await print(`${oneLine(file)} already uses countersign; left unchanged. Check that every call in it is gated.`, '');
}

/** `git checkout` undoes what is written; where it could not, nothing is. @throws {ExitError} */
function refuseUncommitted({ folder }: Project, changes: readonly Change[]): void {
  const files = changes.flatMap(({ file, before }) => (before === undefined ? [] : [file]));
  if (files.length === 0) return;
  let status: string;
  try {
    const options = [
      '-c',
      'core.fsmonitor=false',
      'status',
      '--porcelain',
      '--untracked-files=all',
      '--ignored',
      '--',
      ...files,
    ];
    status = execFileSync('git', options, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    throw new ExitError(
      Exit.refused,
      'nothing was written: this is not a git repository, so the change could not be undone. Use --force to write anyway',
      'ERR_UNCOMMITTED',
    );
  }
  const names = status
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3));
  if (names.length > 0)
    throw new ExitError(
      Exit.refused,
      `nothing was written: ${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} changes that are not committed. Commit them, or pass --force`,
      'ERR_UNCOMMITTED',
    );
}

/** @throws {ExitError} where it is no longer what was shown */
function write({ folder }: Project, { file, before, after }: Change): void {
  const path = join(folder, file);
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    // Never over a file that is there.
    writeFileSync(path, after, { flag: 'wx' });
    return;
  }
  if (!existsSync(path) || readFileSync(path, 'utf8') !== before)
    throw new ExitError(
      Exit.refused,
      `${file} has changed since it was shown: it was not written. Run countersign init again`,
      'ERR_CHANGED',
    );
  writeFileSync(path, after);
}

const INSTALL: Readonly<Record<Project['manager'], string>> = {
  npm: 'npm install countersign',
  pnpm: 'pnpm add countersign',
  yarn: 'yarn add countersign',
  bun: 'bun add countersign',
};

/** As docs/hosts.md has it. */
const FOR_NEXT: readonly string[] = [
  "  with output: 'standalone', add to the object of your next.config:",
  "    outputFileTracingIncludes: { '/**': ['./node_modules/countersign-*/**'] },",
  '  in `next dev`, keep the gate in globalThis, so that it outlives a reload',
];

function nextOf(project: Project, { changes, hasRoute }: Plan): string[] {
  const hasPolicy = changes.some(({ file }) => file === POLICY);
  const files = changes.flatMap(({ file, before }) => (before === undefined ? [] : [file]));
  const made = changes.flatMap(({ file, before }) => (before === undefined ? [file] : []));
  const undo = [
    ...(files.length === 0 ? [] : [`git checkout ${files.map(oneLine).join(' ')}`]),
    ...(made.length === 0 ? [] : [`rm ${made.map(oneLine).join(' ')}`]),
  ];
  return [
    ...(hasRoute ? [...PAGE, ''] : []),
    'What to do next:',
    ...(project.isInstalled ? [] : [`  ${INSTALL[project.manager]}`]),
    ...(project.isNext ? FOR_NEXT : []),
    ...(hasPolicy ? ['  npx countersign policy trust   lets the policy allow, not only ask and deny'] : []),
    '  npx countersign policy explain git status',
    ...(undo.length === 0 ? [] : [`To undo it: ${undo.join(' && ')}`]),
  ];
}
