import type { ToolSet } from 'ai';
import type { HostJudge } from '../gate/judge.js';
import { snapshot } from '../values/snapshot.js';
import type { CallOptions } from './sdk.js';
import { isRecord } from './tools.js';

/** The user's own `toolApproval` of AI SDK 7, as one more judge. */
export function hostJudgeOf(
  toolApproval: unknown,
  options: CallOptions,
  tools: ToolSet,
): { hostJudge?: HostJudge; hostJudges?: (toolName: string) => boolean } {
  const { toolsContext, runtimeContext } = options;
  if (typeof toolApproval === 'function') {
    return {
      hostJudges: () => true,
      hostJudge: ({ toolCallId, toolName, args, context }) =>
        toolApproval({
          toolCall: { type: 'tool-call', toolCallId, toolName, input: snapshot(args.value).value },
          tools,
          toolsContext,
          messages: context['messages'],
          runtimeContext,
        }) as unknown,
    };
  }
  if (!isRecord(toolApproval)) return {};
  return {
    hostJudges: (toolName) => Object.hasOwn(toolApproval, toolName) && toolApproval[toolName] != null,
    hostJudge: ({ toolCallId, toolName, args, context }) => {
      const status = toolApproval[toolName];
      if (typeof status !== 'function') return status;
      const { messages, context: toolContext } = context;
      return status(snapshot(args.value).value, { toolCallId, messages, toolContext, runtimeContext }) as unknown;
    },
  };
}
