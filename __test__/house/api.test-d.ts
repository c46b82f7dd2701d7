/** Checked by `tsc`: what `ts/` exports can be used as what `index.d.ts` declares, member by member. */
import type * as declared from '../../index.js';
import type * as made from '../../ts/index.js';

type Declared = typeof declared;
type Made = typeof made;

/**
 * A class is compared by its instances and its static members: users get its instances from us and never call its
 * constructor, which is not part of the API.
 */
type Comparable<T> = T extends { prototype: infer INSTANCE }
  ? { instance: INSTANCE; statics: Omit<T, 'prototype'> }
  : T;

/** The names whose implementation does not fit the declaration; a compile error names them. */
type Unfit = {
  [NAME in keyof Declared]: NAME extends keyof Made
    ? Comparable<Made[NAME]> extends Comparable<Declared[NAME]>
      ? never
      : NAME
    : NAME;
}[keyof Declared];

type Undeclared = Exclude<keyof Made, keyof Declared>;

type Empty<NAMES> = [NAMES] extends [never] ? true : NAMES;

export const everyDeclaredMemberFits: Empty<Unfit> = true;
export const nothingElseIsExported: Empty<Undeclared> = true;
