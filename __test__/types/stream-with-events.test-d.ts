/** Checked by `tsc`: what a user gets inferred, and what is an error. */
import {
  ToolLoopAgent,
  tool,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type StepResult,
} from 'ai';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, AgentRun, ApprovalRequest, DecisionOutcome, DecisionType } from '../../index.js';
import { streamWithEvents } from '../../ts/index.js';

declare const model: LanguageModel;

const tools = {
  del: tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path.length }),
  move: tool({ inputSchema: z.object({ from: z.string(), to: z.string() }), execute: async () => true }),
};
type Tools = typeof tools;

export async function events(): Promise<void> {
  const run = streamWithEvents({ model, tools, prompt: 'go' });
  expectTypeOf(run).toEqualTypeOf<AgentRun<Tools>>();
  for await (const event of run) {
    expectTypeOf(event).toEqualTypeOf<AgentEvent<Tools>>();
    switch (event.type) {
      case 'text':
        expectTypeOf(event).toEqualTypeOf<{ type: 'text'; text: string; id: string }>();
        break;
      case 'tool-call':
        if (event.dynamic !== true && event.toolName === 'del')
          expectTypeOf(event.args).toEqualTypeOf<{ path: string }>();
        if (event.dynamic === true) expectTypeOf(event.args).toEqualTypeOf<unknown>();
        break;
      case 'approval-requested':
        expectTypeOf(event.toolName).toEqualTypeOf<'del' | 'move'>();
        if (event.toolName === 'move') expectTypeOf(event.args).toEqualTypeOf<{ from: string; to: string }>();
        expectTypeOf(event.allowedDecisions).toEqualTypeOf<readonly DecisionType[]>();
        expectTypeOf(event.expiresAt).toEqualTypeOf<number | null>();
        expectTypeOf(event.isAutomatic).toEqualTypeOf<boolean>();
        expectTypeOf(event.origin).toEqualTypeOf<readonly string[]>();
        break;
      case 'approval-response':
        expectTypeOf(event.approved).toEqualTypeOf<boolean>();
        expectTypeOf(event.decision).toEqualTypeOf<DecisionOutcome>();
        expectTypeOf(event.decidedBy).toEqualTypeOf<string>();
        break;
      case 'done':
        expectTypeOf(event.text).toEqualTypeOf<string>();
        expectTypeOf(event.messages).toEqualTypeOf<ModelMessage[]>();
        expectTypeOf(event.usage).toEqualTypeOf<LanguageModelUsage>();
        expectTypeOf(event.steps).toEqualTypeOf<StepResult<Tools>[]>();
        break;
      default:
        expectTypeOf(event.type).toBeString();
    }
  }
  const { text } = await run.result;
  expectTypeOf(text).toEqualTypeOf<string>();
}

export function theCallbackKnowsTheTools(): void {
  streamWithEvents({
    model,
    tools,
    prompt: 'go',
    onApprovalRequest: (request, { abortSignal }) => {
      expectTypeOf(abortSignal).toEqualTypeOf<AbortSignal>();
      if (request.toolName === 'del') expectTypeOf(request).toEqualTypeOf<ApprovalRequest<{ path: string }, 'del'>>();
      // @ts-expect-error there is no such tool
      void (request.toolName === 'delete');
      return { type: 'edit', args: { path: '/b' } };
    },
  });
  // Answers of other libraries are taken as they are.
  streamWithEvents({ model, tools, prompt: 'go', onApprovalRequest: () => ({ approved: false, reason: 'no' }) });
  streamWithEvents({
    model,
    tools,
    prompt: 'go',
    onApprovalRequest: () => ({ decision: 'override', overrideResult: 1, note: 'x' }),
  });
  streamWithEvents({ model, tools, prompt: 'go', onApprovalRequest: async () => ({ type: 'respond', output: 1 }) });
  // @ts-expect-error a word is no answer
  streamWithEvents({ model, tools, prompt: 'go', onApprovalRequest: () => 'yes' });
}

export function interruptOnKnowsTheTools(): void {
  streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all' });
  streamWithEvents({ model, tools, prompt: 'go', interruptOn: ['del'] });
  streamWithEvents({
    model,
    tools,
    prompt: 'go',
    interruptOn: {
      del: {
        shouldApprove: ({ path }) => path.length > 1,
        description: ({ args }) => args.path,
        allowedDecisions: ['approve'],
        timeout: 5,
      },
      move: true,
      '*': false,
    },
  });
  // @ts-expect-error a typo
  streamWithEvents({ model, tools, prompt: 'go', interruptOn: { dell: true } });
  // @ts-expect-error a typo
  streamWithEvents({ model, tools, prompt: 'go', interruptOn: ['dell'] });
  // @ts-expect-error not an argument of del
  streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: { shouldApprove: ({ file }) => file === '' } } });
  // @ts-expect-error not an answer that exists
  streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: { allowedDecisions: ['allow'] } } });
}

export function whatStreamTextTakes(): void {
  streamWithEvents({
    model,
    messages: [{ role: 'user', content: 'go' }],
    temperature: 0,
    maxRetries: 1,
    stopWhen: () => true,
  });
  // @ts-expect-error no model
  streamWithEvents({ prompt: 'go' });
  // @ts-expect-error not an option
  streamWithEvents({ model, prompt: 'go', onApprovalRequests: () => true });
}

export async function agents(): Promise<void> {
  const agent = new ToolLoopAgent({ model, tools });
  const run = streamWithEvents({ agent, prompt: 'go', interruptOn: { del: true } });
  expectTypeOf(run).toEqualTypeOf<AgentRun<Tools>>();
  const withOptions = new ToolLoopAgent({ model, tools, callOptionsSchema: z.object({ user: z.string() }) });
  streamWithEvents({ agent: withOptions, prompt: 'go', options: { user: 'ada' } });
  // @ts-expect-error the agent needs its options
  streamWithEvents({ agent: withOptions, prompt: 'go' });
  // @ts-expect-error the agent has its own tools
  streamWithEvents({ agent, prompt: 'go', tools });
  // @ts-expect-error a typo
  streamWithEvents({ agent, prompt: 'go', interruptOn: { dell: true } });
}
