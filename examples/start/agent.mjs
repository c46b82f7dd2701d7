// @ts-check
/** One prompt through the agent: countersign's events, written to the screen as they come. */
import { streamWithEvents } from 'countersign';
import { safe } from './screen.mjs';

/** @import { LanguageModel, ModelMessage } from 'ai' */
/** @import { InterruptOn } from 'countersign' */
/** @import { Screen } from './screen.mjs' */
/** @import { createAsker } from './approvals.mjs' */
/** @import { createTools } from './tools.mjs' */

/** @typedef {ReturnType<typeof createTools>} Tools */

const INSTRUCTIONS =
  'You work on a small project in the current folder, with tools to read, write and edit its files and to run commands. ' +
  'A human approves, edits or rejects your calls; respect a rejection and its reason. Say briefly what you did.';

/** Everything that changes something is asked about; reading is not. @type {InterruptOn<Tools>} */
const INTERRUPT_ON = {
  write_file: { description: 'it writes a file', allowedDecisions: ['approve', 'edit', 'reject'] },
  edit_file: { description: 'it changes a file', allowedDecisions: ['approve', 'edit', 'reject'] },
  execute: {
    description: 'it runs a shell command, which can do all that you can',
    allowedDecisions: ['approve', 'edit', 'reject'],
  },
};

/** Lines of a command's output that are shown. */
const SHOWN_LINES = 20;

/**
 * @param {object} options
 * @param {LanguageModel} options.model
 * @param {Tools} options.tools
 * @param {ModelMessage[]} options.messages The conversation, the new prompt included.
 * @param {ReturnType<typeof createAsker>} options.asker
 * @param {AbortSignal} options.abortSignal
 * @param {Screen} options.screen
 * @returns {Promise<{ messages: ModelMessage[], error?: unknown }>} The conversation as it goes on.
 */
export async function runPrompt({ model, tools, messages, asker, abortSignal, screen }) {
  const run = streamWithEvents({
    model,
    tools,
    messages,
    instructions: INSTRUCTIONS,
    interruptOn: INTERRUPT_ON,
    onApprovalRequest: asker.ask,
    abortSignal,
    onError: () => {}, // The AI SDK would print it; the event below says it better.
  });
  /** The calls of this step, and what was approved and has not ended. @type {Map<string, { toolName: string, args: unknown }>} */
  const asked = new Map();
  /** @type {typeof asked} */
  const approved = new Map();
  /** @type {unknown} */
  let error;
  for await (const event of run) {
    switch (event.type) {
      case 'text':
        screen.text(event.text);
        break;
      case 'step-start':
        screen.endLine();
        break;
      case 'approval-requested':
        asked.set(event.toolCallId, event);
        break;
      case 'approval-response': {
        asker.decided(event);
        const { toolCallId, toolName, decision } = event;
        const args = decision.type === 'edit' ? decision.args : asked.get(toolCallId)?.args;
        if (event.approved) approved.set(toolCallId, { toolName, args });
        break;
      }
      case 'tool-result':
        approved.delete(event.toolCallId);
        screen.line(`  ran: ${callLine(event)}: ${resultLine(event)}`);
        if (event.toolName === 'execute') showOutput(/** @type {any} */ (event.result).output, screen);
        break;
      case 'tool-error':
        approved.delete(event.toolCallId);
        screen.line(
          `  failed: ${callLine(event)}: ${messageOf(event.error).replace(`${event.toolName} failed: `, '')}`,
          'red',
        );
        break;
      case 'tool-denied':
        screen.line(`  did not run: ${callLine(event)}`);
        break;
      case 'error':
        error = event.error;
        break;
      case 'abort':
        for (const call of approved.values()) screen.line(`  did not finish: ${callLine(call)}`);
        screen.line('Cancelled: nothing runs any more.', 'red');
        ({ messages } = event);
        break;
      case 'done':
        ({ messages } = event);
        break;
    }
  }
  screen.endLine();
  return { messages, error };
}

/** Which call it was, in short. The whole of it was shown when it was asked about. @param {{ toolName: string, args: any }} event */
function callLine({ toolName, args }) {
  const what = String(args?.file_path ?? args?.command ?? '').replace(/\s+/g, ' ');
  return `${toolName} ${what.length > 60 ? `${what.slice(0, 60)}...` : what}`;
}

/** @param {{ toolName: string, result: any }} event */
function resultLine({ toolName, result }) {
  switch (toolName) {
    case 'read_file':
      return count(result.content.length, 'character');
    case 'write_file':
      return `${result.created ? 'created' : 'overwritten'}, ${count(result.bytes, 'byte')}`;
    case 'edit_file':
      return `changed in ${count(result.replaced, 'place')}`;
    default:
      return result.stopped ? `stopped (${result.stopped})` : `exit code ${result.exit_code}`;
  }
}

/** @param {number} number @param {string} thing */
function count(number, thing) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** @param {string} output @param {Screen} screen */
function showOutput(output, screen) {
  const lines = safe(output).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return;
  screen.block(lines.slice(0, SHOWN_LINES).join('\n'), 'dim');
  if (lines.length > SHOWN_LINES) screen.block(`... ${lines.length - SHOWN_LINES} more lines`, 'dim');
}

/** What went wrong, in the words of whoever knows: the AI SDK wraps it, several times after retries. @param {unknown} error @returns {string} */
export function messageOf(error) {
  const { lastError, message } = /** @type {{ lastError?: unknown, message?: unknown }} */ (error ?? {});
  if (lastError) return messageOf(lastError);
  return typeof message === 'string' ? message : String(error);
}
