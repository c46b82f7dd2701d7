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
  const results = stdout.matchAll(
    /^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored.* finished in ([\d.]+)s/gm,
  );
  const failedTests = [...stdout.matchAll(/^test (.+?) \.\.\. FAILED$/gm)].map(([, test]) => test);
  const left = [...stderr.matchAll(/^skipped: (\S+?): (.+)$/gm)].map(([, test, why]) => [test, why]);
  const skips = new Map(left.filter(([test]) => !failedTests.some((name) => test.endsWith(`::${name}`))));
  const report = { passed: -skips.size, failed: 0, skipped: skips.size, failedTests, skips, times: [] };
  for (const [index, [, passed, failed, ignored, took]] of [...results].entries()) {
    report.passed += Number(passed);
    report.failed += Number(failed);
    report.skipped += Number(ignored);
    report.times.push({ name: programs[index], ms: Number(took) * 1000 });
  }
  return report;
}
