/** What Rust tests leave out is counted, and said. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cargoReport } from '../../scripts/cargo-report.mjs';

const crates = join(import.meta.dirname, '../../crates');

const STDOUT = `
running 4 tests
test plain ... ok
test tests::left ... ok
test tests::left_and_failed ... FAILED
test long ... ignored, long: npm run test:all
test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.25s
`;

const STDERR = `
    Finished \`test\` profile [unoptimized] target(s) in 0.30s
     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)
skipped: a::tests::left: rg is not on this machine
skipped: a::tests::left: there is no: tree
skipped: a::tests::left_and_failed: there is no Python
error: test failed, to rerun pass \`--lib\`
`;

test('a Rust test that skips itself counted as passed', () => {
  const { passed, failed, skipped, failedTests, skips, times } = cargoReport({ stdout: STDOUT, stderr: STDERR });
  expect({ passed, failed, skipped }).toEqual({ passed: 1, failed: 1, skipped: 2 });
  expect(failedTests).toEqual(['tests::left_and_failed']);
  expect([...skips]).toEqual([['a::tests::left', 'there is no: tree']]);
  expect(times).toEqual([{ name: 'src/lib.rs', ms: 250 }]);
});

test('a program of Rust tests that ended itself before they were over was a success', () => {
  const stdout = `\nrunning 2 tests\ntest a_passes ... ok\n${STDOUT}`;
  const stderr = `     Running tests/leaves.rs (target/debug/deps/b-0123456789abcdef)\n${STDERR}`;
  const { passed, failed, failedTests, times } = cargoReport({ stdout, stderr });
  expect({ passed, failed }).toEqual({ passed: 1, failed: 2 });
  expect(failedTests).toEqual(['tests::left_and_failed', 'tests/leaves.rs ended before its tests did']);
  expect(times).toEqual([{ name: 'src/lib.rs', ms: 250 }]);
  // It may not even have begun them.
  expect(cargoReport({ stdout: STDOUT, stderr: `${STDERR}   Doc-tests a\n` }).failed).toBe(2);
});

test('a Rust test that said of itself that it is skipped where the harness keeps it back', () => {
  const files = readdirSync(crates, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.rs'));
  expect(files.length).toBeGreaterThan(300);
  const wrong = files.filter((file) =>
    /eprintln!\(\s*"skipped|return; \/\//i.test(readFileSync(join(crates, file), 'utf8')),
  );
  expect(wrong).toEqual([]);
});
