/**
 * Names in the rules of policies that no tool has: a misspelt one in a deny would never fire, and nothing would say so. As for the
 * names in `interruptOn`, what is nearly the name of a tool is an error; at a gate, which runs with other tools may share, a warning.
 */
import type { ToolSet } from 'ai';
import { UnknownToolError } from '../../errors/index.js';
import { warnOnce } from '../../errors/warn-once.js';
import { renamedTool } from '../../native.js';
import { nearestOf } from '../../options/nearest.js';
import { namesOf, serverOf } from '../../policy/foreign.js';
import { spelledOut } from '../../options/usual-names.js';
import { callsOf, ownTool, toolsBehind } from './tools.js';
import { warnUnknown } from './warnings.js';

interface NamedTools {
  tools: ToolSet;
  unknownTools: string | undefined;
  /** Of the agents that started this one: its policies may speak of them as well. */
  above?: readonly ToolSet[];
  /** Who has the policies, for messages. */
  place: string;
}

/** Policies: those of a run or an agent itself, and those of its gate, which others share. */
export interface NamingPolicies {
  /** The names in their rules that match none of these. */
  strangers(toolNames: readonly string[]): { own: readonly string[]; shared: readonly string[] };
}

/** @throws {UnknownToolError} for a name in the policies of the run that is plainly a typo */
export function checkPolicyNames(named: NamedTools, policies: NamingPolicies): void {
  const { tools, above = [], unknownTools, place } = named;
  if (unknownTools === 'ignore' || Object.getOwnPropertyNames(tools).length === 0) return;
  const written = policies.strangers([]);
  if (written.own.length === 0 && written.shared.length === 0) return;
  const known = new Set<string>();
  const servers = new Set<string>();
  for (const set of [tools, ...above, ...toolsBehind(tools)])
    for (const name of Object.getOwnPropertyNames(set)) {
      const tool = ownTool(set, name);
      for (const each of [...namesOf(name, tool), ...callsOf(tool)]) known.add(each);
      const server = serverOf(name, tool) ?? TOOL_OF_SERVER.exec(name)?.[1];
      if (server !== undefined) servers.add(server);
    }
  const { own, shared } = policies.strangers([...known]);
  // Other rules name the tool by its very name: they are for several sets of tools, including this one.
  const isNamed = (name: string, whose: 'own' | 'shared') =>
    policies.strangers([...known].filter((each) => each !== name))[whose].includes(name);
  const near = (name: string, whose: 'own' | 'shared') => {
    const nearest = nearestName(name, known, servers);
    return nearest === undefined || isNamed(nearest, whose) ? undefined : nearest;
  };
  // Names that stand there in every spelling are for any set of tools.
  const spelled = spelledOut(written.own);
  const far: string[] = [];
  for (const name of own.filter((each) => !spelled.has(each))) {
    const nearest = near(name, 'own');
    if (nearest === undefined && unknownTools !== 'error') far.push(name);
    else if (unknownTools === 'warn') warnMisspelt(`${place}: policy`, name, nearest, tools);
    else throw misspelt(place, name, nearest);
  }
  const so = 'Rules that name them decide nothing.';
  warnUnknown(far.map(shown), { place, tools, option: `${place}: policy`, so });
  const sharedSpelled = spelledOut(written.shared);
  for (const name of shared.filter((each) => !sharedSpelled.has(each))) {
    const nearest = near(name, 'shared');
    if (nearest !== undefined) warnMisspelt('The policy of the gate', name, nearest, tools);
  }
}

const SERVER = /^mcp__(.+)__\*$/;
const TOOL_OF_SERVER = /^mcp__(.+?)__(.+)$/;

/** As one writes it: `mcp = "github"` speaks of all tools of that server. */
const shown = (name: string): string => SERVER.exec(name)?.[1] ?? name;

function nearestName(name: string, known: ReadonlySet<string>, servers: ReadonlySet<string>): string | undefined {
  const server = SERVER.exec(name)?.[1];
  if (server !== undefined) return nearestOf(server, servers);
  const [, named, rest] = TOOL_OF_SERVER.exec(name) ?? [];
  if (named !== undefined && !servers.has(named)) {
    const meant = nearestOf(named, servers);
    if (meant !== undefined) return `mcp__${meant}__${rest}`;
  }
  // What comes before the last part is the server's: long names that share it are no misspelling of each other.
  const shared = name.startsWith('mcp__') ? name.slice(0, name.lastIndexOf('__') + 2) : '';
  const parts = [...known].flatMap((each) => (each.startsWith(shared) ? [each.slice(shared.length)] : []));
  const nearest = nearestOf(name.slice(shared.length), parts);
  if (nearest !== undefined) return shared + nearest;
  return renamedTool(name, [...known]) ?? undefined;
}

const told = (name: string, nearest: string | undefined): string => {
  const what = SERVER.test(name) ? 'server of tools' : 'tool';
  const meant = nearest === undefined ? '.' : `: did you mean ${JSON.stringify(nearest)}?`;
  return `names ${JSON.stringify(shown(name))}, but there is no such ${what}${meant}`;
};

const warnMisspelt = (whose: string, name: string, nearest: string | undefined, tools: ToolSet): void =>
  warnOnce(
    `policy:${JSON.stringify([whose, name, ...Object.getOwnPropertyNames(tools)])}`,
    `${whose} ${told(name, nearest)} The rule decides nothing about that.`,
  );

function misspelt(place: string, name: string, nearest: string | undefined): UnknownToolError {
  // Where a tool was plainly meant, nothing but the correction is advised.
  const advice = nearest === undefined ? "Correct it, or set unknownTools to 'warn' or 'ignore'." : 'Correct it.';
  const message = `${place}: policy ${told(name, nearest)} A rule for a name that no tool has decides nothing. ${advice}`;
  return new UnknownToolError({ message, toolName: shown(name), nearest: nearest ?? null });
}
