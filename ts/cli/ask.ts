/** Questions on a terminal. */
import { lineInput } from '../terminal/line-input.js';
import { inWords } from '../terminal/window.js';
import { isYes } from '../terminal/words.js';

/** Whether somebody can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** `true` for yes only. What was typed before the question was in sight for a moment does not answer it. */
export async function confirm(question: string): Promise<boolean> {
  // On stderr: stdout may be read by a program.
  const lines = lineInput(process.stdin, process.stderr);
  try {
    lines.say(inWords(`${question}\n`, lines.window));
    await lines.forget(NEVER);
    return isYes((await lines.line({ prompt: '[y, yes or ok / N] ', signal: NEVER })) ?? '');
  } catch {
    // Ctrl+C.
    return false;
  }
}

const NEVER = new AbortController().signal;
