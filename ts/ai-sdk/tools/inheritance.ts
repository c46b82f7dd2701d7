/**
 * What a run, or a set of gated tools, says of calls by its `interruptOn`, its tools and its host, handed on to the runs that
 * are a part of it: of all that speak, from the main agent down, the strictest counts. Each is asked about the tool that is
 * called, and not about its name alone: a server may have given it the name of another.
 */
import type { Tool, ToolSet } from 'ai';
import type { InterruptOn, InterruptOptions } from '../../../index.js';
import { denialIn } from '../../gate/call-verdict.js';
import { interruptOpinions, isByName, type CallOpinion, type JudgedCall } from '../../gate/judge.js';
import type { Gating, InterruptPlan } from '../../native.js';
import { isSameTool, namesOf, type CallableTool } from '../../policy/foreign.js';
import { isVeryTool } from '../../policy/very-tool.js';
import { isSame } from '../../values/same.js';
import type { HostJudges } from './host-judge.js';
import { narrowed, type Limits } from './limits.js';
import { planOf, strictestGating } from './named-by-server.js';
import { runsTheSame } from './same-body.js';
import { define, entryOf, isRecord, ownTool } from './tools.js';

export interface InheritanceOptions {
  tools: ToolSet;
  plan: InterruptPlan;
  interruptOn: InterruptOn | undefined;
  hostJudges?: HostJudges | undefined;
  /** How long a human has for a request where the tool does not say, in ms. */
  approvalTimeout: number | null;
  /** Of the one that this is a part of. */
  inherited: InheritedRules | undefined;
}

interface SpokenOf {
  gating: Gating;
  /** Its own tool, which says itself which of its calls are asked about. */
  asked: Tool | undefined;
  /** Whether a tool other than the called one has a part in it. */
  isOfAnother: boolean;
}

export class InheritedRules {
  readonly #options: InheritanceOptions;
  readonly #gatings: Map<string, Gating>;
  /** Of tools that somebody else has, by their names there. */
  readonly #others = new WeakMap<object, Map<string, Gating>>();

  constructor(options: InheritanceOptions) {
    this.#options = options;
    this.#gatings = new Map(options.plan.tools);
  }

  /** What a run without an `interruptOn` of its own has. */
  get interruptOn(): InterruptOn | undefined {
    return this.#options.interruptOn;
  }

