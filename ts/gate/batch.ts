/** One decision for several requests: each is taken by itself. */
import type { ApprovalRecord, ApprovalRequest, BatchDecision, BatchOptions, BatchResult } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { takeOptions } from '../options/check.js';
import { takeValue } from '../options/plain.js';
import { doubtsAbout, hasReach, isHarmless } from './danger.js';
import { checkVia, readDecider } from './decider.js';
import { readOwn } from './taken-answer.js';

/** More are not taken at once: no one can have looked at all of them. */
export const MOST_AT_ONCE = 100;

type DecideOne = (
  approvalId: string,
  decision: BatchDecision,
  options: Omit<BatchOptions, 'seen'>,
) => Promise<ApprovalRecord>;

/** @see Gate.decideAll */
export async function decideAll(
  approvalIds: readonly string[],
  decision: BatchDecision,
  options: BatchOptions | undefined,
  { find, decide }: { find: (approvalId: string) => Promise<ApprovalRecord | undefined>; decide: DecideOne },
): Promise<BatchResult[]> {
  const ids = readIds('approvalIds', approvalIds);
  const taken = readBatch(decision);
  const { seen = [], ...who } = takeOptions('gate.decideAll', options === undefined ? {} : options);
  const looked = readIds('seen', seen);
  // Who it is must be right before anything is decided.
  readDecider(who, checkVia(who.via));
  const results: BatchResult[] = [];
  for (const approvalId of ids) {
    try {
      const isUnseen = taken.type === 'approve' && !looked.includes(approvalId);
      const record = isUnseen ? await find(approvalId) : undefined;
      if (record?.status === 'pending') refuseUnseen(record);
      results.push({ approvalId, record: await decide(approvalId, { ...taken }, who), error: null });
    } catch (error) {
      results.push({ approvalId, record: null, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }
  return results;
}

/**
 * It may be that no one has looked at it: what is not proven to be harmless may be anything.
 *
 * @throws {InvalidDecisionError}
 */
function refuseUnseen(request: ApprovalRequest): void {
  refuseIfDoubtful(request);
  if (isHarmless(request)) return;
  throw new InvalidDecisionError({
    message:
      'It is not approved among others, since it is not proven to do no harm: look at it, and name it in seen, or approve it by itself.',
  });
}

/**
 * For those that were each shown.
 *
 * @throws {InvalidDecisionError} where it must be looked at by itself
 */
export function refuseIfDoubtful(request: ApprovalRequest): void {
  const doubts = doubtsAbout(request);
  if (doubts.length === 0) return;
  throw new InvalidDecisionError({
    message: `It is not approved among others, since it stands out (${doubts.join(', ')}): look at it, and approve it by itself.`,
  });
}

/**
 * Whether one answer may be for both: calls of one tool in one run that the same "always" would answer, and that do not stand out.
 * What "always" would not answer is like nothing.
 */
export function isAlike(one: ApprovalRequest, other: ApprovalRequest): boolean {
  const label = one.always.allow?.label;
  return (
    label !== undefined &&
    label === other.always.allow?.label &&
    one.approvalId !== other.approvalId &&
    one.runId === other.runId &&
    one.toolName === other.toolName &&
    one.kind === 'approval' &&
    other.kind === 'approval' &&
    other.allowedDecisions.includes('approve') &&
    !hasReach(other) &&
    doubtsAbout(other).length === 0
  );
}

function readIds(name: string, given: unknown): string[] {
  const ids: unknown = takeValue(given, `gate.decideAll: ${name}`);
  if (!isTexts(ids))
    throw new InvalidDecisionError({ message: `gate.decideAll: ${name} must be a list of approval ids.` });
  if (ids.length > MOST_AT_ONCE)
    throw new InvalidDecisionError({ message: `gate.decideAll: at most ${MOST_AT_ONCE} are decided at once.` });
  return [...new Set(ids)];
}

function readBatch(given: unknown): BatchDecision {
  const { type, reason, ...more } = fieldsOf(readOwn(given, 'gate.decideAll'));
  const isSimple = type === 'approve' || type === 'reject' || type === 'skip';
  const [other] = Object.keys(more).filter((name) => more[name] !== undefined);
  if (isSimple && other === undefined && (reason === undefined || typeof reason === 'string'))
    return reason === undefined ? { type } : { type, reason };
  const has = isSimple && other !== undefined ? `, and has no ${JSON.stringify(other)}` : '';
  throw new InvalidDecisionError({
    message: `gate.decideAll: the decision must be { type: 'approve' | 'reject' | 'skip', reason? }${has}. Decide others one by one.`,
  });
}

const isTexts = (ids: unknown): ids is string[] => Array.isArray(ids) && ids.every((id) => typeof id === 'string');

const fieldsOf = (own: unknown): Record<string, unknown> =>
  typeof own === 'object' && own !== null && !Array.isArray(own) ? (own as Record<string, unknown>) : {};
