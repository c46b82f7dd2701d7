import type { ToolSet } from 'ai';
import type { GateToolsOptions, InterruptOn } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { Asker } from '../gate/asker.js';
import { applyInterruptConfig, interruptPlan } from '../native.js';
import { copyToolSet, define, entryOf, ownTool } from './tools.js';
import { ToolGate } from './tool-gate.js';
import { warnUnknown } from './warnings.js';

/** @see index.d.ts */
export function gateTools<TOOLS extends ToolSet>(tools: TOOLS, options: GateToolsOptions<TOOLS>): TOOLS {
  const { interruptOn, unknownTools, mode = 'wait', runId } = options;
  if (mode !== 'wait' && mode !== 'stop') {
    throw new InvalidConfigError({ message: `gateTools: mode must be 'wait' or 'stop', not ${JSON.stringify(mode)}.` });
  }
  if (mode === 'stop' && options.gate === undefined) {
    throw new InvalidConfigError({
      message: "gateTools: mode 'stop' needs a gate, which keeps what was asked until the answer comes back.",
    });
  }
  const plan = interruptPlan(tools, interruptOn, unknownTools);
  warnUnknown(plan.unknown);
  const asker = new Asker(runId ?? crypto.randomUUID(), options as never, 'gateTools');
  const applied = applyInterruptConfig(tools, interruptOn, unknownTools).tools;
  const gated = asker.judgesAll ? plan.tools : plan.tools.filter(([, { action }]) => action !== 'allow');
  if (gated.length === 0) return applied;
  const result = copyToolSet(applied);
  for (const [name, gating] of gated) {
    const tool = ownTool(tools, name);
    if (tool === undefined) continue;
    const entry = entryOf(interruptOn as InterruptOn | undefined, gating.entry);
    const gate = new ToolGate({ name, tool, gating, entry, asker, runId: runId ?? null });
    const value = mode === 'stop' ? gate.stopping() : gate.waiting();
    // Without `execute` there is nothing to wait in: the SDK's own stop has to do.
    if (value !== undefined) define(result, name, value);
  }
  return result;
}
