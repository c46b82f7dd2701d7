/** What an answer says of remembering it. */
import type {
  ApprovalRequest,
  DecidedVia,
  DecisionOutcome,
  Grant,
  GrantOffer,
  GrantScope,
  PolicyRule,
  PolicyVerdict,
} from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { narrowOffer } from '../native.js';
import { plainData } from '../options/plain.js';
import { isUnnamed } from './run-ids.js';

export function rememberOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'remember')
    ? (answer as { remember?: unknown }).remember
    : undefined;
}

/** For how long, and of what. */
export interface RememberedAs {
  scope: GrantScope;
  /** In ms; absent: as long as the scope lasts. */
  expiresIn?: number;
  /** How many calls it answers; absent: any number. */
  times?: number;
  /** The very words of the call, where the offer has the beginning of a command. */
  exact?: boolean;
  /** In the place of those that are offered. */
  rules?: readonly PolicyRule[];
}

/** Whether it differs from the shown offer, which is taken as it is or not at all. */
export const isEdited = ({ exact, rules }: Pick<RememberedAs, 'exact' | 'rules'>): boolean =>
  exact === true || rules !== undefined;

/**
 * The grant that a decision is to be remembered as.
 *
 * @throws {InvalidDecisionError} when the request does not offer to remember this
 */
export function grantOf(
  { always, needs, runId, verdict, contents }: ApprovalRequest,
  decision: DecisionOutcome,
  as: RememberedAs,
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
  const { scope, expiresIn, times } = as;
  if (scope === 'always' && !mayLastForEver) {
    throw new InvalidDecisionError({
      message: "To remember 'always' the gate must read the user's files: createGate({ policyFiles: true }).",
    });
  }
  if (scope === 'run' && isUnnamed(runId)) {
    throw new InvalidDecisionError({
      message:
        "To remember something for the 'run' the call must be of one: give gateTools, toolApproval or gate.request a runId, or remember it for the 'session'.",
    });
  }
  const createdAt = Date.now();
  const expiresAt = expiresIn === undefined ? null : createdAt + expiresIn;
  return {
    effect,
    scope,
    runId: scope === 'run' ? runId : null,
    project: null,
    ...narrowed(effect, offer, as, { verdict, contents }),
    by: by ?? via,
    createdAt,
    expiresAt,
    ...(times === undefined ? {} : { times }),
  };
}

/**
 * The offer, or what a human made of it.
 *
 * @throws {InvalidDecisionError} where it is not proven to be narrower
 */
export function narrowed(
  effect: Grant['effect'],
  offer: GrantOffer,
  as: Pick<RememberedAs, 'exact' | 'rules'>,
  { verdict, contents }: Pick<ApprovalRequest, 'verdict' | 'contents'>,
): Pick<Grant, 'label' | 'rules' | 'within'> {
  const { rules: offered } = offer;
  if (!isEdited(as)) return { label: offer.label, rules: offered };
  // What was taken out of them is not what the call says.
  const words = as.exact === true ? (contents === 'kept' ? wordsOf(verdict) : []) : null;
  const made = narrowOffer({ offered, rules: as.rules ?? null, words });
  const label = `Always ${effect === 'allow' ? 'allow' : 'reject'} ${made.also.join(' and ')}`;
  // A narrower pattern may name what a wider one leaves out: what was offered holds it.
  return { label, rules: made.rules, within: offered };
}

/** The words of each command of the call that are known before it runs. */
const wordsOf = (verdict: PolicyVerdict | null): string[][] =>
  (verdict?.actions ?? []).flatMap((action) => {
    const words = action.kind === 'command' ? action.argv : [null];
    return words.every((word) => word !== null) ? [[...words]] : [];
  });

/** Of what is remembered for a time, in ms: longer than anybody lives. What ends after that is no time. */
const LONGEST = 1e13;

/** More calls are any number of them. */
const MOST_TIMES = 1_000_000;

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
  const { scope, expiresIn, times, exact, rules, ...more } = fieldsOf(remember);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw unfit(`, and has no field ${JSON.stringify(unknown)}`);
  if (!isScope(scope)) throw unfit('');
  const isTime = typeof expiresIn === 'number' && expiresIn > 0 && expiresIn <= LONGEST;
  if (expiresIn !== undefined && !isTime) throw unfit('');
  const isCount = Number.isInteger(times) && (times as number) > 0 && (times as number) <= MOST_TIMES;
  if (times !== undefined && !isCount) throw unfit(': times is a whole number of calls from 1');
  if (exact !== undefined && typeof exact !== 'boolean') throw unfit(': exact is true or false');
  if (rules !== undefined && !Array.isArray(rules)) throw unfit(': rules is a list, as in the offer');
  return {
    scope,
    ...(isTime ? { expiresIn } : {}),
    ...(isCount ? { times: times as number } : {}),
    ...(exact === true ? { exact } : {}),
    ...(rules === undefined ? {} : { rules: rules as PolicyRule[] }),
  };
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
    message: `\`remember\` must be 'run', 'session', 'always', or { scope, expiresIn } with a positive number of ms, or times, exact or rules${more}`,
    ...(cause === undefined ? {} : { cause }),
  });
