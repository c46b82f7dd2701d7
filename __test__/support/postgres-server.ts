/** Before the tests of the project `postgres`: starts the server that they share, unless `COUNTERSIGN_TEST_PG` names one. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../scripts/postgres.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `url`: as a role that may create schemas. `unavailable`: why there is no server. */
    postgres: { url?: string; unavailable?: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const named = process.env.COUNTERSIGN_TEST_PG;
  if (named) {
    project.provide('postgres', { url: named });
    return async () => {};
  }
  const { url, unavailable, end } = await startPostgres({ sync: project.config.env.COUNTERSIGN_EFFORT === 'thorough' });
  if (unavailable !== undefined) console.warn(`tests over PostgreSQL are skipped: ${unavailable}`);
  project.provide('postgres', { url, unavailable });
  return end;
}
