/** Calls of tools one by one, as a loop of ours makes them. */
import type { ToolSet } from 'ai';
import type { FileChange, ToolActivity } from '../../index.js';
import { withCallContext, type CallContext } from '../../ts/ai-sdk/tools/call-context.js';

export interface CallOptions {
  /** The files as a human saw them who approved the call. */
  changes?: Pick<FileChange, 'path' | 'before'>[];
  abortSignal?: AbortSignal;
  /** Whether the loop is another. @default false */
  elsewhere?: boolean;
}

export function callsOf(tools: object) {
  const told: ToolActivity[] = [];
  const run = async (name: string, input: object, { changes, abortSignal, elsewhere }: CallOptions = {}) => {
    const { execute } = (tools as ToolSet)[name] ?? {};
    if (execute === undefined) throw new Error(`${name} cannot be executed`);
    const options = { toolCallId: 'c1', messages: [], abortSignal };
    const approved = changes === undefined ? undefined : { approvalId: 'a1', changes: changes as FileChange[] };
    const emit = (event: ToolActivity) => void told.push(event);
    const context = { toolCallId: 'c1', runId: 'r1', origin: ['main'], approved, emit };
    return (await execute(
      input,
      (elsewhere === true
        ? options
        : withCallContext(options, context as Partial<CallContext> as CallContext)) as never,
    )) as string;
  };
  return { run, told };
}
