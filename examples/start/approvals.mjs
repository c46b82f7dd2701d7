// @ts-check
/** Puts approval requests to the user, one at a time, and reads the answers. The same for a terminal and for stdin lines. */
import { z } from 'zod';
import { schemas } from './tools.mjs';

/** @import { ApprovalAnswer, ApprovalRequest, ApprovalResponseEvent, DecisionOutcome } from 'countersign' */
/** @import { Screen } from './screen.mjs' */

/**
 * Where the user sits.
 * @typedef {object} Ui
 * @property {() => Promise<string | null>} prompt The next prompt for the agent; `null` at the end of the input.
 * @property {(question: string, abortSignal: AbortSignal) => Promise<string | null>} answer The answer to a question;
 *   `null` at the end of the input and after an abort.
 * @property {(request: ApprovalRequest, abortSignal: AbortSignal) => Promise<unknown>} edit The arguments after the
 *   user changed them; `undefined` when that did not come about.
 * @property {() => void} close
 */

/** @typedef {{ type: 'approve' } | { type: 'edit', args: unknown } | { type: 'reject', reason?: string }} Answer */

/** A run that was aborted takes no answer any more. @type {Answer} */
const CANCELLED = { type: 'reject', reason: 'cancelled' };

const QUESTION = 'y = run it, n = reject, e = edit, or a reason to reject: ';

/** @param {Ui} ui @param {Screen} screen */
export function createAsker(ui, screen) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  let waiting = 0;
  /** What was answered and said so, by approval id. @type {Map<string, Answer['type']>} */
  const said = new Map();

  return {
    /**
     * For `onApprovalRequest`, which is called for all calls of a step at once.
     *
     * @param {ApprovalRequest} request
     * @param {{ abortSignal: AbortSignal }} options
     * @returns {Promise<ApprovalAnswer>}
     */
    ask(request, { abortSignal }) {
      waiting++;
      const answer = last.then(async () => {
        waiting--;
        if (abortSignal.aborted) return CANCELLED;
        show(request, waiting);
        const given = await askUntilAnswered(request, abortSignal);
        // Said here and not when the event comes: the next question may be on the screen by then.
        if (!abortSignal.aborted) {
          said.set(request.approvalId, given.type);
          showDecision(request.toolName, given);
        }
        return given;
      });
      last = answer.catch(() => {});
      return answer;
    },

    /**
     * Says what was decided, unless the user has seen it: a decision by time or by an abort, or another than was given.
     *
     * @param {ApprovalResponseEvent} event
     */
    decided({ approvalId, toolName, decision }) {
      if (said.get(approvalId) !== decision.type) showDecision(toolName, decision);
      said.delete(approvalId);
    },
  };

  /** @param {string} toolName @param {Answer | DecisionOutcome} decision */
  function showDecision(toolName, decision) {
    const runs = decision.type === 'approve' || decision.type === 'edit';
    const word = { approve: 'approved', edit: 'approved as edited', reject: 'rejected' }[
      /** @type {Answer['type']} */ (decision.type)
    ];
    const reason = 'reason' in decision && decision.reason ? `: ${decision.reason}` : '';
    screen.line(`${runs ? '✔' : '✘'} ${word ?? decision.type}: ${toolName}${reason}`, runs ? 'green' : 'red');
  }

  /** @param {ApprovalRequest} request @param {number} more */
  function show(request, more) {
    screen.line();
    screen.line(`Approval needed: ${request.toolName}${more > 0 ? ` (${more} more after this)` : ''}`, 'yellow');
    // The preview, and never the raw arguments: it is what has been made safe to show.
    screen.block(request.preview, 'bold');
    screen.line(`  why:  ${request.description}`, 'dim');
    screen.line(`  from: ${request.origin.join(' > ')}`, 'dim');
    if (request.flags.length > 0) screen.line(`  take care: ${request.flags.join(', ')}`, 'red');
  }

  /** @param {ApprovalRequest} request @param {AbortSignal} abortSignal @returns {Promise<Answer>} */
  async function askUntilAnswered(request, abortSignal) {
    for (;;) {
      const line = await ui.answer(QUESTION, abortSignal);
      if (abortSignal.aborted) return CANCELLED;
      if (line === null) {
        return { type: 'reject', reason: 'the input ended before an answer' };
      }
      const answer = parseAnswer(line);
      switch (answer.type) {
        case 'nothing':
          screen.line('Enter alone approves nothing.');
          break;
        case 'edit': {
          const args = answer.json === undefined ? await ui.edit(request, abortSignal) : parseJson(answer.json);
          if (args === undefined) break;
          const problem = problemWith(request, args);
          if (problem === undefined) return { type: 'edit', args };
          screen.line(problem, 'red');
          break;
        }
        default:
          return answer;
      }
    }
  }

  /** @param {string} json */
  function parseJson(json) {
    try {
      return JSON.parse(json);
    } catch (error) {
      screen.line(`This is not JSON: ${/** @type {Error} */ (error).message}`, 'red');
      return undefined;
    }
  }
}

/**
 * @param {string} line
 * @returns {{ type: 'nothing' } | { type: 'approve' } | { type: 'edit', json?: string } | { type: 'reject', reason?: string }}
 */
function parseAnswer(line) {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  if (/^y(es)?$/i.test(text)) return { type: 'approve' };
  if (/^no?$/i.test(text)) return { type: 'reject' };
  const edit = /^e(?:dit)?(?:\s+([{["].*))?$/is.exec(text);
  if (edit) return { type: 'edit', json: edit[1] };
  return { type: 'reject', reason: text.replace(/^n\s+/i, '') };
}

/**
 * What keeps these arguments from running, in words; `undefined` when nothing does.
 * @param {ApprovalRequest} request
 * @param {unknown} args
 */
function problemWith(request, args) {
  const schema = schemas[/** @type {keyof typeof schemas} */ (request.toolName)];
  const parsed = schema.safeParse(args);
  if (!parsed.success) return `This does not fit ${request.toolName}:\n${z.prettifyError(parsed.error)}`;
  if (JSON.stringify(parsed.data) === JSON.stringify(request.args)) return 'Nothing was changed; y runs it as it is.';
  return undefined;
}
