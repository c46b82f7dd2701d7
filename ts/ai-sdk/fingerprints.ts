/** What a run was told to be and what it could do, as digests: a run that is continued with others says so. */
import type { ToolSet } from 'ai';
import { messageOf } from '../errors/message-of.js';
import { canonicalize } from '../native.js';
import { ruleNameOf } from '../policy/foreign.js';
import { snapshot } from '../values/snapshot.js';
import type { AiModule, CallOptions } from './sdk.js';
import { ownTool } from './tools.js';

export interface RunFingerprints {
  prompt: string;
  tools: [name: string, digest: string][];
}

/** What is another. */
export interface RunDrift {
  /** Names of tools that changed, are new, or are gone. */
  tools: string[];
  prompt: boolean;
}

/** @param guards whether a tool's calls may be asked about */
export async function fingerprintsOf(
  ai: AiModule,
  options: CallOptions,
  tools: ToolSet,
  guards: (toolName: string) => boolean,
): Promise<RunFingerprints> {
  const names = Object.keys(tools);
  return {
    prompt: digest(options['instructions'] ?? options['system'] ?? null),
    tools: await Promise.all(
      names.map(async (name) => [name, await ofTool(ai, tools, name, guards(name))] as [string, string]),
    ),
  };
}

export function driftBetween(before: RunFingerprints, now: RunFingerprints): RunDrift {
  const was = new Map(before.tools);
  const is = new Map(now.tools);
  const names = new Set([...was.keys(), ...is.keys()]);
  return {
    tools: [...names].filter((name) => was.get(name) !== is.get(name)),
    prompt: before.prompt !== now.prompt,
  };
}

async function ofTool(ai: AiModule, tools: ToolSet, name: string, isGuarded: boolean): Promise<string> {
  const tool = ownTool(tools, name);
  const description: unknown = tool?.description;
  let schema: unknown;
  try {
    // It may have to be made first, from a schema of another kind.
    schema = await ai.asSchema(tool?.inputSchema).jsonSchema;
  } catch (error) {
    schema = `none: ${messageOf(error)}`;
  }
  const said = typeof description === 'string' ? description : null;
  // By the name that rules know it by: a server may have given its own tool the name of another.
  return digest([said, schema ?? null, isGuarded, ruleNameOf(name, tool)]);
}

function digest(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(snapshot(value).json);
  } catch {
    // No data, e.g. a schema that refers to itself: it cannot be compared.
    return 'unknown';
  }
  return canonicalize(text).digest.slice(0, 32);
}
