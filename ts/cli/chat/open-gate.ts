/** The gate of a chat: its ledger and its policies. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate, GateOptions, PolicyInput, PolicyMode } from '../../../index.js';
import { createGate } from '../../gate/asking-gate.js';
import { ExitError, Exit } from '../exit.js';
import { oneLine } from '../style.js';
import type { ChatConfig } from './config.js';
import { ownLedger } from '../own-ledger.js';
import { givenIn, inputs, rulesOf } from './rules.js';
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
  const given = givenIn(config);
  const policy = await rulesOf(config);
  const narrowing = await inputs(config.narrowing);
  const ledger = await ledgerOf(config);
  // As everywhere on the command line: a key that is there is used.
  const hasKey = Boolean(environment['COUNTERSIGN_LEDGER_KEY']) && ledger !== 'memory:';
  const gate = createGate({
    ledger,
    policy,
    policyFiles: true,
    place: { cwd: folder },
    // The chat says it itself: a warning of the process would be written over the screen.
    logger: { error: () => {} },
    ...(hasKey ? { encryption: {} } : {}),
  });
  try {
    await gate.ready();
    const watch = await PolicyWatch.of(gate);
    const beforeAuto = async (): Promise<void> => {
      const [problem] = watch.problems;
      // Its prohibitions are unknown.
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

/** What the user names; else the project's, where it is this user's own. @throws {ExitError} (`ERR_LEDGER_OWNER`) */
async function ledgerOf(config: ChatConfig): Promise<NonNullable<GateOptions['ledger']>> {
  const { ledger, projectLedger, project, settings } = config;
  const named = ledger ?? (projectLedger === 'memory:' ? projectLedger : undefined);
  if (named !== undefined) return named as NonNullable<GateOptions['ledger']>;
  return ownLedger(project, settings, projectLedger?.slice('sqlite:'.length));
}

function inWords(
  { needApproval, narrowing, project, files, settings }: ChatConfig,
  policies: readonly string[],
): string[] {
  const asks = needApproval.length === 0 ? 'nothing' : needApproval.join(', ');
  return [
    `Needs approval unless a rule allows it: ${asks}`,
    ...policies.map((name) => `Policy: ${name}`),
    ...narrowing.map((name) => `Policy of the project's settings, which only tightens: ${name}`),
    ...[
      ...(settings === undefined ? [] : [['Your policy', settings] as const]),
      ["The project's policy", join(project, '.countersign')] as const,
    ].flatMap(([whose, directory]) => missing(whose, directory)),
    ...files.map((file) => `Settings: ${file}`),
  ].map(oneLine);
}

/** What is there is told as it is when it is asked for. */
const missing = (whose: string, folder: string): string[] =>
  ['policy.toml', 'policy.json'].some((name) => existsSync(join(folder, name)))
    ? []
    : [`${whose}: ${join(folder, 'policy.toml')} (it does not exist)`];
