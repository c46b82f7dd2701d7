/**
 * What `cargo test` says that came of its tests.
 *
 * To its harness a test that cannot try something passes, and what it says then is kept back. It says so past the harness, in a line
 * of its own (`crates/core/src/skip.rs`), and counts as skipped here. One that says several things counts once.
 *
 * @param {{ stdout: string, stderr: string }} said
 */
export function cargoReport({ stdout, stderr }) {
  const programs = [...stderr.matchAll(/^ +(?:Running (?:unittests )?|Doc-tests )(\S+)/gm)].map(([, name]) => name);
  const results = resultsIn(stdout);
  const failedTests = [...stdout.matchAll(/^test (.+?) \.\.\. FAILED$/gm)].map(([, test]) => test);
  // One that ends itself (`process::exit(0)` in a test) has run some of its tests, and is a success to cargo.
  const unended = programs.filter((_, index) => results[index] === undefined);
  const left = [...stderr.matchAll(/^skipped: (\S+?): (.+)$/gm)].map(([, test, why]) => [test, why]);
  const skips = new Map(left.filter(([test]) => !failedTests.some((name) => test.endsWith(`::${name}`))));
  const report = { passed: -skips.size, failed: unended.length, skipped: skips.size, failedTests, skips, times: [] };
  failedTests.push(...unended.map((name) => `${name} ended before its tests did`));
  for (const [index, result] of results.entries()) {
    if (result === undefined) continue;
    report.passed += result.passed;
    report.failed += result.failed;
    report.skipped += result.ignored;
    report.times.push({ name: programs[index], ms: result.ms });
  }
  return report;
}

/** What each program of tests came to, in their order; `undefined`: it began, and did not say. */
function resultsIn(stdout) {
  const results = [];
  for (const [, begun, passed, failed, ignored, took] of stdout.matchAll(
    /^(?:running (\d+) tests?$|test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored.* finished in ([\d.]+)s)/gm,
  )) {
    if (begun !== undefined) results.push(undefined);
    else {
      const [pass, fail, ignore, seconds] = [passed, failed, ignored, took].map(Number);
      results[results.length - 1] = { passed: pass, failed: fail, ignored: ignore, ms: seconds * 1000 };
    }
  }
  return results;
}
