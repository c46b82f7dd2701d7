/**
 * Prepares what is stale, checks, tests, and ends with one line: `N passed, N failed`.
 *
 *     node scripts/test.mjs [mode] [arguments for vitest]
 *
 * | mode | what |
 * |---|---|
 * | `short` | `npm test`: all that is checked, and each room of tests, in minutes |
 * | `long` | what `npm run test:all` adds: more rounds and processes, each runtime, the packages as they ship |
 * | `all` | `npm run test:all`: both |
 * | `check` | `npm run check`: format, lints, types |
 * | `vitest` | `npm run test:only`: TypeScript tests alone |
 *
 * A failing step ends it. With CI set all steps run, so that one run tells everything.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { cargoReport } from './cargo-report.mjs';
import { cargoForTests, findCargo } from './cargo.mjs';
import { enterPlainEnvironment } from './environment.mjs';
import { prepare } from './prepare.mjs';
import { startPostgres } from './postgres.mjs';
import { runningFile, runningIn } from './running.mjs';
import { Failure, bin, endChildrenOnSignals, root, run, say, seconds } from './run.mjs';
import { enterTemporary } from './temporary.mjs';

/** How many of the slowest files are told. */
const SLOWEST = 12;

/** What the temporary files of `npm test` may need, in bytes. */
const ENOUGH_MEMORY = 2 ** 30;

const started = performance.now();
const [mode = 'short', ...rest] = process.argv.slice(2);
const work = join(root, '.build');
/** The names of the failed tests, for readers who see only the end of the output. */
const failedList = join(work, 'failed.txt');
const total = { passed: 0, failed: 0, skipped: 0 };
const failedTests = [];
/** The Rust tests that could not try something here, by the reason. */
const skippedTests = new Map();
/** The TypeScript tests that were skipped, by their file. Their titles say why. */
const skippedInFiles = new Map();
/** `{ name, ms }` of each file of tests. */
const times = [];
/** The lanes of TypeScript tests that run. */
const lanesOfTests = new Set();

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {(say: (text: string) => void) => Promise<{ code: number }>} run what it prints goes through `say`
 * @property {boolean} [isNeeded] by what follows in its lane
 */

/** A step that runs a program of node_modules. */
const node = (name, [packageName, binName], ...args) => ({
  name,
  run: (print) => run(process.execPath, [bin(packageName, binName), ...args], { print }),
});

/** What the compiler and Clippy have to say of our own crates. Cargo says it again when there is nothing to build. */
const lints = {
  name: 'clippy',
  async run(print) {
    const { cargo, env, everything } = cargoForTests();
    if (!('RUSTC_WORKSPACE_WRAPPER' in env)) {
      print('clippy is not installed: rustup component add clippy\n');
      return { code: 1 };
    }
    const { code, output } = await run(cargo, ['build', ...everything], { env, print });
    return { code: /^warning/m.test(output) ? 1 : code };
  },
};

const checks = [
  node('oxfmt', ['oxfmt'], '--list-different'),
  node('oxlint', ['oxlint']),
  node('tsc', ['typescript', 'tsc'], '--noEmit', '--incremental', '--tsBuildInfoFile', '.build/tsc.json'),
  node('publint', ['publint'], '--strict'),
  {
    name: 'cargo fmt',
    async run(print) {
      const { cargo, env } = findCargo();
      return run(cargo, ['fmt', '--all', '--check'], { env, print });
    },
  },
  lints,
];

/** The Rust tests; `args` are for the programs of tests. */
const cargoTest = (name, more, ...args) => ({
  name,
  async run(print) {
    const { cargo, env } = cargoForTests();
    const keepGoing = process.env.CI ? ['--no-fail-fast'] : [];
    const postgres = process.env.COUNTERSIGN_TEST_PG ? undefined : await startPostgres({ sync: more === THOROUGH });
    if (postgres?.unavailable) {
      say(`Rust tests over PostgreSQL are skipped: ${postgres.unavailable}`);
      // There it comes with what is installed.
      if (process.env.CI) failedTests.push(`PostgreSQL did not start: ${postgres.unavailable}`);
    }
    const done = await run(cargo, ['test', '--locked', '--workspace', ...keepGoing, '--', ...args], {
      env: { ...env, ...more, ...(postgres?.url ? { COUNTERSIGN_TEST_PG: postgres.url } : {}) },
      print,
    }).finally(() => postgres?.end());
    const report = cargoReport(done);
    count(report);
    failedTests.push(...report.failedTests.map((test) => `cargo: ${test}`));
    times.push(...report.times.map(({ name, ms }) => ({ name: `cargo: ${name}`, ms })));
    for (const [test, why] of report.skips) skippedTests.set(why, [...(skippedTests.get(why) ?? []), test]);
    return postgres?.unavailable && process.env.CI ? { code: done.code || 1 } : done;
  },
});