  /** What all of them have. */
  get toolSets(): ToolSet[] {
    return [this.#options.tools, ...(this.#options.inherited?.toolSets ?? [])];
  }

  /** Whether any call of any tool may be asked about. */
  get asksAtAll(): boolean {
    const { plan, hostJudges, inherited } = this.#options;
    if (hostJudges !== undefined || plan.tools.some(([, { action }]) => action !== 'allow')) return true;
    return inherited?.asksAtAll ?? false;
  }

  /** Whether calls of this tool may be asked about. */
  mayAskAbout(called: CallableTool): boolean {
    const { hostJudges, inherited } = this.#options;
    if (this.#gatingOf(called).action !== 'allow' || (hostJudges?.(called) ?? []).length > 0) return true;
    return inherited?.mayAskAbout(called) ?? false;
  }

  /**
   * What all of them say of a call.
   *
   * @param called the tool that is called
   * @param asked the configuration that was asked already: its functions are not called twice
   */
  async opinionsOn(
    call: JudgedCall,
    called: Tool | undefined,
    signal: AbortSignal | undefined,
    asked: InterruptOn | undefined,
  ): Promise<readonly CallOpinion[]> {
    const { interruptOn, hostJudges, inherited } = this.#options;
    const callable = { toolName: call.toolName, tool: called };
    const { gating, asked: tool, isOfAnother } = this.#spokenOf(callable);
    const wasAsked = isByName(gating) && !isOfAnother && isSame(interruptOn, asked);
    const own = await interruptOpinions(call, {
      gating: wasAsked ? { ...gating, action: 'allow' } : gating,
      entry: entryOf(interruptOn, gating.entry),
      tool,
      hostJudges: hostJudges?.(callable) ?? [],
      signal,
    });
    if (inherited === undefined || denialIn(own) !== undefined) return own;
    return [...own, ...(await inherited.opinionsOn(call, called, signal, interruptOn))];
  }

  /** Whether an entry of each of them is for this very tool, and so decides in place of its `needsApproval`. */
  names(called: CallableTool): boolean {
    return isByName(this.#gatingOf(called)) && (this.#options.inherited?.names(called) ?? true);
  }

  /** Whether the entries that a part inherits were written for this very tool: their owner has it, under this name. */
  has({ toolName, tool }: CallableTool): boolean {
    const { tools, interruptOn, inherited } = this.#options;
    if (isVeryTool(ownTool(tools, toolName), tool)) return true;
    return inherited !== undefined && isSame(inherited.interruptOn, interruptOn) && inherited.has({ toolName, tool });
  }

  limitsOf(called: CallableTool): Limits {
    const { approvalTimeout, inherited } = this.#options;
    const { allowedDecisions, timeout } = this.#gatingOf(called);
    return narrowed({ allowedDecisions, timeout: timeout ?? approvalTimeout }, inherited?.limitsOf(called));
  }

  /** The nearest entry that describes calls of this tool. */
  describes(called: CallableTool): InterruptOptions | undefined {
    const { interruptOn, inherited } = this.#options;
    const entry = entryOf(interruptOn, this.#gatingOf(called).entry);
    return entry?.description === undefined ? inherited?.describes(called) : entry;
  }

  #gatingOf(called: CallableTool): Gating {
    return this.#spokenOf(called).gating;
  }

  /** What is said of this tool, also by what it has of its own that is the same. */
  #spokenOf(called: CallableTool): SpokenOf {
    const { toolName, tool } = called;
    const { tools } = this.#options;
    const known = this.#gatings.get(toolName);
    if (known !== undefined && isVeryTool(ownTool(tools, toolName), tool))
      return { gating: known, asked: tool, isOfAnother: false };
    const names = namesOf(toolName, tool);
    // Tools that share a function are told apart by the names that they have here.
    const isKnown = known !== undefined && runsTheSame(ownTool(tools, toolName), tool);
    let spoken: SpokenOf = { gating: this.#gatingOfOther(called), asked: undefined, isOfAnother: false };
    for (const [name, gating] of this.#gatings) {
      const own = ownTool(tools, name);
      if (!isSameTool({ toolName: name, tool: own }, called) && (isKnown || !runsTheSame(own, tool))) continue;
      // What entries of its own names say is said already. What it says of itself closes this one as well, and opens nothing.
      const isSaid = gating.action !== 'ask' || spoken.gating.action === 'ask';
      if (isSaid && isByName(gating) && names.has(gating.entry ?? '')) continue;
      spoken = { gating: strictestGating(gating, spoken.gating), asked: own, isOfAnother: true };
    }
    return spoken;
  }

  /** Of a tool that only the child has. What it says of itself, the child asks it. */
  #gatingOfOther({ toolName, tool }: CallableTool): Gating {
    const key = isRecord(tool) ? tool : NO_TOOL;
    const planned = this.#others.get(key)?.get(toolName);
    if (planned !== undefined) return planned;
    const gatingOf = (it: Partial<Tool>): Gating => {
      const tools = {};
      define(tools, toolName, it);
      const [entry] = planOf(tools, this.#options.interruptOn, 'ignore').tools;
      return entry?.[1] ?? { action: 'ask', entry: null, allowedDecisions: null, timeout: null };
    };
    const named = gatingOf(originOfTool(tool));
    const whole = tool === undefined ? named : gatingOf(tool);
    // An entry that decides beside what the tool says of itself asks a human about it.
    const gating = whole.action === 'ask' && named.action !== 'ask' ? strictestGating(whole, named) : named;
    const byName = this.#others.get(key) ?? new Map<string, Gating>();
    this.#others.set(key, byName.set(toolName, gating));
    return gating;
  }
}

/** Stands for an unknown tool, and for a value that is no tool: that is an error elsewhere. */
const NO_TOOL = {};

/** Where a tool comes from, and nothing that it says of its calls. */
function originOfTool(tool: Tool | undefined): Partial<Tool> {
  if (tool === undefined) return {};
  const { type, metadata } = tool as { type?: unknown; metadata?: unknown };
  return { type, metadata } as Partial<Tool>;
}
