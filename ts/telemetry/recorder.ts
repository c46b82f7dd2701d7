/** The spans and metrics themselves. docs/telemetry.md lists them. */
import type { Attributes, Context, Counter, Histogram, Meter, Span, Tracer, UpDownCounter } from '@opentelemetry/api';
import type { ApprovalRequest, CallReview, DecidedVia, DecisionOutcome, Vote } from '../../index.js';
import type { TelemetryApi } from './api.js';

const NAME = 'countersign';
/** `SpanKind.INTERNAL` and `SpanStatusCode.ERROR`: the values of the API are stable, and it may not be there. */
const INTERNAL = 0;
const ERROR = 2;
/** From a machine that answers at once to a human who answers tomorrow, in s. */
const WAITS = [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 43_200, 86_400];
/** From a page in memory to a disk that does not answer, in s. */
const OPERATIONS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Of approvals that were not used yet, so that their executions know where they hang. */
const MAX_APPROVED = 1000;

/** What is told of a decision. */
export interface DecisionReport {
  approvalId: string;
  type: DecisionOutcome['type'];
  via: DecidedVia;
  decidedBy: string;
  /** ms since the epoch. */
  at: number;
}

/** What is told of an execution. */
export interface ExecutionReport {
  approvalId: string;
  toolName: string;
  toolCallId: string;
  runId: string | null;
}

interface AskReport {
  span: Span;
  /** Where it hangs. */
  parent: Context;
  createdAt: number;
  attributes: Attributes;
}

export class SpanRecorder {
  readonly #api: TelemetryApi;
  readonly #tracer: Tracer;
  readonly #wait: Histogram;
  readonly #decisions: Counter;
  readonly #verdicts: Counter;
  readonly #pending: UpDownCounter;
  readonly #ledger: Histogram;
  /** Requests that wait. */
  readonly #asked = new Map<string, AskReport>();
  /** Approvals that were not used yet. */
  readonly #approved = new Map<string, AskReport>();
  readonly #executions = new Map<string, Span>();

