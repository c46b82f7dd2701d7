import { describe, expect, it } from 'vitest';
import { streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, finish, major, resultsIn, says, scripted, sleep, text } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const types = (events: { type: string }[]) => events.map(({ type }) => type);

describe('one gated call', () => {
  it('runs after an approval, in one iterator', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([
      [...text('I will.'), ...calls(call('del', { path: '/a' }, 'c1'))],
      says('Done.'),
    ]);
    const asked: unknown[] = [];
    const run = streamWithEvents({
      model,
      tools,
      prompt: 'delete /a',
      interruptOn: { del: true },
      onApprovalRequest: (request) => {
        asked.push([request.toolName, request.args, request.origin]);
        return true;
      },
    });
    const events = await collect(run);
    expect(types(events)).toEqual([
      'step-start',
      'text',
      'tool-call',
      'approval-requested',
      'approval-response',
      'step-finish',
      'tool-result',
      'step-start',
      'text',
      'step-finish',
      'done',
    ]);
    expect(asked).toEqual([['del', { path: '/a' }, ['main']]]);
    expect(ran).toEqual(['del /a']);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /a' } });
    const result = await run.result;
    expect(result.text).toBe('Done.');
    expect(result.steps).toHaveLength(2);
    expect(result.usage.totalTokens).toBe(30);
    expect(result.steps[0]?.toolResults).toHaveLength(1);
  });

  it('does not run after a rejection, and the model is told the reason', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Pity.')]);
    const events = await collect(
      streamWithEvents({
        model,
        tools,
        prompt: 'go',
        interruptOn: { del: true },
        onApprovalRequest: () => ({ type: 'reject', reason: 'not on my watch' }),
      }),
    );
    expect(ran).toEqual([]);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'execution-denied', reason: 'not on my watch' } });
    expect(events.find(({ type }) => type === 'tool-denied')).toMatchObject({
      toolCallId: 'c1',
      args: { path: '/a' },
      reason: 'not on my watch',
    });
  });

  it('runs with edited arguments, and the model is told', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]);
    await collect(
      streamWithEvents({
        model,
        tools,
        prompt: 'go',
        interruptOn: { del: true },
        onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
      }),
    );
    expect(ran).toEqual(['del /b']);
    const assistant = prompts[1]?.find(({ role }) => role === 'assistant');
    expect(assistant?.content).toMatchObject([{ type: 'tool-call', input: { path: '/b' } }]);
    expect(resultsIn(prompts[1])['c1']).toMatchObject({
      type: 'text',
      value: expect.stringMatching(/^deleted \/b\n\n.*human changed/) as never,
    });
  });

  it('gives the model the answer of a human instead', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Fine.')]);
    const events = await collect(
      streamWithEvents({
        model,
        tools,
        prompt: 'go',
        interruptOn: { del: true },
        onApprovalRequest: () => ({ type: 'respond', output: 'deleted by hand' }),
      }),
    );
    expect(ran).toEqual([]);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted by hand' } });
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([{ result: 'deleted by hand' }]);
  });
});

describe('a step with several calls', () => {
  it('gives each its own decision, whatever the order', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([
      calls(
        call('del', { path: '/1' }, 'c1'),
        call('read', { path: '/r' }, 'cr'),
        call('del', { path: '/2' }, 'c2'),
        call('del', { path: '/3' }, 'c3'),
        call('del', { path: '/4' }, 'c4'),
      ),
      calls(call('del', { path: '/5' }, 'c5')),
      says('All done.'),
    ]);
    const decisions = {
      '/1': { type: 'approve' },
      '/2': { type: 'reject', reason: 'no' },
      '/3': { type: 'edit', args: { path: '/3e' } },
      '/4': { type: 'respond', output: 'by hand' },
      '/5': { type: 'skip' },
    } as const;
    const run = streamWithEvents({
      model,
      tools,
      prompt: 'go',
      interruptOn: ['del'],
      onApprovalRequest: async ({ args }) => {
        const { path } = args as { path: keyof typeof decisions };
        await sleep(path === '/1' ? 30 : 2);
        return decisions[path];
      },
    });
    const events = await collect(run);
    expect(ran.toSorted()).toEqual(['del /1', 'del /3e', 'read /r']);
    expect(resultsIn(prompts[1])).toMatchObject({
      c1: { value: 'deleted /1' },
      c2: { type: 'execution-denied', reason: 'no' },
      c4: { value: 'by hand' },
    });
    expect(resultsIn(prompts[2])['c5']).toMatchObject({ type: 'execution-denied' });
    expect(events.filter(({ type }) => type === 'approval-requested')).toHaveLength(5);
    expect(events.filter(({ type }) => type === 'approval-response')).toHaveLength(5);
    const { steps, usage, messages } = await run.result;
    expect(steps.map(({ stepNumber }) => stepNumber)).toEqual([0, 1, 2]);
    expect(usage.totalTokens).toBe(45);
    expect(messages.at(0)).toMatchObject({ role: 'user' });
  });

  it('asks while an ungated sibling still runs', async () => {
    const { tools } = recordingTools();
    const order: string[] = [];
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    tools.read.execute = async () => {
      // It would wait for ever if nobody were asked before it has ended.
      await asked;
      await sleep(20);
      order.push('read ended');
      return 'x';
    };
    const { model } = scripted([
      calls(call('read', { path: '/r' }, 'c1'), call('del', { path: '/a' }, 'c2')),
      says('.'),
    ]);
    const events = await collect(
      streamWithEvents({
        model,
        tools,
        prompt: 'go',
        interruptOn: { del: true },
        onApprovalRequest: () => {
          order.push('asked');
          isAsked();
          return true;
        },
      }),
    );
    expect(order).toEqual(['asked', 'read ended']);
    const at = (type: string) => events.findIndex((event) => event.type === type);
    expect(at('approval-response')).toBeLessThan(at('tool-result'));
  });
});

