/**
 * Agents that start agents, killed at each moment there is: whatever the moment, another process brings the whole to its end,
 * nothing that a human approved runs twice, and no model is asked again for what somebody was shown of.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRuns } from '../../ts/index.js';
import { isSample, isThorough } from '../support/effort.js';
import { major, sleep } from '../support/model.js';
import { theatre, type Process, type Theatre } from './processes.js';

const del = (path: string, id: string) => ({ tool: 'del', args: { path }, id });
const read = (path: string, id: string) => ({ tool: 'read', args: { path }, id });
const task = (description: string, id: string) => ({ tool: 'task', args: { description }, id });

const AGENTS = {
  main: [[task('one', 'c1'), del('/main', 'm1'), task('two', 'c2')]],
  one: [[read('/r', 'r1'), del('/1', 'k1')], [del('/1b', 'k2')]],
  two: [[task('inner', 't1')]],
  inner: [[del('/deep', 'k1')]],
};
const PATHS: Record<string, string[]> = { '/main': [], '/1': ['one'], '/1b': ['one'], '/deep': ['two', 'inner'] };
const RUNS = ['the-run', 'the-run>c1', 'the-run>c2', 'the-run>c2>t1'];
const KILLED = { code: null, signal: 'SIGKILL' };
const EXITED = { code: 0, signal: null };

/** Approves all that waits until the process is gone. */
async function approveAll(on: Theatre, { gone }: Process): Promise<void> {
  const end = { isThere: false };
  void gone.then(() => (end.isThere = true));
  while (!end.isThere) {
    for (const { approvalId, description } of await on.gate.pending()) {
      const decision = description.startsWith('Asked again') ? 'reject' : 'approve';
      await on.gate[decision](approvalId).catch(() => {});
    }
    await sleep(5);
  }
}

/** Every line of a run that is not killed, in its order, once each. */
async function momentsOf(orders: object): Promise<string[]> {
  const on = theatre();
  expect(await on.play('start', { program: 'family', agents: AGENTS, answer: true, ...orders })).toEqual(EXITED);
  return [...new Set(on.lines())].filter((line) => !line.startsWith('DONE'));
}

const count = (lines: readonly string[], line: string) => lines.filter((each) => each === line).length;

type How = 'kill' | 'suspend' | 'close';

async function survives(die: string, from: 'callback' | 'elsewhere', how: How, orders: object): Promise<void> {
  const on = theatre();
  const common = { program: 'family', agents: AGENTS, ...orders, ...(from === 'callback' ? { answer: true } : {}) };
  const first = on.start('start', { ...common, die, how });
  await Promise.all([first.gone, from === 'elsewhere' && approveAll(on, first)]);
  expect(await first.gone, on.lines().join('\n')).toEqual(how === 'kill' ? KILLED : EXITED);
  const before = on.lines();
  const runs = await listRuns(on.gate);
  // Nobody was asked yet: there is nothing to continue.
  if (runs.length === 0) return expect(before.some((line) => /^ASKED|requested/.test(line))).toBe(false);
  // It may have been too late to let go of it. What ended after its gate was closed is not known to have ended.
  if (runs.find(({ runId }) => runId === 'the-run')?.status !== 'done') {
    const second = on.start('resume', common);
    await Promise.all([second.gone, from === 'elsewhere' && approveAll(on, second)]);
    expect(await second.gone, on.lines().join('\n')).toEqual(EXITED);
  }
  const lines = on.lines();
  const whole = lines.join('\n');
  const done = lines.filter((line) => line.startsWith('DONE'));
  if (how === 'close') expect(done.length, whole).toBeGreaterThan(0);
  else expect(done, whole).toHaveLength(1);
  if (how === 'suspend') expect(lines.some((line) => line.startsWith('AGAIN'))).toBe(false);
  for (const [path, agents] of Object.entries(PATHS)) {
    const starts = count(lines, `START del ${path}`);
    // Where its progress is unknown, a human is asked again, and says no.
    const isCut = lines.includes(`AGAIN ${path}`) || agents.some((name) => lines.includes(`AGAIN ${name}`));
    if (isCut) expect(starts, `${path} in\n${whole}`).toBeLessThanOrEqual(1);
    else {
      expect(starts, `${path} in\n${whole}`).toBe(1);
      expect(done.at(-1), whole).toContain(`del ${path}`);
    }
  }
  const asked = before.flatMap((line) => /^EVENT approval-requested (.*)/.exec(line)?.[1] ?? []);
  if (asked.includes('m1')) expect(count(lines, 'MODEL main 0'), whole).toBe(1);
  if (asked.includes('k2')) expect(count(lines, 'MODEL one 1'), whole).toBe(1);
  // What a call had started that a human stopped the second time is cancelled; all else has come to its end.
  const known = (await listRuns(on.gate)).map(({ runId, status }) => ({ runId, status }));
  const isStopped = lines.some((line) => /^AGAIN (one|two|inner)$/.test(line));
  for (const { runId, status } of known)
    expect(isStopped && runId !== 'the-run' ? ['done', 'cancelled'] : ['done'], whole).toContain(status);
  if (!isStopped) expect(known.map(({ runId }) => runId).toSorted()).toEqual(RUNS);
  expect(await on.gate.pending(), whole).toEqual([]);
}

