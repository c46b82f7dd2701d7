/** An execution, followed to its end. */
import { messageOf } from '../errors/message-of.js';
import { EDIT_NOTE } from './reasons.js';
import { isAsyncIterable, isThenable } from './tools.js';

/** What stands in the way of an execution. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** What is thrown for a tool that failed on edited arguments: the model reads its message. */
export class NotedError extends Error {
  /** What the tool threw. */
  readonly original: unknown;

  constructor(original: unknown, note = EDIT_NOTE) {
    super(`${messageOf(original)}\n\n${note}`, { cause: original });
    this.name = original instanceof Error ? original.name : 'Error';
    this.original = original;
  }
}

export const noted = (error: unknown): unknown => new NotedError(error);

type End = (outcome: { output: unknown } | { error: unknown }) => void;

/**
 * Runs it and tells how it ended, whatever it returns: a value, a promise, or a stream of values. `change` makes what is
 * thrown on of what was thrown.
 */
export function follow(run: () => unknown, end: End, change: (error: unknown) => unknown = (error) => error): unknown {
  const fail = (error: unknown): never => {
    end({ error });
    throw change(error);
  };
  let result: unknown;
  try {
    result = run();
  } catch (error) {
    return fail(error);
  }
  if (isAsyncIterable(result)) return followStream(result, end, change);
  if (isThenable(result)) {
    return result.then((output) => {
      end({ output });
      return output;
    }, fail);
  }
  end({ output: result });
  return result;
}

async function* followStream(
  stream: AsyncIterable<unknown>,
  end: End,
  change: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  let output: unknown;
  let outcome: { output: unknown } | { error: unknown } = {
    error: new Refused('The stream of results was left before its end.'),
  };
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
    end(outcome);
  }
}
