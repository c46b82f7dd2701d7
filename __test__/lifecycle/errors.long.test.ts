/** Any failure of a callback, the native layer or the environment is an error or a denial, never a crash. */
import { describe, it } from 'vitest';
import { effort, isThorough } from '../support/effort.js';
import { onEachRuntime } from './each-runtime.js';

/** What the environment may say; in `npm test` one of each kind: each takes a process. */
const FILTERS = ['x=y=z', ...(isThorough ? ['trace', '!!!=?', '[', 'nonsense=loud', '\u{1f512}', ' '] : [])];
const THREADS = ['many', ...(isThorough ? ['0', '-1', '1e9', ''] : [])];

describe.each(isThorough ? (['ai6', 'ai7'] as const) : (['ai7'] as const))('with %s', (ai) => {
  onEachRuntime(ai, (run) => {
    it('a callback that fails in whatever way denies, and the process goes on', async ({ expect }) => {
      const ran = await run('callback-errors');
      expect(ran.code, ran.all).toBe(0);
      expect(ran.lines.at(-1), ran.all).toBe('end');
      expect(ran.lines.length).toBeGreaterThan(15);
      for (const line of ran.lines.slice(0, -1)) expect(line).toMatch(/ -> denied$/);
    });
  });
});

onEachRuntime('ai7', (run) => {
  it('a program that ends itself at once shows its warnings, once', async ({ expect }) => {
    const ran = await run('warned');
    expect(ran.code, ran.all).toBe(0);
    expect(ran.stderr.split('launch_rockets'), ran.all).toHaveLength(2);
  });

  it.for([
    ['await', 1],
    ['leave', 0],
    // Unread results made of it.
    ...(isThorough
      ? ([
          ['stream', 1],
          ['response', 1],
          ['cancel', 0],
        ] as const)
      : []),
  ] as const)(
    'a run that is made and never begun says so when the process ends: %s',
    async ([what, times], { expect }) => {
      const ran = await run('never-begun', { args: [what] });
      expect(ran.code, ran.all).toBe(0);
      expect(ran.stderr.split('made and never begun'), ran.all).toHaveLength(1 + times);
    },
  );

  it('the native layer answers garbage with errors, and works on', async ({ expect }) => {
    const ran = await run('native-errors', { args: [String(effort(1_000, 200_000))] });
    expect([ran.code, ran.signal], ran.all).toEqual([0, null]);
    expect(ran.lines, ran.all).toEqual(['answered true refused true', 'pending']);
    expect(ran.stderr, ran.all).not.toMatch(/panic/i);
  });

  it.for(FILTERS)('COUNTERSIGN_LOG=%s', async (filter, { expect }) => {
    const ran = await run('deadline', { args: ['short'], env: { COUNTERSIGN_LOG: filter } });
    expect(ran.code, ran.all).toBe(0);
    expect(ran.lines.filter((line) => line.startsWith('request'))).toHaveLength(3);
    expect(ran.stderr, ran.all).not.toMatch(/panic/i);
  });

  it.for(THREADS)('COUNTERSIGN_THREADS=%s', async (threads, { expect }) => {
    const ran = await run('deadline', { args: ['short'], env: { COUNTERSIGN_THREADS: threads } });
    expect(ran.code, ran.all).toBe(0);
    expect(ran.lines).toContain('approval-response expired');
  });
});
