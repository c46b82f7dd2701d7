/** An execution, followed to its end. */
import { messageOf } from '../../errors/message-of.js';
import { RefusedExecution } from '../../gate/refused-execution.js';
import { isThenable, after, isLater, type Awaitable } from '../../values/awaitable.js';
import { isAsyncIterable } from '../tools/tools.js';

/** What is thrown for a tool that failed on edited arguments: the model reads its message. */
export class NotedError extends Error {
  /** What the tool threw. */
  readonly original: unknown;

  constructor(original: unknown, note: string) {
    super(`${messageOf(original)}\n\n${note}`, { cause: original });
    this.name = original instanceof Error ? original.name : 'Error';
    this.original = original;
  }
}

/** How an execution ended. */
export type ExecutionOutcome = { output: unknown } | { error: unknown };

/** Told of the end; what came of the execution is handed on when it is done. Never throws. */
type EndCallback = (outcome: ExecutionOutcome) => Awaitable<void>;

/**
 * Runs it and tells how it ended. It may return a value, a promise, or a stream of values. `change` maps a thrown value to the
 * one that is thrown on.
 */
export function follow(
  run: () => unknown,
  end: EndCallback,
  change: (error: unknown) => unknown = (error) => error,
): unknown {
  const fail = (error: unknown): Awaitable<never> =>
    after(end({ error }), () => {
      throw change(error);
    });
  let result: unknown;
  try {
    result = run();
  } catch (error) {
    return fail(error);
  }
  if (isAsyncIterable(result)) return followStream(result, end, change);
  const succeed = (output: unknown): unknown => after(end({ output }), () => output);
  return isThenable(result) ? result.then(succeed, fail) : succeed(result);
}

async function* followStream(
  stream: AsyncIterable<unknown>,
  end: EndCallback,
  change: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  let output: unknown;
  let outcome: ExecutionOutcome = { error: new RefusedExecution('The stream of results was left before its end.') };
  try {
    for await (const value of stream) {
      output = value;
      yield value;
    }
    outcome = { output };
  } catch (error) {
    outcome = { error };
    throw change(error);
  } finally {
    const told = end(outcome);
    if (isLater(told)) await told;
  }
}

/** What is run when it is known that it may: a stream of values, as the caller expects it before anything is known. */
export async function* streamLater(run: Promise<() => unknown>): AsyncGenerator<unknown> {
  const result = (await run)();
  if (isAsyncIterable(result)) yield* result;
  else yield await result;
}

/** The same for a caller that expects a promise, and cannot follow a stream: its last value is the result. */
export async function lastLater(run: Promise<() => unknown>): Promise<unknown> {
  const result = (await run)();
  return isAsyncIterable(result) ? lastOf(result) : result;
}

export async function lastOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of stream) last = value;
  return last;
}
