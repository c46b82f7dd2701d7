/** Ids of runs that are a part of another: `run>call`. The core finds what waits in them by that, too. */
import { InvalidConfigError } from '../errors/index.js';

const PART = '>';
/** Before the number of a run, where one call starts several. */
const NUMBER = '~';

/** The run that a call of another starts. @param number from 1, where it starts several */
export function partOfRun(runId: string, toolCallId: string, number = 1): string {
  // What encodeURIComponent leaves as it is, and would be taken for a number.
  const call = encodeURIComponent(toolCallId.toWellFormed()).replaceAll(NUMBER, '%7E');
  return `${runId}${PART}${call}${number === 1 ? '' : `${NUMBER}${number}`}`;
}

/** The same for a call that is run once more, and starts it anew: what it had started before has another id. */
export function partAnew(runId: string, toolCallId: string): string {
  return `${partOfRun(runId, toolCallId)}${NUMBER}${crypto.randomUUID()}`;
}

/** Whether a run, or the run it is a part of, was started by this call. */
export function isStartedBy(part: string, runId: string, toolCallId: string): boolean {
  const first = partOfRun(runId, toolCallId);
  return part === first || part.startsWith(`${first}${PART}`) || part.startsWith(`${first}${NUMBER}`);
}

/** The run that this one is a part of; `null`: none. */
export function parentRunOf(runId: string): string | null {
  const at = runId.lastIndexOf(PART);
  return at === -1 ? null : runId.slice(0, at);
}

/** The run that all this is for; the run itself when it is a part of none. */
export function mainRunOf(runId: string): string {
  const at = runId.indexOf(PART);
  return at === -1 ? runId : runId.slice(0, at);
}

const UNNAMED = 'unnamed:';

/** A run for calls whose loop is not ours and names no run for them: it is over with them. */
export const unnamedRun = (): string => `${UNNAMED}${crypto.randomUUID()}`;

/** Whether a run, or the run it is a part of, is such a one: no later call is of it, so that nothing is remembered for it. */
export const isUnnamed = (runId: string): boolean => runId.startsWith(UNNAMED);

/** What lists show of a run's id: its end, if it was not chosen. */
export const shortRun = (runId: string): string =>
  /^(?:unnamed:)?[0-9a-f-]{36}$/.test(runId) ? runId.slice(-8) : runId;

/** @throws {InvalidConfigError} when only a part of another run can have this id */
export function checkRunId(runId: string, place: string): string {
  if (parentRunOf(runId) === null) return runId;
  throw new InvalidConfigError({
    message: `${place}: runId must not contain "${PART}", which stands between a run and its subagents: start and continue the main run ${JSON.stringify(mainRunOf(runId))}.`,
  });
}
