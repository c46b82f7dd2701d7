/** A run that is made and never begun does nothing, and says nothing: a program that waits for the run itself ends as if all were well. */
import { warnAtExit } from '../../errors/warn-once.js';

/** How many are remembered. */
const MOST = 100;

/** What stands for the runs that have not begun. */
const unbegun = new Set<object>();
let isListening = false;

export function runWasMade(token: object): void {
  if (unbegun.size < MOST) unbegun.add(token);
  if (isListening) return;
  isListening = true;
  process.once('exit', tellUnbegun);
}

/** Or left on purpose. */
export const runWasBegun = (token: object): void => void unbegun.delete(token);

function tellUnbegun(code: number): void {
  // What ends a process in another way has been told.
  if (unbegun.size === 0 || code !== 0) return;
  const runs = unbegun.size === 1 ? 'A run was made and never begun' : `${unbegun.size} runs were made and never begun`;
  warnAtExit([
    `${runs}, so that the model was not called: iterate it with for await, await its result, or have somebody read the stream or the response that it was made into. The run itself is not a promise.`,
  ]);
}
