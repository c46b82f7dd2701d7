/** `interruptOn` as the `needsApproval` of the tools themselves. */
import type { ToolSet } from 'ai';
import type * as Api from '../../index.js';
import type { InterruptOn } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import * as native from '../native.js';
import type { InterruptPlan } from '../native.js';
import { checkOptions } from '../options/check.js';
import { keepBound } from './callers.js';
import { requireSdk } from './installed.js';
import { planFor } from './plan.js';
import { isRunByProvider, warnProviderRuns } from './provider-tools.js';
import { define, ownTool } from './tools.js';

const PLACE = 'applyInterruptConfig';

/** @see index.d.ts */
export const applyInterruptConfig: typeof Api.applyInterruptConfig = (tools, interruptOn, options) => {
  requireSdk(PLACE);
  checkOptions(PLACE, options);
  checkConfigured(PLACE, interruptOn);
  const planned = { tools, interruptOn: interruptOn as InterruptOn, unknownTools: options?.unknownTools };
  const plan = planFor({ ...planned, place: PLACE, judgesAll: false });
  return keepBound(tools, applyPlan(planned, plan));
};

/** @see index.d.ts */
export const hasApprovalTools: typeof Api.hasApprovalTools = (interruptOn) => {
  checkConfigured('hasApprovalTools', interruptOn);
  return native.hasApprovalTools(interruptOn);
};

/** What was read from a misspelt place would leave all tools open. */
function checkConfigured(place: string, interruptOn: unknown): void {
  if (interruptOn === undefined)
    throw new InvalidConfigError({
      message: `${place}: interruptOn is undefined: pass 'none' where nothing is gated.`,
    });
}

/** The tools with `needsApproval` as the plan for them says. */
export function applyPlan<TOOLS extends ToolSet>(
  { tools, interruptOn, unknownTools }: { tools: TOOLS; interruptOn: InterruptOn | undefined; unknownTools?: string },
  plan: InterruptPlan,
): TOOLS {
  const { tools: applied } = native.applyInterruptConfig(tools, interruptOn, unknownTools);
  for (const [name, { action, entry }] of plan.tools) {
    const tool = ownTool(tools, name);
    if (action === 'allow' || entry === null || !isRunByProvider(tool)) continue;
    // An entry of its name is a wish that cannot be met; one for all tools means those that can be asked about.
    if (entry === name) warnProviderRuns(name);
    else if (applied !== tools) define(applied, name, tool);
  }
  return applied;
}
