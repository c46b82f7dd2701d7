/** The call of a tool that code runs in: what it asks at the gate by itself is told by the run whose call it is. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ValueSnapshot } from '../values/snapshot.js';
import type { CallAsker } from './asker.js';
import type { WaitedRequest } from './requests.js';

export interface ServerCaller {
  /** Who asks for the run, at its gate. What is asked elsewhere is not told. */
  readonly asker: CallAsker;
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
  /** Tells the run of a request. */
  readonly tell: (waited: WaitedRequest, args: ValueSnapshot, isAutomatic: boolean) => void;
}

const callers = new AsyncLocalStorage<ServerCaller>();

/** What asks at this gate; `undefined`: no call of a tool does. */
export function callerOf(gate: object): ServerCaller | undefined {
  const caller = callers.getStore();
  return caller?.asker.gate === gate ? caller : undefined;
}

/** Who asks, at any gate; `undefined`: no call of a tool does. */
export const currentCaller = (): ServerCaller | undefined => callers.getStore();

/** Calls what is the caller's. So is a stream of values, in any reader. */
export function asCaller(caller: ServerCaller, call: () => unknown): unknown {
  const value = callers.run(caller, call);
  return isStream(value) ? streamAs(caller, value) : value;
}

async function* streamAs(caller: ServerCaller, stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const values = callers.run(caller, () => stream[Symbol.asyncIterator]());
  let isDone = false;
  try {
    for (;;) {
      const { value, done } = await callers.run(caller, () => values.next());
      isDone = done === true;
      if (isDone) return;
      yield value;
    }
  } catch (error) {
    isDone = true;
    throw error;
  } finally {
    if (!isDone) await callers.run(caller, () => values.return?.());
  }
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
