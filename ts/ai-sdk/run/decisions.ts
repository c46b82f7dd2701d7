/** What becomes of the requests of a run: each decision is waited for, told, and remembered where it is a no. */
import type { ApprovalRecord } from '../../../index.js';
import { messageOf } from '../../errors/message-of.js';
import { reasonOfError } from '../../errors/reason-of.js';
import type { CallAsker } from '../../gate/asker.js';
import { isApproval, isTurnEnd, nameOf, toRecord, type DecidedRecord } from '../../gate/records.js';
import { endsAll } from '../../gate/waiters.js';
import type { RawRecord } from '../../native.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { warnFailedCall } from '../gating/failed-calls.js';
import { progressOf } from '../gating/progress.js';
import { reasonOf, TURN_ENDED } from '../messages/reasons.js';
import { valueOf, type RequestedCall, type ModelRound } from './round.js';
import { responseOf, type ToldRecord } from '../gating/telling.js';

export interface DecisionsOptions {
  asker: CallAsker;
  tell: (event: OwnEvent) => void;
  /** What was decided of a call that a human was shown. */
  decided: (record: ApprovalRecord) => void;
  /** Has the run look at its round. */
  wake: () => void;
}

/** Why a call did not run. */
export interface CallDenial {
  args: unknown;
  reason: string | undefined;
}

export class CallDecisions {
  readonly #options: DecisionsOptions;
  readonly #denials = new Map<string, CallDenial>();

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /** What was asked in the run before it was continued here: what a human rejected then is remembered, and who asked for it. */
  recall(records: readonly RawRecord[]): void {
    const { asker } = this.#options;
    asker.recallRequester(records);
    const { rejections } = asker;
    if (rejections !== undefined) for (const record of records) rejections.take(toRecord(record));
  }

  deny(toolCallId: string, denial: CallDenial): void {
    this.#denials.set(toolCallId, denial);
  }

  denial(toolCallId: string): CallDenial | undefined {
    return this.#denials.get(toolCallId);
  }

  /** Waits for the decision of a request, and tells it. */
  wait(round: ModelRound, asked: RequestedCall, record: ApprovalRecord, decided: Promise<DecidedRecord>): void {
    round.waiting++;
    asked.decided = decided;
    const { asker, tell } = this.#options;
    asker.gate.watch(record.approvalId, (event) => tell(progressOf(event)));
    round.waits.push(
      decided.then(
        (outcome) => this.#onDecided(round, asked, outcome),
        (error: unknown) => this.#onLost(round, asked, record, error),
      ),
    );
  }

  /** Nothing more will be heard of it: it does not run. The run ends where nothing more is heard of anything. */
  #onLost(round: ModelRound, asked: RequestedCall, { approvalId }: ApprovalRecord, error: unknown): void {
    if (endsAll(error)) {
      round.waiting--;
      asked.decision = { type: 'cancelled', reason: reasonOfError(error) };
      round.lost ??= { reason: error };
      this.#options.wake();
      return;
    }
    // The run was let go of: nothing is wrong with the ledger.
    const isLeft = error instanceof DOMException && error.name === 'AbortError';
    if (!isLeft) warnFailedCall(this.#options.asker.place, asked.toolName, error);
    const reason = isLeft ? messageOf(error) : `The ledger cannot say what was decided: ${reasonOfError(error)}`;
    const decision = { type: 'cancelled', reason } as const;
    this.#onDecided(round, asked, { approvalId, decision, decidedBy: 'countersign' });
  }

  /** Remembers that a human rejected it, for the next call that is the same. */
  #noteRejection({ record, args }: RequestedCall, { decision, via }: ToldRecord): void {
    if (record !== undefined && args !== undefined && via !== undefined)
      this.#options.asker.rejections?.take({ ...record, args: args.value, contents: 'kept', decision, via });
  }

  #onDecided(round: ModelRound, asked: RequestedCall, told: ToldRecord): void {
    const { decision, decidedBy, approvalId } = told;
    const { toolCallId, toolName, questioning } = asked;
    asked.decision = decision;
    asked.via = told.via;
    asked.by = nameOf(told);
    if (asked.record !== undefined) this.#options.decided({ ...asked.record, decision, via: told.via ?? null });
    round.waiting--;
    const origin = asked.record?.origin ?? this.#options.asker.origin;
    this.#noteRejection(asked, told);
    if (!isApproval(decision) && decision.type !== 'respond')
      this.deny(toolCallId, { args: valueOf(asked.args), reason: reasonOf(decision) });
    const { tell } = this.#options;
    if (questioning === undefined) tell(responseOf(told, { toolCallId, toolName, origin }));
    else {
      const answer = questioning.take(told);
      tell({ type: 'question-answered', approvalId, toolCallId, origin, decidedBy, answer });
    }
    if (isTurnEnd(decision)) {
      for (const other of round.requested) {
        if (other.record !== undefined && other.decision === undefined) {
          void this.#options.asker.gate.cancel(other.record.approvalId, TURN_ENDED, 'system');
        }
      }
    }
  }
}
