import type { Tool, ToolSet } from 'ai';
import type { GateToolsOptions, InterruptOn } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { toldValue } from '../../errors/told-value.js';
import { CallAsker, type AskerOptions } from '../../gate/asker.js';
import { asksByNow } from '../../gate/judge.js';
import { checkRunId, partAnew, unnamedRun } from '../../gate/run-ids.js';
import type { Gating } from '../../native.js';
import { takeNeeded } from '../../options/check.js';
import { applyPlan } from '../tools/apply-interrupt-config.js';
import { isCaller, originalsOf, type GateCalled } from '../tools/callers.js';
import { ChildRuns } from './children.js';
import { endTurn } from './ended-turns.js';
import { InheritedRules } from '../tools/inheritance.js';
import { misplacedEntry } from '../tools/misplaced-entry.js';
import { requireSdk } from '../sdk/installed.js';
import { planFor, warnAtStart } from '../tools/plan.js';
import { isRunByProvider } from '../tools/provider-tools.js';
import { askingTool } from './question-gate.js';
import { isQuestionTool, refuseQuestions } from '../tools/questions.js';
import { cancelParts } from './left-parts.js';
import { originOf, parentOf } from '../tools/parent.js';
import type { ParentRun } from '../tools/parent-run.js';
import { gatesItself } from '../tools/gated-before.js';
import { takeTools } from '../tools/tool-set.js';
import { copyToolSet, define, entryOf, handedOut, isTask, ownTool } from '../tools/tools.js';
import { ToolGate } from './tool-gate.js';

/** @see types/ */
export function gateTools<TOOLS extends ToolSet>(tools: TOOLS, options: GateToolsOptions<TOOLS>): TOOLS {
  requireSdk(PLACE, gateTools);
  const taken = takeTools(tools, PLACE);
  return gateAll(
    taken,
    takeNeeded(PLACE, options, PLACE, (name) => misplacedEntry(PLACE, taken, name)),
    false,
  );
}

/** The tools that one of these calls, gated as a part of its call. */
export const gateCalled: GateCalled = (tools, parent) => gateAll(originalsOf(tools), { parent }, true);

/**
 * @param tools not shared with other code
 * @param throwsDenials see the option of this name of a `ToolGate`
 */
