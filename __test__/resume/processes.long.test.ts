/** Processes that are killed in the middle of a run, and others that continue it. */
import { describe, expect, it } from 'vitest';
import { listRuns } from '../../ts/index.js';
import { isSample, isThorough, isWhole } from '../support/effort.js';
import { sleep } from '../support/model.js';
import { theatre, type Said } from './processes.js';

const A: Said[] = [
  { text: 'A' },
  { tool: 'read', args: { path: '/r' }, id: 'c0' },
  { tool: 'del', args: { path: '/1' }, id: 'c1' },
];
const DONE: Said[] = [{ text: 'done' }];
const KILLED = { code: null, signal: 'SIGKILL' };
const EXITED = { code: 0, signal: null };

const of = (lines: string[], word: string) => lines.filter((line) => line.startsWith(`${word} `));

describe.skipIf(process.platform === 'win32')('killed', () => {
  it('while it asks, the decision comes from elsewhere: the tool runs once, the model is not asked again', async () => {
    const on = theatre();
    expect(await on.play('start', { turns: [A], die: 'approval-requested' })).toEqual(KILLED);
    const [request] = await on.gate.pending();
    expect(request).toMatchObject({ toolCallId: 'c1', args: { path: '/1' }, runId: 'the-run' });
    expect(await listRuns(on.gate)).toMatchObject([{ runId: 'the-run', status: 'suspended', pending: 1 }]);
    await on.gate.approve(request!.approvalId);
    expect(await on.play('resume', { turns: [DONE] })).toEqual(EXITED);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1']);
    expect(of(on.lines(), 'DONE')).toEqual(['DONE done']);
    expect(of(on.lines(), 'MODEL')).toHaveLength(2);
    expect(await listRuns(on.gate)).toMatchObject([{ status: 'done', pending: 0 }]);
  });

  // As resume.test.ts has it without processes; so it is with the other ones that need `isWhole`.
  it.runIf(isWhole)('while it asks, with nothing decided: the next process asks', async () => {
    const on = theatre();
    await on.play('start', { turns: [A], die: 'approval-requested' });
    expect(await on.play('resume', { turns: [DONE], answer: true })).toEqual(EXITED);
    expect(of(on.lines(), 'ASKED')).toEqual(['ASKED c1 first']);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1']);
  });

  it.skipIf(isSample)('after the approval, before the tool starts: it runs on that approval', async () => {
    const on = theatre();
    expect(await on.play('start', { turns: [A], die: 'approval-response', answer: true })).toEqual(KILLED);
    expect(of(on.lines(), 'START')).toEqual(['START read /r']);
    expect(await on.play('resume', { turns: [DONE], answer: false })).toEqual(EXITED);
    expect(of(on.lines(), 'ASKED')).toEqual(['ASKED c1 first']);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1']);
  });

  it.each([['rejected', false, 1], ...(isWhole ? ([['approved', true, 2]] as const) : [])] as const)(
    'in the tool: nobody knows how far it came, so it is asked about again, and %s',
    async (_, answer, starts) => {
      const on = theatre();
      expect(await on.play('start', { turns: [A], die: 'in del', answer: true })).toEqual(KILLED);
      expect(await on.play('resume', { turns: [DONE], answer })).toEqual(EXITED);
      expect(of(on.lines(), 'ASKED')).toEqual(['ASKED c1 first', 'ASKED c1 again']);
      expect(of(on.lines(), 'EVENT')).toContain('EVENT run-resumed c1 ');
      expect(of(on.lines(), 'START').filter((line) => line === 'START del /1')).toHaveLength(starts);
      expect(of(on.lines(), 'DONE')).toEqual(['DONE done']);
    },
  );

  it('in a tool whose call a person had edited: what was started is asked about again, and runs', async () => {
    const on = theatre();
    const answer = { type: 'edit', args: { path: '/2' } };
    expect(await on.play('start', { turns: [A], die: 'in del', answer })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [], die: 'approval-requested' })).toEqual(KILLED);
    expect(await on.gate.pending()).toMatchObject([
      { args: { path: '/2' }, editedFrom: { path: '/1' }, startedBefore: true },
    ]);
    expect(await on.play('resume', { turns: [DONE], answer: true })).toEqual(EXITED);
    expect(of(on.lines(), 'START').filter((line) => line.startsWith('START del'))).toEqual([
      'START del /2',
      'START del /2',
    ]);
    const records = (await on.gate.history({ runId: 'the-run' })).map(({ decision, decidedBy }) => [
      decision?.type,
      decidedBy,
    ]);
    expect(records).toContainEqual(['edit', 'callback']);
  });

  it.runIf(isWhole)(
    'after the tool, before the next turn of the model: the model gets the result, the tool does not run again',
    async () => {
      const on = theatre();
      expect(await on.play('start', { turns: [A, DONE], die: 'turn 2', answer: true })).toEqual(KILLED);
      expect(await on.play('resume', { turns: [DONE], answer: true })).toEqual(EXITED);
      expect(of(on.lines(), 'START').filter((line) => line === 'START del /1')).toHaveLength(1);
      expect(of(on.lines(), 'ASKED')).toHaveLength(1);
      const [, second, third] = of(on.lines(), 'MODEL');
      expect(third).toBe(second);
      expect(third).toContain('["c1","del /1"]');
    },
  );

  it.runIf(isThorough)('before anybody was asked: there is nothing to continue', async () => {
    const on = theatre();
    expect(await on.play('start', { turns: [A, DONE], die: 'text', answer: true })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [DONE], answer: true })).toEqual(EXITED);
    expect(of(on.lines(), 'ERROR')).toEqual([expect.stringContaining('ERR_UNKNOWN_RUN')]);
  });

  it.runIf(isWhole)('in the middle of three steps: what was done before is not done again', async () => {
    const on = theatre();
    const more: Said[] = [{ tool: 'del', args: { path: '/2' }, id: 'c2' }];
    expect(await on.play('start', { turns: [A, more, DONE], die: 'turn 3', answer: true })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [DONE], answer: true })).toEqual(EXITED);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1', 'START del /2']);
    expect(of(on.lines(), 'MODEL').at(-1)).toBe('MODEL [["c0","read /r"],["c1","del /1"],["c2","del /2"]]');
  });

  it.runIf(isWhole)(
    'while a call that nobody has to approve still runs: it is not run again, and the model is told so',
    async () => {
      const on = theatre();
      const turn: Said[] = [
        { tool: 'read', args: { path: '/slow' }, id: 'c0' },
        { tool: 'del', args: { path: '/1' }, id: 'c1' },
      ];
      expect(await on.play('start', { turns: [turn], die: 'approval-requested' })).toEqual(KILLED);
      expect(await on.play('resume', { turns: [DONE], answer: true })).toEqual(EXITED);
      expect(of(on.lines(), 'START')).toEqual(['START read /slow', 'START del /1']);
      expect(of(on.lines(), 'MODEL').at(-1)).toContain('["c0","This call was interrupted');
    },
  );

  it.runIf(isThorough)('again and again: each goes on where the last one was', async () => {
    const on = theatre();
    expect(await on.play('start', { turns: [A], die: 'approval-requested' })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [], die: 'approval-requested' })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [], die: 'run-resumed' })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [], die: 'approval-response', answer: true })).toEqual(KILLED);
    expect(await on.play('resume', { turns: [DONE], answer: false })).toEqual(EXITED);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1']);
  });
});

