/** What a run works with from the moment its options are known, which for an agent is when its first call is opened. */
import type { ToolSet } from 'ai';
import { approvedTool } from '../tools/approved-tool.js';
import { CallDecisions } from './decisions.js';
import { CheckedEdits } from '../../gate/edits.js';
import type { CallContext, CalledTool } from '../tools/call-context.js';
import { parseEdit } from '../tools/edited-args.js';
import { CallGuard, type GuardedExecution } from '../gating/guard.js';
import { guardTools } from '../gating/guarded-tools.js';
import { hostJudgeOf } from '../tools/host-judge.js';
import type { InheritedRules } from '../tools/inheritance.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { RunRequests } from './requests.js';
import type { RunOptions } from './run-options.js';
import type { CallOptions, LoadedSdk } from '../sdk/sdk.js';
import { isRecord, ownTool } from '../tools/tools.js';

export interface RunSetup {
  readonly sdk: LoadedSdk;
  /** The options as they were passed, with an agent's own filled in. */
  readonly callOptions: CallOptions;
  readonly guard: CallGuard;
  readonly decisions: CallDecisions;
  readonly requests: RunRequests;
}

export interface SetupOptions {
  run: RunOptions;
  sdk: LoadedSdk;
  callOptions: CallOptions;
  /** See the guard's option of this name. */
  alsoGuarded?: ReadonlySet<string> | undefined;
  /** What was said so far. */
  conversation: () => readonly unknown[];
  call: (call: CalledTool, inheritance: InheritedRules, execute: (context: CallContext) => unknown) => unknown;
  onExecuted: (executed: GuardedExecution) => void;
  onLost: (error: unknown) => void;
  tell: (event: OwnEvent) => void;
  /** Has the run look at its round. */
  wake: () => void;
}

export function setUp({
  run,
  sdk,
  callOptions,
  alsoGuarded,
  conversation,
  call,
  onExecuted,
  onLost,
  tell,
  wake,
}: SetupOptions): RunSetup {
  const { asker, signal, interruptOn } = run;
  const tools = (callOptions['tools'] ?? {}) as ToolSet;
  const guard: CallGuard = new CallGuard({
    tools,
    makeTools: guardTools,
    plan: run.plan(tools),
    interruptOn,
    asker,
    signal,
    alsoGuarded,
    toolCallers: callOptions['experimental_toolCallers'],
    inherited: run.parent?.inheritance,
    call: (called, execute) => call(called, guard.inheritance, execute),
    hostJudges: hostJudgeOf(callOptions['toolApproval'], callOptions, tools, {
      place: asker.place,
      unknownTools: run.unknownTools,
    }),
    onExecuted,
    onLost,
  });
  asker.conversation = conversation;
  const editsOf = (toolCallId: string, toolName: string) =>
    editsFor(toolCallId, toolName, sdk, callOptions, guard, run);
  const decisions = new CallDecisions({ asker, tell, decided: (record) => guard.showed(record), wake });
  const requests = new RunRequests({ asker, guard, decisions, signal, tell, editsOf });
  return { sdk, callOptions, guard, decisions, requests };
}

/** What an edit of this call must pass. */
function editsFor(
  toolCallId: string,
  toolName: string,
  sdk: LoadedSdk,
  callOptions: CallOptions,
  guard: CallGuard,
  { asker, signal }: Pick<RunOptions, 'asker' | 'signal'>,
): CheckedEdits {
  const refinements = callOptions['experimental_refineToolInput'];
  const edited = {
    toolName,
    inputSchema: ownTool(guard.tools, toolName)?.inputSchema,
    ai: async () => sdk.ai,
    refine: isRecord(refinements) && Object.hasOwn(refinements, toolName) ? refinements[toolName] : undefined,
  };
  return new CheckedEdits({
    toolName,
    parse: (written) => parseEdit(edited, written),
    judge: (args) => guard.judgeEdit(toolCallId, toolName, args),
    bound: (args) => {
      const tool = approvedTool(toolName, guard.toolOf(toolName));
      return asker.boundEdit({ ...tool, toolCallId, args, signal });
    },
  });
}

/** Whether the user wants a structured output. */
export function wantsOutput(callOptions: CallOptions): boolean {
  return (callOptions['output'] ?? callOptions['experimental_output']) !== undefined;
}
