import type { ToolSet } from 'ai';
import type * as Api from '../../mcp.js';
import { InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { takeNeeded } from '../options/check.js';
import { isServerName, mcpName, metadataOfServer } from '../policy/foreign.js';
import { checkConnection, isRecord } from './offers.js';

/** @see mcp.d.ts */
export const mcpTools: typeof Api.mcpTools = async (client, options) => {
  const { server }: { server: unknown } = takeNeeded('mcpTools', options);
  if (!isServerName(server))
    throw new InvalidConfigError({
      message: `mcpTools: server must be a name of letters, digits, ".", "-" and single "_" between them, not ${toldValue(server)}.`,
    });
  checkConnection('mcpTools', 'the client', client, ['tools']);
  const tools: unknown = await client.tools();
  if (!isRecord(tools))
    throw new InvalidConfigError({ message: 'mcpTools: client.tools() gave no tools: pass a client of @ai-sdk/mcp.' });
  const named: ToolSet = Object.create(null) as ToolSet;
  for (const [name, tool] of Object.entries(tools as ToolSet)) {
    // So that the name is known to be given here, and holds where the program gives the tool another one.
    const metadata = metadataOfServer(server, name, tool);
    named[mcpName(server, name)] = { ...tool, metadata } as ToolSet[string];
  }
  return named as never;
};
