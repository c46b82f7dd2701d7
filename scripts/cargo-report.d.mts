export interface CargoReport {
  passed: number;
  failed: number;
  skipped: number;
  failedTests: string[];
  /** The reason by the name of the test. */
  skips: Map<string, string>;
  times: { name: string; ms: number }[];
}

export function cargoReport(said: { stdout: string; stderr: string }): CargoReport;
