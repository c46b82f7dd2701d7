/** What a model is told of approvals, so that it neither wonders why a call takes long nor makes a rejected one again. */
import type { Tool, ToolSet } from 'ai';
import type { Gate, InterruptOn, PolicyInput } from '../../index.js';
import { ADVICE } from '../ai-sdk/tools/approval-advice.js';
import { isQuestionTool } from '../ai-sdk/tools/questions.js';
import { planOf } from '../ai-sdk/tools/named-by-server.js';
import { takeTools } from '../ai-sdk/tools/tool-set.js';
import { ownTool } from '../ai-sdk/tools/tools.js';
import { runnerOf } from '../gate/confined-runner.js';
import { localGate } from '../gate/gate.js';
import type { Gating } from '../native.js';
import { Policies } from '../policy/policies.js';
import { takeNeeded } from '../options/check.js';

/** @see agent.d.ts */
export function describeApprovals<TOOLS extends ToolSet>(
  tools: TOOLS,
  options: { interruptOn?: InterruptOn<NoInfer<TOOLS>>; policy?: unknown; gate?: Gate },
): string {
  const { interruptOn, policy, gate } = takeNeeded('describeApprovals', options);
  if (policy !== undefined)
    void new Policies({ policy: policy as PolicyInput, files: 'none', place: undefined }, 'describeApprovals');
  return approvalNote(
    takeTools(tools, 'describeApprovals'),
    [interruptOn as InterruptOn | undefined],
    hasRules(policy, gate, 'describeApprovals'),
  );
}

/** Whether something beside `interruptOn` can ask. */
export function hasRules(policy: unknown, gate: Gate | undefined, place: string): boolean {
  return policy !== undefined || (gate !== undefined && localGate(gate, place).control.hasRules);
}

/** @param configurations that of an agent, and those of the agents that started it: each of them can ask */
export function approvalNote(
  tools: ToolSet,
  configurations: readonly (InterruptOn | undefined)[],
  rules: boolean,
): string {
  const asked = new Map<string, 'always' | 'sometimes'>();
  for (const configuration of configurations) {
    for (const [name, gating] of planOf(tools, configuration, 'ignore').tools) {
      const often = oftenAsked(gating, ownTool(tools, name));
      if (often !== undefined && asked.get(name) !== 'always') asked.set(name, often);
    }
  }
  const named = (often: string) => [...asked].filter(([, is]) => is === often).map(([name]) => name);
  const [always, sometimes] = [named('always'), named('sometimes')];
  if (asked.size === 0 && !rules) return '';
  return [
    ...(always.length > 0 ? [`Every call of ${always.join(', ')} needs the approval of a human before it runs.`] : []),
    ...(sometimes.length > 0 ? [`Some calls of ${sometimes.join(', ')} need the approval of a human.`] : []),
    ...(rules
      ? ['Rules say which calls of all tools need the approval of a human, and which may not run at all.']
      : []),
    ...(rules && runnerOf(ownTool(tools, 'execute')?.execute)?.runOf({}) !== undefined ? [CONFINED] : []),
    ...ADVICE,
  ].join('\n');
}

const CONFINED =
  'A command that nobody approves runs in a sandbox: it has no network, and writes only where it may. The rules may let more run so.';

function oftenAsked({ action }: Gating, tool: Tool | undefined): 'always' | 'sometimes' | undefined {
  // A question is no call to approve.
  if (tool === undefined || isQuestionTool(tool)) return undefined;
  switch (action) {
    case 'ask':
      return 'always';
    case 'judge':
      return 'sometimes';
    case 'own':
      return tool.needsApproval === true ? 'always' : tool.needsApproval ? 'sometimes' : undefined;
    case 'allow':
      return undefined;
  }
}