it('denies calls of an incomplete turn without asking', async () => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([[call('del', { path: '/a' }, 'c1'), finish('length')], says('.')]);
  let asked = 0;
  const events = await collect(
    streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', onApprovalRequest: () => ++asked > 0 }),
  );
  expect([asked, ran]).toEqual([0, []]);
  expect(events.find(({ type }) => type === 'approval-requested')).toMatchObject({ isAutomatic: true });
});

it('denies calls with the same id', async () => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([
    calls(call('del', { path: '/a' }, 'dup'), call('del', { path: '/b' }, 'dup')),
    says('.'),
  ]);
  await collect(streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', onApprovalRequest: () => true }));
  expect(ran).toEqual([]);
});

it('counts maxSteps over all rounds, and still runs what was approved in the last', async () => {
  const { ran, tools } = recordingTools();
  const { model, prompts } = scripted([
    calls(call('del', { path: '/1' }, 'c1')),
    calls(call('del', { path: '/2' }, 'c2')),
    says('never'),
  ]);
  const run = streamWithEvents({
    model,
    tools,
    prompt: 'go',
    interruptOn: 'all',
    maxSteps: 2,
    onApprovalRequest: () => true,
  });
  const events = await collect(run);
  expect(ran).toEqual(['del /1', 'del /2']);
  expect(prompts).toHaveLength(2);
  const { steps, finishReason, messages } = await run.result;
  expect([steps.length, finishReason]).toEqual([2, 'tool-calls']);
  expect(events.filter(({ type }) => type === 'step-start')).toHaveLength(2);
  expect(messages.at(-1)).toMatchObject({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c2' }] });
});

it('ends at an abort while a human is asked', async () => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  const stop = new AbortController();
  const run = streamWithEvents({
    model,
    tools,
    prompt: 'go',
    interruptOn: 'all',
    abortSignal: stop.signal,
    onApprovalRequest: () => {
      setTimeout(() => stop.abort(new Error('enough')), 10);
      return new Promise<boolean>(() => {});
    },
  });
  const events = await collect(run);
  expect(types(events).slice(-2)).toEqual(['approval-response', 'abort']);
  expect(events.at(-2)).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
  expect(ran).toEqual([]);
  await expect(run.result).rejects.toThrow('enough');
});

it('rejects at once when nobody can be asked', async () => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  const events = await collect(streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: true } }));
  expect(ran).toEqual([]);
  expect(events.find(({ type }) => type === 'approval-requested')).toMatchObject({ isAutomatic: true });
  expect(events.find(({ type }) => type === 'approval-response')).toMatchObject({ approved: false });
});

it(`runs on AI SDK ${process.env['AI_MAJOR']}`, () => expect(String(major)).toBe(process.env['AI_MAJOR']));

it('tells the model of an edit also when the edited tool fails', async () => {
  const { tools } = recordingTools();
  const failure = new Error('no such file');
  tools.del.execute = async () => {
    throw failure;
  };
  const { model, prompts } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Pity.')]);
  const events = await collect(
    streamWithEvents({
      model,
      tools,
      prompt: 'go',
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
    }),
  );
  expect(resultsIn(prompts[1])['c1']).toMatchObject({
    type: 'error-text',
    value: expect.stringMatching(/no such file\n\n.*human changed/) as never,
  });
  expect(events.find(({ type }) => type === 'tool-error')).toMatchObject({ error: failure });
});

it('asks about every call of a later step, whatever an earlier one held', async () => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([
    calls(call('read', { path: '/r' }, 'c1')),
    calls(call('del', { path: '/1' }, 'c2'), call('del', { path: '/2' }, 'c3'), call('del', { path: '/3' }, 'c4')),
    says('Done.'),
  ]);
  await collect(
    streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: true }, onApprovalRequest: () => true }),
  );
  expect(ran).toEqual(['read /r', 'del /1', 'del /2', 'del /3']);
});

it('ends the turn once, however long the last callback takes', async () => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2'))]);
  let finished = 0;
  const events = await collect(
    streamWithEvents({
      model,
      tools,
      prompt: 'go',
      interruptOn: 'all',
      onApprovalRequest: ({ toolCallId }) => toolCallId === 'c1' || { type: 'rejectAndStop', reason: 'enough' },
      onFinish: async () => {
        await sleep(30);
        finished++;
      },
    }),
  );
  expect([finished, ran]).toEqual([1, []]);
  expect(types(events).filter((type) => type === 'tool-denied' || type === 'done')).toEqual([
    'tool-denied',
    'tool-denied',
    'done',
  ]);
});
