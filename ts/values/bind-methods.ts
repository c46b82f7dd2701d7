/**
 * Has the methods of an object work without it, too: `const { decide } = gate` takes one alone, and so does who passes one on. What a
 * class keeps to itself would be out of reach then. Those whose name is a symbol are taken alone as well, as by a stack of what is to be
 * disposed of.
 *
 * @returns the object
 */
export function bindMethods<T extends object>(object: T): T {
  for (let above = prototypeOf(object); above !== null && above !== Object.prototype; above = prototypeOf(above)) {
    let names = METHODS.get(above);
    if (names === undefined) METHODS.set(above, (names = methodsOf(above)));
    for (const name of names) if (!Object.hasOwn(object, name)) bindMethod(object, name);
  }
  return object;
}

/** The names of the methods of each class. */
const METHODS = new WeakMap<object, readonly (string | symbol)[]>();

/** It is looked up when it is called: the class says what it does. */
function bindMethod(object: object, name: string | symbol): void {
  const bound = (...given: unknown[]): unknown => {
    const method = Reflect.get(prototypeOf(object) ?? object, name, object) as (...given: unknown[]) => unknown;
    return Reflect.apply(method, object, given);
  };
  Object.defineProperty(object, name, { value: bound, writable: true, configurable: true });
}

const methodsOf = (above: object): (string | symbol)[] =>
  Reflect.ownKeys(above).filter(
    (name) => name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(above, name)?.value === 'function',
  );

const prototypeOf = (object: object): object | null => Object.getPrototypeOf(object) as object | null;
