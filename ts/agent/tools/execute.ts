import type { Backend, BackendTools, CommandResult } from '../../../agent.js';
import type { ConfinedWrites, ConfineSettings, ConfinementRefusal } from '../../../index.js';
import { callContextOf } from '../../ai-sdk/tools/call-context.js';
import { CALLS_AS } from '../../ai-sdk/tools/tools.js';
import { ConfinementError } from '../../errors/index.js';
import { runsConfined } from '../../gate/confined-runner.js';
import { confinesIn } from '../backend/local-backend.js';
import { saysHowItRuns } from '../../gate/runs-as.js';
import { cutMiddle } from '../cut.js';
import { count, inputSchema, object, text } from '../schema.js';
import { emit, reading, type CallOptions } from './call.js';
import { connecting, mayBeAskedFor, NETWORK } from './connecting.js';
import { givenReach, howWithReach, isWanted, reachField, type CommandReach } from './reach.js';
import { reasonField, takesReason, type ReasonInput } from './reason.js';
import type { ConfinedEnd, ConfinedStart, ToolSettings } from './settings.js';

/** The tool `execute`. */
export function executeTool(settings: ToolSettings): BackendTools['execute'] {
  const { confinement, backend } = settings;
  const isConfined = backend.canConfine === 'always';
  // The command that it runs is asked about for each host.
  const calls = isConfined || confinement !== undefined ? { [CALLS_AS]: [NETWORK] } : {};
  const tool = Object.assign(plainTool(settings), calls);
  if (confinement === undefined) return tool;
  runsConfined(tool.execute as object, {
    runOf: (args) => (isWanted((args as Partial<ExecuteInput> | null)?.reach) ? undefined : confinement.run()),
  });
  const isAlways = confinement.always || isConfined;
  return saysHowItRuns(tool, (args) => {
    // Not checked yet: it is what the model wrote.
    const reach = (args as Partial<ExecuteInput> | null)?.reach;
    if (isWanted(reach)) return howWithReach(reach);
    return isAlways ? 'It runs confined.' : 'Approved, it runs unconfined.';
  });
}

interface ExecuteInput extends ReasonInput {
  command: string;
  timeout?: number;
  reach?: CommandReach;
}

const plainTool = (settings: ToolSettings): BackendTools['execute'] =>
  takesReason({
    description:
      'Runs a command line with sh in the root and gives its output and exit code. It gets no input, and whatever it started ' +
      'is ended with it. For files use the tools that are made for them.',
    inputSchema: inputSchema<ExecuteInput>(
      object(
        { command: text('The command line.') },
        {
          timeout: count('How long it may take at most, in milliseconds.'),
          ...(canReach(settings) ? { reach: reachField } : {}),
          ...reasonField,
        },
      ),
    ),
    execute: async ({ command, timeout, reach }, options) => {
      const { backend, maxResultCharacters, confinement } = settings;
      const how = await howToRun(settings, { command, ...(reach === undefined ? {} : { reach }) }, options);
      if ('refused' in how) return `[It was not run. ${how.refused}]`;
      emit(options, { type: 'execute-start', command });
      const { confine, hosts, begin } = how;
      const { execute } = backend;
      checkHeld(settings, { execute, confine, confinedTo: callContextOf(options)?.confined });
      const run = async () =>
        Reflect.apply(execute, backend, [
          command,
          {
            ...reading(options),
            ...(timeout === undefined ? {} : { timeout }),
            ...(confine === undefined ? {} : { confine }),
            connect: connecting(command, confinement, hosts),
            onOutput: (text: string) => emit(options, { type: 'execute-output', text }),
          },
        ]);
      // Also what a command made that failed, or was stopped.
      const [result, after] = await bothOf(run, begin);
      const { exitCode, truncated, stopped } = result;
      emit(options, { type: 'execute-finish', command, exitCode, truncated, stopped });
      options.abortSignal?.throwIfAborted();
      const signal = options.abortSignal ?? new AbortController().signal;
      const given = await withProtected(result, confinement, signal);
      const refused = refusedIn(given, after?.made ?? [], canReach(settings));
      const told = after?.told == null ? '' : `\n[${after.told}]`;
      return `${outputOf(result, maxResultCharacters)}\n[${endOf(result)}]${refused}${told}`;
    },
  });

/** Whether a call can ask for more than commands may: what a backend holds all of its commands to, nothing opens. */
const canReach = ({ confinement, backend }: ToolSettings): boolean =>
  confinement !== undefined && backend.canConfine === true;

type RunsAs =
  | { confine: ConfineSettings | false | undefined; hosts: readonly string[]; begin?: ConfinedStart['begin'] }
  | { refused: string };

