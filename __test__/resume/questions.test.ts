/** A question outlives the process that asked it, and so does what a human rejected. */
import { describe, expect, it, vi } from 'vitest';
import type { Gate } from '../../index.js';
import { InvalidDecisionError, resume } from '../../ts/index.js';
import { localGate } from '../../ts/gate/gate.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, resultsIn, says, scripted, type ModelTurn } from '../support/model.js';
import { of as ofEvents, start, types, until } from '../support/play.js';
import { askUserTool, COLOUR, PARTS } from '../support/questions.js';
import { goOn, RUN, stage, type More, type Stage } from './stage.js';

const ASKS = [calls(call('ask_user', { questions: [COLOUR, PARTS] }, 'q1'))];
const both = (): ModelTurn[] => [
  calls(call('del', { path: '/1' }, 'c1'), call('ask_user', { questions: [COLOUR, PARTS] }, 'q1')),
];
const withQuestions = (on: Stage) => ({ tools: { ...on.tools(), ask_user: askUserTool() } });
const TOLD = { type: 'text', value: 'Q: Which colour?\nA: blue\n\nQ: Which parts?\nA: UI' };
const ANSWERS = { answers: ['blue', ['UI']] };

/** Runs until the question waits; then the process is gone, as far as that can be without killing one. */
async function askThenLeave(on: Stage, turns: ModelTurn[] = ASKS, { redact, ...more }: More = {}): Promise<string> {
  const gate = on.gate(redact === undefined ? {} : { redact: redact as never });
  const { run } = start({ turns, ...withQuestions(on), interruptOn: { del: true }, gate, runId: RUN, ...more });
  const { approvalId } = await until(run, 'question-asked');
  await gate.close();
  await collect(run);
  return approvalId;
}

const go = (on: Stage, more: More & { gate?: Gate } = {}) =>
  goOn(on, [says('done')], { ...withQuestions(on), ...more });

describe('a question that nobody has answered', () => {
  it('waits on, without a deadline, and is put to the callback of this process', async () => {
    const on = stage();
    const id = await askThenLeave(on, ASKS, { approvalTimeout: 5 });
    const asked: unknown[] = [];
    const { events, prompts, of } = await go(on, {
      onQuestion: (request: { approvalId: string; args: unknown }) => {
        asked.push(request.approvalId, request.args);
        return ANSWERS.answers;
      },
    });
    expect(asked).toEqual([id, { questions: [COLOUR, PARTS] }]);
    expect(types(events)).toEqual([
      'run-resumed',
      'question-asked',
      'question-answered',
      'tool-result',
      'step-start',
      'text',
      'step-finish',
      'done',
    ]);
    expect(of('tool-result')).toMatchObject([{ toolCallId: 'q1', result: { status: 'answered', ...ANSWERS } }]);
    expect(resultsIn(prompts[0])).toEqual({ q1: TOLD });
  });

  it('is not answered by the mode of another process, nor by its approval callback', async () => {
    const on = stage();
    const id = await askThenLeave(on);
    const gate = on.gate({ mode: 'auto', timeout: 5 });
    const onApprovalRequest = vi.fn(() => true);
    const { model, prompts } = scripted([says('done')]);
    const run = resume({ model, ...withQuestions(on), runId: RUN, gate, onApprovalRequest } as never);
    await until(run, 'question-asked');
    expect(await gate.pending()).toMatchObject([{ approvalId: id, expiresAt: null }]);
    await gate.respond(id, ANSWERS);
    await collect(run);
    expect(onApprovalRequest).not.toHaveBeenCalled();
    expect(resultsIn(prompts[0])).toEqual({ q1: TOLD });
  });

  it('waits on where the prompt or the tool has changed: nothing runs on the answer', async () => {
    const on = stage();
    const id = await askThenLeave(on, ASKS, { system: 'one' });
    const { of } = await go(on, { system: 'two', onQuestion: () => ANSWERS.answers });
    expect(of('question-asked').map(({ approvalId }) => approvalId)).toEqual([id]);
  });

  it('is asked by another gate, with what was kept of it', async () => {
    const on = stage();
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const question = { kind: 'text', question: `Is ${secret} right?` };
    const turns = [calls(call('ask_user', { questions: [question] }, 'q1'))];
    await askThenLeave(on, turns, { redact: 'secrets' });
    const { of, prompts } = await go(on, { gate: on.gate({ redact: 'secrets' }), onQuestion: () => ['yes'] });
    expect(JSON.stringify(of('question-asked'))).not.toContain(secret);
    expect(resultsIn(prompts[0])).toEqual({
      q1: { type: 'text', value: 'Q: Is [redacted: github-token] right?\nA: yes' },
    });
  });

  it('of which nothing was kept is denied', async () => {
    const on = stage();
    const redact = () => 'nothing of it';
    await askThenLeave(on, ASKS, { redact });
    const { of, prompts } = await go(on, { gate: on.gate({ redact }), onQuestion: () => ['yes'] });
    expect(of('question-asked')).toEqual([]);
    expect(resultsIn(prompts[0])).toMatchObject({ q1: { type: 'execution-denied' } });
  });

  it('whose tool is gone is denied', async () => {
    const on = stage();
    await askThenLeave(on);
    const gate = on.gate();
    const { prompts } = await go(on, { gate, tools: on.tools() });
    expect(resultsIn(prompts[0])).toMatchObject({ q1: { type: 'execution-denied' } });
    expect(await gate.pending()).toEqual([]);
  });
});

