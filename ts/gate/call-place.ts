/** Where a call came from, as its request keeps it: what is remembered for always counts in the project that it was offered for. */
import { InvalidDecisionError } from '../errors/index.js';

/** The folder and the project of a call. */
export interface CallPlace {
  /** Where its relative paths start. */
  cwd: string;
  /** What `${project}` means to its policies. */
  project: string;
}

/** What a request is bound to, of its policies. */
interface PlacedContext {
  cwd?: unknown;
  project?: unknown;
  /** Where the path of the project led when its policies were read, if not to itself. */
  projectIs?: unknown;
}

/** A kept record, with what it is bound to. */
interface BoundRecord {
  context?: object | null;
}

function contextOf(record: BoundRecord | undefined): PlacedContext | undefined {
  const { policy = null } = (record?.context ?? {}) as { policy?: PlacedContext | PlacedContext[] | null };
  return [policy].flat()[0] ?? undefined;
}

/** The project that the call of a request came from; `undefined`: unknown. */
export type ProjectLookup = (request: { runId: string; approvalId: string }) => Promise<string | undefined>;

/** @param recordsOf all of a run, with what they are bound to; they are read once */
export function projectLookup(
  recordsOf: (runId: string) => Promise<readonly (BoundRecord & { approvalId: string })[]>,
): ProjectLookup {
  const runs = new Map<string, ReturnType<typeof recordsOf>>();
  return async ({ runId, approvalId }) => {
    const records = runs.get(runId) ?? recordsOf(runId);
    runs.set(runId, records);
    return placeOfCall((await records).find((each) => each.approvalId === approvalId))?.project;
  };
}

/** `undefined`: no policy had a say, so it was not recorded. */
export function placeOfCall(record: BoundRecord | undefined): CallPlace | undefined {
  const { cwd, project } = contextOf(record) ?? {};
  return typeof cwd === 'string' && typeof project === 'string' ? { cwd, project } : undefined;
}

/**
 * The same, to remember something for it.
 *
 * @throws {InvalidDecisionError} where it is unknown, or where the path of the project leads elsewhere by now: what was offered
 * for one project never counts in another
 */
export function placeToRemember(record: BoundRecord | undefined): CallPlace {
  const place = placeOfCall(record);
  if (place === undefined)
    throw new InvalidDecisionError({
      message: 'The project of this call is not known, because no policy judged it: decide without `remember`.',
    });
  const { projectIs = place.project } = contextOf(record) ?? {};
  if (realOf(place.project) === projectIs) return place;
  throw new InvalidDecisionError({
    message: `The project of this call is no longer where it was (${place.project}): decide without \`remember\`.`,
  });
}

/** `undefined`: nothing is there. */
function realOf(path: string): string | undefined {
  try {
    return process.getBuiltinModule('node:fs').realpathSync(path);
  } catch {
    return undefined;
  }
}
