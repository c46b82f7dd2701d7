/** A process ends when nobody in it waits for a human any more, and not before. */
import { describe, it } from 'vitest';
import { onEachRuntime } from './each-runtime.js';

/** What the requests wait for in these programs, in ms. */
const DEADLINE = 600;
/**
 * How soon a process must be gone that has nothing to wait for, in ms. It starts, and the machine is busy with others; but
 * the requests in it would wait for 300 s.
 */
const AT_ONCE = 30_000;
/** How late a deadline may wake a process, in ms. */
const LATE = 1_000;

const options = (way: string) => ({ args: [way], flags: ['--expose-gc'] });

describe.each(['ai6', 'ai7'] as const)('with %s', (ai) => {
  onEachRuntime(ai, (run) => {
    it.for([
      ['process.exit, many requests wait', 7],
      ['process.exit in onApprovalRequest', 9],
      ['process.exit after an approval', 9],
    ] as const)('%s: exits with %s at once', async ([way, code], { expect }) => {
      const ran = await run('exits', options(way));
      expect(ran.code, ran.all).toBe(code);
      expect(ran.signal).toBe(null);
      expect(ran.took).toBeLessThan(AT_ONCE);
      expect(ran.stdout + ran.stderr).toBe('');
    });
  });
});

onEachRuntime('ai7', (run) => {
  describe('keeps the process alive until its deadline', () => {
    const expired = 'approval-response expired';
    it.for([
      ['a request that is awaited', 'expired'],
      ['a request that is not awaited', 'expired'],
      ['a run that is read', expired, expired, 'end'],
      ['a run whose result is awaited', 'text .'],
      ['a callback with a deadline that never answers', expired, expired, 'end'],
    ])('%s', async ([way = '', ...lines], { expect }) => {
      const ran = await run('exits', options(way));
      expect(ran.code, ran.all).toBe(0);
      expect(ran.lines, ran.all).toEqual(['wait', ...lines]);
      expect(ran.took).toBeGreaterThan(DEADLINE);
      expect(ran.took).toBeLessThan(AT_ONCE);
    });
  });

  it('a callback without a deadline keeps it alive for as long as it takes', async ({ expect }) => {
    const ran = await run('exits', options('a callback without a deadline that never answers'));
    expect(ran.lines, ran.all).toEqual(['wait', 'alive']);
  });

  describe('lets the process end', () => {
    const cancelled = 'approval-response cancelled';
    it.for([
      ['a run that was returned', 'left'],
      ['a run that was aborted', cancelled, cancelled, 'end'],
      ['a request that was withdrawn', 'cancelled'],
      ['a run that was dropped and collected', 'collected'],
      ['a gate that is closed', 'cancelled', cancelled, cancelled, 'end'],
      ['a reader of events', 'reading'],
      ['a question that nobody waits for', 'user-approval'],
    ])('%s', async ([way = '', ...lines], { expect }) => {
      const ran = await run('exits', options(way));
      expect(ran.code, ran.all).toBe(0);
      expect(ran.lines, ran.all).toEqual(lines);
      expect(ran.took).toBeLessThan(AT_ONCE);
    });
  });

  it('a deadline wakes a process in which nothing else is due', async ({ expect }) => {
    const ran = await run('deadline');
    expect(ran.code, ran.all).toBe(0);
    const late = ran.lines.filter((line) => /^(request|run) /.test(line)).map((line) => Number(line.split(' ')[1]));
    expect(late, ran.all).toHaveLength(4);
    // Not even a busy machine is busy each time.
    expect(late.toSorted((left, right) => left - right)[1], ran.all).toBeLessThan(LATE);
    for (const ms of late) expect(ms).toBeGreaterThan(-5);
    expect(ran.lines).toContain('approval-response expired');
  });
});
