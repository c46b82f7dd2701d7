/**
 * `npm test`: prepares what is stale, checks, tests, and ends with one line: `N passed, N failed`.
 *
 *     node scripts/test.mjs [all|check|vitest] [arguments for vitest]
 *
 * A failing step ends it. With CI set all steps run, so that one run tells everything.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fail, prepare } from './prepare.mjs';
import { startPostgres } from './postgres.mjs';
import { bin, endChildrenOnSignals, findCargo, root, run, say, seconds } from './run.mjs';

const started = performance.now();
const [mode = 'all', ...rest] = process.argv.slice(2);
const report = join(root, '.build', 'vitest.json');
/** The names of the tests that failed, for whoever sees only the end of what was printed. */
const failedList = join(root, '.build', 'failed.txt');
const total = { passed: 0, failed: 0, skipped: 0 };
const failedTests = [];

/** A step that runs a program of node_modules. */
const node = (name, [packageName, binName], ...args) => ({
  name,
  run: () => run(process.execPath, [bin(packageName, binName), ...args]),
});

const cargo = (name, ...args) => ({
  name,
  run: () => {
    const { cargo: program, env } = findCargo();
    return run(program, args, { env });
  },
});

const checks = [
  node('prettier', ['prettier'], '--check', '--log-level=warn', '.'),
  node('oxlint', ['oxlint']),
  node('tsc', ['typescript', 'tsc'], '--noEmit'),
  node('publint', ['publint'], '--strict'),
  cargo('cargo fmt', 'fmt', '--all', '--check'),
  cargo('clippy', 'clippy', '--locked', '--workspace', '--all-targets', '--', '-D', 'warnings'),
];

const cargoTest = {
  name: 'cargo test',
  async run() {
    const { cargo: program, env } = findCargo();
    let text = '';
    const keepGoing = process.env.CI ? ['--no-fail-fast'] : [];
    const postgres = process.env.COUNTERSIGN_TEST_PG ? undefined : await startPostgres();
    if (postgres?.unavailable) say(`Rust tests over PostgreSQL are skipped: ${postgres.unavailable}`);
    const result = await run(program, ['test', '--locked', '--workspace', ...keepGoing], {
      env: postgres?.url ? { ...env, COUNTERSIGN_TEST_PG: postgres.url } : env,
      onStdout: (more) => (text += more),
    }).finally(() => postgres?.end());
    for (const [, passed, failed, ignored] of text.matchAll(
      /^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/gm,
    )) {
      count({ passed: Number(passed), failed: Number(failed), skipped: Number(ignored) });
    }
    for (const [, name] of text.matchAll(/^test (.+?) \.\.\. FAILED$/gm)) failedTests.push(`cargo: ${name}`);
    return result;
  },
};

const vitest = {
  name: 'vitest',
  async run() {
    mkdirSync(join(root, '.build'), { recursive: true });
    rmSync(report, { force: true });
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const result = await run(process.execPath, [bin('vitest'), 'run', ...reporters, ...rest]);
    if (existsSync(report)) {
      const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
        readFileSync(report, 'utf8'),
      );
      // A file that could not even be loaded has no tests that could fail.
      const broken = testResults.filter(
        (file) => file.status === 'failed' && file.assertionResults.length === 0,
      ).length;
      for (const { name, status, message, assertionResults } of testResults) {
        const file = relative(root, name);
        for (const test of assertionResults.filter((each) => each.status === 'failed')) {
          failedTests.push(`${file}: ${test.fullName}\n    ${test.failureMessages[0]?.split('\n')[0] ?? ''}`);
        }
        if (status === 'failed' && assertionResults.length === 0)
          failedTests.push(`${file}: ${message.split('\n')[0]}`);
      }
      count({ passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests + numTodoTests });
    }
    return result;
  },
};

function count({ passed, failed, skipped }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

const steps = { all: [...checks, cargoTest, vitest], check: checks, vitest: [vitest] }[mode];
if (!steps) {
  say(`test.mjs: unknown mode ${mode}`);
  process.exit(2);
}

rmSync(failedList, { force: true });
await prepare({ runtimes: mode !== 'check' }).catch(fail);
endChildrenOnSignals();

const failures = [];
for (const step of steps) {
  const since = performance.now();
  const failedBefore = total.failed;
  say(`${step.name} …`);
  const { code } = await step.run().catch((error) => {
    say(error.message);
    return { code: 1 };
  });
  say(`${step.name}: ${code === 0 ? 'ok' : 'FAILED'} in ${seconds(since)}`);
  if (code === 0) continue;
  failures.push(step.name);
  // A step that failed as a whole counts too: the last line must never look like success.
  if (total.failed === failedBefore) total.failed += 1;
  if (!process.env.CI) break;
}

if (total.skipped > 0) say(`${total.skipped} skipped`);
for (const name of failedTests) say(`failed: ${name}`);
if (failures.length > 0) say(`FAILED: ${failures.join(', ')}`);
mkdirSync(join(root, '.build'), { recursive: true });
writeFileSync(failedList, failedTests.map((name) => `${name}\n`).join(''));
say(`all of it took ${seconds(started)}`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = failures.length > 0 ? 1 : 0;
