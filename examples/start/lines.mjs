// @ts-check
/** Without a terminal: stdin line by line. A line is a prompt, or the answer while an approval waits for one. */
import readline from 'node:readline';

/** @import { Screen } from './screen.mjs' */
/** @import { Ui } from './approvals.mjs' */

/** @param {NodeJS.ReadStream} input @param {Screen} screen @returns {Ui} */
export function createLines(input, screen) {
  const reader = readline.createInterface({ input, crlfDelay: Infinity });
  const lines = reader[Symbol.asyncIterator]();

  /**
   * The next line, echoed so that the transcript reads like a session.
   *
   * @param {string} question
   * @param {AbortSignal} [abortSignal]
   */
  async function next(question, abortSignal) {
    screen.text(question);
    const { value, done } = await lines.next();
    if (abortSignal?.aborted) return null;
    screen.text(`${done ? '(end of input)' : value}\n`);
    return done ? null : value;
  }

  return {
    async prompt() {
      screen.line();
      return next('> ');
    },
    async answer(question, abortSignal) {
      const aborted = new Promise((resolve) =>
        abortSignal.addEventListener('abort', () => resolve(null), { once: true }),
      );
      return Promise.race([next(question, abortSignal), aborted]);
    },
    async edit(request) {
      screen.line(`To edit, give the new arguments as JSON after the e, e.g.: e ${JSON.stringify(request.args)}`);
      return undefined;
    },
    close: () => reader.close(),
  };
}
