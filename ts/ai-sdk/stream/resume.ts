import type * as Api from '../../../index.js';
import type { Gate, ResumeOptions, RunInfo } from '../../../index.js';
import { InvalidConfigError, LedgerError } from '../../errors/index.js';
import { checkPositive } from '../../gate/check-positive.js';
import { localGate } from '../../gate/gate.js';
import { parentRunOf } from '../../gate/run-ids.js';
import type { NativeRunInfo } from '../../native.js';
import { readable, takeOptions } from '../../options/check.js';
import { runOf } from './stream-with-events.js';

/** @see types/ */
export const resume: typeof Api.resume = (options: ResumeOptions) => {
  const { gate, runId, prompt, messages } = readable('resume', () => ({ ...options }) as Partial<ResumeOptions>);
  if (gate === undefined)
    throw new InvalidConfigError({ message: 'resume: gate must be one with the ledger that has the run.' });
  if (typeof runId !== 'string' || runId === '')
    throw new InvalidConfigError({ message: 'resume: runId must be the id of the run.' });
  if (prompt !== undefined || messages !== undefined)
    throw new InvalidConfigError({
      message: 'resume: leave prompt and messages out: the ledger has the conversation.',
    });
  checkLasting(gate, 'resume');
  return runOf(options, 'resume') as never;
};

/** @see types/ */
export async function listRuns(gate: Gate, options: { open?: boolean; limit?: number } = {}): Promise<RunInfo[]> {
  const { open = false, limit = 100 } = takeOptions('listRuns', options);
  const most = Math.ceil(checkPositive('listRuns: limit', limit));
  checkLasting(gate, 'listRuns');
  return (await localGate(gate, 'listRuns').runs.runs(open, most)).map(infoOf);
}

function checkLasting(gate: Gate, place: string): void {
  if (localGate(gate, place).isDurable) return;
  throw new LedgerError({
    code: 'ERR_LEDGER_TEMPORARY',
    message: `${place}: a gate with 'memory:' keeps no runs: use createGate({ ledger: 'sqlite:approvals.db' }).`,
  });
}

function infoOf({ runId, status, active, steps, pending, createdAt, updatedAt }: NativeRunInfo): RunInfo {
  const shown = status !== 'running' ? status : active ? 'active' : 'suspended';
  return { runId, parent: parentRunOf(runId), status: shown, steps, pending, createdAt, updatedAt };
}
