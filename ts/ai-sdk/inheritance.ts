/**
 * What a run, or a set of gated tools, says of calls by its `interruptOn`, its tools and its host, handed on to the runs that
 * are a part of it: of all that speak, from the main agent down, the strictest counts. Each is asked about the tool that is
 * called, and not about its name alone: a server may have given it the name of another.
 */
import type { Tool, ToolSet } from 'ai';
import type { InterruptOn, InterruptOptions } from '../../index.js';
import {
  interruptVerdict,
  isByName,
  strictest,
  type HostJudge,
  type JudgedCall,
  type CallVerdict,
} from '../gate/judge.js';
import type { Gating, InterruptPlan } from '../native.js';
import { ruleNameOf } from '../policy/foreign.js';
import { narrowed, type Limits } from './limits.js';
import { planOf, strictestGating } from './named-by-server.js';
import { define, entryOf, ownTool } from './tools.js';

export interface InheritanceOptions {
  tools: ToolSet;
  plan: InterruptPlan;
  interruptOn: InterruptOn | undefined;
  hostJudge?: HostJudge | undefined;
  hostJudges?: ((toolName: string) => boolean) | undefined;
  /** How long a human has for a request where the tool does not say, in ms. */
  approvalTimeout: number | null;
  /** Of the one that this is a part of. */
  inherited: InheritedRules | undefined;
}

/** A tool, as it is in the set of whoever calls it. */
export interface CallableTool {
  toolName: string;
  /** `undefined`: nothing is known of it but its name. */
  tool: Tool | undefined;
}

export class InheritedRules {
  readonly #options: InheritanceOptions;
  readonly #gatings: Map<string, Gating>;
  /** Of tools that somebody else has. */
  readonly #others = new Map<string, Gating>();

  constructor(options: InheritanceOptions) {
    this.#options = options;
    this.#gatings = new Map(options.plan.tools);
  }

  /** What a run without an `interruptOn` of its own has. */
  get interruptOn(): InterruptOn | undefined {
    return this.#options.interruptOn;
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
    if (this.#gatingOf(called).action !== 'allow' || hostJudges?.(called.toolName) === true) return true;
    return inherited?.mayAskAbout(called) ?? false;
  }

  /**
   * What all of them say of a call.
   *
   * @param called the tool that is called
   * @param asked the configuration that was asked already: its functions are not called twice
   */
  async verdictOn(
    call: JudgedCall,
    called: Tool | undefined,
    signal: AbortSignal | undefined,
    asked: InterruptOn | undefined,
  ): Promise<CallVerdict> {
    const { tools, interruptOn, hostJudge, hostJudges, inherited } = this.#options;
    const { toolName } = call;
    const gating = this.#gatingOf({ toolName, tool: called });
    const wasAsked = isByName(gating) && interruptOn === asked;
    const own = await interruptVerdict(call, {
      gating: wasAsked ? { ...gating, action: 'allow' } : gating,
      entry: entryOf(interruptOn, gating.entry),
      tool: ownTool(tools, toolName),
      hostJudge: hostJudges?.(toolName) === true ? hostJudge : undefined,
      signal,
    });
    if (inherited === undefined || own.effect === 'deny') return own;
    return strictest(own, await inherited.verdictOn(call, called, signal, interruptOn));
  }

  /** Whether an entry of each of them is for this very tool, and so decides in place of its `needsApproval`. */
  names(called: CallableTool): boolean {
    return isByName(this.#gatingOf(called)) && (this.#options.inherited?.names(called) ?? true);
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

  #gatingOf({ toolName, tool }: CallableTool): Gating {
    const known = this.#gatings.get(toolName);
    const own = ownTool(this.#options.tools, toolName);
    if (known !== undefined && own === tool) return known;
    const other = this.#gatingOfOther(toolName, tool);
    const isSameName = known !== undefined && ruleNameOf(toolName, own) === ruleNameOf(toolName, tool);
    // What its own tool of the name says of itself closes this one as well, and opens nothing but itself.
    return isSameName && !isByName(known) ? strictestGating(known, other) : other;
  }

  /** Of a tool that only the child has: the child asks the tool itself. */
  #gatingOfOther(toolName: string, tool: Tool | undefined): Gating {
    const key = JSON.stringify([toolName, ruleNameOf(toolName, tool)]);
    const planned = this.#others.get(key);
    if (planned !== undefined) return planned;
    const tools = {};
    define(tools, toolName, originOfTool(tool));
    const [entry] = planOf(tools, this.#options.interruptOn, 'ignore').tools;
    const gating = entry?.[1] ?? { action: 'ask', entry: null, allowedDecisions: null, timeout: null };
    this.#others.set(key, gating);
    return gating;
  }
}

/** Where a tool comes from, and nothing that it says of its calls. */
function originOfTool(tool: Tool | undefined): Partial<Tool> {
  if (tool === undefined) return {};
  const { type, metadata } = tool as { type?: unknown; metadata?: unknown };
  return { type, metadata } as Partial<Tool>;
}