describe('what was decided while no process ran counts', () => {
  const cases: [string, (gate: Gate, id: string) => Promise<unknown>, unknown][] = [
    ['answered', (gate, id) => gate.respond(id, ANSWERS), TOLD],
    [
      'rejected',
      (gate, id) => gate.reject(id, 'guess'),
      { type: 'text', value: expect.stringContaining('guess') as unknown },
    ],
    [
      'skipped',
      (gate, id) => gate.skip(id),
      { type: 'text', value: expect.stringMatching(/did not answer/) as unknown },
    ],
  ];
  it.each(cases)('%s', async (_, decide, told) => {
    const on = stage();
    const id = await askThenLeave(on);
    await decide(on.gate(), id);
    const onQuestion = vi.fn(() => null);
    const { prompts, of } = await go(on, { onQuestion });
    expect(onQuestion).not.toHaveBeenCalledTimes(2);
    expect(of('question-answered')).toHaveLength(1);
    expect(resultsIn(prompts[0])).toEqual({ q1: told });
  });

  it('beside a call that is approved', async () => {
    const on = stage();
    await askThenLeave(on, both());
    const gate = on.gate();
    for (const { approvalId, kind } of await gate.pending())
      await (kind === 'question' ? gate.respond(approvalId, ANSWERS) : gate.approve(approvalId));
    const { prompts } = await go(on);
    expect(on.ran).toEqual(['del /1']);
    expect(resultsIn(prompts[0])).toEqual({ c1: { type: 'text', value: 'deleted /1' }, q1: TOLD });
  });

  it('through another gate a wrong answer is refused', async () => {
    const on = stage();
    const id = await askThenLeave(on);
    const gate = on.gate();
    await expect(gate.respond(id, { answers: ['blue', ['CLI']] })).rejects.toThrow(InvalidDecisionError);
    await expect(gate.respond(id, 'blue')).rejects.toThrow(InvalidDecisionError);
    expect(await gate.pending()).toHaveLength(1);
  });

  it('a wrong answer from a program that does not look is asked for again', async () => {
    const on = stage();
    const id = await askThenLeave(on);
    const raw = localGate(on.gate(), 'test').runs as unknown as { decide: (...args: unknown[]) => Promise<unknown> };
    await raw.decide(id, { type: 'respond', output: 'blue' }, { by: 'somebody', via: 'terminal' });
    const { of, prompts } = await go(on, { onQuestion: () => ANSWERS.answers });
    const [first, again] = of('question-asked');
    expect(first?.approvalId).toBe(id);
    expect(again?.description).toMatch(/^Asked again: The answer did not fit the questions/);
    expect(of('question-answered').map(({ answer }) => answer.status)).toEqual(['error', 'answered']);
    expect(resultsIn(prompts[0])).toEqual({ q1: TOLD });
  });

  it('a run that was continued and left again has its question still', async () => {
    const on = stage();
    const id = await askThenLeave(on);
    const gate = on.gate();
    const run = resume({ model: scripted([]).model, ...withQuestions(on), runId: RUN, gate } as never);
    await until(run, 'question-asked');
    await gate.close();
    const events = await collect(run);
    expect(ofEvents(events)('question-answered')).toEqual([]);
    await on.gate().respond(id, ANSWERS);
    expect(resultsIn((await go(on)).prompts[0])).toEqual({ q1: TOLD });
  });
});

describe('repeated rejections', () => {
  const again: ModelTurn[] = [calls(call('del', { path: '/1' }, 'c2')), says('done')];

  it('what was rejected before the restart is answered from the ledger', async () => {
    const on = stage();
    const id = await leftWithDeletion(on);
    await on.gate().reject(id, 'keep it');
    const onApprovalRequest = vi.fn(() => true);
    const { prompts } = await goOn(on, again, { onApprovalRequest, repeatedRejections: 'answer' });
    expect(onApprovalRequest).not.toHaveBeenCalled();
    expect(on.ran).toEqual([]);
    expect(resultsIn(prompts[1])['c2']).toEqual({
      type: 'execution-denied',
      reason: 'keep it. The human rejected this same call before.',
    });
    const decided = await collect(on.gate().audit.list({ kind: 'decided' }));
    expect(decided.map(({ toolCallId, by, reason }) => [toolCallId, by, reason])).toEqual([
      ['c1', undefined, 'keep it'],
      ['c2', 'countersign', 'keep it. The human rejected this same call before.'],
    ]);
  });

  it('only where that is wanted', async () => {
    const on = stage();
    await on.gate().reject(await leftWithDeletion(on));
    const onApprovalRequest = vi.fn(() => true);
    await goOn(on, again, { onApprovalRequest });
    expect(onApprovalRequest).toHaveBeenCalledTimes(1);
    expect(on.ran).toEqual(['del /1']);
  });

  it('that nobody answered in time is no rejection', async () => {
    const on = stage();
    const id = await leftWithDeletion(on, { approvalTimeout: 1 });
    const gate = on.gate();
    await vi.waitFor(async () => expect(await gate.get(id)).toMatchObject({ status: 'expired' }), PATIENTLY);
    const onApprovalRequest = vi.fn(() => true);
    await goOn(on, again, { onApprovalRequest, repeatedRejections: 'answer' });
    expect(onApprovalRequest).toHaveBeenCalledTimes(1);
  });

  async function leftWithDeletion(on: Stage, more: More = {}): Promise<string> {
    const gate = on.gate();
    const turns = [calls(call('del', { path: '/1' }, 'c1'))];
    const { run } = start({ turns, tools: on.tools(), interruptOn: { del: true }, gate, runId: RUN, ...more });
    const { approvalId } = await until(run, 'approval-requested');
    await gate.close();
    await collect(run);
    return approvalId;
  }
});