/** TypeScript tests of some projects. */
const vitest = (name, env, ...args) => ({
  name,
  async run(print) {
    const lane = name.replaceAll(' ', '-');
    // There may be several runs beside each other: each reads its own.
    const report = join(work, `${lane}-${process.pid}.json`);
    rmSync(runningFile(lane), { force: true });
    const running = `--reporter=${join(root, 'scripts/running-reporter.mjs')}`;
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, running];
    // The files that somebody asked for may all be of another lane.
    const some = rest.length > 0 ? ['--passWithNoTests'] : [];
    lanesOfTests.add(lane);
    const result = await run(process.execPath, [bin('vitest'), 'run', ...reporters, ...args, ...some, ...rest], {
      env: { ...env, COUNTERSIGN_LANE: lane },
      print,
    });
    lanesOfTests.delete(lane);
    if (existsSync(report)) {
      readReport(JSON.parse(readFileSync(report, 'utf8')));
      rmSync(report);
    }
    // What it ran is not known then, and may be nothing.
    else {
      failedTests.push(`${name}: it left no report`);
      return { code: result.code || 1 };
    }
    // Vitest ends a process that hangs after its tests, and says so in a line alone.
    if (/Timeout terminating|close timed out/.test(result.output)) {
      failedTests.push(`${name}: a process of tests hung at its end`);
      return { code: result.code || 1 };
    }
    return result;
  },
});

function readReport({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  // A file that could not even be loaded has no tests that could fail.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  for (const { name, status, message, assertionResults, startTime, endTime } of testResults) {
    const file = relative(root, name);
    times.push({ name: file, ms: endTime - startTime });
    const left = assertionResults.filter(
      ({ status }) => status === 'pending' || status === 'todo' || status === 'skipped',
    );
    if (left.length > 0)
      skippedInFiles.set(
        file,
        left.map(({ fullName }) => fullName),
      );
    for (const test of assertionResults.filter((each) => each.status === 'failed')) {
      failedTests.push(`${file}: ${test.fullName}\n    ${test.failureMessages[0]?.split('\n')[0] ?? ''}`);
    }
    if (status === 'failed' && assertionResults.length === 0) failedTests.push(`${file}: ${message.split('\n')[0]}`);
  }
  count({ passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests + numTodoTests });
}

