/** The parent of a run that is a part of another: which one its options speak of, and the path of agents below it. */
import { InvalidConfigError } from '../../errors/index.js';
import { otherCopy } from '../../errors/other-copy.js';
import { warnOnce } from '../../errors/warn-once.js';
import { callContextOf, isOfThisCopy } from './call-context.js';
import type { ParentRun } from './parent-run.js';

/**
 * The parent that the options of a run speak of.
 *
 * @throws {InvalidConfigError}
 */
export function parentOf(
  options: { parent?: unknown } & { [NAME in (typeof PARENTS)[number]]?: unknown },
  place: string,
): ParentRun | undefined {
  const { parent } = options;
  if (parent === undefined) return undefined;
  const context = typeof parent === 'object' && parent !== null ? callContextOf(parent) : undefined;
  if (context === undefined) {
    throw new InvalidConfigError({
      message: `${place}: parent must be what the execute of a tool gets as its second argument, from a run of streamWithEvents or from tools of gateTools.`,
    });
  }
  if (!isOfThisCopy(context)) throw told(otherCopy(`${place}: parent`));
  const given = PARENTS.find((name) => options[name] !== undefined);
  if (given !== undefined)
    throw new InvalidConfigError({ message: `${place}: leave ${given} out: with a parent it is the parent's.` });
  return context.parent();
}

/** It is thrown in a tool, so that the model alone would hear of it. */
function told(error: InvalidConfigError): InvalidConfigError {
  warnOnce(`other-copy:${error.message}`, error.message);
  return error;
}

/** What a part of a run has from its parent. */
const PARENTS = ['gate', 'onApprovalRequest', 'askOrder', 'reviewer', 'runId', 'requester'] as const;

/** The path of agents of a run: its parent's, the call, and a name. */
export function originOf(parent: ParentRun, origin: readonly string[] | undefined, place: string): readonly string[] {
  const path = [...parent.asker.origin, `task:${parent.toolCallId}`];
  if (origin === undefined) return [...path, parent.toolName];
  if (origin.length > path.length && path.every((each, index) => origin[index] === each)) return origin;
  throw new InvalidConfigError({
    message: `${place}: origin must begin with ${JSON.stringify(path)}, the path of the parent and the call, and end with a name.`,
  });
}
