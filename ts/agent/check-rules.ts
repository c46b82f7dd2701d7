import type { ToolSet } from 'ai';
import type { InterruptOn, PolicyInput } from '../../index.js';
import { planFor } from '../ai-sdk/plan.js';
import { InvalidConfigError } from '../errors/index.js';
import { Policies } from '../policy/policies.js';

/** Has mistakes in a configuration told when an agent is made, not in the middle of a run. @throws as createDeepAgent */
export function checkRules({
  tools,
  interruptOn,
  policy,
  maxSteps,
  root,
}: {
  tools: ToolSet;
  interruptOn: InterruptOn | undefined;
  policy: PolicyInput | readonly PolicyInput[] | undefined;
  maxSteps: number | undefined;
  root: string;
}): void {
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw new InvalidConfigError({
      message: `createDeepAgent: maxSteps must be a whole number above 0, not ${String(maxSteps)}.`,
    });
  }
  const place = 'createDeepAgent';
  planFor({ tools, interruptOn, unknownTools: undefined, place, judgesAll: policy !== undefined });
  if (policy !== undefined) void new Policies({ policy, files: 'none', place: { cwd: root } }, place);
}
