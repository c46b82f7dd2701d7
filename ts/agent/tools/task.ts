import type { TaskAgent, BuiltinTools } from '../../../agent.js';
import type { RunResult } from '../../../index.js';
import { callContextOf } from '../../ai-sdk/tools/call-context.js';
import { requireSdk } from '../../ai-sdk/sdk/installed.js';
import { planFor } from '../../ai-sdk/tools/plan.js';
import { refuseQuestions } from '../../ai-sdk/tools/questions.js';
import { streamWithEvents } from '../../ai-sdk/stream/stream-with-events.js';
import { takeTools, type FixedTools } from '../../ai-sdk/tools/tool-set.js';
import { TASK } from '../../ai-sdk/tools/tools.js';
import { CountersignError, InvalidConfigError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import { toldName } from '../../errors/told-value.js';
import { takeNeeded } from '../../options/check.js';
import { checkList } from '../../options/names.js';
import { Policies } from '../../policy/policies.js';
import { cutMiddle } from '../cut.js';
import { choice, inputSchema, object, text } from '../schema.js';
import { mostOf } from './backend-tools.js';
import { withoutUndefined } from '../../values/without-undefined.js';

const MAX_STEPS = 20;

interface TaskToolOptions {
  subagents: readonly TaskAgent[];
  description?: string;
  maxResultCharacters?: number | undefined;
}

/** @see agent.d.ts */
export function createTaskTool(options: {
  subagents: readonly TaskAgent[];
  description?: string;
  maxResultCharacters?: number;
}): BuiltinTools['task'] {
  requireSdk('createTaskTool', createTaskTool);
  return taskToolOf(takeNeeded('createTaskTool', options), 'createTaskTool');
}

/** @param place what the user called, for messages */
export function taskToolOf(
  { subagents, description, maxResultCharacters }: TaskToolOptions,
  place: string,
): BuiltinTools['task'] {
  checkList(subagents ?? null, place, 'subagents');
  const agents = agentsByName(subagents, place);
  const most = mostOf(maxResultCharacters, place);
  const names = [...agents.keys()];
  const tool = {
    description: description ?? describe(subagents),
    inputSchema: inputSchema<{ description: string; subagent_type: string }>(
      object({
        description: text('The whole task: it knows nothing but this. Say what it is to do and what to report.'),
        subagent_type: choice(names, 'Which agent.'),
      }),
    ),
    execute: async (
      { description: task, subagent_type: name }: { description: string; subagent_type: string },
      options: { toolCallId: string; abortSignal?: AbortSignal },
    ) => {
      const agent = agents.get(name);
      if (agent === undefined)
        throw new InvalidConfigError({
          message: `There is no agent ${JSON.stringify(name)}: name one of ${names.join(', ')}.`,
        });
      return cutMiddle(
        await run(agent, task, options),
        most,
        ({ characters }) =>
          `${characters} characters are left out. To have them, start it again and ask for less at once`,
      );
    },
    [TASK]: [...agents.values()].flatMap(({ tools }) => (tools === undefined ? [] : [tools])),
  };
  return tool as BuiltinTools['task'];
}

async function run(
  { name, model, systemPrompt, tools = {}, interruptOn, policy, maxSteps = MAX_STEPS }: TaskAgent,
  task: string,
  parent: { toolCallId: string; abortSignal?: AbortSignal },
): Promise<string> {
  const context = callContextOf(parent);
  if (context === undefined) {
    throw new InvalidConfigError({
      message: 'The agent was not started: call task in streamWithEvents, or among tools that gateTools has wrapped.',
    });
  }
  const origin = [...context.origin, `task:${parent.toolCallId}`, name];
  try {
    const { result } = streamWithEvents({
      model,
      tools,
      // AI SDK 7 takes it by this name as well.
      system: systemPrompt,
      prompt: task,
      ...withoutUndefined({ interruptOn, policy }),
      maxSteps,
      origin,
      parent,
    });
    return reportOf(name, await result);
  } catch (error) {
    parent.abortSignal?.throwIfAborted();
    throw new CountersignError({
      code: 'ERR_SUBAGENT',
      message: `The agent ${name} failed: ${messageOf(error)}`,
      cause: error,
    });
  }
}

/** What it said last, and whether that was its end. */
function reportOf(name: string, { text, finishReason, steps }: RunResult): string {
  const why = finishReason === 'stop' ? undefined : (ENDS[finishReason] ?? `it ended with ${finishReason}`);
  if (text.trim() === '') {
    const more = why === undefined ? '' : `: ${why}`;
    return `[The agent ${name} ended after ${stepsOf(steps.length)} without a word${more}. Whether it did its task is unknown.]`;
  }
  return why === undefined ? text : `${text}\n[The agent ${name} did not come to its end: ${why}.]`;
}

const ENDS: Partial<Record<string, string>> = {
  'tool-calls': 'its steps were used up, or the human ended its turn',
  length: 'its answer was too long and was cut',
  'content-filter': 'a content filter stopped it',
};

const stepsOf = (count: number): string => (count === 1 ? 'one step' : `${count} steps`);

/** @throws {InvalidConfigError} */
function agentsByName(subagents: readonly TaskAgent[], called: string): Map<string, TaskAgent> {
  const wrong = (what: string) => new InvalidConfigError({ message: `${called}: ${what}` });
  if (subagents.length === 0) throw wrong('subagents must name at least one agent.');
  const agents = new Map<string, TaskAgent>();
  const fixed: FixedTools = new WeakMap();
  for (const given of subagents) {
    const whose = `${called}: the subagent ${toldName(given)}`;
    const agent = takeNeeded('createTaskTool: subagent', given, whose);
    const { name, interruptOn, policy } = agent;
    if (typeof name !== 'string' || name.trim() === '') throw wrong('each subagent must have a name.');
    if (agents.has(name)) throw wrong(`there are two subagents with the name ${JSON.stringify(name)}.`);
    const place = `${called}: the subagent ${name}`;
    const tools = agent.tools === undefined ? {} : takeTools(agent.tools, place, fixed);
    refuseQuestions(tools, place);
    if (policy !== undefined) void new Policies({ policy, files: 'none', place: undefined }, place);
    planFor({ tools, interruptOn, unknownTools: undefined, place, judgesAll: policy !== undefined });
    agents.set(name, { ...agent, tools });
  }
  return agents;
}

const describe = (subagents: readonly TaskAgent[]): string =>
  [
    'Starts another agent for a part of the work and gives its report. Several calls in one step run at the same time. There are:',
    ...subagents.map(({ name, description }) => `- ${name}: ${description}`),
  ].join('\n');
