import type { ToolSet } from 'ai';
import type { InterruptOn, PolicyInput } from '../../index.js';
import { warnUnknown } from '../ai-sdk/warnings.js';
import { interruptPlan } from '../native.js';
import { Policies } from '../policy/policies.js';

/** Has mistakes in a configuration told when an agent is made, not in the middle of a run. @throws as createDeepAgent */
export function checkRules({
  tools,
  interruptOn,
  policy,
  root,
}: {
  tools: ToolSet;
  interruptOn: InterruptOn | undefined;
  policy: PolicyInput | readonly PolicyInput[] | undefined;
  root: string;
}): void {
  warnUnknown(interruptPlan(tools, interruptOn, undefined).unknown);
  if (policy !== undefined) void new Policies({ policy, files: 'none', place: { cwd: root } }, 'createDeepAgent');
}
