/**
 * A process ends when nobody in it waits for a human any more, and not before. Its requests would wait for an hour: a process that
 * waits for them is killed before, as one that hangs.
 */
import { describe, it } from 'vitest';
import { isThorough } from '../support/effort.js';
import { onEachRuntime } from './each-runtime.js';

/** What the requests wait for in these programs, in ms. */
const DEADLINE = 600;

const options = (way: string) => ({ args: [way], flags: ['--expose-gc'] });

describe.each(isThorough ? (['ai6', 'ai7'] as const) : (['ai7'] as const))('with %s', (ai) => {
  onEachRuntime(ai, (run) => {
    it.for([
      ['process.exit, many requests wait', 7],
      ...(isThorough
        ? ([
            ['process.exit in onApprovalRequest', 9],
            ['process.exit after an approval', 9],
          ] as const)
        : []),
    ] as const)('%s: exits with %s at once', async ([way, code], { expect }) => {
      const ran = await run('exits', options(way));
      expect(ran.code, ran.all).toBe(code);
      expect(ran.signal).toBe(null);
      expect(ran.stdout + ran.stderr).toBe('');
    });
  });
});

onEachRuntime('ai7', (run) => {
  describe('keeps the process alive until its deadline', () => {
    const expired = 'approval-response expired';
    it.for([
      ...(isThorough
        ? [
            ['a request that is not awaited', 'expired'],
            ['a run that is read', expired, expired, 'end'],
            ['a request that is awaited', 'expired'],
            ['a run whose result is awaited', 'text .'],
          ]
        : []),
      ['a callback with a deadline that never answers', expired, expired, 'end'],
    ])('%s', async ([way = '', ...lines], { expect }) => {
      const ran = await run('exits', options(way));
      expect(ran.code, ran.all).toBe(0);
      expect(ran.lines, ran.all).toEqual(['wait', ...lines]);
      expect(ran.took).toBeGreaterThan(DEADLINE);
    });
  });

  it.runIf(isThorough)('a callback without a deadline keeps it alive for as long as it takes', async ({ expect }) => {
    const ran = await run('exits', options('a callback without a deadline that never answers'));
    expect(ran.lines, ran.all).toEqual(['wait', 'alive']);
  });

  describe('lets the process end', () => {
    const cancelled = 'approval-response cancelled';
    const more = [
      ['a run that was aborted', cancelled, cancelled, 'end'],
      ['a run that was returned', 'left'],
      ['a request that was withdrawn', 'cancelled'],
      ['a reader of events', 'reading'],
      ['a question that nobody waits for', 'user-approval'],
    ];
    it.for([
      ...(isThorough ? more : []),
      ['a run that was dropped and collected', 'collected'],
      ['a gate that is closed', 'cancelled', cancelled, cancelled, 'end'],
    ])('%s', async ([way = '', ...lines], { expect }) => {
      const ran = await run('exits', options(way));
      expect(ran.code, ran.all).toBe(0);
      expect(ran.lines, ran.all).toEqual(lines);
    });
  });

  it('a deadline wakes a process in which nothing else is due', async ({ expect }) => {
    const ran = await run('deadline');
    expect(ran.code, ran.all).toBe(0);
    expect(ran.lines).toContain('approval-response expired');
    // How late is a measure of the machine. What nothing wakes would hang, or end before its lines are said.
    const late = ran.lines.filter((line) => /^(request|run) /.test(line)).map((line) => Number(line.split(' ')[1]));
    expect(late, ran.all).toHaveLength(4);
    for (const ms of late) expect(ms).toBeGreaterThan(-5);
  });
});
