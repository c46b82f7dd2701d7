/** What was shown of edits before they are decided: a decision is bound to that, and not to what is there when it is made. */
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

/** The context of the digest that the ledger keeps: files that change later make it another one, also for another process. */
export const contextWith = ({ context, changes }: SeenEdit): object =>
  changes.length === 0 ? context : { ...context, files: filesOf(changes) };

/** What counts of these files. */
export const filesOf = (changes: readonly SeenFile[]): Pick<FileChange, 'target' | 'before'>[] =>
  changes.map(({ target, before }) => ({ target, before }));

/** Edits of one request, and requests: of more than that the oldest are forgotten. */
const MOST = 200;

/** What was shown of each edit, until its request is decided. */
export class SeenEdits {
  readonly #seen = new Map<string, Map<string, SeenEdit>>();

  /**
   * Keeps what is shown of an edit now. What was shown of it first stays: a person may go by that.
   *
   * @param args as JSON
   */
  keep(approvalId: string, args: unknown, { context, changes }: SeenEdit): void {
    const edits = this.#seen.get(approvalId) ?? new Map<string, SeenEdit>();
    const key = keyOf(args);
    if (edits.has(key)) return;
    // Without the diffs.
    const files = changes.map(({ path, target, before }) => ({ path, target, before }));
    put(edits, key, { context, changes: files });
    put(this.#seen, approvalId, edits);
  }

  /** @param args as JSON */
  of(approvalId: string, args: unknown): SeenEdit | undefined {
    return this.#seen.get(approvalId)?.get(keyOf(args));
  }

  /** The request is decided. */
  forget(approvalId: string): void {
    this.#seen.delete(approvalId);
  }
}

const keyOf = (args: unknown): string => canonicalize(JSON.stringify(snapshot(revive(args)).json)).digest;

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.size > MOST ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
