/** What an answer says of remembering it. */
import type { ApprovalRequest, DecidedVia, DecisionOutcome, Grant, GrantScope } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';

export function rememberOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'remember')
    ? (answer as { remember?: unknown }).remember
    : undefined;
}

/**
 * The grant that a decision is to be remembered as.
 *
 * @throws {InvalidDecisionError} when the request does not offer to remember this
 */
export function grantOf(
  { always, needs, runId }: ApprovalRequest,
  decision: DecisionOutcome,
  remember: unknown,
  { by, via }: { by: string | null; via: DecidedVia },
  mayLastForEver: boolean,
): Omit<Grant, 'id'> {
  const { scope, expiresIn } = readRemember(remember);
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

const SCOPES: readonly unknown[] = ['run', 'session', 'always'] satisfies GrantScope[];

export const isScope = (scope: unknown): scope is GrantScope => SCOPES.includes(scope);

/** @throws {InvalidDecisionError} */
function readRemember(remember: unknown): { scope: GrantScope; expiresIn: number | undefined } {
  const { scope, expiresIn } =
    typeof remember === 'object' && remember !== null
      ? (remember as { scope?: unknown; expiresIn?: unknown })
      : { scope: remember, expiresIn: undefined };
  const lasts =
    expiresIn === undefined || (typeof expiresIn === 'number' && Number.isFinite(expiresIn) && expiresIn > 0);
  if (isScope(scope) && lasts) return { scope, expiresIn };
  throw new InvalidDecisionError({
    message: "`remember` must be 'run', 'session', 'always', or { scope, expiresIn } with a positive number of ms.",
  });
}
