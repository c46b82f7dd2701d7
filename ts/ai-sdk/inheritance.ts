/**
 * What a run, or a set of gated tools, says of calls by its `interruptOn`, its tools and its host, handed on to the runs that
 * are a part of it: of all that speak, from the main agent down, the strictest counts.
 */
import type { Tool, ToolSet } from 'ai';
import type { DecisionType, InterruptOn, InterruptOptions } from '../../index.js';
import { interruptVerdict, isByName, strictest, type HostJudge, type JudgedCall, type Verdict } from '../gate/judge.js';
import { interruptPlan, type Gating, type InterruptPlan } from '../native.js';
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
  inherited: Inheritance | undefined;
}

/** What requests about a tool's calls may be at most. */
export interface Limits {
  allowedDecisions: readonly DecisionType[] | null;
  /** ms */
  timeout: number | null;
}

export class Inheritance {
  readonly #options: InheritanceOptions;
  readonly #gatings: Map<string, Gating>;

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

  /** Whether calls of a tool of this name may be asked about. */
  mayAskAbout(toolName: string): boolean {
    const { hostJudges, inherited } = this.#options;
    if (this.#gatingOf(toolName).action !== 'allow' || hostJudges?.(toolName) === true) return true;
    return inherited?.mayAskAbout(toolName) ?? false;
  }

  /**
   * What all of them say of a call.
   *
   * @param asked the configuration that was asked already: its functions are not called twice
   */
  async verdictOn(call: JudgedCall, signal: AbortSignal | undefined, asked: InterruptOn | undefined): Promise<Verdict> {
    const { tools, interruptOn, hostJudge, hostJudges, inherited } = this.#options;
    const { toolName } = call;
    const gating = this.#gatingOf(toolName);
    const wasAsked = isByName(gating) && interruptOn === asked;
    const own = await interruptVerdict(call, {
      gating: wasAsked ? { ...gating, action: 'allow' } : gating,
      entry: entryOf(interruptOn, gating.entry),
      tool: ownTool(tools, toolName),
      hostJudge: hostJudges?.(toolName) === true ? hostJudge : undefined,
      signal,
    });
    if (inherited === undefined || own.effect === 'deny') return own;
    return strictest(own, await inherited.verdictOn(call, signal, interruptOn));
  }

  limitsOf(toolName: string): Limits {
    const { approvalTimeout, inherited } = this.#options;
    const { allowedDecisions, timeout } = this.#gatingOf(toolName);
    return narrowed({ allowedDecisions, timeout: timeout ?? approvalTimeout }, inherited?.limitsOf(toolName));
  }

  /** The nearest entry that describes calls of this tool. */
  describes(toolName: string): InterruptOptions | undefined {
    const { interruptOn, inherited } = this.#options;
    const entry = entryOf(interruptOn, this.#gatingOf(toolName).entry);
    return entry?.description === undefined ? inherited?.describes(toolName) : entry;
  }

  #gatingOf(toolName: string): Gating {
    const known = this.#gatings.get(toolName);
    if (known !== undefined) return known;
    // A tool that only the child has: the child asks the tool itself.
    const tools = {};
    define(tools, toolName, {} satisfies Partial<Tool>);
    const [entry] = interruptPlan(tools, this.#options.interruptOn, 'ignore').tools;
    const gating = entry?.[1] ?? { action: 'ask', entry: null, allowedDecisions: null, timeout: null };
    this.#gatings.set(toolName, gating);
    return gating;
  }
}

/** What both allow. */
export function narrowed(own: Limits, inherited: Limits | undefined): Limits {
  if (inherited === undefined) return own;
  return {
    allowedDecisions: common(own.allowedDecisions, inherited.allowedDecisions),
    timeout: least(own.timeout, inherited.timeout),
  };
}

function common(left: readonly DecisionType[] | null, right: readonly DecisionType[] | null) {
  if (left === null || right === null) return left ?? right;
  const both = left.filter((type) => right.includes(type));
  // Something must be left for the human to say.
  return both.length === 0 ? (['reject'] as const) : both;
}

function least(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.min(left, right);
}
