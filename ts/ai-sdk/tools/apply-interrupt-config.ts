/** `interruptOn` as the `needsApproval` of the tools themselves. */
import type { Tool, ToolSet } from 'ai';
import type * as Api from '../../../index.js';
import type { InterruptOn, InterruptOptions } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import * as native from '../../native.js';
import type { Gating, InterruptPlan } from '../../native.js';
import { isByName } from '../../gate/judge.js';
import { readable, takeOptions } from '../../options/check.js';
import { isCaller, keepBound } from './callers.js';
import { requireSdk } from '../sdk/installed.js';
import { otherNames } from './named-by-server.js';
import { planFor, warnUngated } from './plan.js';
import { isRunByProvider, warnProviderRuns } from './provider-tools.js';
import { takeValue } from '../../options/plain.js';
import { refuseForAll } from './interrupt-for-all.js';
import { takeTools } from './tool-set.js';
import { inTime } from '../../values/in-time.js';
import { isThenable } from '../../values/awaitable.js';
import {
  copyTool,
  copyToolSet,
  define,
  entryOf,
  handedOut,
  ownApproval,
  ownTool,
  type ExecuteOptions,
} from './tools.js';

const PLACE = 'applyInterruptConfig';

/** @see types/ */
export const applyInterruptConfig: typeof Api.applyInterruptConfig = (tools, interruptOn, options) => {
  requireSdk(PLACE, applyInterruptConfig);
  const { unknownTools } = takeOptions(PLACE, options) ?? {};
  checkConfigured(PLACE, interruptOn);
  const own = tools === undefined ? undefined : takeTools(tools, PLACE);
  const config = taken(interruptOn as InterruptOn | undefined, PLACE);
  const planned = { tools: own ?? {}, interruptOn: config, unknownTools, place: PLACE, judgesAll: false };
  const plan = planFor(planned);
  warnUngated(plan, planned);
  if (own === undefined) return tools;
  const applied = keepBound(own, applyPlan(own, config, plan));
  refusePast(applied);
  return handedOut(applied, own);
};

/**
 * A tool that calls others has their `execute` alone: calls on that way skip their `needsApproval`.
 *
 * @throws {InvalidConfigError}
 */
function refusePast(tools: ToolSet): void {
  const names = Object.getOwnPropertyNames(tools);
  const asks = names.filter((name) => Boolean(ownApproval(tools[name] as Tool)));
  for (const caller of names.filter((name) => isCaller(ownTool(tools, name)))) {
    const past = asks.find((name) => name !== caller);
    if (past === undefined) continue;
    throw new InvalidConfigError({
      message: `${PLACE}: the tool ${JSON.stringify(caller)} may call other tools itself, and ${JSON.stringify(past)} would run unasked then, since the AI SDK asks about the calls of the model alone. Use gateTools(tools, { interruptOn, … }) or streamWithEvents({ tools, interruptOn, … }), which ask about both.`,
    });
  }
}

/** @see types/ */
export const hasApprovalTools: typeof Api.hasApprovalTools = (interruptOn) => {
  checkConfigured('hasApprovalTools', interruptOn);
  const config = taken(interruptOn, 'hasApprovalTools');
  refuseForAll(config);
  return native.hasApprovalTools(config);
};

const taken = <T>(interruptOn: T, place: string): T =>
  readable(place, () => takeValue(interruptOn, `${place}: interruptOn`));

/** What was read from a misspelt place would leave all tools open. */
function checkConfigured(place: string, interruptOn: unknown): void {
  if (interruptOn === undefined)
    throw new InvalidConfigError({
      message: `${place}: interruptOn is undefined, so nothing would be gated. Set it, or pass 'none' if that is meant.`,
    });
}

/** The tools with `needsApproval` as the plan for them says. */
export function applyPlan<TOOLS extends ToolSet>(
  tools: TOOLS,
  interruptOn: InterruptOn | undefined,
  plan: InterruptPlan,
): TOOLS {
  // The maker of the plan has told of the unknown.
  const { tools: marked } = native.applyInterruptConfig(tools, interruptOn, 'ignore');
  const applied = marked === tools ? copyToolSet(tools) : marked;
  const others = otherNames(tools);
  for (const [name, gating] of plan.tools) {
    const { action, entry } = gating;
    const tool = ownTool(tools, name);
    if (tool !== undefined && (others.has(name) || action === 'judge'))
      define(applied, name, markedTool(tool, gating, interruptOn));
    if (action === 'allow' || entry === null || !isRunByProvider(tool)) continue;
    // An entry of its name is a wish that cannot be met; one for all tools means those that can be asked about.
    if (isByName(gating)) warnProviderRuns(name);
    else define(applied, name, tool);
  }
  return applied;
}

/**
 * Its `shouldApprove` as it is read everywhere: what is neither `true` nor `false`, fails or takes too long asks. The AI SDK would run the
 * tool where nothing is returned, and end its own run by an error.
 */
function askedBy(entry: InterruptOptions | undefined): true | ((input: unknown, options: ExecuteOptions) => unknown) {
  const predicate: unknown = entry?.shouldApprove;
  if (typeof predicate !== 'function') return true;
  return (input, options) => {
    try {
      const answer: unknown = Reflect.apply(predicate, entry, [input, options]);
      if (!isThenable(answer)) return answer !== false;
      return inTime(answer, options?.abortSignal).then(
        (said) => said !== false,
        () => true,
      );
    } catch {
      return true;
    }
  };
}

/** A tool that goes by another name than that of its set. */
function markedTool(tool: Tool, gating: Gating, interruptOn: InterruptOn | undefined): Tool {
  switch (gating.action) {
    case 'ask':
      return copyTool(tool, { needsApproval: true });
    case 'judge':
      return copyTool(tool, { needsApproval: askedBy(entryOf(interruptOn, gating.entry)) });
    case 'allow':
      return isByName(gating) && Boolean(tool.needsApproval) ? copyTool(tool, { needsApproval: false }) : tool;
    case 'own':
      return tool;
  }
}
