/** Runs with properties on `Object.prototype`, as code that merges objects carelessly lets others set them. */
export async function polluted<T>(properties: Record<string | symbol, unknown>, run: () => Promise<T>): Promise<T> {
  const prototype = Object.prototype as unknown as Record<string | symbol, unknown>;
  for (const name of Reflect.ownKeys(properties)) {
    Object.defineProperty(prototype, name, {
      value: properties[name],
      configurable: true,
      enumerable: false,
      writable: true,
    });
  }
  try {
    return await run();
  } finally {
    for (const name of Reflect.ownKeys(properties)) delete prototype[name];
  }
}
