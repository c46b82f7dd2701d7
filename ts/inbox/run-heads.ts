/** What a list says of the runs whose requests are in it. */
import type { ApprovalRecord } from '../../index.js';
import { toldRun, type ToldRun } from '../ai-sdk/saved/told-run.js';
import type { LocalGate } from '../gate/gate.js';
import { mainRunOf, shortRun } from '../gate/run-ids.js';
import type { RunHead } from './protocol.js';
import { brief, groupOf } from './view.js';

/** What is told of the run of a request; `null`: no run is kept; `undefined`: it cannot be read. */
export async function toldRunAt(gate: LocalGate, record: ApprovalRecord): Promise<ToldRun | null | undefined> {
  return gate.isDurable ? toldRun(gate.runs, record, (runId) => gate.pending({ runId })) : null;
}

/** How many runs of one list are read from the ledger, each with its conversation. The others have only their names. */
const MOST_READ = 50;
/** So long, in ms, what was read counts: a list is read again with each change. */
const FRESH = 5_000;

export class RunHeads {
  readonly #gate: LocalGate;
  readonly #read = new Map<string, { at: number; told: Promise<ToldRun | null | undefined> }>();

  constructor(gate: LocalGate) {
    this.#gate = gate;
  }

  /**
   * One for each run of these requests, in their order.
   *
   * @param all what waits, whether or not it is shown
   */
  async of(records: readonly ApprovalRecord[], all: readonly ApprovalRecord[]): Promise<RunHead[]> {
    const now = performance.now();
    for (const [key, { at }] of this.#read) if (now - at > FRESH) this.#read.delete(key);
    const firsts = new Map<string, ApprovalRecord>();
    for (const record of records) if (!firsts.has(groupOf(record))) firsts.set(groupOf(record), record);
    return Promise.all(
      [...firsts].map(async ([group, first], at): Promise<RunHead> => {
        const told = at < MOST_READ ? await this.#toldOf(first, now) : null;
        const name = brief(shortRun(mainRunOf(first.runId)), 80);
        const { status = null, prompt = null, steps = [] } = told ?? {};
        const waiting = all.filter((record) => groupOf(record) === group).length;
        return { group, name, status, prompt: prompt === null ? null : brief(prompt), steps, waiting };
      }),
    );
  }

  /** What its run was given to do, and what it did before this call. */
  #toldOf(record: ApprovalRecord, now: number): Promise<ToldRun | null | undefined> {
    const known = this.#read.get(record.approvalId);
    if (known !== undefined) return known.told;
    const told = toldRunAt(this.#gate, record);
    this.#read.set(record.approvalId, { at: now, told });
    return told;
  }
}