  constructor(api: TelemetryApi, tracer: unknown, meter: unknown) {
    this.#api = api;
    this.#tracer = (tracer as Tracer | undefined) ?? api.trace.getTracer(NAME);
    const made = (meter as Meter | undefined) ?? api.metrics.getMeter(NAME);
    this.#wait = made.createHistogram('countersign.approval.wait', {
      description: 'Time from a request to its decision.',
      unit: 's',
      advice: { explicitBucketBoundaries: WAITS },
    });
    this.#decisions = made.createCounter('countersign.decisions', {
      description: 'Requests of this process that were decided.',
      unit: '{decision}',
    });
    this.#verdicts = made.createCounter('countersign.verdicts', {
      description: 'Calls that were judged.',
      unit: '{verdict}',
    });
    this.#pending = made.createUpDownCounter('countersign.approvals.pending', {
      description: 'Requests of this process that wait for a decision.',
      unit: '{approval}',
    });
    this.#ledger = made.createHistogram('countersign.ledger.duration', {
      description: 'Duration of the operations of a durable ledger.',
      unit: 's',
      advice: { explicitBucketBoundaries: OPERATIONS },
    });
  }

  asked({ approvalId, runId, toolCallId, toolName, origin, verdict, createdAt, review }: ApprovalRequest): void {
    if (this.#asked.has(approvalId)) return;
    const attributes: Attributes = {
      ...callAttributes({ approvalId, toolName, toolCallId, runId }),
      'countersign.origin': [...origin],
      // Without a policy it is `interruptOn` that asks.
      'countersign.effect': verdict?.effect ?? 'ask',
      ...reviewAttributes(review),
    };
    const parent = this.#api.context.active();
    const options = { kind: INTERNAL, startTime: new Date(createdAt), attributes };
    const span = this.#tracer.startSpan('countersign.approval', options, parent);
    this.#asked.set(approvalId, { span, parent, createdAt, attributes });
    this.#pending.add(1);
  }

  voted(approvalId: string, { by, via, at }: Pick<Vote, 'by' | 'via' | 'at'>): void {
    const attributes = { 'countersign.via': via, 'countersign.decided_by': by };
    this.#asked.get(approvalId)?.span.addEvent('countersign.vote', attributes, new Date(at));
  }

  decided({ approvalId, type, via, decidedBy, at }: DecisionReport): void {
    const asked = this.#asked.get(approvalId);
    const isApproval = type === 'approve' || type === 'edit';
    // The approval is taken back.
    if (!isApproval) this.#approved.delete(approvalId);
    // A request of another process, or one already reported.
    if (asked === undefined) return;
    this.#asked.delete(approvalId);
    if (isApproval) this.#approve(approvalId, asked);
    const attributes = { 'countersign.decision': type, 'countersign.via': via };
    this.#pending.add(-1);
    this.#decisions.add(1, attributes);
    this.#wait.record(Math.max(0, at - asked.createdAt) / 1000, attributes);
    asked.span.setAttributes({ ...attributes, 'countersign.decided_by': decidedBy });
    if (type === 'expired') fail(asked.span, type);
    asked.span.end(new Date(at));
  }

  #approve(approvalId: string, asked: AskReport): void {
    this.#approved.set(approvalId, asked);
    const [oldest] = this.#approved.size > MAX_APPROVED ? this.#approved.keys() : [];
    if (oldest !== undefined) this.#approved.delete(oldest);
  }

  started(execution: ExecutionReport, at: number): void {
    const { approvalId } = execution;
    const asked = this.#approved.get(approvalId);
    this.#approved.delete(approvalId);
    const here = this.#api.context.active();
    // Where nothing is going on here, it belongs where it was asked about.
    const parent = this.#api.trace.getSpan(here) === undefined ? (asked?.parent ?? here) : here;
    const span = this.#tracer.startSpan(
      'countersign.execution',
      {
        kind: INTERNAL,
        startTime: new Date(at),
        attributes: { ...asked?.attributes, ...callAttributes(execution) },
        links: asked === undefined ? [] : [{ context: asked.span.spanContext() }],
      },
      parent,
    );
    this.#executions.set(approvalId, span);
  }

  settled(approvalId: string, succeeded: boolean, at: number): void {
    const span = this.#executions.get(approvalId);
    this.#executions.delete(approvalId);
    if (span === undefined) return;
    if (!succeeded) fail(span, 'failed');
    span.end(new Date(at));
  }

  judged(effect: string, layer: string | undefined): void {
    this.#verdicts.add(1, { 'countersign.effect': effect, 'countersign.policy.layer': layer ?? 'none' });
  }

  ledgerOperation(operation: string, seconds: number, errorType: string | undefined): void {
    const attributes: Attributes = { 'countersign.ledger.operation': operation };
    if (errorType !== undefined) attributes['error.type'] = errorType;
    this.#ledger.record(seconds, attributes);
  }

  closed(at: number): void {
    for (const { span } of this.#asked.values()) span.end(new Date(at));
    this.#pending.add(-this.#asked.size);
    for (const span of this.#executions.values()) span.end(new Date(at));
    for (const open of [this.#asked, this.#approved, this.#executions]) open.clear();
  }
}

function callAttributes({ approvalId, toolName, toolCallId, runId }: ExecutionReport): Attributes {
  return {
    'countersign.approval.id': approvalId,
    'countersign.tool.name': toolName,
    ...(runId === null ? {} : { 'countersign.run.id': runId }),
    'gen_ai.tool.name': toolName,
    'gen_ai.tool.call.id': toolCallId,
  };
}

/** Without its reason, which may quote the arguments, and the criteria, whose text is in the record. */
function reviewAttributes(review: CallReview | null): Attributes {
  if (review === null) return {};
  const { model, criteriaDigest, answer, decides } = review;
  return {
    'countersign.review.answer': answer,
    'countersign.review.decides': decides,
    'countersign.review.criteria_digest': criteriaDigest,
    ...(model === null ? {} : { 'countersign.review.model': model }),
  };
}

/** The message is a word of ours: what a tool threw may quote its arguments. */
function fail(span: Span, type: 'expired' | 'failed'): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: ERROR, message: type });
}
