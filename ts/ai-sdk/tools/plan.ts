/** What `interruptOn` means for tools, once it is known that they can be gated. */
import type { Tool, ToolSet } from 'ai';
import type { InterruptOn } from '../../../index.js';
import type { Gating, InterruptPlan } from '../../native.js';
import { UnknownToolError } from '../../errors/index.js';
import { warnOnce } from '../../errors/warn-once.js';
import type { CallAsker } from '../../gate/asker.js';
import { warnNobody } from '../../gate/human-asker.js';
import { isByName, type CallGating } from '../../gate/judge.js';
import { readable } from '../../options/check.js';
import type { CallableTool } from '../../policy/foreign.js';
import { refuseUnknown } from './callers.js';
import { checkGateable, checkNoSlip, checkSaid } from './check-tools.js';
import { isGatedBefore, refuseGatedBefore } from './gated-before.js';
import type { HostJudges } from './host-judge.js';
import type { InheritedRules } from './inheritance.js';
import { planOf, strictestGating, type ToolPlan } from './named-by-server.js';
import { checkPolicyNames } from './policy-names.js';
import { ALWAYS_THERE, isQuestionTool } from './questions.js';
import { executes, isRecord, isTask, ownTool } from './tools.js';
import { warnUnknown } from './warnings.js';

export interface PlanOptions {
  tools: ToolSet;
  interruptOn: InterruptOn | undefined;
  unknownTools: string | undefined;
  /** Who plans, for messages. */
  place: string;
  /** Whether something beside `interruptOn` judges every call. */
  judgesAll: boolean;
  /** Whether it can come to that later; as `judgesAll` where it is not said. */
  mayJudgeAll?: boolean;
  /** Whether the host's own `toolApproval` has a say about the tool. */
  hostJudges?: HostJudges | undefined;
  /** Whether they may be a part of the tools alone, as those of one step are: what is named in `interruptOn` may be among the others. */
  isPartial?: boolean;
  /** What the run says that they are a part of. */
  inherited?: InheritedRules | undefined;
  /** Whether that `interruptOn` is of those above, and this part has none of its own. */
  isInherited?: boolean | undefined;
}

/** A plan with which something begins. */
export interface StartedPlan extends PlanOptions {
  /** As `unknownTools`, for the names in its policies: these are its own, also where `interruptOn` is of those above. */
  unknownInPolicies: string | undefined;
}

/** @throws {UnknownToolError} @throws {InvalidConfigError} */
export function planFor(planned: PlanOptions): ToolPlan {
  const {
    tools,
    interruptOn,
    unknownTools,
    place,
    judgesAll,
    mayJudgeAll = judgesAll,
    hostJudges,
    inherited,
    isInherited,
  } = planned;
  const plan = withOwn(narrowedPlan(namedPlan(tools, interruptOn, unknownTools, place), planned), tools, place);
  warnUnknown(plan.unknown, { place, tools, option: `${place}: interruptOn` });
  const mayBeAsked = (called: CallableTool) =>
    mayJudgeAll || (hostJudges?.(called) ?? []).length > 0 || inherited?.mayAskAbout(called) === true;
  for (const [name, { action }] of plan.tools) {
    const tool = ownTool(tools, name);
    checkNoSlip(tool, name, place);
    if (isRecord(tool)) refuseUnknown(tool, `${place}: the tool ${JSON.stringify(name)}`);
    // What is inherited was said of the tools of another.
    if (action !== 'allow' && (inherited === undefined || isInherited !== true)) refuseGatedBefore(tool, name, place);
    if (action !== 'allow' || mayBeAsked({ toolName: name, tool })) checkGateable(tool, name, place);
  }
  return plan;
}

/** Says whose names they are: of several agents each has its own. */
function namedPlan(
  tools: ToolSet,
  interruptOn: InterruptOn | undefined,
  unknownTools: string | undefined,
  place: string,
): ToolPlan {
  try {
    return planOf(tools, interruptOn, unknownTools, place);
  } catch (cause) {
    if (!UnknownToolError.isInstance(cause)) throw cause;
    const { message, toolName, nearest } = cause;
    throw new UnknownToolError({ message: `${place}: ${message}.`, toolName, nearest, cause });
  }
}

/**
 * With what the tools themselves say, as it is now.
 *
 * @throws {InvalidConfigError} for a `needsApproval` without a value: read from a misspelt place, it would leave the tool open
 */
function withOwn(plan: ToolPlan, tools: ToolSet, place: string): ToolPlan {
  const own = ([name, gating]: InterruptPlan['tools'][number]): InterruptPlan['tools'][number] => {
    const tool = ownTool(tools, name);
    if (gating.action === 'own') {
      const { needsApproval } = readable(`${place}: ${JSON.stringify(name)}`, () => ({
        needsApproval: tool?.needsApproval as unknown,
      }));
      // A function a moment ago: what is another thing by now decides nothing, so that a human does.
      if (typeof needsApproval !== 'function') return [name, { ...gating, action: 'ask' }];
      return [name, { ...gating, needsApproval } as CallGating];
    }
    if (gating.action === 'allow' && gating.entry === null) checkSaid(tool, name, place);
    return [name, gating];
  };
  return { ...plan, tools: plan.tools.map(own) };
}

