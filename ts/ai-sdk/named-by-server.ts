/**
 * What `interruptOn` means for tools whose names are not the developer's: a server calls its tools what it likes, and so takes the
 * place of an entry that was written for another. Such an entry can tighten; what opens the tool is its name with the server's.
 */
import type { ToolSet } from 'ai';
import type { InterruptOn } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { warnOnce } from '../errors/warn-once.js';
import { allOf, whoOf } from '../gate/who.js';
import { interruptPlan, type Gating, type InterruptPlan } from '../native.js';
import { clientOf, ruleNameOf } from '../policy/foreign.js';
import { narrowed } from './limits.js';
import { define, ownTool } from './tools.js';

/**
 * @param place who plans, for the warning; `undefined`: nobody is warned
 * @throws {UnknownToolError} @throws {InvalidConfigError}
 */
export function planOf(
  tools: ToolSet,
  interruptOn: InterruptOn | undefined,
  unknownTools: string | undefined,
  place?: string,
): InterruptPlan {
  const whole = foreignNames(tools);
  if (whole.size === 0) return interruptPlan(tools, interruptOn, unknownTools);
  const known = Object.create(null) as ToolSet;
  for (const name of Object.getOwnPropertyNames(tools)) define(known, name, tools[name]);
  for (const [name, ruleName] of whole) if (!Object.hasOwn(known, ruleName)) define(known, ruleName, tools[name]);
  const named = interruptPlan(known, interruptOn, unknownTools);
  const gatings = new Map(named.tools);
  const without = new Map(interruptPlan(tools, withoutNames(interruptOn, whole), 'ignore').tools);
  const gatingOf = (name: string, gating: Gating): Gating => {
    const ruleName = whole.get(name);
    if (ruleName === undefined) return gating;
    const byRuleName = gatings.get(ruleName);
    if (byRuleName?.entry === ruleName) return gating.entry === name ? strictestGating(gating, byRuleName) : byRuleName;
    const base = without.get(name) ?? gating;
    if (gating.entry !== name) return base;
    if (place !== undefined && isLooser(gating, base)) warnNotOpened(name, ruleName, place);
    return strictestGating(gating, base);
  };
  const planned = named.tools.filter(([name]) => Object.hasOwn(tools, name));
  return { ...named, tools: planned.map(([name, gating]) => [name, gatingOf(name, gating)]) };
}

/**
 * What rules know these tools by, of those that somebody else has named.
 *
 * @throws {InvalidConfigError} for two clients whose names are one for rules
 */
export function foreignNames(tools: ToolSet): Map<string, string> {
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
  const names = Object.getOwnPropertyNames(tools).map(
    (name) => [name, ruleNameOf(name, ownTool(tools, name))] as const,
  );
  return new Map(names.filter(([name, ruleName]) => name !== ruleName));
}

function withoutNames(
  interruptOn: InterruptOn | undefined,
  names: ReadonlyMap<string, string>,
): InterruptOn | undefined {
  if (typeof interruptOn !== 'object' || Array.isArray(interruptOn)) return interruptOn;
  return Object.fromEntries(Object.entries(interruptOn).filter(([name]) => !names.has(name)));
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

function warnNotOpened(name: string, ruleName: string, place: string): void {
  warnOnce(
    `foreign:${place}:${name}`,
    `${place}: interruptOn[${JSON.stringify(name)}] does not open the tool of that name: it is of an MCP server, or made at run time, and has given itself the name. It is asked about all the same. To open it, name it ${JSON.stringify(ruleName)}.`,
  );
}
