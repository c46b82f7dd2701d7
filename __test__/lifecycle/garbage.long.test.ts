/** Objects without references are collected: its requests are cancelled, its tools never run, and its memory comes back. */
import { describe, it } from 'vitest';
import { isThorough } from '../support/effort.js';
import { onEachRuntime } from './each-runtime.js';

const options = (...args: string[]) => ({ args, flags: ['--expose-gc'] });

const WAYS: Record<string, string[]> = {
  'never iterated': ['cleared true'],
  'never iterated, with a signal that lives on': ['cleared true'],
  'dropped in the middle': ['waiting 2', 'empty true', 'cleared true', 'decided cancelled abort,cancelled abort'],
  'dropped in the middle, with a signal that lives on': ['empty true'],
  'dropped with a callback that still thinks': ['told true', 'cleared true'],
  'approved, then dropped before it ran': [],
  'dropped while its subagent asks': ['waiting 2', 'empty true', 'cleared true'],
  'a gate that is dropped': ['cleared true'],
  // Somebody waits: these are not dropped.
  'read by a loop that nobody holds': ['waiting 2', 'RAN /a', 'RAN /b', 'done'],
  'one item awaited, and the run forgotten': ['approval-response approve', 'empty true'],
  'awaited by its result only': ['RAN /a', 'RAN /b', 'text .'],
  // What ends them must not be collected before it does.
  'a time limit of the SDK': ['abort', 'waiting 0'],
  'a time limit of the SDK, of several': ['abort', 'waiting 0'],
  'a time limit of the agent': ['abort', 'waiting 0'],
  'a signal that is a timeout': ['abort', 'waiting 0'],
  'an abort by what is gone': ['abort'],
  'an abort by what is gone, while a tool runs that calls another': ['RAN /before', 'abort'],
};

describe.each(isThorough ? (['ai6', 'ai7'] as const) : (['ai7'] as const))('with %s', (ai) => {
  onEachRuntime(ai, (run, { name }) => {
    // What one way leaves behind could hide what the next one keeps: each engine has them apart once.
    if (isThorough && ai === 'ai7' && (name === 'node24' || name === 'bun')) {
      it.for(Object.entries(WAYS))('%s', async ([way, lines], { expect }) => {
        const ran = await run('garbage', options(way));
        expect(ran.code, ran.all).toBe(0);
        expect(ran.lines, ran.all).toEqual(lines);
      });
    } else {
      // All in one process: to start seventeen takes longer than what they do.
      it('what is dropped is collected, and what is waited for is not', async ({ expect }) => {
        const ran = await run('garbage', options(...Object.keys(WAYS)));
        expect(ran.code, ran.all).toBe(0);
        expect(ran.lines, ran.all).toEqual(Object.entries(WAYS).flatMap(([way, lines]) => [`# ${way}`, ...lines]));
      });
    }

    // Thousands of collections: `npm run test:all`.
    it.runIf(isThorough && ai === 'ai7').for([
      ['runs', '300'],
      ['families', '150'],
    ] as const)('thousands of %s leave nothing behind', async ([what, count], { expect }) => {
      const ran = await run('garbage', options('thousands', '--', count, what));
      expect(ran.code, ran.all).toBe(0);
      const figures = Object.fromEntries(
        ran.lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]),
      );
      expect(figures['pending'], ran.all).toBe(0);
      // Bytes per run, of every kind of end; of the process, in the round in which it grew least. A run that is kept takes its
      // messages, streams and parts: 30,000 and more.
      expect(figures['heap'], ran.all).toBeLessThan(4_000);
      expect(figures['rss'], ran.all).toBeLessThan(30_000);
    });
  });
});
