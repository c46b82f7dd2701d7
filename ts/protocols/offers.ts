/** What a request offers to a human behind a protocol, which knows no more of it than is sent. */
import type { ApprovalRequest, Decision, GrantScope } from '../../index.js';
import { CountersignError, InvalidConfigError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { checkBy } from '../gate/requester.js';
import { isScope } from '../gate/remember.js';
import { isUnnamed } from '../gate/run-ids.js';
import { agentLine, shownPreview } from '../gate/agent-reason.js';
import { reviewLine } from '../gate/reviewer/review-line.js';
import { standsApart } from '../gate/stands-out.js';
import { readable, takeOptions } from '../options/check.js';
import { argumentLines } from '../terminal/whole.js';

type ProtocolEntry =
  | 'acpApprover'
  | 'fromElicitResult'
  | 'fromPermissionOutcome'
  | 'mcpApprover'
  | 'toElicitation'
  | 'toPermissionRequest';

/** What both protocols can be told. */
export interface ProtocolOptions {
  /** `null`: "always" is not offered. */
  remember?: GrantScope | null;
  /** Who is at the other end. */
  by?: string;
  groups?: readonly string[];
}

/**
 * The options of an entry, taken.
 *
 * @throws {InvalidConfigError} also for an invalid `remember`: nothing would be remembered, or for another time than is said
 */
export function takeProtocolOptions<OPTIONS extends ProtocolOptions | undefined>(
  place: ProtocolEntry,
  given: OPTIONS,
): OPTIONS {
  const options = takeOptions(place, given);
  const { remember, by } = options ?? {};
  checkBy(place, by);
  if (remember === undefined || remember === null || isScope(remember)) return options;
  throw new InvalidConfigError({ message: `${place}: remember must be 'run', 'session', 'always' or null.` });
}

/** What is made of a request that a user gave. @throws {InvalidConfigError} for what is not one */
export function ofRequest<T>(place: string, request: ApprovalRequest, make: () => T): T {
  const wrong = (what: string, cause?: unknown) =>
    new InvalidConfigError({
      message: `${place}: the request must be one that onApprovalRequest, an event or gate.pending() gave: ${what}.`,
      cause,
    });
  if (!isRecord(request)) throw wrong('this is not an object');
  try {
    Object.keys(request);
  } catch (error) {
    throw wrong(messageOf(error), error);
  }
  const given = request as Partial<ApprovalRequest>;
  const text = TEXTS.find((name) => typeof given[name] !== 'string');
  if (text !== undefined) throw wrong(`its ${text} is not a text`);
  const list = LISTS.find((name) => !Array.isArray(given[name]));
  if (list !== undefined) throw wrong(`its ${list} is not a list`);
  if (!isRecord(given.always)) throw wrong('its always is not an object');
  try {
    return make();
  } catch (error) {
    throw CountersignError.isInstance(error) ? error : wrong(messageOf(error), error);
  }
}

const TEXTS = ['toolCallId', 'toolName', 'description', 'preview', 'kind'] as const;
const LISTS = ['allowedDecisions', 'needs', 'changes', 'flags'] as const;

/** @throws {InvalidConfigError} for what has none of these methods: the first question would fail, long after */
export function checkConnection(place: string, what: string, connection: unknown, methods: readonly string[]): void {
  const has = (method: string) =>
    typeof (connection as Record<string, unknown> | null | undefined)?.[method] === 'function';
  if (readable(place, () => methods.some(has))) return;
  throw new InvalidConfigError({ message: `${place}: ${what} must have the method ${methods.join(' or ')}.` });
}

/** A decision as this person takes it. */
export const takenBy = <DECISION extends Decision>(
  decision: DECISION,
  options: ProtocolOptions = {},
): DECISION & Pick<ProtocolOptions, 'by' | 'groups'> => {
  // Said, and not inherited.
  const { by, groups }: ProtocolOptions = Object.assign(Object.create(null) as ProtocolOptions, options);
  return { ...decision, ...(by === undefined ? {} : { by }), ...(groups === undefined ? {} : { groups }) };
};

/** An answer that can be picked from a list. */
export interface AnswerOffer {
  id: 'approve' | 'approve-always' | 'reject' | 'reject-always';
  /** Not yet safe to show. */
  label: string;
  decision: Decision<never>;
}

/** What can be picked, the most harmless first of what approves and of what rejects. */
export function offersOf(request: ApprovalRequest, { remember = 'session' }: ProtocolOptions = {}): AnswerOffer[] {
  const { allowedDecisions, always, needs, runId } = request;
  const mayLast = remember !== 'run' || !isUnnamed(runId);
  // What names approvers asks people each time.
  const scope = needs.length === 0 && !standsApart(request) && mayLast ? remember : null;
  const offers: AnswerOffer[] = [];
  const offer = (type: 'approve' | 'reject', label: string, forEver: string | undefined) => {
    if (!allowedDecisions.includes(type)) return;
    offers.push({ id: type, label, decision: { type } });
    if (scope !== null && forEver !== undefined)
      offers.push({ id: `${type}-always`, label: forEver, decision: { type, remember: scope } });
  };
  offer('approve', 'Approve', always.allow?.label);
  offer('reject', 'Reject', always.deny?.label);
  return offers;
}

/** The call as it is shown, with all that its preview leaves out, and what a reviewer said of it. */
export const shownWhole = (request: ApprovalRequest): string =>
  [
    shownPreview(request),
    ...argumentLines(request),
    ...[agentLine(request) ?? [], reviewLine(request) ?? []].flat(),
  ].join('\n');

/** What an answer means that cannot be taken. */
export const rejection = (reason: string): { type: 'reject'; reason: string } => ({ type: 'reject', reason });

/**
 * A field of an answer that is filled in but not used; `undefined`: every one is used. The person meant something by it, and what
 * is unknown. Empty texts and `null` count as not filled in.
 */
export function unusedIn(answer: Record<string, unknown>, used: readonly string[]): string | undefined {
  return Object.keys(answer).find((name) => !used.includes(name) && !isEmpty(answer[name]));
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A property of an answer, which may be any JSON. */
export const own = (value: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
