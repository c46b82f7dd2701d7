/** A human ends the turn under `toolApproval` of AI SDK 7, whose statuses cannot say so. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, ToolApprovalOptions } from '../../index.js';
import { createGate, toolApproval } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted, sleep } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const TWO = calls(
  call('read', { path: '/r' }, 'c0'),
  call('del', { path: '/a' }, 'c1'),
  call('del', { path: '/b' }, 'c2'),
  call('del', { path: '/c' }, 'c3'),
);

const interrupted = (): never => {
  throw new DOMException('Ctrl+C was pressed.', 'AbortError');
};

const WAYS: [string, () => ApprovalAnswer, RegExp][] = [
  ['an AbortError of the callback', interrupted, /Ctrl\+C/],
  ['a no that ends the turn', () => ({ type: 'reject', stop: true, reason: 'halt' }), /ended the turn.*halt/],
  ['the same in its long form', () => ({ type: 'rejectAndStop' }), /ended the turn/],
];

/** The second call is answered like this. */
function run(answer: () => ApprovalAnswer, more: Partial<ToolApprovalOptions> = {}) {
  const asked: unknown[] = [];
  const { ran, tools } = recordingTools();
  const { model, prompts } = scripted([TWO, says('Done.')]);
  const onApprovalRequest = ({ args }: { args: unknown }): ApprovalAnswer =>
    asked.push((args as { path: string }).path) === 1 ? true : answer();
  const options = {
    model,
    tools,
    prompt: 'go',
    stopWhen: ai.stepCountIs(5),
    toolApproval: toolApproval({ interruptOn: ['del'], onApprovalRequest: onApprovalRequest as never, ...more }),
  } as never;
  return { asked, ran, prompts, options };
}

describe.runIf(major === 7).each(WAYS)('%s', (_, answer, said) => {
  it('ends generateText: nothing of the step runs, and nobody is asked on', async () => {
    await using gate = createGate();
    using heard = listenToWarnings();
    const { asked, ran, prompts, options } = run(answer, { gate });
    await expect(ai.generateText(options)).rejects.toMatchObject({
      name: 'AbortError',
      message: expect.stringMatching(said) as unknown,
    });
    expect([ran, asked, prompts.length]).toEqual([[], ['/a', '/b'], 1]);
    expect(await gate.pending()).toEqual([]);
    expect(heard.warnings).toEqual([]);
  });

  it('ends streamText in the same way', async () => {
    const { asked, ran, prompts, options } = run(answer);
    const errors: unknown[] = [];
    const { fullStream } = ai.streamText({
      ...(options as object),
      onError: ({ error }: { error: unknown }) => void errors.push(error),
    } as never);
    await collect(fullStream).catch((error: unknown) => errors.push(error));
    expect(errors).toMatchObject([{ name: 'AbortError', message: expect.stringMatching(said) as unknown }]);
    expect([ran, asked, prompts.length]).toEqual([[], ['/a', '/b'], 1]);
  });
});

describe.runIf(major === 7)('after it', () => {
  it.each(WAYS)('the same function asks in the next run (%s)', async (_, answer, said) => {
    const { asked, options } = run(answer);
    await expect(ai.generateText(options)).rejects.toThrow(said);
    const next = { ...(options as object), model: scripted([calls(call('del', { path: '/d' }, 'd1'))]).model };
    await expect(ai.generateText(next as never)).rejects.toThrow(said);
    expect(asked).toEqual(['/a', '/b', '/d']);
  });

  it.each(WAYS)('loops that go on beside it are asked on (%s)', async (_, answer, said) => {
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const approval = toolApproval({
      interruptOn: ['del'],
      askOrder: 'at-once',
      onApprovalRequest: (async ({ args: { path } }: { args: { path: string } }) => {
        asked.push(path);
        while (asked.length < 2) await sleep(1);
        if (path === '/ends') return answer();
        await ended.catch(() => {});
        return true;
      }) as never,
    });
    const one = (path: string) =>
      ai.generateText({
        model: scripted([calls(call('del', { path }, 'c1')), says('Done.')]).model,
        tools,
        prompt: 'go',
        stopWhen: ai.stepCountIs(5),
        toolApproval: approval,
      } as never);
    const ended = one('/ends');
    const beside = one('/beside');
    await expect(ended).rejects.toThrow(said);
    expect((await beside).text).toBe('Done.');
    expect((await one('/later')).text).toBe('Done.');
    expect(asked.toSorted()).toEqual(['/beside', '/ends', '/later']);
    expect(ran).toEqual(['del /beside', 'del /later']);
  });
});
