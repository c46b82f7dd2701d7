/** Every kind of wrong value. */

/** What cannot be looked at. */
export const broken = (): never => {
  throw new Error('it cannot be looked at');
};

export const VALUES: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  '5': () => 5,
  '-1': () => -1,
  NaN: () => NaN,
  "''": () => '',
  text: () => 'quite wrong',
  true: () => true,
  false: () => false,
  '[]': () => [],
  '[text]': () => ['quite wrong'],
  '[null]': () => [null],
  '{}': () => ({}),
  '{ a: 1 }': () => ({ a: 1 }),
  function: () => () => {},
  symbol: () => Symbol('wrong'),
  bigint: () => 1n,
  proxy: () => new Proxy({}, { get: broken, has: broken, ownKeys: broken, getPrototypeOf: broken }),
};
