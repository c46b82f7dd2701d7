/** What `interruptOn` means for tools, once it is known that they can be gated. */
import type { ToolSet } from 'ai';
import type { InterruptOn } from '../../index.js';
import { interruptPlan, type InterruptPlan } from '../native.js';
import { warnOnce } from '../errors/warn-once.js';
import { checkGateable, checkNoSlip } from './check-tools.js';
import type { Inheritance } from './inheritance.js';
import { executes, isTask, ownTool } from './tools.js';
import { warnUnknown } from './warnings.js';

export interface Planned {
  tools: ToolSet;
  interruptOn: InterruptOn | undefined;
  unknownTools: string | undefined;
  /** Who plans, for messages. */
  place: string;
  /** Whether something beside `interruptOn` judges every call. */
  judgesAll: boolean;
  /** What the run says that they are a part of. */
  inherited?: Inheritance | undefined;
}

/** @throws {UnknownToolError} @throws {InvalidConfigError} */
export function planFor({ tools, interruptOn, unknownTools, place, judgesAll, inherited }: Planned): InterruptPlan {
  const plan = interruptPlan(tools, interruptOn, unknownTools);
  warnUnknown(plan.unknown);
  for (const [name, { action }] of plan.tools) {
    const tool = ownTool(tools, name);
    checkNoSlip(tool, name, place);
    if (judgesAll || action !== 'allow' || inherited?.mayAskAbout(name) === true) checkGateable(tool, name, place);
  }
  return plan;
}

/** Warns where there are tools to run, and nothing at all can ask about any of them. */
export function warnUngated(plan: InterruptPlan, { tools, interruptOn, judgesAll, inherited, place }: Planned): void {
  if (judgesAll || interruptOn === 'none' || inherited?.asksAtAll === true) return;
  // What a tool does that starts other agents is theirs to ask about.
  if (!plan.tools.some(([name]) => executes(tools, name) && !isTask(ownTool(tools, name)))) return;
  if (plan.tools.some(([, { action }]) => action !== 'allow')) return;
  warnOnce(
    `ungated:${place}`,
    `${place}: nothing is gated, so that every tool runs unasked. Name tools in interruptOn or give a policy; interruptOn: 'none' says that it is meant.`,
  );
}
