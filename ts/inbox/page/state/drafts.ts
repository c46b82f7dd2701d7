/** What was being written about a request. It stays when the sheet goes, also when somebody else was faster. */
import { signal } from '@preact/signals';

export interface KeptDraft {
  /** What it was to be: `Reason`, `Answer`. */
  label: string;
  text: string;
}

/** By the id of the request, then by what it was to be. */
const drafts = signal<ReadonlyMap<string, ReadonlyMap<string, string>>>(new Map());

export const draftOf = (id: string, label: string): string | undefined => drafts.value.get(id)?.get(label);

/** An empty or unchanged draft does not count. */
export function keepDraft(id: string, label: string, text: string, began = ''): void {
  const own = new Map(drafts.value.get(id));
  if (text.trim() === '' || text === began) own.delete(label);
  else own.set(label, text);
  put(id, own);
}

export const draftsOf = (id: string): KeptDraft[] =>
  [...(drafts.value.get(id) ?? [])].map(([label, text]) => ({ label, text }));

export const dropDrafts = (id: string): void => put(id, new Map());

function put(id: string, own: ReadonlyMap<string, string>): void {
  const next = new Map(drafts.value);
  if (own.size === 0) next.delete(id);
  else next.set(id, own);
  drafts.value = next;
}
