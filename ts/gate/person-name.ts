/** Names of people, as the core compares them. */

/** Whether two names are of one person: neither case and form of letters nor what cannot be seen makes a second one. */
export const isSamePerson = (one: string, other: string): boolean => plain(one) === plain(other);

/**
 * Whether it can be a person's name, as the core sees it. A name like that of a group would stand for all who are in it.
 */
export function isPersonName(name: string): boolean {
  return !isBlankName(name) && !plain(name).startsWith('group:');
}

/** Whether there is nothing to be seen of it. */
export const isBlankName = (name: string): boolean => plain(name) === '';

/** As the core compares names. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC');
