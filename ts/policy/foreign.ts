/**
 * Tools of MCP servers. A server calls its tools what it likes, `read_file` as well, and its clients hand that name on: rules
 * know them as `mcp__server__tool`.
 */
import type { Tool } from 'ai';

/** What rules know the tool of a server by. Of a server that is not known the name is empty. */
export const mcpName = (server: string, tool: string): string => `${PREFIX}${server}__${tool}`;

/** What rules know a tool by, which has this name in its set. */
export function ruleNameOf(toolName: string, tool: Tool | undefined): string {
  if (isNamedByServer(toolName, tool)) return toolName;
  const server = serverOf(toolName, tool);
  return server === undefined ? toolName : mcpName(server, toolName);
}

/** The server that a tool is of, empty for one that is not known; `undefined`: it is a tool of the program's own. */
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
