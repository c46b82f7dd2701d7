/** Whether two values are equal in all their parts, as Node compares them. Values that cannot be compared are not. */
export function isSame(left: unknown, right: unknown): boolean {
  try {
    // Not imported: an import of `node:util` loads all that it re-exports, a fifth of the time that the package takes.
    return process.getBuiltinModule('node:util').isDeepStrictEqual(left, right);
  } catch {
    return false;
  }
}
