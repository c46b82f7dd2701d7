/** Executions and verdicts: what must be written down before, and after, something runs. */
import type { PolicyRisk } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { reasonOfError } from '../errors/reason-of.js';
import { warnSeldom } from '../errors/warn-once.js';
import type { BoundBy, NativeRedeemed, NativeNote } from '../native.js';
import { after, attempt, type Awaitable } from '../values/awaitable.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import type { GateInternals } from './inside.js';
import { isByMode, type JudgedCall, type CallVerdict } from './judge.js';
import type { EventTeller } from './teller.js';
import { ASKS } from './why-asked.js';

/** The longest result of an execution that is kept, in bytes of JSON. */
const MAX_RESULT_BYTES = 1_048_576;

/** What may be executed, or why no approval lets it. */
export type RedeemOutcome = { redeemed: NativeRedeemed } | { denied: string };

export class ExecutionKeeper {
  readonly #inside: GateInternals;
  readonly #teller: EventTeller;

  constructor(inside: GateInternals, teller: EventTeller) {
    this.#inside = inside;
    this.#teller = teller;
  }

  /** The one use of an approval, checked against what was approved, and judged once more. */
  redeem(
    runId: string | null,
    toolCallId: string,
    toolName: string,
    args: ValueSnapshot,
    /** `null`: to nothing beside the call. */
    bound: BoundBy | null,
  ): Awaitable<RedeemOutcome> {
    this.#inside.refuseIfClosed();
    return after(
      this.#inside.native.redeem(runId, toolCallId, toolName, args.json, bound),
      ({ redeemed, denied = 'nothing was redeemed', problems }) => {
        this.#inside.control.tellProblems(problems);
        if (redeemed === undefined) return { denied };
        this.#inside.telemetry?.started({ approvalId: redeemed.approvalId, toolName, toolCallId, runId });
        this.#teller.flush();
        return { redeemed };
      },
    );
  }

  /** Whether an approval is bound to these arguments, judged as things are now, and why no approval lets it run. */
  isBound(
    approvalId: string,
    toolName: string,
    args: ValueSnapshot,
    bound: BoundBy,
  ): Awaitable<{ isBound: boolean; denied?: string }> {
    return after(this.#inside.native.isBound(approvalId, toolName, args.json, bound), ({ problems, ...answer }) => {
      this.#inside.control.tellProblems(problems);
      return answer;
    });
  }

  /**
   * Writes down how an execution ended. Never rejects: what ran has run, whether or not that can be written down.
   *
   * @param result what the model gets of it, for the process that continues the run; only asked for when the ledger lasts
   */
  settle(approvalId: string, succeeded: boolean, result?: () => Awaitable<unknown>): Awaitable<void> {
    this.#inside.telemetry?.settled(approvalId, succeeded);
    return attempt(
      () =>
        after(this.#inside.isDurable && result !== undefined ? keepable(result) : null, (kept) =>
          after(this.#inside.native.settle(approvalId, succeeded, kept), () => this.#teller.flush()),
        ),
      (error) => this.#inside.failed('the end of an execution was not written down', { approvalId, succeeded }, error),
    );
  }

  /**
   * Writes what was said of a call into the audit, where there is one, before anything follows from it. What cannot be
   * written down does not run.
   */
  async noted(call: JudgedCall, runId: string, origin: readonly string[], verdict: CallVerdict): Promise<CallVerdict> {
    if (!this.#inside.isDurable) return verdict;
    try {
      await this.#inside.native.note(verdictNote(call, runId, origin, verdict));
      return verdict;
    } catch (error) {
      this.#inside.failed('a verdict was not written down', { runId, toolCallId: call.toolCallId }, error, true);
      // Where the loop is not ours the model alone would hear of it.
      warnSeldom(
        'verdict',
        `A call of ${call.toolName} did not run, since the verdict on it could not be written down: ${messageOf(error)}`,
      );
      return { effect: 'deny', reason: `What was said of it could not be written down: ${reasonOfError(error)}` };
    }
  }
}

/** What was said of a call, for the audit. */
export function verdictNote(
  { toolCallId, toolName, args }: JudgedCall,
  runId: string,
  origin: readonly string[],
  verdict: CallVerdict,
): NativeNote {
  // What lost has no part in what follows.
  const isTheirs = verdict.said?.effect === verdict.effect && !isByMode(verdict);
  const { rule = null, reason = undefined } = (isTheirs && verdict.said) || {};
  const { risks = [] } = verdict.said ?? {};
  return {
    kind: 'verdict',
    runId,
    origin,
    toolCallId,
    toolName,
    args: args.json,
    effect: verdict.effect,
    rule: rule === null ? null : { source: rule.source, layer: rule.layer, line: rule.line },
    reason:
      verdict.effect === 'allow' ? (reason ?? allowedBy(verdict)) : (verdict.reason ?? reason ?? askedIn(verdict)),
    ...(risks.length === 0 ? {} : { risk: 'high', because: becauseOf(risks) }),
  };
}

/** Why a call runs that the policies do not allow; `undefined`: they have no say. */
const allowedBy = (verdict: CallVerdict): string | undefined =>
  isByMode(verdict) ? 'the mode approves what is asked about' : undefined;

/** Who asks about a call that the policies allow. */
const askedIn = (verdict: CallVerdict): string | undefined =>
  verdict.effect === 'ask' && verdict.askedBy !== undefined ? ASKS[verdict.askedBy] : undefined;

/** The words that rules have for a risk; `null`: they have none. */
function becauseOf(risks: readonly PolicyRisk[]): string | null {
  const words = risks.flatMap(({ because }) => because ?? []);
  return words.length === 0 ? null : words.join('; ');
}

/** A result that is not too long; `null`: no such result. */
async function keepable(result: () => Awaitable<unknown>): Promise<unknown> {
  try {
    const value = await result();
    return Buffer.byteLength(JSON.stringify(value)) <= MAX_RESULT_BYTES ? value : null;
  } catch {
    return null;
  }
}
