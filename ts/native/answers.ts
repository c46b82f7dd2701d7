/** What the gate of the core answers: records and events, by their declared types. */
import type {
  ApprovalRecord,
  ApprovalRequest,
  ApprovalStatus,
  DecisionOutcome,
  GateEvent,
  LedgerErrorCode,
  PolicyProblem,
} from '../../index.js';
import { InternalError } from '../errors/internal-error.js';
import type { CallStaleness, Envelope, Operations } from '../wire.js';

export type OperationTakes<NAME extends keyof Operations> = Operations[NAME]['takes'];
export type OperationAnswer<NAME extends keyof Operations> = NAME extends keyof CompletedAnswers
  ? CompletedAnswers[NAME]
  : Operations[NAME]['answers'];

/** Answers with records, by the declared types: `ts/gate/records.ts` completes what the core leaves out of most of them. */
interface CompletedAnswers {
  request: Envelope<NativeRequested>[];
  get: KeptRecord | null;
  find: KeptRecord[];
  pending: KeptRecord[];
  history: KeptRecord[];
  decide: KeptRecord | { answered: ApprovalStatus; staleness?: CallStaleness } | { read: DecisionOutcome };
  records: KeptRecord[];
  interrupt: KeptRecord[];
  drain: CoreEvent[];
}

/** An answer, and earlier events that were not reported yet. */
export type EventedAnswer<T> = Envelope<T> & { events?: CoreEvent[] };

/** A request that was made. */
export interface NativeRequested {
  record: ApprovalRecord;
  /** What an approval of it is bound to beside the call, where that was looked up. */
  context?: object;
  /** Policy files changed: what is wrong with them now. */
  problems?: PolicyProblem[];
}

/** What is kept of a request beside what is told of it. */
export type RawRecord = ApprovalRecord & {
  /** What the policies judged the call under. */
  context?: object | null;
  /** What is shown of the verdict, as it was given to {@link NativeGate.request}. */
  details?: object | null;
  /** Of the execution, as it was given to {@link NativeGate.settle}. */
  result?: unknown;
  /** The owner id of the process that started it. */
  executor?: string | null;
};

/** What is kept beside a request, as it was given to {@link NativeGate.request}. */
export type KeptDetails = Pick<
  ApprovalRequest,
  | 'kind'
  | 'step'
  | 'verdict'
  | 'always'
  | 'changes'
  | 'startedBefore'
  | 'editedFrom'
  | 'askedAgain'
  | 'proven'
  | 'review'
  | 'askedBy'
  | 'agentReason'
>;

/** Where the policies judged a call. */
interface PolicyContext {
  cwd?: string;
}

/** A record with what is kept beside it. */
export type KeptRecord = ApprovalRecord & {
  details?: Partial<KeptDetails>;
  /** {@link NativeLedger.records} only: what the approval is bound to. `policy`: what the policies judged the call under. */
  context?: { policy?: PolicyContext | readonly PolicyContext[] | null } | null;
  /** {@link NativeLedger.records} only: what the execution gave. */
  result?: unknown;
};

/** The ledger cannot be read: nothing more is told until it can. */
export interface UnreadableEvent {
  type: 'unreadable';
  code: LedgerErrorCode;
  message: string;
}

/** What the core tells: what happened, or that it can no longer be read. */
export type CoreEvent = GateEvent | UnreadableEvent;

export const DRAIN = '{"drain":{}}';

/** A batch of events ends at 128 of them or at about 4 MiB: only a full one can have left something. */
export const isFull = (batch: readonly CoreEvent[], text: string): boolean =>
  batch.length >= 128 || (batch.length > 0 && text.length >= 1_000_000);

/** The record of what was decided. */
export function recordOf(answer: OperationAnswer<'decide'>): KeptRecord {
  if ('read' in answer || 'answered' in answer) throw new InternalError({ message: 'the core decided nothing' });
  return answer;
}
