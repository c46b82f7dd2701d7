/** What became of one call, in each of the ways a call of a tool goes through this package. */
import * as ai from 'ai';
import { tool, type ToolSet } from 'ai';
import { z } from 'zod';
import type { ApprovalAnswer, ApprovalRequest, PolicyEffect, RunOptions } from '../../index.js';
import { gateTools, streamWithEvents, toolApproval } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted, type ModelTurn } from '../support/model.js';

export type Gating = Pick<
  RunOptions<ToolSet>,
  'interruptOn' | 'gate' | 'policy' | 'approvalTimeout' | 'runId' | 'logger' | 'unknownTools'
>;

type Answer = (request: ApprovalRequest) => ApprovalAnswer | PromiseLike<ApprovalAnswer>;

interface Loop {
  turns: ModelTurn[];
  tools: ToolSet;
  gating: Gating & { onApprovalRequest?: Answer };
}

const messages = [{ role: 'user', content: 'go' }];
const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 5;

/** Ways that wait for the answer inside of the call. */
export const ways: [name: string, loop: (loop: Loop) => Promise<unknown>][] = [
  [
    'streamWithEvents',
    ({ turns, tools, gating }) =>
      collect(streamWithEvents({ model: scripted(turns).model, messages, tools, ...gating } as never)),
  ],
  [
    'streamWithEvents with an agent',
    ({ turns, tools, gating }) => {
      const agent = new ai.ToolLoopAgent({ model: scripted(turns).model, tools } as never);
      return collect(streamWithEvents({ agent, messages, ...gating } as never));
    },
  ],
  [
    'gateTools',
    ({ turns, tools, gating }) =>
      ai.generateText({
        model: scripted(turns).model,
        messages,
        stopWhen,
        tools: gateTools(tools, gating as never),
      } as never),
  ],
  ...((major === 7
    ? [
        [
          'toolApproval',
          ({ turns, tools, gating }: Loop) =>
            ai.generateText({
              model: scripted(turns).model,
              messages,
              stopWhen,
              tools,
              toolApproval: toolApproval(gating as never),
            } as never),
        ],
      ]
    : []) as [string, (loop: Loop) => Promise<unknown>][]),
];

export interface Became {
  effect: PolicyEffect;
  asked: ApprovalRequest[];
  ran: unknown[];
}

/** Makes one call of a tool of any name and says whether it ran unasked, was asked about, or neither. */
export async function became(
  [, loop]: (typeof ways)[number],
  { toolName, args }: { toolName: string; args: unknown },
  gating: Gating,
  answer: Answer = () => false,
): Promise<Became> {
  const ran: unknown[] = [];
  const asked: ApprovalRequest[] = [];
  const tools: ToolSet = {
    [toolName]: tool({ inputSchema: z.looseObject({}), execute: async (args: unknown) => void ran.push(args) }),
  };
  const onApprovalRequest: Answer = (request) => {
    asked.push(request);
    return answer(request);
  };
  await loop({
    turns: [calls(call(toolName, args, 'c1')), says('.')],
    tools,
    gating: { ...gating, onApprovalRequest },
  });
  return { effect: asked.length > 0 ? 'ask' : ran.length > 0 ? 'allow' : 'deny', asked, ran };
}
