// @ts-check
/**
 * Asks on the terminal about one tool call (y, n, or a reason not to), or what a model wants to know.
 *
 * With COUNTERSIGN_AUTO=approve or COUNTERSIGN_AUTO=reject it answers itself, so that the examples can run unattended.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { safeText } from 'countersign';

/** @import { Decision, Question, QuestionRequest, QuestionsAnswered } from 'countersign' */

/** Several may be asked about at once, and there is one terminal: one after another. @type {Promise<unknown>} */
let asking = Promise.resolve();

/** @template T @param {() => Promise<T>} ask @returns {Promise<T>} */
function inTurn(ask) {
  const answer = asking.then(ask);
  asking = answer.catch(() => {});
  return answer;
}

/**
 * @param {{ preview: string, flags: readonly string[] }} request
 * @param {{ abortSignal?: AbortSignal }} [options]
 * @returns {Promise<Decision>}
 */
export const askOnTerminal = (request, { abortSignal } = {}) => inTurn(() => ask(request, abortSignal));

/** @param {{ preview: string, flags: readonly string[] }} request @param {AbortSignal} [signal] @returns {Promise<Decision>} */
async function ask({ preview, flags }, signal) {
  // The preview is safe to print: whatever a terminal would obey is shown as text.
  console.log(`\n${preview}`);
  if (flags.length > 0) console.log(`Look twice: ${flags.join(', ')}`);

  const automatic = process.env.COUNTERSIGN_AUTO;
  if (automatic === 'approve') return { type: 'approve' };
  if (automatic === 'reject') return { type: 'reject', reason: 'not today' };

  const line = await typed('Run it? y, n, or why not: ', signal);
  if (line === undefined) return { type: 'reject', reason: 'there is nobody to ask' };
  if (/^y(es)?$/i.test(line)) return { type: 'approve' };
  return /^(no?)?$/i.test(line) ? { type: 'reject' } : { type: 'reject', reason: line };
}

/**
 * `null`: the human does not want to answer.
 *
 * @param {QuestionRequest} request
 * @param {{ abortSignal?: AbortSignal }} [options]
 * @returns {Promise<QuestionsAnswered['answers'] | null>}
 */
export const answerOnTerminal = ({ args }, { abortSignal } = {}) =>
  inTurn(async () => {
    const answers = [];
    for (const question of args.questions) {
      const answer = await answerTo(question, abortSignal);
      if (answer === null && question.required !== false) return null;
      answers.push(answer);
    }
    return answers;
  });

/** @param {Question} question @param {AbortSignal} [signal] @returns {Promise<string | string[] | null>} */
async function answerTo(question, signal) {
  const labels = question.kind === 'text' ? [] : question.options.map(({ label }) => label);
  console.log(`\n${safeText(question.question)}`);
  for (const [index, label] of labels.entries()) console.log(`  ${index + 1} ${safeText(label)}`);

  const automatic = process.env.COUNTERSIGN_AUTO;
  if (automatic === 'reject' || (automatic === 'approve' && question.required === false)) return null;
  const line = automatic === 'approve' ? (labels.length > 0 ? '1' : 'as you like') : await typed('> ', signal);
  if (!line) return null;
  if (question.kind !== 'multi_select') return labels[Number(line) - 1] ?? line;
  return line.split(/[ ,]+/).flatMap((number) => labels[Number(number) - 1] ?? []);
}

/** A line that a human types; `undefined`: there is nobody. @param {string} prompt @param {AbortSignal} [signal] */
async function typed(prompt, signal) {
  if (process.stdin.readableEnded) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Readline keeps Ctrl+C to itself.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const question = terminal.question(prompt, signal ? { signal } : {});
    // The input may end in the middle of the question.
    const line = await Promise.race([question, once(terminal, 'close').then(() => undefined)]);
    return line?.trim();
  } finally {
    terminal.close();
  }
}
