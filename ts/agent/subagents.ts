/** The agents that an agent may start, each with all that its run needs. */
import type { LanguageModel, ToolSet } from 'ai';
import type { BuiltinToolName, Subagent, TaskAgent } from '../../agent.js';
import type { InterruptOn } from '../../index.js';
import { isQuestionTool } from '../ai-sdk/tools/questions.js';
import { takeTools, type FixedTools } from '../ai-sdk/tools/tool-set.js';
import { InvalidConfigError } from '../errors/index.js';
import { toldName, toldValue } from '../errors/told-value.js';
import { takeNeeded } from '../options/check.js';
import { checkList } from '../options/names.js';
import { approvalNote } from './describe-approvals.js';
import { checkRules } from './check-rules.js';
import { systemPromptOf } from './prompt.js';
import { taskToolOf } from './tools/task.js';
import { withoutUndefined } from '../values/without-undefined.js';

/** What all agents of one main agent share. */
export interface AgentFamily {
  readonly root: string;
  readonly maxResultCharacters: number;
  readonly describeApprovals: boolean;
  readonly fixed: FixedTools;
  /** All built-in tools but `task`, which each agent has of its own. */
  readonly builtins: Readonly<Record<Exclude<BuiltinToolName, 'task'>, ToolSet[string]>>;
}

/** An agent, as far as those that it starts have something of it. */
export interface AgentStarter {
  readonly model: LanguageModel;
  /** What was given to it, beside the built-in tools. */
  readonly tools: ToolSet;
  /** What it and those that started it must ask about. */
  readonly interruptOn: readonly (InterruptOn | undefined)[];
  /** Whether something else can ask as well. */
  readonly rules: boolean;
  /** The subagents that led to it. */
  readonly path: readonly Subagent[];
}

type BuiltinName = Exclude<BuiltinToolName, 'ask_user'>;

/** @throws {InvalidConfigError} */
export function taskAgents(subagents: readonly Subagent[], starter: AgentStarter, house: AgentFamily): TaskAgent[] {
  return subagents.map((subagent) => taskAgentOf(subagent, starter, house));
}

function taskAgentOf(given: Subagent, starter: AgentStarter, house: AgentFamily): TaskAgent {
  const subagent = takeNeeded('subagent', given, `createDeepAgent: the subagent ${toldName(given)}`);
  const { name, description, model = starter.model, interruptOn, policy, maxSteps, subagents = [] } = subagent;
  checkList(subagent.subagents, `createDeepAgent: the subagent ${toldValue(name)}`, 'subagents');
  const wrong = (what: string) =>
    new InvalidConfigError({ message: `createDeepAgent: the subagent ${toldValue(name)} ${what}` });
  if (typeof name !== 'string' || name.trim() === '') throw wrong('must have a name.');
  if (typeof description !== 'string' || description.trim() === '')
    throw wrong('must have a description: the model chooses by it.');
  if (starter.path.includes(given)) throw wrong('would start itself without end.');
  const whose = `the subagent ${JSON.stringify(name)}`;
  const place = `createDeepAgent: ${whose}`;
  const ownTools =
    subagent.tools === undefined ? withoutQuestions(starter.tools) : takeTools(subagent.tools, place, house.fixed);
  const own: AgentStarter = {
    model,
    tools: ownTools,
    interruptOn: [...starter.interruptOn, interruptOn],
    rules: starter.rules || policy !== undefined,
    path: [...starter.path, given],
  };
  const builtinTools = checkedNames(subagent.builtinTools, DEFAULT_BUILTINS, whose);
  if (subagents.length === 0 && builtinTools.includes('task')) throw wrong('has task, but no subagents to start.');
  const tools: ToolSet = {
    ...pick(house.builtins, builtinTools, whose),
    ...(subagents.length === 0 ? {} : { task: taskTool(taskAgents(subagents, own, house), house) }),
    ...ownTools,
  };
  checkRules({ tools, builtins: house.builtins, above: [starter.tools], interruptOn, policy, root: house.root, place });
  const approvals = house.describeApprovals ? approvalNote(tools, own.interruptOn, own.rules) : '';
  return withoutUndefined({
    name,
    description,
    model,
    systemPrompt: systemPromptOf({
      own: subagent.systemPrompt,
      root: house.root,
      toolNames: Object.keys(tools),
      isSubagent: true,
      approvals,
    }),
    tools,
    interruptOn,
    policy,
    maxSteps,
  });
}

export const taskTool = (subagents: readonly TaskAgent[], { maxResultCharacters }: AgentFamily): ToolSet[string] =>
  taskToolOf({ subagents, maxResultCharacters }, 'createDeepAgent');

/** What an agent has that neither starts others nor asks the human. */
export const DEFAULT_BUILTINS: readonly BuiltinName[] = [
  'ls',
  'read_file',
  'write_file',
  'edit_file',
  'glob',
  'grep',
  'execute',
  'write_todos',
];

/** The usual ones where no names are given. @throws {InvalidConfigError} for what is no list: `null` is not all of them */
export function checkedNames<NAME extends BuiltinToolName>(
  given: readonly NAME[] | undefined,
  usual: readonly NAME[],
  whose: string,
): readonly NAME[] {
  if (given === undefined) return usual;
  if (Array.isArray(given)) return given;
  throw new InvalidConfigError({
    message: `createDeepAgent: builtinTools of ${whose} must be a list of names, and without it they are the usual ones.`,
  });
}

/** The built-in tools of these names, but for `task`. @throws {InvalidConfigError} */
export function pick(builtins: AgentFamily['builtins'], names: readonly BuiltinToolName[], whose: string): ToolSet {
  const picked = names
    .filter((name) => name !== 'task')
    .map((name) => {
      if (!Object.hasOwn(builtins, name))
        throw new InvalidConfigError({
          message: `createDeepAgent: builtinTools of ${whose}: there is no ${JSON.stringify(name)}. Name some of ${Object.keys(builtins).join(', ')}.`,
        });
      return [name, builtins[name]] as const;
    });
  return Object.fromEntries(picked);
}

/** Only the main agent asks the human. */
const withoutQuestions = (tools: ToolSet): ToolSet =>
  Object.fromEntries(Object.entries(tools).filter(([, tool]) => !isQuestionTool(tool)));
