/** What happens to requests, as endpoints are told of it. */
import type {
  ApprovalRecord,
  ApprovalRequest,
  AuditEntry,
  DecidedVia,
  DecisionOutcome,
  GateEvent,
} from '../../index.js';
import type { SendWebhooksOptions, WebhookEvent, WebhookEventName } from '../../webhooks.js';
import { shownPreview } from '../gate/agent-reason.js';
import { oneLine } from '../gate/in-a-line.js';

/** What happened, without what it happened to. */
export interface LedgerHappening {
  /** Its number in the order of what happened. */
  n: number;
  /** The `webhook-id`: the same for each attempt, by each process. */
  id: string;
  type: WebhookEvent['type'];
  approvalId: string;
  /** ms since the epoch. */
  at: number;
  decision?: { type: DecisionOutcome['type']; reason?: string };
  by?: string;
  via?: DecidedVia;
  status?: 'succeeded' | 'failed' | 'interrupted';
}

export const nameOf = ({ type }: Pick<LedgerHappening, 'type'>): WebhookEventName =>
  type.slice('approval.'.length) as WebhookEventName;

/** Without a full stop, which separates the parts of what is signed. */
const idOf = (approvalId: string, n: number): string => `msg_${approvalId}_${n}`;

const SAME_NAME = ['requested', 'reminded', 'voted', 'escalated'] as const;
const isSameName = (kind: string): kind is (typeof SAME_NAME)[number] =>
  (SAME_NAME as readonly string[]).includes(kind);

/** What an entry of the audit tells of; `undefined`: nothing that is told. */
export function fromEntry(entry: AuditEntry): LedgerHappening | undefined {
  const { seq: n, at, kind, approvalId, by, via, reason, decision, status } = entry;
  if (approvalId === undefined) return undefined;
  const what = { n, id: idOf(approvalId, n), approvalId, at };
  const who = { ...(by === undefined ? {} : { by }), ...(via === undefined ? {} : { via }) };
  if (kind === 'decided' && decision !== undefined) {
    const name = decision === 'expired' ? 'expired' : 'decided';
    const said = { type: decision, ...(reason === undefined ? {} : { reason }) };
    return { ...what, ...who, type: `approval.${name}`, decision: said };
  }
  if (kind === 'settled' && (status === 'succeeded' || status === 'failed'))
    return { ...what, type: 'approval.settled', status };
  if (kind === 'interrupted') return { ...what, type: 'approval.settled', status: 'interrupted' };
  return isSameName(kind) ? { ...what, ...who, type: `approval.${kind}` } : undefined;
}

/** The same of an event of a gate, which has no number of its own. */
export function fromEvent(event: GateEvent, n: number): LedgerHappening | undefined {
  switch (event.type) {
    case 'requested':
    case 'reminded':
    case 'escalated':
    case 'voted': {
      const { approvalId, createdAt } = event.request;
      const at = event.type === 'requested' ? createdAt : event.at;
      const who = event.type === 'voted' ? { by: event.vote.by, via: event.vote.via } : {};
      return { n, id: idOf(approvalId, n), type: `approval.${event.type}`, approvalId, at, ...who };
    }
    case 'decided': {
      const { approvalId } = event.request;
      const { decision, decidedBy: by, via, at } = event;
      const name = decision.type === 'expired' ? 'expired' : 'decided';
      const said = { type: decision.type, ...(decision.reason === undefined ? {} : { reason: decision.reason }) };
      return { n, id: idOf(approvalId, n), type: `approval.${name}`, approvalId, at, decision: said, by, via };
    }
    case 'settled': {
      const { approvalId, at, status } = event;
      return { n, id: idOf(approvalId, n), type: 'approval.settled', approvalId, at, status };
    }
    default:
      return undefined;
  }
}

const VERBS = {
  approve: 'was approved',
  edit: 'was approved with other arguments',
  reject: 'was rejected',
  respond: 'was answered',
  skip: 'was skipped',
  expired: 'was not decided in time',
  cancelled: 'was cancelled',
} as const satisfies Record<DecisionOutcome['type'], string>;