/** Limits how many run at once: each has two processes. */
async function all(moments: readonly string[], each: (moment: string) => Promise<void>): Promise<void> {
  const left = [...moments];
  const failures: string[] = [];
  const work = async () => {
    for (let moment = left.shift(); moment !== undefined; moment = left.shift()) {
      try {
        await each(moment);
      } catch (error) {
        failures.push(`killed at ${moment}: ${String((error as Error).message)}`);
      }
    }
  };
  await Promise.all([work(), work(), work()]);
  // Whole, where an assertion would cut it.
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/**
 * All of them with COUNTERSIGN_EVERY_MOMENT=1; else every tenth, others in each test. Where there is little time, two of these: one of
 * the first half and one of the second, others on each version of the AI SDK.
 */
function some(moments: readonly string[], nth: number): string[] {
  if (process.env['COUNTERSIGN_EVERY_MOMENT'] !== undefined) return [...moments];
  const part = moments.filter((_, index) => index % 10 === nth);
  if (isThorough) return part;
  const half = Math.floor(part.length / 2);
  const at = (nth * 2 + major) % half;
  return [part[at], part[at + half]].filter((each) => each !== undefined);
}

const WAYS = [
  ['kill', 'callback', ['del'], 0],
  ['kill', 'callback', ['del', 'task'], 1],
  ['kill', 'elsewhere', ['del'], 2],
  ['suspend', 'callback', ['del'], 3],
  ['close', 'callback', ['del'], 4],
] as const;
/** Where there is little time one for each way to end. */
const isFirst = (how: How, index: number) => WAYS.findIndex((way) => way[0] === how) === index;
const tried = WAYS.filter(([how], index) => isThorough || isFirst(how, index));

describe.skipIf(isSample || process.platform === 'win32')('a family that is ended', () => {
  it.each(tried)('by %s at any moment, decided by %s, with %j gated', async (how, from, gated, nth) => {
    const moments = await momentsOf({ gated });
    const met = from === 'callback' ? moments : moments.filter((line) => !line.startsWith('ASKED'));
    await all(some(met, nth), (moment) => survives(moment, from, how, { gated }));
  });
});

describe.skipIf(isSample || process.platform === 'win32')('a deep agent that is killed', () => {
  const orders = { program: 'deep', answer: true };
  const contentOf = (on: Theatre, name: string) => {
    const path = join(on.folder, 'work', name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  it('at any moment, has its subagent write and run what was approved, once', async () => {
    const whole = theatre();
    expect(await whole.play('start', orders), whole.lines().join('\n')).toEqual(EXITED);
    expect(contentOf(whole, 'log.txt')).toBe('once\n');
    const moments = [...new Set(whole.lines())].filter((line) => !line.startsWith('DONE'));
    await all(some(moments, 0), async (die) => {
      const on = theatre();
      expect(await on.play('start', { ...orders, die })).toEqual(KILLED);
      const before = on.lines();
      if ((await listRuns(on.gate)).length === 0)
        return expect(before.some((line) => line.startsWith('ASKED'))).toBe(false);
      const lines = await on.play('resume', orders).then((end) => {
        expect(end, on.lines().join('\n')).toEqual(EXITED);
        return on.lines();
      });
      const told = lines.join('\n');
      expect(
        lines.filter((line) => line.startsWith('DONE')),
        told,
      ).toEqual(['DONE main is done']);
      const isCut = (toolCallId: string) => lines.includes(`ASKED ${toolCallId} again`);
      expect(isCut('k2') ? ['', 'once\n'] : ['once\n'], told).toContain(contentOf(on, 'log.txt'));
      expect(isCut('k1') ? ['', 'a\n'] : ['a\n'], told).toContain(contentOf(on, 'a.txt'));
      for (const [id, model] of [
        ['m1', 'MODEL main 1'],
        ['k1', 'MODEL writer 0'],
        ['k2', 'MODEL writer 1'],
      ])
        if (before.includes(`ASKED ${id} first`)) expect(count(lines, model as string), told).toBe(1);
      expect((await listRuns(on.gate)).map(({ status }) => status)).toEqual(['done', 'done']);
      expect(await on.gate.pending()).toEqual([]);
    });
  });
});