function gateAll<TOOLS extends ToolSet>(tools: TOOLS, options: GateToolsOptions<TOOLS>, throwsDenials: boolean): TOOLS {
  const { mode = 'wait', runId } = options;
  if (mode !== 'wait' && mode !== 'stop') {
    throw new InvalidConfigError({ message: `gateTools: mode must be 'wait' or 'stop', not ${toldValue(mode)}.` });
  }
  const parent = anew(parentOf(options, PLACE));
  if (mode === 'stop' && options.gate === undefined) {
    throw new InvalidConfigError({
      message: "gateTools: mode 'stop' needs a gate, which keeps what was asked until the answer comes back.",
    });
  }

  const interruptOn = (options.interruptOn ?? parent?.inheritance.interruptOn) as InterruptOn | undefined;
  // What is inherited was made for the tools of another.
  const unknownTools = options.interruptOn === undefined && parent !== undefined ? 'ignore' : options.unknownTools;
  if (options.repeatedRejections === 'answer' && (mode === 'stop' || runId === undefined)) {
    throw new InvalidConfigError({
      message: "gateTools: repeatedRejections: 'answer' needs the runId of one conversation, and the mode 'wait'.",
    });
  }
  if (parent !== undefined) refuseQuestions(tools, 'gateTools');
  const asker = askerOf(options, parent);
  const inherited = parent?.inheritance;
  const { judgesAll, mayJudgeAll } = asker;
  const isInherited = options.interruptOn === undefined;
  const planned = {
    tools,
    interruptOn,
    unknownTools,
    unknownInPolicies: options.unknownTools,
    place: PLACE,
    judgesAll,
    mayJudgeAll,
    inherited,
    isInherited,
  };
  const plan = planFor(planned);
  warnAtStart(plan, planned, asker);
  const inheritance = new InheritedRules({
    tools,
    plan,
    interruptOn,
    approvalTimeout: asker.approvalTimeout,
    inherited,
  });
  const children = childrenOf(asker, parent);
  // Asked at each call: the mode of the gate may change at any time, and so may what the tool says.
  const isGated = (name: string, gating: Gating) =>
    asker.judgesAll ||
    gating.action !== 'allow' ||
    asksByNow(gating, ownTool(tools, name)) ||
    inherited?.mayAskAbout({ toolName: name, tool: ownTool(tools, name) }) === true;
  const gated = (name: string, gating: Gating) =>
    (mayJudgeAll || isGated(name, gating)) && !isRunByProvider(ownTool(tools, name));
  const asksHuman = (name: string) => isQuestionTool(ownTool(tools, name));
  const changed = plan.tools.filter(
    ([name, gating]) => gated(name, gating) || passesOn(ownTool(tools, name)) || asksHuman(name),
  );
  const made = new Map<string, Tool>();
  for (const [name, gating] of changed) {
    const tool = ownTool(tools, name);
    if (tool === undefined) continue;
    if (isQuestionTool(tool)) {
      if (mode === 'stop') {
        throw new InvalidConfigError({
          message: `gateTools: in mode 'stop' the tool ${JSON.stringify(name)} cannot ask its questions: an approval carries no answer. Leave it out, or use mode 'wait'.`,
        });
      }
      if (options.onQuestion === undefined && options.gate === undefined) {
        throw new InvalidConfigError({
          message: `gateTools: nobody can answer the questions of the tool ${JSON.stringify(name)}: give onQuestion or a gate, or leave the tool out.`,
        });
      }
      made.set(name, askingTool({ name, tool, gating, asker, parent, runId: runId ?? null }));
      continue;
    }
    const gate = new ToolGate({
      name,
      tool,
      gating,
      entry: entryOf(interruptOn, gating.entry),
      isGated: () => isGated(name, gating),
      asker,
      interruptOn,
      inheritance,
      children,
      parent,
      // A part of a run is one itself: its calls are told apart from those of its parent.
      runId: runId ?? (parent === undefined ? null : asker.runId),
      gateCalled,
      stops: mode === 'stop',
      throwsDenials,
    });
    const value = !gated(name, gating) ? gate.known() : mode === 'stop' ? gate.stopping() : gate.waiting();
    // Without `execute` there is nothing to wait in: the SDK's own stop has to do.
    if (value !== undefined) made.set(name, gating.action === 'allow' ? value : gatesItself(value));
  }
  const areAllMade = plan.tools.every(([name]) => made.has(name));
  const result = copyToolSet(areAllMade ? tools : applyPlan(tools, interruptOn, plan));
  for (const [name, tool] of made) define(result, name, tool);
  // What is not in it is not gated: nothing is added later.
  return handedOut(result, tools);
}

/** Whether it starts what makes calls of its own, or makes them itself: what it is called by must be known there. */
const passesOn = (tool: Tool | undefined): boolean => isTask(tool) || isCaller(tool);

const PLACE = 'gateTools';

function askerOf<TOOLS extends ToolSet>(options: GateToolsOptions<TOOLS>, parent: ParentRun | undefined): CallAsker {
  const { runId, origin } = options;
  const own = options as unknown as AskerOptions;
  if (parent === undefined)
    return new CallAsker(
      runId === undefined ? unnamedRun() : checkRunId(runId, PLACE),
      { ...own, parent: undefined },
      PLACE,
    );
  const path = originOf(parent, origin, PLACE);
  return new CallAsker(parent.childId(), { ...own, origin: path, parent: parent.asker }, PLACE);
}

/**
 * A loop that is not ours begins anew when its call is run once more: what it had asked before, in a process that is gone, is
 * cancelled, and its calls are not taken for those of then.
 */
function anew(parent: ParentRun | undefined): ParentRun | undefined {
  if (parent?.resumes !== true) return parent;
  const { asker, toolCallId } = parent;
  const keep = async () => {
    const dropped = DROPPED.get(parent) ?? cancelParts(asker.gate, asker.runId, [toolCallId]);
    DROPPED.set(parent, dropped);
    await dropped;
    return parent.keep();
  };
  return { ...parent, childId: () => partAnew(asker.runId, toolCallId), keep };
}

/** Once for each call, however many sets of tools it gates. */
const DROPPED = new WeakMap<ParentRun, Promise<void>>();

/** No iterator: their events go to the run that the tools are a part of, if any. */
function childrenOf(asker: CallAsker, parent: ParentRun | undefined): ChildRuns {
  return new ChildRuns({
    asker,
    signal: parent?.signal ?? new AbortController().signal,
    tell: (event) => parent?.tell(event),
    keep: async () => parent?.keep(),
    leave: (error) => parent?.leave(error),
    endTurn: (call) => {
      endTurn(call);
      parent?.endTurn();
    },
  });
}
