/** Questions on a terminal. */
import { createInterface } from 'node:readline/promises';
import { isYes } from '../terminal/words.js';

/** Whether somebody can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** `true` for yes only. */
export async function confirm(question: string): Promise<boolean> {
  return isYes(await ask(`${question} [y/N] `));
}

async function ask(question: string): Promise<string> {
  // On stderr: stdout may be read by a program.
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  lines.once('close', () => gone.abort());
  try {
    return await lines.question(question, { signal: gone.signal });
  } catch {
    return '';
  } finally {
    lines.close();
  }
}