function count({ passed, failed, skipped }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

const THOROUGH = { COUNTERSIGN_EFFORT: 'thorough' };
const isLong = (name) => name.startsWith('long');

const projects = (...names) => names.map((name) => `--project=${name}`);
const workers = (more) => `--maxWorkers=${availableParallelism() + more}`;

/**
 * Lanes of steps, beside each other: what one waits for leaves the cores to the other. Of `npm test` one lane has the tests that
 * compute. In each of their processes the AI SDK is loaded and grows warm: they have no more of these than cores, since one more
 * costs a tenth of the time of processors. Another has those that wait most of the time, for the processes and servers that they
 * start. Their temporary files are in memory (`isInMemory`), those of `npm run test:all` on the disk.
 *
 * @type {{ build?: 'tests', runtimes?: boolean, only?: string[], isInMemory?: boolean, lanes: Step[][] }[]}
 */
const short = {
  build: 'tests',
  isInMemory: true,
  lanes: [
    [vitest('vitest', {}, ...projects('ai6*', 'ai7*', 'sqlite*'), workers(0))],
    [vitest('vitest processes', {}, ...projects('once*', 'postgres*'), workers(1))],
    [...checks, cargoTest('cargo test', {})],
  ],
};
/** What ships, which takes minutes to link, on one core: the Rust tests, which do not need it, have the other one. */
const shipped = {
  name: 'what ships',
  isNeeded: true,
  run: () => prepare({ build: 'shipped', runtimes: true }).then(() => ({ code: 0 })),
};
const long = {
  only: ['install'],
  lanes: [
    [shipped, vitest('vitest long', THOROUGH, '--project=long*')],
    [cargoTest('cargo test long', THOROUGH, '--include-ignored')],
  ],
};
const stages = {
  short: [short],
  long: [long],
  all: [short, long],
  check: [{ build: 'tests', lanes: [checks] }],
  vitest: [
    {
      build: 'tests',
      runtimes: rest.some((arg) => isLong(arg.replace(/^--project=/, ''))),
      lanes: [
        [vitest('vitest only', {}, ...(rest.some((arg) => arg.startsWith('--project')) ? [] : ['--project=!long*']))],
      ],
    },
  ],
}[mode];
if (!stages) {
  say(`test.mjs: unknown mode ${mode}: short, long, all, check or vitest`);
  process.exit(2);
}

const failures = [];

/** Steps one after the other. What another lane prints is not torn apart by it: it comes when the step is over. */
async function runLane(steps, isFirst) {
  for (const step of steps) {
    if (failures.length > 0 && !process.env.CI) return;
    const since = performance.now();
    const failedBefore = total.failed;
    let kept = '';
    const print = isFirst ? (text) => process.stderr.write(text) : (text) => void (kept += text);
    const { code } = await step.run(print).catch((error) => {
      print(`${error.message}\n`);
      return { code: 1 };
    });
    if (code !== 0) process.stderr.write(kept);
    say(`${step.name}: ${code === 0 ? 'ok' : 'FAILED'} in ${seconds(since)}`);
    if (code === 0) continue;
    failures.push(step.name);
    // A step that failed as a whole counts too: the last line must never look like success.
    if (total.failed === failedBefore) total.failed += 1;
    if (step.isNeeded) return;
  }
}

enterPlainEnvironment();
// They may make a run smaller than its name says.
for (const name of Object.keys(process.env).filter((each) => /^COUNTERSIGN_(?:EFFORT|RUNTIMES|RUNS|SEEDS)$/.test(each)))
  say(`${name}=${process.env[name]} is set, and changes how much is tried`);
rmSync(failedList, { force: true });
mkdirSync(work, { recursive: true });
for (const { build, runtimes, only, isInMemory, lanes } of stages) {
  if (failures.length > 0 && !process.env.CI) break;
  const isPrepared = await prepare({ build, runtimes, only }).then(
    () => true,
    (error) => {
      say(error instanceof Failure ? error.message : error.stack);
      return false;
    },
  );
  if (!isPrepared) {
    failures.push('what the tests need');
    total.failed += 1;
    break;
  }
  const undo = endChildrenOnSignals(endedBy);
  const leave = enterTemporary(isInMemory ? ENOUGH_MEMORY : undefined);
  await Promise.all(lanes.map((steps, index) => runLane(steps, index === 0)));
  leave();
  undo();
}

/** Ended from outside it still tells what failed, and what it waited for. */
function endedBy(signal) {
  const running = [...lanesOfTests].flatMap(runningIn);
  failures.push(`ended by ${signal}`);
  failedTests.push(...running.map((name) => `${name}: it ran when all was ended by ${signal}`));
  total.failed += Math.max(running.length, 1);
  tellEnd();
}

/** The first of them, and how many more there are. */
const inFewWords = ([first, ...more]) => `cargo: ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`;

function tellEnd() {
  if (times.length > 0) {
    say(`the slowest of ${times.length} files of tests:`);
    for (const { name, ms } of times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
      say(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
  }
  if (total.skipped > 0) say(`${total.skipped} skipped`);
  for (const [why, tests] of skippedTests) say(`skipped, ${why}: ${inFewWords(tests)}`);
  const mostSkipped = [...skippedInFiles].toSorted(([, a], [, b]) => b.length - a.length).slice(0, SLOWEST);
  for (const [file, [first, ...more]] of mostSkipped)
    say(`skipped in ${file}: ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`);
  for (const name of failedTests) say(`failed: ${name}`);
  if (failures.length > 0) say(`FAILED: ${failures.join(', ')}`);
  writeFileSync(failedList, failedTests.map((name) => `${name}\n`).join(''));
  say(`all of it took ${seconds(started)}`);
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
}

// The name of a file may be misspelt.
if (rest.length > 0 && failures.length === 0 && total.passed + total.failed + total.skipped === 0) {
  failures.push(`no test is meant by ${rest.join(' ')}`);
  total.failed += 1;
}
tellEnd();
process.exitCode = failures.length > 0 || total.failed > 0 ? 1 : 0;