/** One sentence without arguments. */
function summaryOf(happening: LedgerHappening, { toolName, kind, origin }: ApprovalRequest): string {
  const { decision, by, status } = happening;
  const from = origin.length > 1 ? ` (${origin.join(' > ')})` : '';
  const what = `${kind === 'question' ? 'A question' : toolName}${from}`;
  const name = nameOf(happening);
  const said = decision === undefined ? '' : VERBS[decision.type];
  const sentence = {
    requested: kind === 'question' ? 'waits for an answer' : 'waits for an approval',
    reminded: 'still waits, and its deadline is near',
    voted: `was approved by ${by}, and others must agree, too`,
    escalated: 'was not decided in time: others may decide now, too',
    decided: decision?.type === 'cancelled' ? said : `${said} by ${by}`,
    expired: said,
    settled: status === 'succeeded' ? 'ran' : status === 'failed' ? 'ran and failed' : 'was interrupted while it ran',
  }[name];
  return oneLine(`${what} ${sentence}.`);
}

/** Those that may decide since a need was not met in time. */
const escalatedTo = ({ needs, createdAt }: ApprovalRequest, at: number): string[] => [
  ...new Set(needs.flatMap(({ escalate }) => (escalate && createdAt + escalate.after <= at ? escalate.to : []))),
];

/** Who decides without being a human may quote arguments in the reason. */
const MACHINES: readonly (DecidedVia | undefined)[] = ['system', 'abort', 'deadline', undefined];

type IncludeOption = NonNullable<SendWebhooksOptions['include']>;

/** The body: the same for each attempt, as long as the ledger has the arguments. */
export function bodyOf(
  happening: LedgerHappening,
  record: ApprovalRecord,
  include: IncludeOption,
  maxBytes: number,
): string {
  const body = JSON.stringify(eventOf(happening, record, include));
  if (include === 'nothing' || Buffer.byteLength(body) <= maxBytes) return body;
  const less = eventOf(happening, record, 'nothing');
  return JSON.stringify({ ...less, data: { ...less.data, truncated: true } });
}

function eventOf(happening: LedgerHappening, record: ApprovalRecord, include: IncludeOption): WebhookEvent {
  const { type, at, by, via, status } = happening;
  const { approvalId, kind, runId, toolCallId, toolName, origin, createdAt, expiresAt, digest } = record;
  const { allowedDecisions, needs, requester, startedBefore } = record;
  const isTold = include !== 'nothing' && record.contents !== 'dropped';
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      approvalId,
      kind,
      runId,
      toolCallId,
      toolName,
      origin,
      summary: summaryOf(happening, record),
      createdAt,
      expiresAt,
      digest,
      allowedDecisions,
      needs,
      requester,
      startedBefore,
      ...(happening.decision === undefined ? {} : { decision: decisionOf(happening, record, include) }),
      ...(by === undefined ? {} : { by }),
      ...(via === undefined ? {} : { via }),
      ...(type === 'approval.escalated' ? { to: escalatedTo(record, at) } : {}),
      ...(status === undefined ? {} : { status }),
      ...(isTold ? shownOf(record) : {}),
      ...(isTold && include === 'args' ? { args: record.args } : {}),
    },
  };
}

/** What is shown of the call. What the agent says stands beside it, where it says anything. */
const shownOf = (record: ApprovalRecord): Pick<WebhookEvent['data'], 'description' | 'preview' | 'agentReason'> => ({
  description: oneLine(record.description),
  preview: shownPreview(record),
  ...(record.agentReason === null ? {} : { agentReason: record.agentReason }),
});

function decisionOf(
  { decision, via }: LedgerHappening,
  record: ApprovalRecord,
  include: IncludeOption,
): WebhookEvent['data']['decision'] {
  const { type = 'cancelled', reason } = decision ?? {};
  const isTold = reason !== undefined && (include !== 'nothing' || !MACHINES.includes(via));
  const whole = include === 'args' && record.contents !== 'dropped' ? record.decision : null;
  return {
    type,
    ...(isTold ? { reason } : {}),
    ...(whole?.type === 'edit' ? { args: whole.args } : {}),
    ...(whole?.type === 'respond' ? { output: whole.output } : {}),
  };
}
