/**
 * Tools of MCP servers. A server calls its tools what it likes, `read_file` as well, and its clients hand that name on: rules
 * know them as `mcp__server__tool`.
 */
import type { Tool } from 'ai';
import { isVeryTool } from './very-tool.js';

/** What rules know the tool of a server by. Of a server that is not known the name is empty. */
export const mcpName = (server: string, tool: string): string => `${PREFIX}${server}__${tool}`;

/** What rules know a tool by, which has this name in its set. */
export function ruleNameOf(toolName: string, tool: Tool | undefined): string {
  if (isNamedByServer(toolName, tool)) return toolName;
  const server = serverOf(toolName, tool);
  return server === undefined ? toolName : mcpName(server, toolName);
}

/**
 * All names that somebody may mean a tool by: that in its set, that which rules know, that which its server gives it, each end of
 * `mcp__server__tool`, and `mcp__server`. What restricts the tool counts under each of them; what opens it under its rule name alone.
 */
export function namesOf(toolName: string, tool: Tool | undefined): ReadonlySet<string> {
  const whole = [toolName, ...wholeNames({ toolName, tool })];
  const names = new Set(whole);
  const given = metadataOf(tool)['toolName'];
  if (typeof given === 'string') names.add(given);
  for (const name of whole.filter((each) => each.startsWith(PREFIX))) {
    const [, server, ...rest] = name.split('__');
    for (let at = 0; at < rest.length; at++) names.add(rest.slice(at).join('__'));
    if (server === '') continue;
    names.add([server, ...rest].join('__'));
    names.add(`${PREFIX}${server}`);
  }
  names.delete('');
  // The entry for all tools is for none by its name.
  if (toolName !== '*') names.delete('*');
  return names;
}

/** Whether it may be the same tool, under whichever names two sets have it. */
export function isSameTool(one: CallableTool, other: CallableTool): boolean {
  if (one.tool !== undefined && isVeryTool(one.tool, other.tool)) return true;
  const names = new Set(wholeNames(one));
  return wholeNames(other).some((name) => names.has(name));
}

/** A tool, as it is in the set of its caller. */
export interface CallableTool {
  toolName: string;
  /** `undefined`: nothing is known of it but its name. */
  tool: Tool | undefined;
}

/** What rules know a tool by, and what it says of itself. */
export const knownToRules = (toolName: string, tool: Tool | undefined) => ({
  ruleName: ruleNameOf(toolName, tool),
  otherNames: otherRuleNames(toolName, tool),
  annotations: annotationsOf(tool),
});

/** What rules that deny or ask also mean it by: under the name that its server gives it, where its set has another one. */
function otherRuleNames(toolName: string, tool: Tool | undefined): readonly string[] | undefined {
  const [, ...others] = wholeNames({ toolName, tool });
  return others.length === 0 ? undefined : others;
}

/**
 * What it is known by to rules, and would be if its set had the name that its server gives it. Which server that is, its set may
 * say, `mcpTools` and its client: a name that looks like that of another server takes it away from none of them.
 */
function wholeNames({ toolName, tool }: CallableTool): string[] {
  const ruleName = ruleNameOf(toolName, tool);
  const { toolName: given, clientName, [SERVER]: named } = metadataOf(tool);
  if (typeof given !== 'string') return [ruleName];
  const client = typeof clientName === 'string' && clientName !== UNNAMED_CLIENT ? serverName(clientName) : undefined;
  const servers = [serverOf(toolName, tool), typeof named === 'string' ? named : undefined, client];
  const names = servers.filter((server) => server !== undefined).map((server) => mcpName(server, given));
  return [...new Set([ruleName, ...names])];
}

/** Where `mcpTools` says which server a tool is of, in what its client says of it. */
const SERVER = 'countersignServer';

/** What the AI SDK calls a client that has no name: it tells no server from another. */
const UNNAMED_CLIENT = 'ai-sdk-mcp-client';

/** What is said of a tool that a program says is of this server. A client of AI SDK 6 does not say what the server calls it. */
export const metadataOfServer = (server: string, name: string, tool: Tool): object => ({
  ...metadataOf(tool),
  toolName: name,
  [SERVER]: server,
});

/** The server of a tool, empty for an unknown one; `undefined`: the tool is the program's own. */
export function serverOf(toolName: string, tool: Tool | undefined): string | undefined {
  const { clientName, toolName: ownName } = metadataOf(tool);
  if (isNamedByServer(toolName, tool)) return toolName.slice(PREFIX.length, -`__${String(ownName)}`.length);
  if (typeof clientName === 'string') return serverName(clientName);
  // Made at run time, of what somebody else says of it. A name that begins like that of another server proves nothing.
  return tool?.type === 'dynamic' ? '' : undefined;
}

/** What rules call its server, and what its client calls itself, where that is all that is known of the server. */
export function clientOf(
  toolName: string,
  tool: Tool | undefined,
): readonly [server: string, client: string] | undefined {
  const { clientName } = metadataOf(tool);
  if (typeof clientName !== 'string' || isNamedByServer(toolName, tool)) return undefined;
  return [serverName(clientName), clientName];
}

/** Whether somebody has named it `mcp__server__tool`. The server cannot: it puts nothing before the name that it gives itself. */
function isNamedByServer(toolName: string, tool: Tool | undefined): boolean {
  const ownName = metadataOf(tool)['toolName'];
  if (typeof ownName !== 'string' || !toolName.startsWith(PREFIX) || !toolName.endsWith(`__${ownName}`)) return false;
  return isServerName(toolName.slice(PREFIX.length, -`__${ownName}`.length));
}

/** Whether rules can tell a server of this name from all others. */
export function isServerName(server: unknown): server is string {
  return typeof server === 'string' && server !== '' && serverName(server) === server;
}

/** What the tool says of itself. */
export function annotationsOf(tool: Tool | undefined): Record<string, unknown> | undefined {
  const own: unknown = (tool as { annotations?: unknown } | undefined)?.annotations;
  const told = metadataOf(tool)['annotations'];
  if (typeof own !== 'object' && typeof told !== 'object') return undefined;
  return { ...(told as object | undefined), ...(typeof own === 'object' ? own : {}) };
}

const PREFIX = 'mcp__';

/** Where the AI SDK's MCP client says where a tool comes from. */
function metadataOf(tool: Tool | undefined): Readonly<Record<string, unknown>> {
  const metadata: unknown = (tool as { metadata?: unknown } | undefined)?.metadata;
  return typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {};
}

/** `__` ends the name of a server. */
const serverName = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_|_$/g, '');
