/** How much of a step is there. */
import type { CallGuard } from '../gating/guard.js';
import type { ModelRound } from './round.js';

/** Whether the model has said all of the step, and all of it was read. */
export function isWhole({ turn, toolCallsSeen }: ModelRound): boolean {
  return turn?.ended === true && toolCallsSeen === turn.toolCalls;
}

/**
 * Whether the turn is whole and all its requests are here. Without a watched model that is known at its end only; so it is where
 * the model has sent an error, which may be the end of the run.
 */
export function areRequestsHere(round: ModelRound, guard: CallGuard): boolean {
  const { turn, requested, calls } = round;
  if (turn?.ended !== true || turn.hasErred || round.hasErred || requested.length === 0) return false;
  if (round.toolCallsSeen !== turn.toolCalls || round.providerRequestsSeen !== turn.providerRequests) return false;
  return calls.every((call) => {
    if (call.invalid === true || call.providerExecuted === true || !guard.guards(call.toolName as string)) return true;
    const verdict = guard.call(call.toolCallId as string)?.verdict;
    return (
      verdict !== undefined &&
      (verdict.effect === 'allow' || requested.some(({ toolCallId }) => toolCallId === call.toolCallId))
    );
  });
}

/** Whether something may be told beside what the SDK tells. */
export function mayHear({ requested, toolCallsSeen, answers }: ModelRound): boolean {
  return requested.length > 0 || toolCallsSeen > 0 || answers.length > 0;
}

/** Whether nothing of the step that is being read goes on, but for calls that were left. */
export function isStill(round: ModelRound, isLeft: (toolCallId: string) => boolean): boolean {
  if (round.stepsStarted === 0) {
    const executed = new Set(round.executed.map(({ toolCallId }) => toolCallId));
    // A call that is run again needs no approval, and a refused one did not run: their results say so.
    const hasEnded = (toolCallId: string) => executed.has(toolCallId) || round.soFar?.hasResult(toolCallId) === true;
    return round.answers.every(
      ({ toolCallId, runs, executable }) => !runs || !executable || hasEnded(toolCallId) || isLeft(toolCallId),
    );
  }
  if (!isWhole(round)) return false;
  return round.calls.every(({ toolCallId = '', invalid, providerExecuted }) => {
    if (invalid === true || providerExecuted === true || isLeft(toolCallId)) return true;
    return round.soFar?.hasResult(toolCallId) === true || round.soFar?.isAskedAbout(toolCallId) === true;
  });
}

/** Those who wait until all calls of the step are known. */
export class UntilWhole {
  readonly #waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  wait(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  reached(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** It will never be. */
  never(why: () => unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(why());
  }
}
