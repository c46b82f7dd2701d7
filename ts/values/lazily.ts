/** Properties that are made when they are first read. */

/** Gives the object these properties. Each is made once, on the first read; to a reader it is like any other. */
export function lazily<T extends object, MORE extends object>(
  object: T,
  makers: { [NAME in keyof MORE]: () => MORE[NAME] },
): T & MORE {
  for (const name of Object.keys(makers) as (keyof MORE & string)[]) {
    const make: () => unknown = makers[name];
    const become = (value: unknown): void => {
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    };
    const get = (): unknown => {
      const value = make();
      become(value);
      return value;
    };
    Object.defineProperty(object, name, { get, set: become, enumerable: true, configurable: true });
  }
  return object as T & MORE;
}

/** What makes a value, the first time that it is asked. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