describe.runIf(isWhole)('two at once', () => {
  it('the second is told that the run is active, and cancels nothing', async () => {
    const on = theatre();
    await on.play('start', { turns: [A], die: 'approval-requested' });
    const first = on.start('resume', { turns: [DONE] });
    await on.saw('EVENT approval-requested c1');
    while (on.lines().filter((line) => line === 'EVENT approval-requested c1').length < 2) await sleep(5);
    expect(await on.play('resume', { turns: [DONE] })).toEqual(EXITED);
    expect(of(on.lines(), 'ERROR')).toEqual([expect.stringContaining('ERR_RUN_ACTIVE')]);
    const [request] = await on.gate.pending();
    await on.gate.approve(request!.approvalId);
    expect(await first.gone).toEqual(EXITED);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1']);
  });

  it('two that start at the same moment: the tool runs once', async () => {
    const on = theatre();
    await on.play('start', { turns: [A], die: 'approval-requested' });
    const [request] = await on.gate.pending();
    await on.gate.approve(request!.approvalId);
    const both = [on.start('resume', { turns: [DONE] }), on.start('resume', { turns: [DONE] })];
    for (const { gone } of both) expect(await gone).toEqual(EXITED);
    expect(of(on.lines(), 'START')).toEqual(['START read /r', 'START del /1']);
    expect(of(on.lines(), 'ERROR')).toHaveLength(1);
    expect(of(on.lines(), 'DONE')).toHaveLength(1);
  });
});

