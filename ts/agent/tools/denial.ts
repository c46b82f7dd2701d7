/** What the policies deny of something that a command is to do: to that no human can say yes. */
import type { ServerCaller } from '../../gate/caller.js';
import { snapshot } from '../../values/snapshot.js';

/** Why the policies deny it, as a call of a tool; `undefined`: they do not. Asks no human. */
export async function denialOf(
  { asker }: ServerCaller,
  toolName: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const call = { toolCallId: crypto.randomUUID(), toolName, args: snapshot(args), context: {} };
  const verdict = await asker.judge(call, { ...UNASKED, signal });
  return verdict.effect === 'deny' ? verdict.reason : undefined;
}

const UNASKED = {
  gating: { action: 'allow', entry: null, allowedDecisions: null, timeout: null },
  entry: undefined,
  tool: undefined,
  hostJudges: [],
  usesGrants: 'none',
} as const;
