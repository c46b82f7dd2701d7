/** Questions on a terminal. */
import { createInterface } from 'node:readline/promises';

/** Whether somebody can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** `true` for y or yes only. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim());
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
