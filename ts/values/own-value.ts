/** What a value has itself under this name; nothing of what it inherits, and nothing where it is no object. */
export const ownValue = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
