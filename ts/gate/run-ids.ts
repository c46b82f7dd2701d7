/** Ids of runs that are a part of another: `run>call`. The core finds what waits in them by that, too. */
import { InvalidConfigError } from '../errors/index.js';

const PART = '>';

/** The run that a call of another starts. */
export function partOfRun(runId: string, toolCallId: string): string {
  return `${runId}${PART}${encodeURIComponent(toolCallId.toWellFormed())}`;
}

/** The run that this one is a part of; `null`: none. */
export function parentRunOf(runId: string): string | null {
  const at = runId.lastIndexOf(PART);
  return at === -1 ? null : runId.slice(0, at);
}

/** @throws {InvalidConfigError} when only a part of another run can have this id */
export function checkRunId(runId: string, place: string): string {
  if (parentRunOf(runId) === null) return runId;
  throw new InvalidConfigError({
    message: `${place}: runId must not contain "${PART}", which stands between a run and its subagents: start and continue the main run ${JSON.stringify(runId.slice(0, runId.indexOf(PART)))}.`,
  });
}