/** What no human approved runs confined: a rule, a grant or a mode let it through. With a reach of its own it does in any case. */
async function howToRun(
  settings: ToolSettings,
  { command, reach }: ExecuteInput,
  options: CallOptions,
): Promise<RunsAs> {
  const { confinement, backend } = settings;
  if (confinement === undefined) return { confine: undefined, hosts: [] };
  const called = callContextOf(options);
  const confinedTo = called?.confined;
  const isApproved = confinedTo === undefined && called?.approved?.byHuman === true;
  const { abortSignal } = options;
  if (!canReach(settings) || !isWanted(reach)) {
    if (isApproved && !confinement.always) return { confine: false, hosts: [] };
    const { settings: confine, begin } = await confinement.start({ command, isApproved, confinedTo, abortSignal });
    return { confine, hosts: [], begin };
  }
  return givenReach({
    command,
    reach,
    root: backend.root,
    confinement,
    isApproved,
    signal: abortSignal ?? new AbortController().signal,
  });
}

/**
 * Right before it starts: what was let run since it runs confined is run by what confines, and held to that.
 *
 * @throws {ConfinementError}
 */
function checkHeld(
  { backend, confinement }: ToolSettings,
  how: {
    execute: Backend['execute'];
    confine: ConfineSettings | false | undefined;
    confinedTo: ConfinedWrites | undefined;
  },
): void {
  if (how.confinedTo === undefined) return;
  const isHeld = typeof how.confine === 'object' && how.confine.demand === 'whole' && confinement?.run() !== undefined;
  if (isHeld && confinesIn(how.execute) === backend.root) return;
  throw new ConfinementError({
    message: 'The command was not run: it was allowed to run confined, and here it would not be.',
  });
}

/** What came of a command, and what was done when it had ended. @throws what it ended with, when that is done */
async function bothOf(
  run: () => Promise<CommandResult>,
  begin: ConfinedStart['begin'] | undefined,
): Promise<[CommandResult, ConfinedEnd | undefined]> {
  const end = begin?.();
  const [result] = await Promise.allSettled([run()]);
  const after = await end?.();
  if (result.status === 'fulfilled') return [result.value, after];
  throw result.reason;
}

const WHOLE = 'To see all of it, run it with "> file" at its end and read that file, or have it print less';

function outputOf({ output, truncated, bytes }: CommandResult, most: number): string {
  if (output === '') return '(no output)';
  const whole = output.replace(/\n$/, '');
  const shown = cutMiddle(whole, most, ({ characters }) => `${characters} characters are left out`);
  if (shown === whole && !truncated) return whole;
  return `${shown}\n[The output has ${bytes} bytes, and some are left out. ${WHOLE}.]`;
}

/** What policies protect or deny cannot be asked for, also where the sandbox has another reason to refuse it. */
async function withProtected(
  result: CommandResult,
  confinement: ToolSettings['confinement'],
  signal: AbortSignal,
): Promise<CommandResult> {
  if (result.refused === undefined || confinement === undefined) return result;
  const refused = result.refused.map(async (each) => {
    const { kind, target, canBeGiven } = each;
    if (target === null || !canBeGiven) return each;
    const canBeAsked =
      kind === 'network'
        ? await mayBeAskedFor(target, confinement, signal)
        : !(await confinement.isProtected(kind, target));
    return canBeAsked ? each : { ...each, canBeGiven: false };
  });
  return { ...result, refused: await Promise.all(refused) };
}

/** What the model may ask for, in the place of "Permission denied". */
function refusedIn({ refused = [] }: CommandResult, made: readonly string[], canAsk: boolean): string {
  const aside = made.map(
    (path) =>
      `\n[A new ${path} is now ${path}.unchecked, or has a name like it, since commands must not make it. A human must make it, or approve its name.]`,
  );
  if (refused.length === 0) return aside.join('');
  const what = refused.map(({ text }) => text).join(', ');
  const reach = canAsk ? reachFor(refused) : undefined;
  const how =
    reach === undefined
      ? 'if it needs this, say so to the human.'
      : `if it needs this, call execute again with reach: ${JSON.stringify(reach)}. A human is asked about it.`;
  return `\n[The sandbox refused ${what}. The command may be right: ${how}]${aside.join('')}`;
}

/** Just what was refused, as far as it can be given. */
function reachFor(refused: readonly ConfinementRefusal[]): CommandReach | undefined {
  const of = (wanted: ConfinementRefusal['kind']) => [
    ...new Set(
      refused.flatMap(({ kind, target, canBeGiven }) => (kind === wanted && canBeGiven && target ? [target] : [])),
    ),
  ];
  const all = { write: of('write'), read: of('read'), network: of('network') };
  const reach: CommandReach = Object.fromEntries(Object.entries(all).filter(([, names]) => names.length > 0));
  return isWanted(reach) ? reach : undefined;
}

function endOf({ exitCode, signal, stopped }: CommandResult): string {
  if (stopped === 'timeout') return 'It took too long and was stopped. Do less at once.';
  if (stopped === 'aborted') return 'It was stopped, since the run was aborted.';
  return exitCode === null ? `It was ended by the signal ${signal ?? 'unknown'}.` : `exit code ${exitCode}`;
}
