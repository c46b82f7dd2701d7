/** Runs with properties on `Object.prototype`, as code that merges objects carelessly lets others set them. */
export async function polluted<T>(properties: Record<string, unknown>, run: () => Promise<T>): Promise<T> {
  const prototype = Object.prototype as unknown as Record<string, unknown>;
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(prototype, name, { value, configurable: true, enumerable: false, writable: true });
  }
  try {
    return await run();
  } finally {
    for (const name of Object.keys(properties)) delete prototype[name];
  }
}
