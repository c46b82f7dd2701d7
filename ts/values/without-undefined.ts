/** The same without what has no value: an option that is there must have one. */
export const withoutUndefined = <VALUES extends object>(values: VALUES): VALUES =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as VALUES;
