/** Questions on a terminal. */
import { lineInput } from '../terminal/line-input.js';
import { isYes } from '../terminal/words.js';

/** Whether somebody can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** `true` for yes only. */
export async function confirm(question: string): Promise<boolean> {
  // On stderr: stdout may be read by a program.
  const lines = lineInput(process.stdin, process.stderr);
  try {
    return isYes((await lines.line({ prompt: `${question} [y, yes or ok / N] `, signal: NEVER })) ?? '');
  } catch {
    // Ctrl+C.
    return false;
  }
}

const NEVER = new AbortController().signal;
