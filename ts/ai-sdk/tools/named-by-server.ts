/**
 * What `interruptOn` means for tools. A tool may have several names, some chosen by a server: an entry tightens each tool that
 * has its name, and opens the one that rules know by it.
 */
import type { ToolSet } from 'ai';
import type { InterruptOn } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { warnOnce } from '../../errors/warn-once.js';
import { isByName } from '../../gate/judge.js';
import { allOf, whoOf } from '../../gate/who.js';
import { interruptPlan, type Gating, type InterruptPlan } from '../../native.js';
import { clientOf, namesOf, ruleNameOf } from '../../policy/foreign.js';
import { refuseForAll } from './interrupt-for-all.js';
import { narrowed } from './limits.js';
import { copyToolSet, define, ownTool, toolsBehind } from './tools.js';

/**
 * @param place who plans, for the warning; `undefined`: no warning
 * @throws {UnknownToolError} @throws {InvalidConfigError}
 */
export function planOf(
  tools: ToolSet,
  interruptOn: InterruptOn | undefined,
  unknownTools: string | undefined,
  place?: string,
): ToolPlan {
  checkClients(tools);
  refuseForAll(interruptOn);
  const plan = planOfAll(withBehind(tools), interruptOn, unknownTools, place);
  return {
    ...plan,
    tools: plan.tools.filter(([name]) => Object.hasOwn(tools, name)),
    gatesBehind: plan.tools.some(([name, { action }]) => !Object.hasOwn(tools, name) && action !== 'allow'),
  };
}

/** What `interruptOn` means for some tools, and whether it asks about those of the agents that they start. */
export interface ToolPlan extends InterruptPlan {
  gatesBehind: boolean;
}

/** With the tools of the agents that these start: their names are known as well, since what is said here counts there. */
function withBehind(tools: ToolSet): ToolSet {
  const behind = toolsBehind(tools);
  if (behind.length === 0) return tools;
  const whole = copyToolSet(tools);
  for (const set of behind)
    for (const name of Object.getOwnPropertyNames(set)) if (!Object.hasOwn(whole, name)) define(whole, name, set[name]);
  return whole;
}

function planOfAll(
  tools: ToolSet,
  interruptOn: InterruptOn | undefined,
  unknownTools: string | undefined,
  place: string | undefined,
): InterruptPlan {
  const others = otherNames(tools);
  if (others.size === 0) return interruptPlan(tools, interruptOn, unknownTools);
  const named = interruptPlan(underAllNames(tools), interruptOn, unknownTools);
  const gatings = new Map(named.tools);
  const byName = (name: string): Gating | undefined => {
    const gating = gatings.get(name);
    return gating !== undefined && gating.entry === name && isByName(gating) ? gating : undefined;
  };
  const unnamed = new Map(interruptPlan(tools, withoutNames(interruptOn), 'ignore').tools);
  // A bare name that belongs to another of these tools does not apply to a tool that is also named in full.
  const taken = new Set(Object.getOwnPropertyNames(tools).filter((name) => !others.has(name)));
  const gatingOf = (name: string, gating: Gating): Gating => {
    const also = others.get(name);
    if (also === undefined) return gating;
    const ruleName = ruleNameOf(name, ownTool(tools, name));
    const inFull = byName(ruleName);
    let strictest = inFull ?? unnamed.get(name) ?? gating;
    for (const other of also) {
      const entry = byName(other);
      if (entry === undefined || (inFull !== undefined && taken.has(other))) continue;
      if (place !== undefined && isLooser(entry, strictest)) warnNotOpened(other, name, ruleName, place);
      strictest = strictestGating(entry, strictest);
    }
    return strictest;
  };
  const planned = named.tools.filter(([name]) => Object.hasOwn(tools, name));
  return { ...named, tools: planned.map(([name, gating]) => [name, gatingOf(name, gating)]) };
}

/** @throws {InvalidConfigError} for two clients whose names are one for rules */
function checkClients(tools: ToolSet): void {
  const clients = new Map<string, string>();
  for (const name of Object.getOwnPropertyNames(tools)) {
    const [server, client] = clientOf(name, ownTool(tools, name)) ?? [];
    if (server === undefined || client === undefined) continue;
    const other = clients.get(server) ?? client;
    if (other !== client)
      throw new InvalidConfigError({
        message: `Two clients of MCP servers are called ${JSON.stringify(other)} and ${JSON.stringify(client)}, which rules do not tell apart: both are ${JSON.stringify(server)}. Give one of them another name, or name its tools with mcpTools(client, { server }).`,
      });
    clients.set(server, client);
  }
}

/** The same tools, each under each of its names. */
export function underAllNames(tools: ToolSet): ToolSet {
  const known = Object.create(null) as ToolSet;
  for (const name of Object.getOwnPropertyNames(tools)) define(known, name, tools[name]);
  for (const name of Object.getOwnPropertyNames(tools))
    for (const other of namesOf(name, ownTool(tools, name)))
      if (!Object.hasOwn(known, other)) define(known, other, tools[name]);
  return known;
}

/** Of each tool that has several names, those that only tighten. */
export function otherNames(tools: ToolSet): Map<string, readonly string[]> {
  const names = Object.getOwnPropertyNames(tools).map((name) => {
    const tool = ownTool(tools, name);
    const ruleName = ruleNameOf(name, tool);
    return [name, [...namesOf(name, tool)].filter((each) => each !== ruleName)] as const;
  });
  return new Map(names.filter(([, others]) => others.length > 0));
}

/** What it says of all tools that it does not name. */
function withoutNames(interruptOn: InterruptOn | undefined): InterruptOn | undefined {
  if (typeof interruptOn !== 'object') return interruptOn;
  if (Array.isArray(interruptOn)) return interruptOn.filter((name) => name === '*');
  return Object.fromEntries(Object.entries(interruptOn).filter(([name]) => name === '*'));
}

const isLooser = ({ action }: Gating, base: Gating): boolean =>
  base.action !== 'allow' && (action === 'allow' || action === 'judge');

/** What both ask for. Two that decide by themselves are not asked one by one: a human is. */
export function strictestGating(named: Gating, base: Gating): Gating {
  if (base.action === 'allow' && base.needs === undefined) return named;
  if (named.action === 'allow') return base;
  const who = allOf(whoOf(named), whoOf(base));
  const { needs, remind } = { needs: who?.needs ?? [], remind: who?.remind ?? null };
  return {
    ...named,
    ...narrowed(named, base),
    ...(base.action === 'allow' ? {} : { action: 'ask' }),
    ...(needs.length === 0 ? {} : { needs: [...needs] }),
    ...(remind === null ? {} : { remind }),
  };
}

function warnNotOpened(entry: string, name: string, ruleName: string, place: string): void {
  const own = entry === name ? 'the tool of that name' : JSON.stringify(name);
  warnOnce(
    `foreign:${place}:${entry}:${name}`,
    `${place}: interruptOn[${JSON.stringify(entry)}] does not open ${own}: it is of an MCP server, or made at run time, and has given itself the name. It is asked about all the same. To open it, name it ${JSON.stringify(ruleName)}.`,
  );
}
