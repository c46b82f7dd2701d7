/** What an approval is for: a tool of the AI SDK, with what it takes. */
import type { Tool } from 'ai';
import type { SchemaSource } from '../../gate/schemas.js';
import type { ApprovedTool } from '../../gate/tool-identity.js';
import { loadAi } from '../sdk/sdk.js';
import { isTask } from './tools.js';

/** What an approval of this tool's calls is for. */
export function approvedTool(toolName: string, tool: Tool | undefined): ApprovedTool {
  return { toolName, tool, schema: schemaOf(tool?.inputSchema), startsAgents: isTask(tool) };
}

/** Where the JSON Schema of what a tool takes comes from; `undefined`: it takes what it gets. */
function schemaOf(inputSchema: unknown): SchemaSource | undefined {
  if ((typeof inputSchema !== 'object' && typeof inputSchema !== 'function') || inputSchema === null) return undefined;
  return { of: inputSchema, json: async () => (await loadAi()).asSchema(inputSchema).jsonSchema };
}
