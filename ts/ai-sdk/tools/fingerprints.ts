/** What a run was told to be and what it could do, as digests: a run that is continued with others says so. */
import type { ToolSet } from 'ai';
import { textDigest } from '../../gate/text-digest.js';
import { identityOf } from '../../gate/tool-identity.js';
import { snapshot } from '../../values/snapshot.js';
import { withoutAdvice } from './approval-advice.js';
import { approvedTool } from './approved-tool.js';
import type { CallOptions } from '../sdk/sdk.js';
import { ownTool } from './tools.js';

export interface RunFingerprints {
  prompt: string;
  /** Of the prompt without what it says of approvals; absent: as the prompt. */
  written?: string | undefined;
  tools: [name: string, digest: string][];
}

/** What is another. */
export interface RunDrift {
  /** Names of tools that changed, are new, or are gone. */
  tools: string[];
  prompt: boolean;
  /** Of the prompt only what it says of approvals. */
  onlyAdvice: boolean;
}

/** @param guards whether a tool's calls may be asked about */
export async function fingerprintsOf(
  options: CallOptions,
  tools: ToolSet,
  guards: (toolName: string) => boolean,
): Promise<RunFingerprints> {
  const names = Object.keys(tools);
  const prompt: unknown = options['instructions'] ?? options['system'] ?? null;
  const written = withoutAdvice(prompt);
  return {
    prompt: digest(prompt),
    ...(written === prompt ? {} : { written: digest(written) }),
    tools: await Promise.all(
      names.map(async (name): Promise<[string, string]> => [name, await ofTool(tools, name, guards(name))]),
    ),
  };
}

/** @param guarded as `now`, where tools whose calls wait count as asked about, even if they no longer would be */
export function driftBetween(before: RunFingerprints, now: RunFingerprints, guarded: RunFingerprints): RunDrift {
  const was = new Map(before.tools);
  const is = [new Map(now.tools), new Map(guarded.tools)];
  const names = new Set([...was.keys(), ...is.flatMap((tools) => [...tools.keys()])]);
  return {
    tools: [...names].filter((name) => is.every((tools) => was.get(name) !== tools.get(name))),
    prompt: before.prompt !== now.prompt,
    onlyAdvice: before.prompt !== now.prompt && writtenIn(before) === writtenIn(now),
  };
}

const writtenIn = ({ prompt, written = prompt }: RunFingerprints): string => written;

/** A tool is another one where an approval of its calls would not be for it, or where it is asked about and was not. */
const ofTool = async (tools: ToolSet, name: string, isGuarded: boolean): Promise<string> =>
  digest([await identityOf(approvedTool(name, ownTool(tools, name))), isGuarded]);

function digest(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(snapshot(value).json);
  } catch {
    // No data, e.g. a schema that refers to itself: it cannot be compared.
    return 'unknown';
  }
  return textDigest(text).slice(0, 32);
}
