/** What an answer says of remembering it. */
import type { ApprovalRequest, DecidedVia, DecisionOutcome, Grant, GrantScope } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { plainData } from '../options/plain.js';

export function rememberOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'remember')
    ? (answer as { remember?: unknown }).remember
    : undefined;
}

/** For how long. */
export interface RememberedAs {
  scope: GrantScope;
  /** In ms; absent: as long as the scope lasts. */
  expiresIn?: number;
}

/**
 * The grant that a decision is to be remembered as.
 *
 * @throws {InvalidDecisionError} when the request does not offer to remember this
 */
export function grantOf(
  { always, needs, runId }: ApprovalRequest,
  decision: DecisionOutcome,
  { scope, expiresIn }: RememberedAs,
  { by, via }: { by: string | null; via: DecidedVia },
  mayLastForEver: boolean,
): Omit<Grant, 'id'> {
  const effect = decision.type === 'approve' ? 'allow' : decision.type === 'reject' ? 'deny' : undefined;
  // Where people are named, they are asked each time.
  const offer = effect === undefined || needs.length > 0 ? null : always[effect];
  if (effect === undefined || offer === null) {
    throw new InvalidDecisionError({
      message: `This request does not offer to remember "${decision.type}": decide without \`remember\`.`,
    });
  }
  if (scope === 'always' && !mayLastForEver) {
    throw new InvalidDecisionError({
      message: "To remember 'always' the gate must read the user's files: createGate({ policyFiles: true }).",
    });
  }
  const createdAt = Date.now();
  const expiresAt = expiresIn === undefined ? null : createdAt + expiresIn;
  const { label, rules } = offer;
  return {
    effect,
    scope,
    runId: scope === 'run' ? runId : null,
    project: null,
    label,
    rules,
    by: by ?? via,
    createdAt,
    expiresAt,
  };
}

/** Of what is remembered for a time, in ms: longer than anybody lives. What ends after that is no time. */
const LONGEST = 1e13;

const SCOPES: readonly unknown[] = ['run', 'session', 'always'] satisfies GrantScope[];

export const isScope = (scope: unknown): scope is GrantScope => SCOPES.includes(scope);

/**
 * The `remember` of an answer or of options, from whomever it comes; `undefined`: it is not to be remembered.
 *
 * @throws {InvalidDecisionError} for what is nothing to go by: a time that is not known would be one without an end
 */
export function readRemember(remember: unknown): RememberedAs | undefined {
  if (remember === undefined) return undefined;
  if (isScope(remember)) return { scope: remember };
  const { scope, expiresIn, ...more } = fieldsOf(remember);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw unfit(`, and has no field ${JSON.stringify(unknown)}`);
  if (!isScope(scope)) throw unfit('');
  if (expiresIn === undefined) return { scope };
  if (typeof expiresIn === 'number' && expiresIn > 0 && expiresIn <= LONGEST) return { scope, expiresIn };
  throw unfit('');
}

function fieldsOf(remember: unknown): Record<string, unknown> {
  try {
    const data = plainData(remember, '`remember`');
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
  } catch (cause) {
    throw unfit(`: ${messageOf(cause)}`, cause);
  }
}

const unfit = (more: string, cause?: unknown): InvalidDecisionError =>
  new InvalidDecisionError({
    message: `\`remember\` must be 'run', 'session', 'always', or { scope, expiresIn } with a positive number of ms${more}`,
    ...(cause === undefined ? {} : { cause }),
  });