it.runIf(isWhole)('a tool that has changed since is asked about again, though it was approved', async () => {
  const on = theatre();
  await on.play('start', { turns: [A], die: 'approval-requested' });
  const [request] = await on.gate.pending();
  await on.gate.approve(request!.approvalId);
  expect(await on.play('resume', { turns: [DONE], change: true, answer: false })).toEqual(EXITED);
  expect(of(on.lines(), 'ASKED')).toEqual(['ASKED c1 again']);
  expect(of(on.lines(), 'START')).toEqual(['START read /r']);
});

describe.skipIf(process.platform === 'win32')('killed while it asks a question', () => {
  const questions = [{ kind: 'text', question: 'Which colour?' }];
  const ASKS: Said[] = [
    { tool: 'ask_user', args: { questions }, id: 'q1' },
    { tool: 'del', args: { path: '/1' }, id: 'c1' },
  ];
  const TOLD = JSON.stringify([['q1', 'Q: Which colour?\nA: blue']]);
  const answersIn = (lines: string[]) => of(lines, 'MODEL').at(-1)?.slice('MODEL '.length);

  it('what was answered meanwhile counts', async () => {
    const on = theatre();
    expect(await on.play('start', { turns: [ASKS.slice(0, 1)], die: 'question-asked' })).toEqual(KILLED);
    const [request] = await on.gate.pending();
    expect(request).toMatchObject({ kind: 'question', args: { questions }, expiresAt: null });
    await on.gate.respond(request!.approvalId, { answers: ['blue'] });
    expect(await on.play('resume', { turns: [DONE] })).toEqual(EXITED);
    expect(answersIn(on.lines())).toBe(TOLD);
  });

  it.runIf(isThorough)('it waits on, and the next process asks the same', async () => {
    const on = theatre();
    await on.play('start', { turns: [ASKS.slice(0, 1)], die: 'question-asked' });
    const [request] = await on.gate.pending();
    expect(await on.play('resume', { turns: [DONE], answers: ['blue'] })).toEqual(EXITED);
    expect(of(on.lines(), 'QUESTION')).toEqual([`QUESTION ${request!.approvalId} Which colour?`]);
    expect(answersIn(on.lines())).toBe(TOLD);
  });

  it.runIf(isWhole)('once it was answered it is not asked again, whatever else still waits', async () => {
    const on = theatre();
    const answers = ['blue'];
    expect(await on.play('start', { turns: [ASKS], die: 'question-answered', answers })).toEqual(KILLED);
    const [request] = await on.gate.pending();
    await on.gate.approve(request!.approvalId);
    expect(await on.play('resume', { turns: [DONE], answers })).toEqual(EXITED);
    expect(of(on.lines(), 'QUESTION')).toHaveLength(1);
    expect(of(on.lines(), 'START')).toEqual(['START del /1']);
    expect(answersIn(on.lines())).toContain('A: blue');
  });
});
