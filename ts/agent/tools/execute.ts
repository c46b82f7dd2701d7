import type { BackendTools, CommandResult } from '../../../agent.js';
import { cutMiddle } from '../cut.js';
import { count, inputSchema, object, text } from '../schema.js';
import { emit, reading } from './call.js';
import type { ToolSettings } from './settings.js';

/** The tool `execute`. */
export const executeTool = ({ backend, maxResultCharacters }: ToolSettings): BackendTools['execute'] => ({
  description:
    'Runs a command line with sh in the root and gives its output and exit code. It gets no input, and whatever it started ' +
    'is ended with it. For files use the tools that are made for them.',
  inputSchema: inputSchema<{ command: string; timeout?: number }>(
    object(
      { command: text('The command line.') },
      { timeout: count('How long it may take at most, in milliseconds.') },
    ),
  ),
  execute: async ({ command, timeout }, options) => {
    emit(options, { type: 'execute-start', command });
    const result = await backend.execute(command, {
      ...reading(options),
      ...(timeout === undefined ? {} : { timeout }),
      onOutput: (text) => emit(options, { type: 'execute-output', text }),
    });
    const { exitCode, truncated, stopped } = result;
    emit(options, { type: 'execute-finish', command, exitCode, truncated, stopped });
    options.abortSignal?.throwIfAborted();
    return `${outputOf(result, maxResultCharacters)}\n[${endOf(result)}]`;
  },
});

const WHOLE = 'To see all of it, run it with "> file" at its end and read that file, or have it print less';

function outputOf({ output, truncated, bytes }: CommandResult, most: number): string {
  if (output === '') return '(no output)';
  const whole = output.replace(/\n$/, '');
  const shown = cutMiddle(whole, most, ({ characters }) => `${characters} characters are left out`);
  if (shown === whole && !truncated) return whole;
  return `${shown}\n[The output has ${bytes} bytes, and some are left out. ${WHOLE}.]`;
}

function endOf({ exitCode, signal, stopped }: CommandResult): string {
  if (stopped === 'timeout') return 'It took too long and was stopped. Do less at once.';
  if (stopped === 'aborted') return 'It was stopped, since the run was aborted.';
  return exitCode === null ? `It was ended by the signal ${signal ?? 'unknown'}.` : `exit code ${exitCode}`;
}
