import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Folders whose tests do not depend on the AI SDK's version, or bring their own: they run once. */
const ONCE = [
  ...['lifecycle', 'package', 'house', 'bench', 'examples', 'start', 'docs', 'cli', 'ledger', 'terminal', 'types'].map(
    (room) => `__test__/${room}/**/*.test.ts`,
  ),
  ...['react', 'inbox', 'protocols', 'webhooks'].map((room) => `__test__/${room}/**/*.test.ts`),
  // What stands on files and processes alone.
  ...['backend', 'execute'].map((name) => `__test__/agent/${name}.test.ts`),
  // Promises over several processes.
  '__test__/guarantees/*.processes.test.ts',
];

/** Tests that `npm test` leaves to `npm run test:all`. */
const LONG = ['__test__/**/*.long.test.ts'];

const TESTS = readdirSync(join(import.meta.dirname, '__test__'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `__test__/${file.replaceAll('\\', '/')}`);

const thatSay = (what: RegExp) =>
  TESTS.filter((file) => what.test(readFileSync(join(import.meta.dirname, file), 'utf8')));

/** What `npm run test:all` adds: these, and tests that do more where there is time (`__test__/support/effort.ts`). */
const WITH_EFFORT = [
  ...TESTS.filter((file) => file.endsWith('.long.test.ts')),
  ...thatSay(/\b(?:isThorough|effort)\b(?!\.)|each-runtime\.js|tried\.js|\b(?:r|someR)untimes\(\)/),
];

/** Tests that do less where `npm test` runs them once more, on AI SDK 6 or over a ledger that lasts. */
const SAMPLED = thatSay(/\bsample\(|\bisSample\b|\beffort\([^,()]+, [^,()]+, /);

/** Tests that replace modules, which they must not do for others: each has a process of its own. */
const ALONE = thatSay(/\bvi\.mock\(/);

const shared = {
  // A crash of the addon must not take all other tests with it. Files share a process, and what they import: to load the AI SDK
  // takes longer than most of them do.
  pool: 'forks',
  isolate: false,
  // For hangs alone: a test that waits for what happens takes as long as its machine needs.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  // The addon's loader finds the addon next to itself: it must run from where it is.
  server: { deps: { external: [/\/binding\/binding\.js$/] } },
} as const;

/** Tests that hold over any ledger, but for those that say why not. Each gate of theirs has a file of its own. */
const ANY_LEDGER = [
  ...['ai-sdk', 'gate'].map((room) => `__test__/${room}/**/*.test.ts`),
  '__test__/guarantees/g{01,02,03,06,07,12}-*.test.ts',
];

/** Of these, what a server may do differently: each gate of theirs has tables of its own there, which takes a while. */
const ANY_DATABASE = ['__test__/guarantees/g03-*.test.ts'];

/** What holds over processes that share any ledger. */
const ANY_SHARED = ['__test__/guarantees/g{03-once,04-nothing-is-lost,05-time-is-a-decision}.processes.test.ts'];

/** What is about PostgreSQL: servers of their own that are killed, or the one that this project's tests share. */
const POSTGRES = ['__test__/ledger/postgres/**/*.test.ts', '__test__/**/*.postgres.test.ts'];

/** These name the ledgers that they are about. */
const OWN_LEDGER = ['later', 'ledger', 'ledger-options', 'redaction'].map((name) => `__test__/gate/${name}.test.ts`);

const installedAs = (major: '6' | '7') => ({
  resolve: { alias: [{ find: /^ai(?=\/test$|$)/, replacement: `ai${major}` }] },
});

interface Project {
  name: string;
  include: string[];
  exclude: string[];
  env?: Record<string, string>;
}

/** A project, and a second one of those of its tests that run alone. */
const project = (major: '6' | '7', { name, include, exclude, env }: Project) => [
  {
    ...installedAs(major),
    test: { ...shared, name, include, exclude: [...exclude, ...ALONE], env: { AI_MAJOR: major, ...env } },
  },
  {
    ...installedAs(major),
    test: {
      ...shared,
      isolate: true,
      name: `${name}-alone`,
      include,
      exclude: [...exclude, ...TESTS.filter((file) => !ALONE.includes(file))],
      env: { AI_MAJOR: major, ...env },
    },
  },
];

/** All tests that use the AI SDK, with `ai` standing for the installed version 6 or 7, in tests and in `ts/` alike. */
const withAi = (major: '6' | '7', name: string, more: Partial<Project> = {}) =>
  project(major, { name, include: ['__test__/**/*.test.ts'], exclude: [...ONCE, ...POSTGRES, ...LONG], ...more });

/** On one version of the AI SDK, which does not see the ledger. */
const overFiles = (name: string, { exclude = [], env = {} }: Partial<Project>) =>
  project('7', {
    name,
    include: ANY_LEDGER,
    exclude: [...ONCE, ...OWN_LEDGER, ...LONG, ...exclude],
    env: { COUNTERSIGN_LEDGER: 'sqlite:', ...env },
  });

const aSample = { COUNTERSIGN_EFFORT: 'sample' };
const whole = { COUNTERSIGN_EFFORT: 'quick' };
const thorough = { COUNTERSIGN_EFFORT: 'thorough' };

/** One server for all of a project's tests. */
const onServer = {
  globalSetup: '__test__/support/postgres-server.ts',
  setupFiles: '__test__/support/postgres-ledgers.ts',
  env: { AI_MAJOR: '7', COUNTERSIGN_LEDGER: 'postgres:' },
};

/** The same over PostgreSQL, and what is about it alone. */
const overPostgres = {
  ...installedAs('7'),
  test: {
    ...shared,
    ...onServer,
    isolate: true,
    name: 'postgres',
    env: { ...onServer.env, ...aSample },
    include: [...ANY_DATABASE, ...ANY_SHARED, ...POSTGRES],
    exclude: [...OWN_LEDGER, ...LONG],
  },
};

const once = project('7', { name: 'once', include: ONCE, exclude: [...POSTGRES, ...LONG] });

/** What `npm run test:all` adds: more of each, and all of what was a sample. */
const long = [
  ...project('7', { name: 'long', include: WITH_EFFORT, exclude: POSTGRES, env: thorough }),
  ...withAi('6', 'long-ai6', { include: SAMPLED, env: whole }),
  ...overFiles('long-sqlite', { exclude: TESTS.filter((file) => !SAMPLED.includes(file)), env: whole }),
];

/** What it adds over PostgreSQL. */
const longOverPostgres = {
  ...installedAs('7'),
  test: {
    ...shared,
    ...onServer,
    isolate: true,
    name: 'long-postgres',
    include: [...new Set([...WITH_EFFORT, ...SAMPLED])].filter((file) =>
      /\.postgres\.|\/postgres\/|\/g0[345]-.*\.processes\.|\/g0[23]-/.test(file),
    ),
    env: { ...onServer.env, ...thorough },
  },
};

export default defineConfig({
  test: {
    // Tests wait more than they compute.
    maxWorkers: availableParallelism() + 1,
    projects: [
      ...withAi('6', 'ai6', { env: aSample }),
      ...withAi('7', 'ai7'),
      ...overFiles('sqlite', { env: aSample }),
      overPostgres,
      ...once,
      ...long,
      longOverPostgres,
    ],
  },
});
