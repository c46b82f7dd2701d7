/** The gate of a chat: its ledger and its policies. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Gate, GateOptions, PolicyDocument, PolicyInput, PolicyMode } from '../../../index.js';
import { createGate } from '../../gate/asking-gate.js';
import { loadPolicy } from '../../policy/check.js';
import { ExitError, Exit } from '../exit.js';
import { oneLine } from '../style.js';
import { TOOLS, type ChatConfig } from './config.js';
import { claim } from './own-ledger.js';
import { PolicyWatch } from './policy-watch.js';

export interface OpenedGate {
  gate: Gate;
  /** What the project's own settings add; for the agent, since it only tightens. */
  narrowing: PolicyInput[];
  /** The rules that hold, in words. */
  policies: string[];
  watch: PolicyWatch;
  /** Rejects with why Auto-approve must stay off, beside what the gate itself forbids. */
  beforeAuto: () => Promise<void>;
}

/**
 * Opens the ledger, and makes the usual one where it is missing. With a policy file that cannot be read there is no Auto-approve.
 *
 * @throws LedgerError (`ERR_LEDGER_…`), PolicyError (`ERR_POLICY_…`), ModeForbiddenError (`ERR_MODE_FORBIDDEN`)
 */
export async function openGate(
  config: ChatConfig,
  folder: string,
  mode: PolicyMode,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<OpenedGate> {
  const given = isFresh(config) ? [UNSAID] : config.policies;
  const policy = [ownRules(config.needApproval), ...(await inputs(given))];
  const narrowing = await inputs(config.narrowing);
  const ledger = await ledgerOf(config);
  // As everywhere on the command line: a key that is there is used.
  const hasKey = Boolean(environment['COUNTERSIGN_LEDGER_KEY']) && ledger !== 'memory:';
  const gate = createGate({
    ledger,
    policy,
    policyFiles: true,
    place: { cwd: folder },
    ...(hasKey ? { encryption: {} } : {}),
  });
  try {
    await gate.ready();
    const watch = await PolicyWatch.of(gate);
    const beforeAuto = async (): Promise<void> => {
      const [problem] = watch.problems;
      // What it would forbid nobody knows.
      if (problem !== undefined) throw new ExitError(Exit.failure, problem.message, problem.code);
      const narrower = createGate({ ledger: 'memory:', policy: narrowing, place: { cwd: folder } });
      await narrower.setMode('auto').finally(() => narrower.close());
    };
    if (mode === 'auto') await beforeAuto();
    // After it is there: the files count too.
    if (mode !== 'safe') await gate.setMode(mode);
    return { gate, narrowing, policies: inWords(config, given), watch, beforeAuto };
  } catch (error) {
    await gate.close();
    throw error;
  }
}

/** Where nobody has said anything: what only looks runs unasked, since whoever is asked about each `ls` stops reading. */
export const UNSAID = 'preset:read-only';

/** Whether neither settings nor flags nor policy files of this user and this project speak of what is asked about. */
function isFresh({ isBare, settings, project }: ChatConfig): boolean {
  const files = [join(project, '.countersign'), ...(settings === undefined ? [] : [settings])].flatMap((folder) =>
    ['policy.toml', 'policy.json'].map((name) => join(folder, name)),
  );
  return isBare && !files.some((file) => existsSync(file));
}

const inputs = (names: readonly string[]): Promise<PolicyInput[]> =>
  Promise.all(names.map((name) => (name.startsWith('preset:') ? (name as PolicyInput) : loadPolicy(name))));

/** What no rule speaks of is asked about: only what needs no approval is spoken of here, so that policies can say more. */
function ownRules(needApproval: readonly string[]): PolicyDocument {
  const tools = needApproval.includes('*') ? [] : TOOLS.filter((name) => !needApproval.includes(name));
  return {
    version: 1,
    rule: tools.length === 0 ? [] : [{ tools, effect: 'allow', reason: 'it is not among tools.need_approval' }],
  };
}

/** What the user names; else the project's, where it is this user's own. @throws {ExitError} (`ERR_LEDGER_OWNER`) */
async function ledgerOf(config: ChatConfig): Promise<NonNullable<GateOptions['ledger']>> {
  const { ledger, projectLedger, project, settings } = config;
  const named = ledger ?? (projectLedger === 'memory:' ? projectLedger : undefined);
  if (named !== undefined) return named as NonNullable<GateOptions['ledger']>;
  const directory = join(project, '.countersign');
  // What an agent was asked to do is nobody else's, and nothing to be committed.
  if ((await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined)
    await writeFile(join(directory, '.gitignore'), 'ledger.db*\n', { flag: 'wx' });
  const file = projectLedger?.slice('sqlite:'.length) ?? join(directory, 'ledger.db');
  await claim(file, project, settings);
  return `sqlite:${file}`;
}

function inWords(
  { needApproval, narrowing, project, files, settings }: ChatConfig,
  policies: readonly string[],
): string[] {
  const asks = needApproval.length === 0 ? 'nothing' : needApproval.join(', ');
  return [
    `Asked about unless a rule allows it: ${asks}`,
    ...policies.map((name) => `Policy: ${name}`),
    ...narrowing.map((name) => `Policy of the project's settings, which only tightens: ${name}`),
    ...(settings === undefined ? [] : [fileInWords('Your policy', join(settings, 'policy.toml'))]),
    fileInWords("The project's policy", join(project, '.countersign', 'policy.toml')),
    "The administrator's policy counts too, where there is one",
    ...files.map((file) => `Settings: ${file}`),
  ].map(oneLine);
}

const fileInWords = (whose: string, file: string): string =>
  `${whose}: ${file}${existsSync(file) ? '' : ' (there is none)'}`;
