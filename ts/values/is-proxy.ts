import type * as Types from 'node:util/types';

let types: typeof Types | undefined;

/** Whether it is a proxy: what it shows to one reader it may hide from the next. */
export function isProxy(value: unknown): boolean {
  types ??= process.getBuiltinModule('node:util/types');
  return types.isProxy(value);
}
