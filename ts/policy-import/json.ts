/** JSON with comments, as the core reads it, with the place of each part. */
import { readTree } from '../native.js';
import type { TreeEntry, TreeNode } from '../wire.js';
import { ImportFault, type Place, type SourceText } from './text.js';

/** A member of an object. */
export interface Member {
  name: string;
  node: TreeNode;
  /** The place of the name. */
  at: Place;
}

/** Reads a text that holds one object. */
export function objectOf(source: SourceText): Member[] {
  const tree = readTree(source.text, 'json');
  if ('problem' in tree) {
    // Nothing at all is no object either.
    const { message, start } = tree.problem;
    throw new ImportFault(message, source.place(start));
  }
  if (tree.root.kind !== 'table') throw new ImportFault('an object is expected: `{ … }`', { line: 1, column: 1 });
  return membersOf(source, tree.root.entries);
}

/** The members of an object. A name that stands there twice is refused: it is not known which of them counts. */
export function membersOf(source: SourceText, entries: readonly TreeEntry[]): Member[] {
  const names = new Set<string>();
  return entries.map(({ key, start, node }) => {
    const at = source.place(start);
    if (names.has(key)) throw new ImportFault(`\`${key}\` stands here twice; remove one`, at);
    names.add(key);
    return { name: key, node, at };
  });
}

/** A value as it is written. */
export const writtenOf = (source: SourceText, { start, end }: TreeNode): string => source.text.slice(start, end);

export const isTrue = (node: TreeNode): boolean => node.kind === 'flag' && node.flag;
