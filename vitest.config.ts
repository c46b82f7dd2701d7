import { defineConfig } from 'vitest/config';

/** Folders whose tests do not depend on the AI SDK's version, or bring their own: they run once. */
const ONCE = [
  ...['lifecycle', 'package', 'house', 'bench', 'examples', 'start', 'docs', 'cli', 'ledger'].map(
    (room) => `__test__/${room}/**/*.test.ts`,
  ),
  // Promises over several processes.
  '__test__/guarantees/*.processes.test.ts',
];

const shared = {
  // A crash of the addon must not take other tests with it.
  pool: 'forks',
  testTimeout: 20_000,
  hookTimeout: 30_000,
  // The addon's loader finds the addon next to itself: it must run from where it is.
  server: { deps: { external: [/\/binding\/binding\.js$/] } },
} as const;

/** All tests that use the AI SDK, with `ai` standing for the installed version 6 or 7, in tests and in `ts/` alike. */
const withAi = (major: '6' | '7') => ({
  resolve: { alias: [{ find: /^ai(?=\/test$|$)/, replacement: `ai${major}` }] },
  test: {
    ...shared,
    name: `ai${major}`,
    include: ['__test__/**/*.test.ts'],
    exclude: ONCE,
    env: { AI_MAJOR: major },
  },
});

export default defineConfig({
  test: {
    projects: [withAi('6'), withAi('7'), { test: { ...shared, name: 'once', include: ONCE } }],
  },
});
