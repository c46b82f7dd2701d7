/** What was shown of an edit before it is decided. A decision says it, and is bound to that, not to what is there when it is made. */
import type { FileChange } from '../../index.js';
import { canonicalize } from '../native.js';
import { revive, snapshot } from '../values/snapshot.js';

/** A file as it was seen. */
export type SeenFile = Pick<FileChange, 'path' | 'target' | 'before'>;

/** What an edit is bound to beside its arguments. */
export interface SeenEdit {
  /** What it is judged under. */
  context: object;
  /** The files that it writes. */
  changes: readonly SeenFile[];
}

/**
 * What a decision says was shown of its edit, as {@link shownName} gives it. `null`: its files were not looked at. `undefined`: nothing was
 * shown, since code decides.
 */
export type ShownName = string | null | undefined;

/** The context of the digest that the ledger keeps: files that change later make it another one, also for another process. */
export const contextWith = ({ context, changes }: SeenEdit): object =>
  changes.length === 0 ? context : { ...context, files: filesOf(changes) };

/** What counts of these files. */
export const filesOf = (changes: readonly SeenFile[]): Pick<FileChange, 'target' | 'before'>[] =>
  changes.map(({ target, before }) => ({ target, before }));

/**
 * The name of what is shown of an edit: the decision hands it back. It is the same in each process, and is kept in none.
 *
 * @param args as JSON
 */
export const shownName = (approvalId: string, args: unknown, seen: SeenEdit): string =>
  canonicalize(JSON.stringify({ approvalId, args: snapshot(revive(args)).json, context: contextWith(seen) })).digest;

/**
 * The context that a decision for an edit is bound to. Where something else was shown than is there now, nothing fits it: the call is asked
 * about again.
 *
 * @param args as JSON
 * @param now what would be shown of it now
 */
export function shownContext(approvalId: string, args: unknown, now: SeenEdit, shown: ShownName): object {
  if (shown === null) return now.context;
  const context = contextWith(now);
  return shown === undefined || shown === shownName(approvalId, args, now) ? context : { ...context, shown };
}