/**
 * Of a part of a run: an entry for a tool leaves the tool its `needsApproval`, unless it is opened above on purpose, too. Its own entry
 * does so where those above it name the tool as well; theirs alone does where the tool is the very one that it was written for.
 */
function narrowedPlan(plan: ToolPlan, { tools, inherited, isInherited }: PlanOptions): ToolPlan {
  if (inherited === undefined) return plan;
  const isOpened = (called: CallableTool) => (isInherited === true ? inherited.has(called) : inherited.names(called));
  const narrow = (toolName: string, gating: Gating): Gating => {
    const tool = ownTool(tools, toolName);
    if (!isByName(gating) || !tool?.needsApproval || isOpened({ toolName, tool })) return gating;
    return strictestGating(gating, OWN);
  };
  return { ...plan, tools: plan.tools.map(([name, gating]) => [name, narrow(name, gating)]) };
}

/** Of a tool that says itself which of its calls are asked about. */
const OWN: Gating = { action: 'own', entry: null, allowedDecisions: null, timeout: null };

/**
 * Warns of what is known when a run is made and would be told to the model alone, or not at all.
 *
 * @throws {UnknownToolError} for a name in its policies that is plainly a typo
 */
export function warnAtStart(plan: ToolPlan, planned: StartedPlan, asker: CallAsker): void {
  warnUngated(plan, planned);
  const above = planned.inherited?.toolSets ?? [];
  checkPolicyNames({ ...planned, unknownTools: planned.unknownInPolicies, above }, asker);
  // A part of a run asks as that does, which was warned. What policies ask is seen when they do.
  if (planned.inherited !== undefined) return;
  if (asker.human.isAutomatic && !asker.hasReviewer && plan.tools.some(([, { action }]) => action !== 'allow'))
    warnNobody(planned.place);
}

/** Warns where a tool has questions for a human and no human is there. A mode that does not ask is intended. */
export function warnUnanswered({ tools, place }: Pick<PlanOptions, 'tools' | 'place'>, asker: CallAsker): void {
  const isMeant = (tool: Tool | undefined) =>
    tool !== undefined && isQuestionTool(tool) && !Object.hasOwn(tool, ALWAYS_THERE);
  const name = Object.keys(tools).find((each) => isMeant(ownTool(tools, each)));
  if (name === undefined || asker.human.canAskQuestions || asker.gate.control.mode === 'deny-all-asks') return;
  warnOnce(
    `questions:${place}`,
    `${place}: nobody can answer the questions of ${JSON.stringify(name)}, so that the model is not offered it. Give onQuestion, such as ` +
      'terminalApprover(), or a gate at which somebody answers.',
  );
}

/** Whether tools are to be gated that are not in this set. */
function gatesOthers(interruptOn: InterruptOn | undefined, tools: ToolSet): boolean {
  if (typeof interruptOn !== 'object') return false;
  const named = Array.isArray(interruptOn)
    ? (interruptOn as string[])
    : Object.entries(interruptOn).flatMap(([name, entry]) => (entry === false ? [] : [name]));
  return named.some((name) => ownTool(tools, name) === undefined);
}

/** Warns where there are tools to run, and nothing at all can ask about any of them. */
export function warnUngated(plan: ToolPlan, planned: PlanOptions): void {
  const { tools, interruptOn, judgesAll, hostJudges, inherited, place } = planned;
  if (judgesAll || interruptOn === 'none' || inherited?.asksAtAll === true) return;
  if (planned.isPartial === true && gatesOthers(interruptOn, tools)) return;
  // What a tool does that starts other agents is theirs to ask about.
  if (!plan.tools.some(([name]) => executes(tools, name) && !isTask(ownTool(tools, name)))) return;
  const isHosts = (toolName: string) => (hostJudges?.({ toolName, tool: ownTool(tools, toolName) }) ?? []).length > 0;
  const isAsked = (name: string) => isHosts(name) || isGatedBefore(ownTool(tools, name));
  if (plan.gatesBehind || plan.tools.some(([name, { action }]) => action !== 'allow' || isAsked(name))) return;
  // Once for each set of tools: a second one is another mistake.
  warnOnce(
    `ungated:${place}:${plan.tools.map(([name]) => name).join()}`,
    `${place}: nothing is gated, so every tool runs without asking. Name tools in interruptOn or give a policy; to gate nothing on purpose, pass interruptOn: 'none'.`,
  );
}
