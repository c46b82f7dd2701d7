/** Policy files that cannot be read, told of once by the process: their rules do not count, and no call says why. */
import type { PolicyProblem } from '../../index.js';
import { warnOnce } from '../errors/warn-once.js';
import type { GateControl } from './control.js';

/** A file that was read before goes on to count; of any other even the denies are gone. */
export async function warnOfPolicies(control: GateControl, problems: readonly PolicyProblem[]): Promise<void> {
  if (problems.length === 0) return;
  const broken = await control.layers().then(
    (layers) => layers.broken,
    // What the program itself gives is wrong: that is an error of its own.
    () => null,
  );
  if (broken !== null) warnOnce(`policy:${broken}`, `${broken}. Nothing is allowed until it is fixed.`);
  for (const { message, code } of problems)
    if (broken === null && code !== 'ERR_POLICY_FILE')
      warnOnce(`policy:${message}`, `${message}. The rules that the file had before go on to count.`);
}
