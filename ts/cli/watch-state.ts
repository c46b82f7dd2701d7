/** What the live view of `countersign watch` is about at one moment. */
import type { SeenEdit } from '../gate/seen-edit.js';
import type { KeptRecord } from '../native.js';
import type { TextDraft } from './chat/screen/draft.js';
import type { SeenLines } from './chat/screen/seen.js';
import type { KeptBeside } from './shown.js';

export interface WatchState {
  /** What waits, oldest first. */
  records: readonly KeptRecord[];
  /** An id, never a row: what arrives does not move what is meant. */
  selected: string | null;
  mode: { at: 'list' } | { at: 'request'; scroll: number } | { at: 'help'; scroll: number } | AskedMode;
  /** When each arrived, in ms since the epoch; what waited before it began is not there. */
  arrived: ReadonlyMap<string, number>;
  /** What is known beside requests that were looked at, by their ids. */
  beside: ReadonlyMap<string, KeptBeside>;
  /** What was seen of the request that is on the screen. */
  seen?: SeenLines | undefined;
  /** What was done last. */
  said: string;
}

/** Something is asked about one request. `quietSince`: since when it is on the screen and no key was pressed, in ms. */
type AskedMode = ConfirmMode | WordsMode;

/** A question that `y` answers, once all that it is about was seen. `isEarly`: the last key came too early. */
export type ConfirmMode = { at: 'confirm'; id: string; quietSince: number; scroll: number; isEarly?: true } & (
  | { what: 'approve' | 'skip' }
  /** What would be remembered, and where, in lines that are seen to their end before it is answered. */
  | { what: 'always'; lines: readonly string[] }
  /** Other arguments; `doubts`: what stands out in them. */
  | { what: 'edit'; args: unknown; shown?: SeenEdit | undefined; lines: readonly string[]; doubts: readonly string[] }
);

/** A line that is written: why not, or the result that the model gets. It stays when its request no longer waits, and sends nothing then. */
export type WordsMode = { at: 'words'; what: 'reject' | 'respond'; id: string; draft: TextDraft; quietSince: number };
