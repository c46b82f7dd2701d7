/** The compiled inbox in a server of Bun. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOn, runtimes } from '../runtimes.js';
import { pageFolder } from './support.js';

const script = join(import.meta.dirname, 'bun-serve.mjs');
const buns = runtimes().filter(({ kind }) => kind === 'bun');

test.skipIf(buns.length === 0)('in Bun.serve', async () => {
  for (const runtime of buns) {
    const { code, stdout, stderr } = await runOn(runtime, [script, pageFolder()], { timeout: 240_000 });
    expect(stderr).toBe('');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { page: 200, pending: 1, decided: 200, decidedBy: 'mia', events: ['hello', 'change'], nobody: 401 },
    ]);
  }
});
