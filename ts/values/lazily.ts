/** Properties that are made when they are first read. */

/**
 * Gives the object these properties. Each is made once, on the first read; to a reader it is like any other, also where the object is
 * frozen or sealed before that read.
 */
export function lazily<T extends object, MORE extends object>(
  object: T,
  makers: { [NAME in keyof MORE]: () => MORE[NAME] },
): T & MORE {
  for (const name of Object.keys(makers) as (keyof MORE & string)[]) {
    let read: () => unknown = once(makers[name]);
    // Where the property can no longer be replaced, it stays a getter.
    const become = (owner: object, value: unknown): boolean =>
      Reflect.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true });
    const get = (): unknown => {
      const value = read();
      become(object, value);
      return value;
    };
    // What is derived from the object gets a property of its own.
    function set(this: object, value: unknown): void {
      if (become(this, value)) return;
      if (Object.isFrozen(this)) throw new TypeError(`Cannot assign to read only property '${name}' of object`);
      read = () => value;
    }
    Object.defineProperty(object, name, { get, set, enumerable: true, configurable: true });
  }
  return object as T & MORE;
}

/** What makes a value, the first time that it is asked. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
