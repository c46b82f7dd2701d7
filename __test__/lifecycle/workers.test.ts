/**
 * Workers that are terminated while requests with deadlines wait in them do not crash the process: not when the main
 * thread uses the addon as well, and not when the last thread that does goes away.
 */
import { it } from 'vitest';
import { onEachRuntime } from './each-runtime.js';

/** 20 workers with 50 requests each, so many times in one process. */
const ROUNDS = 5;

onEachRuntime('ai7', (run) => {
  it.for([
    ['with main', 'end approve'],
    ['alone', 'end -'],
  ])('20 workers with 50 pending requests each, %s', async ([how = '', end], { expect }) => {
    const ran = await run('workers', { args: [how, String(ROUNDS)], timeout: 180_000 });
    expect([ran.code, ran.signal], ran.all).toEqual([0, null]);
    expect(ran.lines, ran.all).toEqual([end]);
    expect(ran.stderr).toBe('');
  });
});
