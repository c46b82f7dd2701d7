/** What became of the other calls of a tool in a run. What follows from it for the next one the core says. */
import type { ApprovalRecord, Gate } from '../../../index.js';
import type { NativeEarlierCall } from '../../native.js';
import type { Awaitable } from '../../values/awaitable.js';
import { isByHuman } from '../records.js';
import { mainRunOf } from '../run-ids.js';

/** Where requests are kept. */
export interface KeptCalls extends Pick<Gate, 'pending' | 'history'> {
  find: (runId: string, toolCallId: string) => Awaitable<ApprovalRecord[]>;
}

/** A call that was reviewed. Its request is made after that. */
interface ReviewedBefore {
  runId: string;
  toolCallId: string;
  isApproved: boolean;
}

type CallOfTool = Pick<ApprovalRecord, 'toolName' | 'runId' | 'toolCallId'>;

/** The most that a gate tells at once. */
const PAGE = 1_000;

/** What waits, or cannot be told. */
export const OPEN: NativeEarlierCall = { approved: null, byPerson: false, reviewerApproved: false };

const REFUSED: NativeEarlierCall = { approved: false, byPerson: true, reviewerApproved: null };

/** The requests of a run, and of all that is a part of it, as they are kept: what other processes asked is among them. */
export class EarlierCalls {
  /** Of each tool, those whose approval was not seen yet: their requests may be made under other ids of runs, or be gone. */
  readonly #reviewed = new Map<string, ReviewedBefore[]>();
  /** Tools that nothing more is looked up of. A no stays one where the ledger no longer has it. */
  readonly #refused = new Set<string>();

  add({ toolName, runId, toolCallId }: CallOfTool, isApproved: boolean): void {
    if (this.#refused.has(toolName)) return;
    const reviewed = this.#reviewed.get(toolName) ?? [];
    this.#reviewed.set(toolName, [...reviewed, { runId, toolCallId, isApproved }]);
  }

  /** From now on the answer is known. */
  refuse(toolName: string): void {
    this.#refused.add(toolName);
    this.#reviewed.delete(toolName);
  }

  /** Those of the same tool. Of what cannot be read it says that it waits. */
  async of(call: CallOfTool, kept: KeptCalls): Promise<NativeEarlierCall[]> {
    if (this.#refused.has(call.toolName)) return [REFUSED];
    try {
      return [...(await this.#reviewedOf(call, kept)), ...(await ofRun(call, kept))];
    } catch {
      return [OPEN];
    }
  }

  async #reviewedOf({ toolName }: CallOfTool, kept: KeptCalls): Promise<NativeEarlierCall[]> {
    const found: NativeEarlierCall[] = [];
    for (const reviewed of this.#reviewed.get(toolName) ?? []) {
      const { runId, toolCallId, isApproved } = reviewed;
      const records = (await kept.find(runId, toolCallId)).filter((record) => record.toolName === toolName);
      if (records.length === 0) found.push({ ...OPEN, reviewerApproved: isApproved });
      else if (records.at(-1)?.decision?.type === 'approve') this.#forget(toolName, reviewed);
      found.push(...records.map(earlierCall));
    }
    return found;
  }

  #forget(toolName: string, reviewed: ReviewedBefore): void {
    this.#reviewed.set(toolName, this.#reviewed.get(toolName)?.filter((each) => each !== reviewed) ?? []);
  }
}

/** All that the run has asked about. What is decided meanwhile is among what waits, or among the others. */
async function ofRun({ toolName, runId: ofCall }: CallOfTool, kept: KeptCalls): Promise<NativeEarlierCall[]> {
  const runId = mainRunOf(ofCall);
  const open = (await kept.pending({ runId })).filter((request) => request.toolName === toolName);
  const found = open.map((request) => earlierCall({ ...request, decision: null, via: null }));
  for (let before: string | undefined; ;) {
    const past = await kept.history({ runId, toolName, limit: PAGE, ...(before === undefined ? {} : { before }) });
    found.push(...past.map(earlierCall));
    if (past.length < PAGE) return found;
    before = past.at(-1)?.approvalId;
  }
}

const earlierCall = ({
  decision,
  via,
  review,
}: Pick<ApprovalRecord, 'decision' | 'via' | 'review'>): NativeEarlierCall => ({
  approved: decision === null ? null : decision.type === 'approve',
  byPerson: isByHuman(via ?? undefined),
  reviewerApproved: review === null ? null : review.decides && review.answer === 'approve',
});
