import type { BackendTools, CommandResult } from '../../../agent.js';
import type { ConfineSettings } from '../../../index.js';
import { callContextOf } from '../../ai-sdk/tools/call-context.js';
import { saysHowItRuns } from '../../gate/runs-as.js';
import { cutMiddle } from '../cut.js';
import { count, inputSchema, object, text } from '../schema.js';
import { emit, reading, type CallOptions } from './call.js';
import type { Confinement, ToolSettings } from './settings.js';

/** The tool `execute`. */
export function executeTool(settings: ToolSettings): BackendTools['execute'] {
  const { confinement, backend } = settings;
  const tool = plainTool(settings);
  if (confinement === undefined) return tool;
  const isAlways = confinement.always || backend.canConfine === 'always';
  return saysHowItRuns(tool, isAlways ? 'It runs confined.' : 'Approved, it runs unconfined.');
}

const plainTool = ({ backend, maxResultCharacters, confinement }: ToolSettings): BackendTools['execute'] => ({
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
      ...(await confining(command, options, confinement)),
      onOutput: (text) => emit(options, { type: 'execute-output', text }),
    });
    const { exitCode, truncated, stopped } = result;
    emit(options, { type: 'execute-finish', command, exitCode, truncated, stopped });
    options.abortSignal?.throwIfAborted();
    return `${outputOf(result, maxResultCharacters)}\n[${endOf(result)}]${refusedIn(result)}`;
  },
});

/** What no human approved runs confined: a rule, a grant or a mode let it through. */
async function confining(
  command: string,
  options: CallOptions,
  confinement: Confinement | undefined,
): Promise<{ confine?: ConfineSettings | false }> {
  if (confinement === undefined) return {};
  const isApproved = callContextOf(options)?.approved?.byHuman === true;
  if (isApproved && !confinement.always) return { confine: false };
  return { confine: await confinement.settings({ command, isApproved, abortSignal: options.abortSignal }) };
}

const WHOLE = 'To see all of it, run it with "> file" at its end and read that file, or have it print less';

function outputOf({ output, truncated, bytes }: CommandResult, most: number): string {
  if (output === '') return '(no output)';
  const whole = output.replace(/\n$/, '');
  const shown = cutMiddle(whole, most, ({ characters }) => `${characters} characters are left out`);
  if (shown === whole && !truncated) return whole;
  return `${shown}\n[The output has ${bytes} bytes, and some are left out. ${WHOLE}.]`;
}

/** What the model may ask for, in the place of "Permission denied". */
function refusedIn({ refused = [] }: CommandResult): string {
  if (refused.length === 0) return '';
  const what = refused.map(({ text }) => text).join(', ');
  return `\n[The sandbox refused ${what}. The command may be right: if it needs this, say so to the human.]`;
}

function endOf({ exitCode, signal, stopped }: CommandResult): string {
  if (stopped === 'timeout') return 'It took too long and was stopped. Do less at once.';
  if (stopped === 'aborted') return 'It was stopped, since the run was aborted.';
  return exitCode === null ? `It was ended by the signal ${signal ?? 'unknown'}.` : `exit code ${exitCode}`;
}
