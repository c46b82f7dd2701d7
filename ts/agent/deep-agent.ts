/** An agent on the loop of `streamWithEvents`, with tools of ours. */
import { realpathSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import type { ToolSet } from 'ai';
import type {
  Backend,
  BuiltinToolName,
  BuiltinTools,
  DeepAgent,
  DeepAgentOptions,
  DeepAgentRunOptions,
  Subagent,
} from '../../agent.js';
import type { AgentRun, Gate, GateToolsOptions, InterruptOn } from '../../index.js';
import { gateTools } from '../ai-sdk/gating/gate-tools.js';
import { checkInstalled, requireSdk } from '../ai-sdk/sdk/installed.js';
import { ALWAYS_THERE, isQuestionTool } from '../ai-sdk/tools/questions.js';
import { resume } from '../ai-sdk/stream/resume.js';
import { streamWithEvents } from '../ai-sdk/stream/stream-with-events.js';
import { takeTools } from '../ai-sdk/tools/tool-set.js';
import { InvalidConfigError } from '../errors/index.js';
import { localGate } from '../gate/gate.js';
import { readable, takeNeeded } from '../options/check.js';
import { checkFlag, checkList } from '../options/names.js';
import { checkRules } from './check-rules.js';
import { DeepRun } from './deep-run.js';
import { approvalNote, hasRules } from './describe-approvals.js';
import { systemPromptOf } from './prompt.js';
import { checkedNames, pick, taskAgents, taskTool, type AgentFamily, type AgentStarter } from './subagents.js';
import { rejectionsOf } from '../gate/rejections.js';
import { runReviewer } from '../gate/reviewer/run-reviewer.js';
import { createAskUserTool } from './tools/ask-user.js';
import { confinementOf } from './confinement.js';
import { backendTools, settingsOf } from './tools/backend-tools.js';
import { createTodosTool } from './tools/write-todos.js';
import { withoutUndefined } from '../values/without-undefined.js';

const PLACE = 'createDeepAgent';
const MAX_STEPS = 100;
const GENERAL_PURPOSE = 'general-purpose';

/** @see agent.d.ts */
export function createDeepAgent<TOOLS extends ToolSet = {}>(options: DeepAgentOptions<TOOLS>): DeepAgent<TOOLS>;
export function createDeepAgent(given: DeepAgentOptions<ToolSet>): DeepAgent<ToolSet> {
  checkInstalled(PLACE);
  const options = takeNeeded(PLACE, given);
  checkList(options.subagents, PLACE, 'subagents');
  checkFlag(options.generalPurposeAgent, PLACE, 'generalPurposeAgent');
  checkFlag(options.describeApprovals, PLACE, 'describeApprovals');
  const { model, gate, policy, reviewer, maxSteps = MAX_STEPS, repeatedRejections = 'answer', logger } = options;
  rejectionsOf(repeatedRejections, undefined, PLACE);
  if (model === undefined) throw new InvalidConfigError({ message: `${PLACE}: model must be given.` });
  const { backend, maxResultCharacters } = settingsOf(options, PLACE);
  if (gate !== undefined) checkPlace(gate, backend);
  runReviewer({ reviewer: gate === undefined ? undefined : localGate(gate, PLACE).reviewer }, reviewer, PLACE);
  const confinement = confinementOf(options, backend, PLACE);
  const house: AgentFamily = {
    root: backend.root,
    maxResultCharacters,
    describeApprovals: options.describeApprovals ?? true,
    fixed: new WeakMap(),
    builtins: {
      ...backendTools({ backend, maxResultCharacters, confinement }),
      write_todos: createTodosTool(),
      ask_user: Object.assign(createAskUserTool(), { [ALWAYS_THERE]: true }),
    },
  };
  const interruptOn = options.interruptOn as InterruptOn | undefined;
  const own: ToolSet = options.tools === undefined ? {} : takeTools(options.tools, PLACE, house.fixed);
  const rules = hasRules(policy, gate, PLACE);
  const tools = toolsOf(options, { model, tools: own, interruptOn: [interruptOn], rules, path: [] }, house);
  checkRules({ tools, builtins: house.builtins, interruptOn, policy, root: backend.root });
  const promptFor = (toolNames: readonly string[]): string =>
    systemPromptOf({
      own: options.systemPrompt,
      root: backend.root,
      toolNames,
      isSubagent: false,
      approvals: house.describeApprovals ? approvalNote(tools, [interruptOn], rules) : '',
    });
  const system = promptFor(Object.keys(tools));
  // Without anyone to answer questions, the model cannot ask any.
  const withoutQuestions = promptFor(
    Object.entries(tools).flatMap(([name, tool]) => (isQuestionTool(tool) ? [] : [name])),
  );
  const place = { cwd: backend.root };
  const settings = withoutUndefined({
    model,
    tools,
    interruptOn,
    policy,
    reviewer,
    maxSteps,
    repeatedRejections,
    logger,
    ...(gate === undefined ? { place } : { gate }),
  });
  const settingsFor = (run: Pick<RunOptions, 'onQuestion' | 'maxSteps'>): object => ({
    ...settings,
    ...stepsOf(run),
    // AI SDK 7 takes it by this name as well.
    system: gate === undefined && run.onQuestion === undefined ? withoutQuestions : system,
  });
  const start = (run: RunOptions) => streamWithEvents({ ...run, ...settingsFor(run) } as never) as AgentRun<AgentTools>;
  const rulesOfTools = withoutUndefined({
    interruptOn,
    policy,
    reviewer,
    logger,
    ...(gate === undefined ? { place } : { gate }),
  });
  let handedOut: AgentTools | undefined;
  // Their caller is in another loop: what this agent asks about is asked about there as well.
  const handOut = (): AgentTools => {
    requireSdk('agent.tools', handOut);
    return (handedOut ??= gatedAlone(tools, rulesOfTools) as AgentTools);
  };
  const agent: Omit<DeepAgent<ToolSet>, 'tools'> = {
    systemPrompt: system,
    streamWithEvents: (given) => {
      const run = takeRun(given, 'streamWithEvents');
      return new DeepRun(start(run), promptOf(run));
    },
    generate: async (run) => start(takeRun(run, 'generate')).result,
    resume: (given) => {
      const run = takeNeeded('agent.resume', given);
      return new DeepRun(resume({ ...run, ...settingsFor(run) } as never) as AgentRun<AgentTools>, undefined);
    },
  };
  return Object.defineProperty(agent, 'tools', {
    get: handOut,
    enumerable: true,
    configurable: true,
  }) as DeepAgent<ToolSet>;
}

type AgentTools = BuiltinTools & ToolSet;
type RunOptions = DeepAgentRunOptions<AgentTools>;

/** The tools of the main agent: its own take the place of built-in ones. */
function toolsOf(options: DeepAgentOptions<ToolSet>, starter: AgentStarter, house: AgentFamily): ToolSet {
  const { builtinTools, generalPurposeAgent = true } = options;
  const names = checkedNames(builtinTools, [...Object.keys(house.builtins), 'task'] as BuiltinToolName[], 'the agent');
  const builtins = pick(house.builtins, names, 'the agent');
  if (!names.includes('task')) {
    if ((options.subagents ?? []).length === 0) return { ...builtins, ...starter.tools };
    throw new InvalidConfigError({ message: `${PLACE}: builtinTools must have 'task' to start the subagents.` });
  }
  const subagents = [...(options.subagents ?? [])];
  const hasOne = readable(`${PLACE}: subagents`, () => subagents.some((each) => each?.name === GENERAL_PURPOSE));
  if (generalPurposeAgent && !hasOne) subagents.push(generalPurpose(names, options.systemPrompt));
  if (subagents.length === 0 && builtinTools === undefined) return { ...builtins, ...starter.tools };
  return { ...builtins, task: taskTool(taskAgents(subagents, starter, house), house), ...starter.tools };
}

/** It is the agent itself, but for what only the main agent does. */
const generalPurpose = (names: readonly BuiltinToolName[], systemPrompt: string | undefined): Subagent => ({
  name: GENERAL_PURPOSE,
  description: 'For any part of the work: it has the same tools as you, but for task and questions.',
  ...(systemPrompt === undefined ? {} : { systemPrompt }),
  builtinTools: names.filter((name) => name !== 'ask_user' && name !== 'task'),
});

/** Tools that keep to these rules in any loop. */
function gatedAlone(tools: ToolSet, rules: GateToolsOptions<ToolSet>): ToolSet {
  // A question runs nothing; without a gate no one can answer it.
  const isAsked = (tool: ToolSet[string]) => rules.gate !== undefined || !isQuestionTool(tool);
  const gated: ToolSet = Object.fromEntries(Object.entries(tools).filter(([, tool]) => isAsked(tool)));
  return Object.freeze({ ...tools, ...gateTools(gated, rules) });
}

/** What is shown and judged must be what is written. @throws {InvalidConfigError} */
function checkPlace(gate: Gate, { root }: Backend): void {
  const { cwd } = localGate(gate, PLACE).control;
  if (resolvePath(cwd) === resolvePath(root) || realPath(cwd) === realPath(root)) return;
  throw new InvalidConfigError({
    message:
      `${PLACE}: the gate's place.cwd is ${cwd}, but files are below ${root}. ` +
      `Make it with createGate({ place: { cwd: ${JSON.stringify(root)} } }).`,
  });
}

/** Of a folder on this machine. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function takeRun(given: RunOptions, method: string): RunOptions {
  const run = takeNeeded('agent.streamWithEvents', given, `agent.${method}`);
  const { prompt, messages } = run as { prompt?: unknown; messages?: unknown };
  if ((typeof prompt === 'string') !== Array.isArray(messages)) return run;
  throw new InvalidConfigError({ message: 'Give the run of the agent either a prompt or messages.' });
}

/** Of this run alone. */
const stepsOf = ({ maxSteps }: { maxSteps?: number }): { maxSteps?: number } =>
  maxSteps === undefined ? {} : { maxSteps };

/** What the run is given to do; `undefined`: nothing new. */
function promptOf({ prompt, messages }: RunOptions): string | undefined {
  if (prompt !== undefined) return prompt;
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  if (typeof last.content === 'string') return last.content;
  return last.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
