/**
 * In every project: a file of tests leaves the variables of the environment as it found them. Files share a process, and the next one
 * would start its programs in a home that is gone.
 */
import { afterAll } from 'vitest';

const found = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
