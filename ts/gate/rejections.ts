/** Calls that a human rejected, so that the very same call need not be put to them again. */
import type { Tool } from 'ai';
import type { ApprovalRecord } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { canonicalize } from '../native.js';
import { copyOf, revive, snapshot, trySnapshot, type ValueSnapshot } from '../values/snapshot.js';
import { argsWithoutReason, shownArgs } from './agent-reason.js';
import { isQuestion } from './questions.js';

type RejectedCall = Pick<
  ApprovalRecord,
  'kind' | 'toolName' | 'args' | 'agentReason' | 'contents' | 'decision' | 'via'
>;

/** A call that may have been made before. */
interface CallMadeAgain {
  toolName: string;
  tool: Tool | undefined;
  args: ValueSnapshot;
}

/** Those of a run and of all that are a part of it. */
export class RunRejections {
  readonly #reasons = new Map<string, string | undefined>();

  /** Takes a record in that says whether a human rejected its call. Time, machines and policies do not count. */
  take({ kind, toolName, args, agentReason, contents, decision, via }: RejectedCall): void {
    if (decision?.type !== 'reject' || via === 'system' || via === 'deadline' || via === 'abort') return;
    // Of what is not kept whole nothing is the same; a human may be asked the same question twice.
    if (contents !== 'kept' || isQuestion({ kind })) return;
    // In other words of its agent it is the same call.
    const taken = trySnapshot(shownArgs({ args, agentReason }));
    if (taken !== undefined) this.#reasons.set(keyOf(toolName, taken), decision.reason);
  }

  /** Why this call is rejected again; `undefined`: it was not rejected. */
  reasonFor({ toolName, tool, args }: CallMadeAgain): string | undefined {
    const key = keyOf(toolName, snapshot(argsWithoutReason(tool, copyOf(args))));
    if (!this.#reasons.has(key)) return undefined;
    const reason = this.#reasons.get(key);
    return reason === undefined ? REPEATED : `${reason.replace(/([^.!?…])$/u, '$1.')} ${REPEATED}`;
  }
}

/**
 * Those that a run goes by; `undefined`: what was rejected is asked about again. A part of a run has those of its parent.
 *
 * @throws {InvalidConfigError}
 */
export function rejectionsOf(
  asks: 'ask' | 'answer' | undefined,
  inherited: RunRejections | undefined,
  place: string,
): RunRejections | undefined {
  if (asks !== undefined && asks !== 'ask' && asks !== 'answer') {
    throw new InvalidConfigError({
      message: `${place}: repeatedRejections must be 'ask' or 'answer', not ${toldValue(asks)}.`,
    });
  }
  return inherited ?? (asks === 'answer' ? new RunRejections() : undefined);
}

const REPEATED = 'The human rejected this same call before.';

/** In what is kept of it an instance of a class is its data. */
const keyOf = (toolName: string, { json }: ValueSnapshot): string =>
  JSON.stringify([toolName, canonicalize(JSON.stringify(snapshot(revive(json)).json)).digest]);
