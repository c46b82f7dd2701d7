/**
 * Workers that are terminated while requests with deadlines wait in them do not crash the process: not when the main
 * thread uses the addon as well, and not when the last thread that does goes away.
 */
import { it } from 'vitest';
import { effort, isThorough } from '../support/effort.js';
import { onEachRuntime } from './each-runtime.js';

/** Workers at once, each with 50 requests, and how many times in one process. */
const WORKERS = effort(3, 20);
const ROUNDS = effort(2, 5);

onEachRuntime('ai7', (run) => {
  it.for([['with main', 'end approve'], ...(isThorough ? [['alone', 'end -']] : [])])(
    `${WORKERS} workers with 50 pending requests each, %s`,
    async ([how = '', end], { expect }) => {
      const ran = await run('workers', { args: [how, String(ROUNDS), String(WORKERS)] });
      expect([ran.code, ran.signal], ran.all).toEqual([0, null]);
      expect(ran.lines, ran.all).toEqual([end]);
      expect(ran.stderr).toBe('');
    },
  );
});
