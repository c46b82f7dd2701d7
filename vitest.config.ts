import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { enterPlainEnvironment } from './scripts/environment.mjs';
import { enterTemporary } from './scripts/temporary.mjs';

// `npx vitest` too leaves no temporary files behind.
enterTemporary();

enterPlainEnvironment();

/** Every test, by its path, with its text. */
const TESTS = new Map(
  readdirSync(join(import.meta.dirname, '__test__'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `__test__/${file.replaceAll('\\', '/')}`)
    .map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')]),
);

const called = (what: RegExp, ...unless: RegExp[]) =>
  [...TESTS.keys()].filter((file) => what.test(file) && !unless.some((other) => other.test(file)));
const thatSay = (what: RegExp) => new Set([...TESTS].filter(([, text]) => what.test(text)).map(([file]) => file));

/** Tests that do not depend on the AI SDK's version, or bring their own: they run once. */
const ONCE = new RegExp(
  [
    '/(?:lifecycle|package|confine|house|bench|examples|start|docs|cli|ledger|terminal|react|inbox|protocols|webhooks|types|policy-import)/',
    // What stands on files and processes alone.
    '/agent/(?:backend|execute)[.]',
    '/g11-the-audit-',
    // Promises over several processes.
    '/guarantees/.*[.]processes[.]',
  ].join('|'),
);

/** Tests that `npm test` leaves to `npm run test:all`. */
const LONG = /\.long\./;

/** Tests that do more where there is time (`__test__/support/effort.ts`). */
const WITH_EFFORT = thatSay(/\b(?:isThorough|effort)\b(?!\.)|each-runtime\.js|tried\.js|\b(?:r|someR)untimes\(\)/);

/** Tests that try some of their cases in `npm test`, or fewer where it runs them once more. */
const SAMPLED = thatSay(/\bsample[<(]|\bis(?:Sample|Whole)\b|\beffort\([^,()]+, [^,()]+, /);

/** Tests that replace modules, or count what happened in the process (`@isolated`): each has a process of its own. */
const ALONE = thatSay(/\bvi\.mock\(|^ \* @isolated$/m);

/**
 * What `npm test` runs on AI SDK 6, too: of each room and of each promise that the SDK has a part in, what meets the SDK first. All
 * others are left to `npm run test:all`.
 */
const ON_BOTH = new RegExp(
  [
    '/g(?:01|06|16)-',
    '/ai-sdk/(?:abort|agent|approval-reasons|errors|gate-tools|hooks|stream-with-events|subagents[.]test|tool-|ui-stream|use-chat)',
    // Confinement, files and commands know nothing of the SDK.
    '/agent/(?:ask-user|deep-agent|task|tools)[.]',
    '/interrupt/',
    '/gate/gate[.]',
    '/options/(?:entries|slips)[.]',
    '/policy/gates[.]',
    '/resume/resume[.]',
    '__test__/[^/]+$',
  ].join('|'),
);

/** Tests that hold over any ledger, but for those that say why not. Each gate of theirs has a file of its own. */
const ANY_LEDGER = /\/(?:ai-sdk|gate)\/|\/g(?:01|02|03|06|07|12)-/;

/** Of these, what `npm test` runs over files: whatever asks, waits, decides and ends. */
const SOME_LEDGER = /\/ai-sdk\/(?:abort|waiting)\.test|\/gate\/(?:approvers|gate)\.|\/g(?:03|06)-/;

/** These name the ledgers that they are about. */
const OWN_LEDGER = /\/gate\/(?:later|ledger|ledger-options|redaction)\./;

/** What holds over processes that share any ledger. */
const ANY_SHARED = /\/g(?:03-once|04-nothing-is-lost|05-time-is-a-decision)\.processes\./;

/** What is about PostgreSQL: servers of their own that are killed, or the one that this project's tests share. */
const POSTGRES = /\/ledger\/postgres\/|\.postgres\./;

/** Of what holds over any ledger, what a server may do differently: each gate of theirs has tables of its own there. */
const ANY_DATABASE = /\/g03-/;

const sampled = { COUNTERSIGN_EFFORT: 'sample' };
const whole = { COUNTERSIGN_EFFORT: 'whole' };
const thorough = { COUNTERSIGN_EFFORT: 'thorough' };

const shared = {
  // A crash of the addon must not take all other tests with it. Files share a process, and what they import: to load the AI SDK
  // takes longer than most of them do.
  pool: 'forks' as const,
  isolate: false,
  // For hangs alone: a test that waits for what happens takes as long as its machine needs.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 400_000 } },
  // The addon's loader finds the addon next to itself: it must run from where it is.
  server: { deps: { external: [/\/binding\/binding\.js$/] } },
};

interface Test {
  env: Record<string, string>;
  isolate?: boolean;
  globalSetup?: string;
  setupFiles?: string[];
}

/** What each file of tests begins with. */
const SETUP = ['__test__/support/own-environment.ts', '__test__/support/some-cases.ts'];

/** Some tests, with `ai` standing for the installed version 6 or 7, in tests and in `ts/` alike. */
const projectOf = (name: string, major: '6' | '7', include: string[], { env, setupFiles = [], ...test }: Test) => ({
  resolve: { alias: [{ find: /^ai(?=\/test$|$)/, replacement: `ai${major}` }] },
  test: {
    ...shared,
    ...test,
    name,
    include,
    setupFiles: [...SETUP, ...setupFiles],
    env: { AI_MAJOR: major, ...env } as Record<string, string>,
  },
});

/** A project, and a second one of those of its tests that run alone. */
const project = (name: string, major: '6' | '7', files: string[], env: Record<string, string> = {}) => [
  projectOf(
    name,
    major,
    files.filter((file) => !ALONE.has(file)),
    { env },
  ),
  projectOf(
    `${name}-alone`,
    major,
    files.filter((file) => ALONE.has(file)),
    { env, isolate: true },
  ),
];

/** On one version of the AI SDK, which does not see the ledger. */
const overFiles = (name: string, files: string[], env: Record<string, string>) =>
  project(name, '7', files, { COUNTERSIGN_LEDGER: 'sqlite:', ...env });

/** The same over PostgreSQL, with one server for all of a project's tests. */
const overPostgres = (name: string, files: string[], env: Record<string, string>, isolate = false) =>
  projectOf(name, '7', files, {
    isolate,
    globalSetup: '__test__/support/postgres-server.ts',
    setupFiles: ['__test__/support/postgres-ledgers.ts'],
    env: { COUNTERSIGN_LEDGER: 'postgres:', ...env },
  });

const OF_THE_SDK = called(/./, ONCE, POSTGRES);
/** A file of one process may be long and hold over any ledger all the same. */
const OF_ANY_LEDGER = [...called(ANY_LEDGER, ONCE, OWN_LEDGER, POSTGRES, LONG), ...called(/\/g02-judged/)];
/**
 * Over a server, what holds over processes is left to `npm run test:all`, but for G3, and all of G3 but what several processes do. Of
 * G2 there is what was approved: the rest takes minutes there, and asks nothing else of the server.
 */
const onServer = [...called(ANY_DATABASE), ...called(POSTGRES, ANY_DATABASE)];
const OF_POSTGRES = [...onServer, ...called(ANY_SHARED, ANY_DATABASE), ...called(/\/g02-what-was-approved/)];

const onAi7 = OF_THE_SDK.filter((file) => !LONG.test(file));
const onAi6 = onAi7.filter((file) => !ALONE.has(file) && ON_BOTH.test(file));
const onFiles = OF_ANY_LEDGER.filter((file) => SOME_LEDGER.test(file));

/** What `npm test` runs. */
const short = [
  ...project('ai6', '6', onAi6, sampled),
  ...project('ai7', '7', onAi7),
  ...overFiles('sqlite', onFiles, sampled),
  overPostgres(
    'postgres',
    onServer.filter((file) => !LONG.test(file) && !/\/g03-once\.test/.test(file)),
    sampled,
  ),
  ...project('once', '7', called(ONCE, POSTGRES, LONG)),
];

const hasMore = (file: string) => LONG.test(file) || WITH_EFFORT.has(file) || SAMPLED.has(file);
/** Those of which the rest is left: some of their cases, or all of them. */
const rest = (files: string[], ran: string[]) => files.filter((file) => SAMPLED.has(file) || !ran.includes(file));

/** What `npm run test:all` adds: more of each, and all of what was a sample. */
const long = [
  ...project('long', '7', called(/./, POSTGRES).filter(hasMore), thorough),
  ...project('long-ai6', '6', rest(OF_THE_SDK, onAi6), whole),
  ...overFiles('long-sqlite', rest(OF_ANY_LEDGER, onFiles), whole),
  // Connections that somebody else left open, to servers that were cut off, would keep a shared process from its end.
  overPostgres('long-postgres', OF_POSTGRES.filter(hasMore), thorough, true),
];

export const projects = [...short, ...long].filter(({ test }) => test.include.length > 0);

export default defineConfig({
  // How long each file took orders them the next time. Of lanes beside each other the last one would write over what the others know.
  cacheDir: join(import.meta.dirname, '.build/vite', process.env.COUNTERSIGN_LANE ?? ''),
  test: {
    // A snapshot that is not there fails, also where nobody set CI: `-u` writes it.
    update: 'none',
    // Tests wait more than they compute.
    maxWorkers: availableParallelism() + 2,
    projects,
    // Three projects transform nearly the same files: what one of them made of a file serves the next run, and is known by the text
    // of the file and by this configuration.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(import.meta.dirname, '.build/modules') },
  },
});
