// @ts-check
/**
 * Asks on the terminal about one tool call: y, n, or a reason not to.
 *
 * With COUNTERSIGN_AUTO=approve or COUNTERSIGN_AUTO=reject it answers itself, so that the examples can run unattended.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** @import { Decision } from 'countersign' */

/** Several calls may be asked about at once, and there is one terminal: one question at a time. @type {Promise<unknown>} */
let asking = Promise.resolve();

/**
 * @param {{ preview: string, flags: readonly string[] }} request
 * @param {{ abortSignal?: AbortSignal }} [options]
 * @returns {Promise<Decision>}
 */
export function askOnTerminal(request, { abortSignal } = {}) {
  const answer = asking.then(() => ask(request, abortSignal));
  asking = answer.catch(() => {});
  return answer;
}

/** @param {{ preview: string, flags: readonly string[] }} request @param {AbortSignal} [signal] @returns {Promise<Decision>} */
async function ask({ preview, flags }, signal) {
  // The preview is safe to print: whatever a terminal would obey is shown as text.
  console.log(`\n${preview}`);
  if (flags.length > 0) console.log(`Look twice: ${flags.join(', ')}`);

  const automatic = process.env.COUNTERSIGN_AUTO;
  if (automatic === 'approve') return { type: 'approve' };
  if (automatic === 'reject') return { type: 'reject', reason: 'not today' };

  const nobody = 'there is nobody to ask';
  if (process.stdin.readableEnded) return { type: 'reject', reason: nobody };
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Readline keeps Ctrl+C to itself.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const question = terminal.question('Run it? y, n, or why not: ', signal ? { signal } : {});
    // The input may end in the middle of the question.
    const line = await Promise.race([question, once(terminal, 'close').then(() => nobody)]);
    if (/^y(es)?$/i.test(line.trim())) return { type: 'approve' };
    return /^(no?)?$/i.test(line.trim()) ? { type: 'reject' } : { type: 'reject', reason: line.trim() };
  } finally {
    terminal.close();
  }
}
