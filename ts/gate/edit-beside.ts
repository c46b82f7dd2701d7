/** An edit of a call that this gate does not ask about itself: another process does, or its tool is not known here. */
import { InternalError } from '../errors/internal-error.js';
import type { RawRecord } from '../native.js';
import type { JudgedByPolicy } from '../policy/policies.js';
import { revive, snapshot } from '../values/snapshot.js';
import { readBeside, type EditReading, type ShownEdit } from './edited-call.js';
import type { GateInternals } from './inside.js';
import { isReadAlike, reboundContext } from './rebound.js';
import type { SeenEdit } from './seen-edit.js';

/** The call that is edited. */
export type BesideCall = Pick<JudgedByPolicy, 'toolCallId' | 'toolName'> & { runId: string };

/** What this gate says and shows of an edit. */
export interface EditBeside {
  /** For those who are asked about it. */
  reading: EditReading;
  /** What it can be bound to; `undefined`: its files may be elsewhere, or are under other rules, and were not seen. */
  seen: SeenEdit | undefined;
}

/** What would be shown of a call of this gate, were somebody asked about it. */
export async function shownOf({ control, native }: GateInternals, call: JudgedByPolicy): Promise<ShownEdit> {
  const { look, policies } = await control.lookAt(call, call.toolName, [], { floor: false, offers: true });
  const { shown, problems } = await native.look(call.args.json, look, policies);
  control.tellProblems(problems);
  if (shown === null) throw new InternalError({ message: 'nothing of a call was shown' });
  return shown;
}

/** @param args as JSON */
export async function editBeside(
  inside: GateInternals,
  { toolCallId, toolName, runId }: BesideCall,
  args: unknown,
  record: Pick<RawRecord, 'context'> | undefined,
): Promise<EditBeside> {
  const { control } = inside;
  const call = { toolCallId, toolName, runId, args: snapshot(revive(args)) };
  const { context = null } = record ?? {};
  const isKnown = record !== undefined && (await isReadAlike(control, context, call));
  // First, as where the tool is known: what changes from here on is a change.
  const rebound = isKnown && context !== null ? await reboundContext(control, context, call) : undefined;
  const nobody = { asksFunctions: false, opinions: async () => [] };
  const { said = null } = await control.judge(call, [], nobody);
  const shown = await shownOf(inside, call);
  return {
    reading: readBeside({ verdict: said, shown }, !isKnown),
    seen: rebound && { context: rebound, changes: shown.changes },
  };
}
