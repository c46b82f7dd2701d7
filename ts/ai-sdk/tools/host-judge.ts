/** The user's own `toolApproval` of AI SDK 7, as one more judge. */
import type { ToolSet } from 'ai';
import { InvalidConfigError, UnknownToolError } from '../../errors/index.js';
import { toldValue } from '../../errors/told-value.js';
import type { HostJudge } from '../../gate/judge.js';
import { interruptPlan } from '../../native.js';
import { namesOf, type CallableTool } from '../../policy/foreign.js';
import { snapshot } from '../../values/snapshot.js';
import type { CallOptions } from '../sdk/sdk.js';
import { underAllNames } from './named-by-server.js';
import { isThenable } from '../../values/awaitable.js';
import { isRecord } from './tools.js';
import { warnUnknown } from './warnings.js';

/** The judges that have a say about this tool. */
export type HostJudges = (called: CallableTool) => readonly HostJudge[];

/**
 * @throws {InvalidConfigError} for what the AI SDK would pass over, or take for no status
 * @throws {UnknownToolError} for a name that looks like that of another tool
 */
export function hostJudgeOf(
  toolApproval: unknown,
  options: CallOptions,
  tools: ToolSet,
  { place, unknownTools }: { place: string; unknownTools: string | undefined },
): HostJudges | undefined {
  const { toolsContext, runtimeContext } = options;
  if (toolApproval === undefined || toolApproval === null) return undefined;
  if (typeof toolApproval === 'function') {
    const judge: HostJudge = ({ toolCallId, toolName, args, context }) =>
      toolApproval({
        toolCall: { type: 'tool-call', toolCallId, toolName, input: snapshot(args.value).value },
        tools,
        toolsContext,
        messages: context['messages'],
        runtimeContext,
      }) as unknown;
    return () => [judge];
  }
  const statuses = checkedStatuses(toolApproval, place);
  checkNames(Object.keys(statuses), tools, place, unknownTools);
  const judgeOf =
    (status: unknown): HostJudge =>
    ({ toolCallId, args, context }) => {
      if (typeof status !== 'function') return status;
      const { messages, context: toolContext } = context;
      return status(snapshot(args.value).value, { toolCallId, messages, toolContext, runtimeContext }) as unknown;
    };
  return ({ toolName, tool }) =>
    [...namesOf(toolName, tool)].flatMap((name) => (Object.hasOwn(statuses, name) ? [judgeOf(statuses[name])] : []));
}

/** A copy, as it is at this moment. */
function checkedStatuses(toolApproval: unknown, place: string): Record<string, unknown> {
  const isPlain =
    isRecord(toolApproval) &&
    !Array.isArray(toolApproval) &&
    !isThenable(toolApproval) &&
    !(Symbol.iterator in toolApproval);
  if (!isPlain) {
    throw new InvalidConfigError({
      message: `${place}: toolApproval must be a function, or an object of statuses by the name of the tool, as in { 'delete-file': 'user-approval' }. For all tools: interruptOn: 'all'.`,
    });
  }
  const [inherited] = inheritedNames(toolApproval);
  if (inherited !== undefined)
    throw new InvalidConfigError({
      message: `${place}: toolApproval inherits ${JSON.stringify(inherited)}, which the AI SDK does not read: write it into the object itself.`,
    });
  const statuses = { ...toolApproval };
  if (Object.hasOwn(statuses, '*'))
    throw new InvalidConfigError({
      message: `${place}: toolApproval has "*", which the AI SDK takes for the name of a tool, and no entry for all. For all tools: interruptOn: 'all'.`,
    });
  for (const [name, status] of Object.entries(statuses)) {
    if (typeof status === 'function') continue;
    const type: unknown = isRecord(status) ? status['type'] : status;
    if (STATUSES.includes(type)) continue;
    throw new InvalidConfigError({
      message: `${place}: toolApproval[${JSON.stringify(name)}] must be a function, or one of ${STATUSES.join(', ')}, not ${toldValue(type)}.`,
    });
  }
  return statuses;
}

/** Names of its prototypes, but for what every object has. */
function inheritedNames(object: object): string[] {
  const names: string[] = [];
  let at = Object.getPrototypeOf(object) as object | null;
  for (; at !== null && !Object.hasOwn(at, 'hasOwnProperty'); at = Object.getPrototypeOf(at) as object | null)
    names.push(...Object.getOwnPropertyNames(at).filter((name) => name !== 'constructor'));
  return names;
}

const STATUSES: readonly unknown[] = ['not-applicable', 'approved', 'denied', 'user-approval'];

/** As the names in `interruptOn` are checked. */
function checkNames(names: readonly string[], tools: ToolSet, place: string, unknownTools: string | undefined): void {
  try {
    const { unknown } = interruptPlan(underAllNames(tools), names, unknownTools);
    warnUnknown(unknown, { place, tools, option: `${place}: toolApproval` });
  } catch (error) {
    if (!UnknownToolError.isInstance(error)) throw error;
    const { toolName, nearest } = error;
    // A typo leaves its tool open, so that nothing but its correction is advised.
    const advice =
      nearest === null
        ? ". Correct it, or set unknownTools to 'ignore'."
        : `: did you mean ${JSON.stringify(nearest)}? Correct it.`;
    const message = `${place}: toolApproval names ${JSON.stringify(toolName)}, but there is no such tool${advice}`;
    throw new UnknownToolError({ message, toolName, nearest });
  }
}
