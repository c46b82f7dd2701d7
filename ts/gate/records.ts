/** Requests and what became of them, as the core keeps them and as they are told. */
import type {
  ApprovalRecord,
  ApprovalRequest,
  DecidedVia,
  DecisionOutcome,
  GateEvent,
  Resolution,
} from '../../index.js';
import { RefusedByCore } from '../errors/from-native.js';
import type { KeptDetails, RawRecord } from '../native.js';
import { revive, snapshot, type ValueSnapshot } from '../values/snapshot.js';

/** What became of a request. */
export type DecidedRecord = ApprovalRecord & {
  decision: DecisionOutcome;
  decidedBy: string;
  via: DecidedVia;
  decidedAt: number;
};

/** What the core tells of. */
export type ToldByCore = Exclude<GateEvent, { type: 'policy-changed' | 'granted' }>;

/** Whether it is a no with which a human ended the turn. */
export const isTurnEnd = (decision: DecisionOutcome | null | undefined): boolean =>
  decision?.type === 'reject' && decision.stop === true;

/** What a decision means for the tool: only these two run it. */
export function isApproval(decision: DecisionOutcome): boolean {
  return decision.type === 'approve' || decision.type === 'edit';
}

/** Where somebody decides. An unknown way, such as one of a later version, does not count. */
const BY_HUMAN: Readonly<Record<DecidedVia, boolean>> = {
  callback: true,
  gate: true,
  terminal: true,
  messages: true,
  inbox: true,
  link: true,
  protocol: true,
  deadline: false,
  abort: false,
  system: false,
};

/** Whether somebody decided it, and not a rule, a mode, a deadline or an abort. */
export const isByHuman = (via: DecidedVia | undefined): boolean =>
  via !== undefined && Object.hasOwn(BY_HUMAN, via) && BY_HUMAN[via];

/** The arguments that a person wrote in the place of the model's, for a call to run with; `undefined`: they are the model's. */
export function editedArgs({
  decision,
  editedFrom,
  args,
}: Pick<ApprovalRecord, 'decision' | 'editedFrom' | 'args'>): { args: unknown } | undefined {
  if (decision?.type === 'edit') return { args: decision.args };
  return editedFrom === null ? undefined : { args };
}

/** The name that was given with a decision; `undefined`: none, so that the record has what it came through. */
export const nameOf = ({ decidedBy, via }: { decidedBy: string | null; via?: DecidedVia | null | undefined }) =>
  decidedBy === null || decidedBy === via ? undefined : decidedBy;

export function isDecided(record: ApprovalRecord): record is DecidedRecord {
  return record.decision !== null;
}

/** The request that stood in the way of a second one for the same call. */
export function existingRecord(error: unknown): ApprovalRecord | undefined {
  return error instanceof RefusedByCore && error.code === 'ERR_DUPLICATE_CALL'
    ? (error.details.existing as ApprovalRecord)
    : undefined;
}

const STATUS = {
  approve: 'approved',
  edit: 'edited',
  reject: 'rejected',
  respond: 'responded',
  skip: 'skipped',
  expired: 'expired',
  cancelled: 'cancelled',
} as const;

export function reviveDecision(decision: DecisionOutcome): DecisionOutcome {
  if (decision.type === 'edit') return { ...decision, args: revive(decision.args) };
  if (decision.type === 'respond') return { ...decision, output: revive(decision.output) };
  return decision;
}

/** A copy for code that may change what it gets: dates, URLs and maps stay what they are. */
export function copyOfDecision(decision: DecisionOutcome): DecisionOutcome {
  if (decision.type === 'edit') return { ...decision, args: snapshot(decision.args).value };
  if (decision.type === 'respond') return { ...decision, output: snapshot(decision.output).value };
  return { ...decision };
}

type StoredDetails = { context?: unknown; details?: Partial<KeptDetails> | null; result?: unknown; executor?: unknown };

export function toRequest<REQUEST extends ApprovalRequest>(kept: REQUEST): REQUEST {
  const {
    details,
    context: _context,
    result: _result,
    executor: _executor,
    args,
    contents = 'kept',
    ...rest
  } = kept as Omit<REQUEST, 'contents'> & Partial<Pick<REQUEST, 'contents'>> & StoredDetails;
  const beside = wholeDetails(details);
  return {
    ...ANYBODY,
    ...rest,
    ...beside,
    editedFrom: revive(beside.editedFrom),
    args: revive(args),
    contents,
  } as unknown as REQUEST;
}

/** What is kept beside a request, with what was left out. */
export function wholeDetails(kept: Partial<KeptDetails> | null | undefined): KeptDetails {
  const {
    kind = 'approval',
    step = null,
    verdict = null,
    changes = [],
    startedBefore = false,
    editedFrom = null,
    askedAgain = null,
    proven = null,
    review = null,
    askedBy = null,
    agentReason = null,
  } = kept ?? {};
  const { always = { allow: null, deny: null } } = kept ?? {};
  return {
    kind,
    step,
    verdict,
    always,
    changes,
    startedBefore,
    editedFrom,
    askedAgain,
    proven,
    review,
    askedBy,
    agentReason,
  };
}

/** Whether the request was made of a call that is denied: it stands in the ledger, and is not put to a human. */
export const isDenial = ({ details }: object & { details?: unknown }): boolean =>
  typeof details === 'object' && details !== null && (details as { isDenied?: unknown }).isDenied === true;

/** Whether something beside the policy files asked as well: a policy of the program, or the program itself. */
export const isAskedBeside = ({ details }: object & { details?: unknown }): boolean =>
  typeof details === 'object' && details !== null && (details as { asksBeside?: unknown }).asksBeside === true;

/** What requests may leave out if they name no one. */
export const ANYBODY = { needs: [], requester: null, votes: [], escalatedAt: null } as const;

export function toRecord(record: RawRecord): ApprovalRecord {
  const { decision } = record;
  return { ...toRequest(record), decision: decision === null ? null : reviveDecision(decision) };
}

export function reviveEvent(event: GateEvent): GateEvent {
  if (!('request' in event)) return event;
  const request = toRequest(event.request);
  if (event.type !== 'decided') return { ...event, request };
  return { ...event, request, decision: reviveDecision(event.decision) };
}

/** The record as it was when this was decided. */
export function decidedRecord(event: GateEvent & { type: 'decided' }): DecidedRecord {
  const { request, decision, decidedBy, via, at: decidedAt } = event;
  return { ...request, status: STATUS[decision.type], decision, decidedBy, via, decidedAt };
}

export function resolutionOf(decided: DecidedRecord, args: ValueSnapshot): Resolution {
  const { approvalId, decision, decidedBy } = decided;
  return {
    approvalId,
    approved: isApproval(decision),
    decision,
    args: decision.type === 'edit' ? decision.args : revive(args.json),
    reason: decision.reason,
    decidedBy,
  };
}
