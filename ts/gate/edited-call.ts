/** A call with other arguments, as a person wants to let it run. */
import type { ApprovalRequest, PolicyVerdict } from '../../index.js';
import { preview, type NativeLooked } from '../native.js';
import { isSame } from '../values/same.js';
import { snapshot } from '../values/snapshot.js';
import { shownArgs, type ReasonedCall } from './agent-reason.js';
import { mayOverwrite, type DangerousCall } from './danger.js';

/** Said where arguments were edited, and are what they were. */
export const NOTHING_CHANGED = 'Nothing changed: the call still waits for your answer';

/**
 * Whether arguments that somebody wrote are those that were asked for, in any order of names: that is no edit, and no yes.
 *
 * @param before as JSON
 * @param args as the tool would get them
 */
export const isUnchanged = (before: unknown, args: unknown): boolean =>
  isSame(plain(before), plain(snapshot(args).json));

const plain = (json: unknown): unknown => (json === undefined ? undefined : JSON.parse(JSON.stringify(json)));

/** What is said and shown of a call with other arguments, as of one that somebody is asked about. */
export interface EditReading extends Pick<ApprovalRequest, 'verdict' | 'changes' | 'proven' | 'preview' | 'flags'> {
  /** The rules that the call stands under, or the files that it writes, were not looked at: something of it may stand out. */
  isUnread: boolean;
  /** Names what was shown of it, for the decision to hand back; `null`: its files were not looked at. */
  shown: string | null;
}

/** Judges a call that waits with other arguments, as JSON, and looks at what it would change. */
export type EditReader = (args: unknown) => Promise<EditReading>;

type EditableCall = DangerousCall & ReasonedCall & Pick<ApprovalRequest, 'flags'>;

/**
 * A call that waits, as it would run with other arguments: who is asked about it looks at it as at any call. That it was started
 * before holds on; all else is judged anew. The one way to what stands out in an edit, for each place where somebody edits.
 *
 * @param args as JSON
 * @param read absent: nothing is there that knows its rules
 */
export async function editedCall<CALL extends EditableCall>(
  call: CALL,
  args: unknown,
  read: EditReader | undefined,
): Promise<CALL & EditReading> {
  return read === undefined ? unreadCall(call, args) : { ...call, args, ...(await read(args)) };
}

/** The same where nothing knows its rules. */
export function unreadCall<CALL extends EditableCall>(call: CALL, args: unknown): CALL & EditReading {
  const { toolName, agentReason = null, verdict } = call;
  const { text, flags } = preview(toolName, shownArgs({ args, agentReason }));
  // What policies have read, and what would change, is of the call that was asked for.
  return {
    ...call,
    args,
    preview: text,
    flags,
    verdict: verdict === null ? null : unread(verdict),
    changes: [],
    proven: null,
    isUnread: verdict !== null || mayOverwrite(toolName),
    shown: null,
  };
}

function unread(verdict: PolicyVerdict): PolicyVerdict {
  const { more: _, ...rest } = verdict;
  return { ...rest, actions: [] };
}

/** A reading that was made where a call may stand under other rules. What is shown of it has no name yet. */
export const readBeside = (
  { verdict, shown }: Pick<EditReading, 'verdict'> & { shown: ShownEdit },
  isUnread: boolean,
): EditReading => {
  const { changes, proven, page } = shown;
  return { verdict, changes, proven, preview: page.text, flags: page.flags, isUnread, shown: null };
};

/** What is looked up of an edit for those who are asked about it. */
export type ShownEdit = NonNullable<NativeLooked['shown']>;
