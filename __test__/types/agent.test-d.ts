/** Checked by `tsc`: what a user of `countersign/agent` gets inferred, and what is an error. */
import { streamText, tool, type LanguageModel } from 'ai';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { Backend, BuiltinTools, DeepAgent } from '../../agent.js';
import type { AgentRun, Question, RunResult, Todo } from '../../index.js';
import {
  createAskUserTool,
  createBackendTools,
  createDeepAgent,
  createTaskTool,
  createTodosTool,
  describeApprovals,
} from '../../ts/agent/index.js';
import { gateTools, streamWithEvents } from '../../ts/index.js';

declare const model: LanguageModel;
declare const backend: Backend;

const tools = {
  deploy: tool({ inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => to.length }),
};
type All = BuiltinTools & typeof tools;

export async function agents(): Promise<void> {
  const agent = createDeepAgent({
    model,
    tools,
    backend,
    interruptOn: { deploy: { shouldApprove: ({ to }) => to === 'production' }, execute: true, '*': false },
    subagents: [{ name: 'reader', description: 'Reads.', builtinTools: ['ls', 'read_file'] }],
  });
  expectTypeOf(agent).toEqualTypeOf<DeepAgent<typeof tools>>();
  const run = agent.streamWithEvents({
    prompt: 'go',
    onApprovalRequest: (request) => {
      if (request.toolName === 'deploy') expectTypeOf(request.args).toEqualTypeOf<{ to: string }>();
      if (request.toolName === 'execute') expectTypeOf(request.args.command).toEqualTypeOf<string>();
      return true;
    },
    onQuestion: ({ args }) => {
      expectTypeOf(args.questions).toEqualTypeOf<Question[]>();
      return ['yes', null, ['a', 'b']];
    },
  });
  expectTypeOf(run).toEqualTypeOf<AgentRun<All>>();
  for await (const event of run) {
    if (event.type === 'todos-changed') expectTypeOf(event.todos).toEqualTypeOf<Todo[]>();
    if (event.type === 'text-segment') expectTypeOf(event.text).toEqualTypeOf<string>();
    if (event.type === 'tool-call' && event.dynamic !== true && event.toolName === 'write_file')
      expectTypeOf(event.args).toEqualTypeOf<{ file_path: string; content: string; description?: string }>();
  }
  expectTypeOf(await agent.generate({ messages: [] })).toEqualTypeOf<RunResult<All>>();
  expectTypeOf(agent.resume({ runId: 'r' })).toEqualTypeOf<AgentRun<All>>();
  expectTypeOf(createDeepAgent({ model })).toEqualTypeOf<DeepAgent>();

  // @ts-expect-error either a prompt or messages
  agent.streamWithEvents({ prompt: 'go', messages: [] });
  // @ts-expect-error one of them
  agent.streamWithEvents({});
  // @ts-expect-error the gate is that of the agent
  agent.streamWithEvents({ prompt: 'go', gate: undefined });
  // @ts-expect-error there is no such tool
  createDeepAgent({ model, tools, interruptOn: { deplyo: true } });
  // @ts-expect-error there is no such built-in tool
  createDeepAgent({ model, builtinTools: ['lss'] });
  // @ts-expect-error only the main agent asks
  createDeepAgent({ model, subagents: [{ name: 'a', description: 'b', builtinTools: ['ask_user'] }] });
  // @ts-expect-error a model is needed
  createDeepAgent({ tools });
}

/** The parts go with any loop. */
export function parts(): void {
  const own = {
    ...createBackendTools({ backend }),
    write_todos: createTodosTool(),
    ask_user: createAskUserTool(),
    task: createTaskTool({ subagents: [{ name: 'a', description: 'b', model, tools, interruptOn: ['deploy'] }] }),
  };
  expectTypeOf(own).toExtend<BuiltinTools>();
  streamWithEvents({ model, tools: own, prompt: 'go', interruptOn: { edit_file: true } });
  streamText({
    model,
    tools: gateTools(own, { interruptOn: ['execute'], onApprovalRequest: () => false }),
    prompt: 'go',
  });
  expectTypeOf(describeApprovals(own, { interruptOn: ['execute'] })).toEqualTypeOf<string>();
  // @ts-expect-error there is no such tool
  describeApprovals(own, { interruptOn: ['exec'] });
}
