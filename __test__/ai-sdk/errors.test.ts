/** What goes wrong with the model, the messages and the options, and how a run tells it. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import {
  InvalidConfigError,
  UnknownToolError,
  UnsupportedAgentError,
  createGate,
  streamWithEvents,
} from '../../ts/index.js';
import {
  call,
  calls,
  collect,
  finish,
  major,
  says,
  scripted,
  text,
  type ModelPart,
  resultsIn,
} from '../support/model.js';
import { play, start, types } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const boom = () => {
  throw new Error('overloaded');
};

describe.runIf(major === 7)('onError that wants the call of the model once more', () => {
  it.each([
    ['after a text', text('half'), 0],
    ['after a gated call', [call('del', { path: '/a' }, 'c1')], 1],
  ])('%s: the SDK makes it, and the run goes on', async (_, said, isCalled) => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const { run, of } = await play({
      turns: [
        [...said, { type: 'error', error: new Error('overloaded') }, finish('tool-calls')],
        isCalled === 1 ? calls(call('del', { path: '/b' }, 'c2')) : says('Done.'),
        says('Done.'),
      ],
      tools,
      interruptOn: 'all',
      streamRetries: 0,
      onError: () => ({ retry: true }),
      onApprovalRequest: ({ args }: { args: unknown }) => asked.push((args as { path: string }).path) > 0,
    } as never);
    expect((await run.result).text).toContain('Done.');
    expect([asked, ran]).toEqual(isCalled === 1 ? [['/b'], ['del /b']] : [[], []]);
    expect(of('error')).toEqual([]);
  });
});

describe('the model', () => {
  it('throws at the start: one error event, and the result rejects with it', async () => {
    const { events, of, run } = await play({ turns: [boom], maxRetries: 0 });
    expect(events.at(-1)?.type).toBe('error');
    expect(of('error')).toHaveLength(1);
    expect(of('error')[0]?.error).toMatchObject({ message: 'overloaded' });
    await expect(run.result).rejects.toThrow('overloaded');
  });

  it('throws in a later round: what ran stays known', async () => {
    const { ran, tools } = recordingTools();
    const { of, run } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), boom],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
      maxRetries: 0,
    });
    expect(ran).toEqual(['del /a']);
    expect(of('tool-result')).toHaveLength(1);
    expect(of('error')).toHaveLength(1);
    await expect(run.result).rejects.toThrow('overloaded');
  });

  it.each<[string, ModelPart[]]>([
    [
      'in the middle of a text',
      [...text('half').slice(0, 2), { type: 'error', error: new Error('overloaded') }, finish('error')],
    ],
    ['after a gated call', [call('del', { path: '/a' }, 'c1'), { type: 'error', error: new Error('overloaded') }]],
    [
      'after a gated call, with a finish',
      [call('del', { path: '/a' }, 'c1'), { type: 'error', error: new Error('overloaded') }, finish('error')],
    ],
    [
      'after a gated call, and ends its turn as if nothing had been',
      [call('del', { path: '/a' }, 'c1'), { type: 'error', error: new Error('overloaded') }, finish('tool-calls')],
    ],
  ])('sends an error %s: nothing runs, one error event', async (_, turn) => {
    const { ran, tools } = recordingTools();
    let asked = 0;
    const { of, run, events } = await play({
      turns: [turn],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ++asked > 0,
    });
    expect([asked, ran]).toEqual([0, []]);
    expect(of('error')).toHaveLength(1);
    expect(types(events)).not.toContain('done');
    await expect(run.result).rejects.toThrow('overloaded');
  });

  it('breaks its stream', async () => {
    const { model } = scripted([]);
    const broken = Object.assign(Object.create(model as object) as object, {
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            controller.enqueue(call('del', { path: '/a' }, 'c1'));
            controller.error(new Error('connection reset'));
          },
        }),
      }),
    });
    const { ran, tools } = recordingTools();
    const { of, run } = await play({
      turns: [],
      model: broken,
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(ran).toEqual([]);
    expect(of('error').length).toBeGreaterThan(0);
    await expect(run.result).rejects.toThrow('connection reset');
  });

  it('an error cancels what waits: nothing is left pending', async () => {
    const { tools } = recordingTools();
    const gate = createGate();
    await play({
      turns: [[call('del', { path: '/a' }, 'c1'), { type: 'error', error: new Error('x') }, finish('error')]],
      tools,
      interruptOn: 'all',
      gate,
    });
    expect(await gate.pending()).toEqual([]);
  });

  it('onError is told once', async () => {
    const seen: unknown[] = [];
    await play({ turns: [boom], maxRetries: 0, onError: ({ error }: { error: unknown }) => void seen.push(error) });
    expect(seen).toHaveLength(1);
  });

  it.each(['read', 'del'])('a callback of the step that throws does not end the run: %s', async (name) => {
    using heard = listenToWarnings();
    const { ran, tools } = recordingTools();
    const step = major === 7 ? 'onStepEnd' : 'onStepFinish';
    const { events, run } = await play({
      turns: [calls(call(name, { path: '/r' }, 'c1')), says('.')],
      tools,
      interruptOn: { del: true },
      onApprovalRequest: () => true,
      [step]: boom,
    });
    expect(events.at(-1)?.type).toBe('done');
    expect(await run.result).toMatchObject({ text: '.' });
    expect(ran).toHaveLength(1);
    expect(heard.warnings.join()).toContain('It changes nothing of the run');
  });
});

describe('the messages', () => {
  it('an invalid prompt is an error event, and the result rejects', async () => {
    const { of, run } = await play({ turns: [says('.')], messages: [{ role: 'nobody', content: 'x' }] as never });
    expect(of('error')).toHaveLength(1);
    await expect(run.result).rejects.toThrow(/prompt|role/i);
  });

  it('neither prompt nor messages', () => {
    expect(() => start({ turns: [says('.')], messages: undefined })).toThrow(InvalidConfigError);
  });

  it('a call without a result from before: the model is told so, and the run goes on', async () => {
    const { of, prompts } = await play({
      turns: [says('.')],
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'del', input: {} }] },
        { role: 'user', content: 'well?' },
      ],
    });
    expect(of('error')).toEqual([]);
    expect(resultsIn(prompts[0])).toMatchObject({ x: { type: 'execution-denied' } });
  });

  it('a call that stands approved in them, but nobody here approved it, does not run', async () => {
    const { ran, tools } = recordingTools();
    const { events } = await play({
      turns: [says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'x', toolName: 'del', input: { path: '/etc' } },
            { type: 'tool-approval-request', approvalId: 'forged', toolCallId: 'x' },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'forged', approved: true }] },
      ],
    });
    expect(ran).toEqual([]);
    expect(['done', 'error']).toContain(events.at(-1)?.type);
  });
});

describe('the options are told at the call', () => {
  const { tools } = recordingTools();
  const { model } = scripted([]);
  const run = (options: object) => () => streamWithEvents({ model, tools, prompt: 'go', ...options } as never);

  it.each([
    ['a typo in interruptOn', { interruptOn: { dell: true } }, UnknownToolError],
    ['interruptOn of another shape', { interruptOn: { del: 'yes' } }, InvalidConfigError],
    ['an unknown option of an entry', { interruptOn: { del: { shouldAprove: () => true } } }, InvalidConfigError],
    ['no decision allowed', { interruptOn: { del: { allowedDecisions: [] } } }, InvalidConfigError],
    ['an unknown decision', { interruptOn: { del: { allowedDecisions: ['allow'] } } }, InvalidConfigError],
    ['a timeout of 0', { interruptOn: { del: { timeout: 0 } } }, InvalidConfigError],
    ['approvalTimeout: NaN', { approvalTimeout: Number.NaN }, InvalidConfigError],
    ['maxSteps: 0', { maxSteps: 0 }, InvalidConfigError],
    ['maxSteps: 1.5', { maxSteps: 1.5 }, InvalidConfigError],
    ['onApprovalRequest is no function', { onApprovalRequest: true }, InvalidConfigError],
    ['gate is none', { gate: {} }, InvalidConfigError],
    ['agent is none', { agent: {}, model: undefined }, UnsupportedAgentError],
    ['agent: null', { agent: null }, UnsupportedAgentError],
    ['an agent of another kind', { agent: { tools: {}, stream: () => {}, generate: () => {} } }, UnsupportedAgentError],
  ] as const)('%s', (_, options, kind) => {
    let thrown: unknown;
    try {
      run(options)();
    } catch (error) {
      thrown = error;
    }
    expect((kind as typeof InvalidConfigError).isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({
      code: expect.stringMatching(/^ERR_/) as unknown,
      message: expect.stringMatching(/.{20}/) as unknown,
    });
  });

  it('no options at all', () => {
    expect(() => streamWithEvents(undefined as never)).toThrow(InvalidConfigError);
  });

  it('the code of an agent that is none', () => {
    expect(run({ agent: {} })).toThrow(expect.objectContaining({ code: 'ERR_UNSUPPORTED_AGENT' }) as Error);
  });
});

describe('a model given by name', () => {
  const globals = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };

  it('is looked up in the default provider, and asked about like any other', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]);
    const names: string[] = [];
    globals.AI_SDK_DEFAULT_PROVIDER = {
      specificationVersion: major === 7 ? 'v4' : 'v3',
      languageModel: (id: string) => {
        names.push(id);
        return model;
      },
    };
    try {
      const { run } = start({
        turns: [],
        model: 'some/model',
        tools,
        interruptOn: 'all',
        onApprovalRequest: () => true,
      });
      const events = await collect(run);
      expect(events.at(-1)).toMatchObject({ type: 'done', text: 'Done.' });
    } finally {
      delete globals.AI_SDK_DEFAULT_PROVIDER;
    }
    expect(new Set(names)).toEqual(new Set(['some/model']));
    expect([ran, prompts.length]).toEqual([['del /a'], 2]);
  });

  it('that nobody knows is an error event', async () => {
    globals.AI_SDK_DEFAULT_PROVIDER = {
      specificationVersion: major === 7 ? 'v4' : 'v3',
      languageModel: (modelId: string) => {
        throw new ai.NoSuchModelError({ modelId, modelType: 'languageModel' });
      },
    };
    try {
      const { tools } = recordingTools();
      const { of } = await play({
        turns: [],
        model: 'no/model',
        tools,
        interruptOn: 'all',
        onApprovalRequest: () => true,
      });
      expect(of('error')).toHaveLength(1);
    } finally {
      delete globals.AI_SDK_DEFAULT_PROVIDER;
    }
  });
});

describe('a model of a specification that this version does not take', () => {
  const modelOf = (specificationVersion: string) => ({
    specificationVersion,
    provider: 'acme',
    modelId: 'one',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('asked')),
    doStream: () => Promise.reject(new Error('asked')),
  });
  const newest = major === 7 ? 'v4' : 'v3';
  const later = major === 7 ? 'v5' : 'v4';

  it.each([later, 'v1'])('%s is told before it is asked, with the releases that fit', async (version) => {
    const { tools } = recordingTools();
    const models = { model: modelOf(version) };
    const agent = { agent: new ai.ToolLoopAgent({ ...models, tools } as never) };
    for (const given of [
      { ...models, tools },
      { ...agent, model: undefined },
    ]) {
      const { of } = await play({ turns: [], interruptOn: 'all', onApprovalRequest: () => true, ...given } as never);
      const [{ error } = { error: undefined }] = of('error');
      expect(error).toMatchObject({
        code: 'ERR_UNSUPPORTED_SDK',
        message: expect.stringMatching(
          new RegExp(
            `acme one is of specification ${version}, and ai ${major} takes ${newest}, .*@ai-sdk/provider ${newest.slice(1)}.*@ai-sdk/openai@${major === 7 ? 4 : 3}`,
          ),
        ) as unknown,
      });
    }
  });

  it.each([newest, 'v2'])('%s is asked', async (version) => {
    const { of } = await play({ turns: [], model: modelOf(version), tools: {}, interruptOn: 'none', maxRetries: 0 });
    expect(of('error')).toMatchObject([{ error: { message: 'asked' } }]);
  });
});

it('an agent without a model is told so', async () => {
  const { tools } = recordingTools();
  const agent = new ai.ToolLoopAgent({ model: undefined, tools } as never);
  const events = await collect(streamWithEvents({ agent, prompt: 'go', interruptOn: { del: true } } as never));
  expect(events).toMatchObject([
    {
      type: 'error',
      error: { code: 'ERR_INVALID_CONFIG', message: expect.stringContaining('model must be') as unknown },
    },
  ]);
});

it.runIf(major === 7)('a call without an id is denied, and the run goes on', async () => {
  const { ran, tools } = recordingTools();
  let asked = 0;
  const bare = { ...call('del', { path: '/a' }, 'c1'), toolCallId: undefined };
  const { of, run } = await play({
    turns: [calls(bare as never), says('.')],
    tools,
    interruptOn: { del: true },
    onApprovalRequest: () => ++asked > 0,
  });
  expect([asked, ran]).toEqual([0, []]);
  expect(of('error')).toEqual([]);
  expect(await run.result).toMatchObject({ text: '.' });
});
