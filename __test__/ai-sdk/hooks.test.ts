/** Functions that prepare a run and hear of its end: what they give that is nothing is told, and what never settles holds nothing up. */
import { ToolLoopAgent } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { types } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';
import { fakeClock } from '../support/fake-clock.js';

const no = { interruptOn: { del: true }, onApprovalRequest: () => false } as const;
const deleting = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
const never = () => new Promise<never>(() => {});
const refused = (message: RegExp) => ({
  code: 'ERR_INVALID_CONFIG',
  message: expect.stringMatching(message) as unknown,
});

type Hook = 'prepareCall' | 'prepareStep';

function runWith(hook: Hook, value: unknown, more: object = {}) {
  const { model, prompts } = deleting();
  const { tools, ran } = recordingTools();
  const options = hook === 'prepareStep' ? { model, tools, prepareStep: value } : {};
  const make = () => {
    const agent = new ToolLoopAgent({ model, tools, prepareCall: value } as never);
    const whose = hook === 'prepareCall' ? { agent } : options;
    return streamWithEvents({ ...whose, prompt: 'x', ...no, ...more } as never);
  };
  return { make, ran, prompts };
}

describe.each<Hook>(['prepareCall', 'prepareStep'])('%s', (hook) => {
  test.each([5, 'x', true, [[]]])('that gives %j is told, and the model is not called', async (given) => {
    for (const later of [false, true]) {
      const { make, ran, prompts } = runWith(hook, () => (later ? Promise.resolve(given) : given));
      await expect(make().result).rejects.toMatchObject(refused(new RegExp(`${hook} gave a .*must give an object`)));
      expect([ran, prompts]).toEqual([[], []]);
    }
  });

  test.each([undefined, null])('that gives %j changes nothing', async (given) => {
    const { make } = runWith(hook, () => given);
    expect(types(await collect(make()))).toContain('tool-denied');
  });

  test.each([5, 'x', {}])('that is %j is told at once', (value) => {
    const { make } = runWith(hook, value);
    expect(make).toThrow(expect.objectContaining(refused(new RegExp(`${hook} must be a function`))));
  });

  test('that never settles ends with the abort of the run, and when the run is left', async () => {
    const stop = new AbortController();
    const aborted = collect(runWith(hook, never, { abortSignal: stop.signal }).make());
    setTimeout(() => stop.abort(new Error('esc')), 20);
    expect(await aborted).toMatchObject([{ type: 'abort' }]);
    const left = runWith(hook, never).make();
    const reading = left.next();
    await left.return?.();
    await reading;
  });
});

test('the time of a call counts while prepareCall prepares it', async () => {
  const agent = new ToolLoopAgent({ model: deleting().model, tools: {}, prepareCall: never } as never);
  const events = await collect(streamWithEvents({ agent, prompt: 'x', timeout: 20 } as never));
  expect(events).toMatchObject([{ type: 'abort', reason: { name: 'TimeoutError' } }]);
});

test.each([5, null, 'x', [[5]]])('a stopWhen that is %j is told at once', (stopWhen) => {
  const { tools } = recordingTools();
  const options = { model: deleting().model, tools, prompt: 'x', stopWhen, ...no };
  expect(() => streamWithEvents(options as never)).toThrow(
    expect.objectContaining(refused(/stopWhen must be a function, or a list of functions/)),
  );
});

test('an onFinish that never settles ends with the abort of the run', async () => {
  const stop = new AbortController();
  const { tools } = recordingTools();
  const onFinish = () => {
    setTimeout(() => stop.abort(new Error('esc')), 20);
    return never();
  };
  const run = streamWithEvents({
    model: deleting().model,
    tools,
    prompt: 'x',
    ...no,
    onFinish,
    abortSignal: stop.signal,
  });
  expect(types(await collect(run)).at(-1)).toBe('abort');
  await expect(run.result).rejects.toThrow('esc');
});

test('an onError that never settles ends with the abort of the run', async () => {
  using _ = listenToWarnings();
  const stop = new AbortController();
  const onError = () => {
    setTimeout(() => stop.abort(), 20);
    return never();
  };
  const run = streamWithEvents({
    model: deleting().model,
    tools: recordingTools().tools,
    prompt: 'x',
    ...no,
    onError,
    prepareStep: () => 5 as never,
    abortSignal: stop.signal,
  });
  // By whichever of the two the run ends, it ends.
  expect(types(await collect(run))).not.toContain('done');
});

test('an onAbort that never settles has a moment', async () => {
  using heard = listenToWarnings();
  const clock = fakeClock();
  const { tools } = recordingTools();
  const abortSignal = AbortSignal.abort(new Error('esc'));
  const onAbort = vi.fn(never);
  const events = collect(
    streamWithEvents({ model: deleting().model, tools, prompt: 'x', ...no, onAbort, abortSignal }),
  );
  await vi.waitFor(() => expect(onAbort).toHaveBeenCalled(), PATIENTLY);
  await clock.tickAsync(10_000);
  expect(types(await events)).toEqual(['abort']);
  expect(heard.warnings).toEqual([expect.stringContaining('onAbort failed: no answer within 10000 ms')]);
});

test.each<[string, () => unknown, string]>([
  ['gives a number', () => 5, 'gave a number, and must give a text'],
  ['gives null', async () => null, 'gave null, and must give a text'],
  [
    'fails',
    () => {
      throw new TypeError('a secret');
    },
    'failed (TypeError',
  ],
])('a description that %s is told, and the call is asked about in other words', async (_, description, said) => {
  using heard = listenToWarnings();
  const asked: string[] = [];
  const run = streamWithEvents({
    model: deleting().model,
    tools: recordingTools().tools,
    prompt: 'x',
    interruptOn: { del: { description: description as never } },
    onApprovalRequest: (request) => asked.push(request.description) < 0,
  });
  await collect(run);
  expect(asked).toEqual([expect.stringContaining('/a')]);
  expect(heard.warnings).toEqual([expect.stringContaining(`interruptOn["del"].description ${said}`)]);
  expect(heard.warnings.join()).not.toContain('a secret');
});

test('an authorize that gives no answer is told as such', async () => {
  using heard = listenToWarnings();
  await using gate = createGate({ authorize: () => 5 as never });
  const stop = new AbortController();
  const run = streamWithEvents({
    model: deleting().model,
    tools: recordingTools().tools,
    prompt: 'x',
    gate,
    interruptOn: 'all',
    onApprovalRequest: () => {
      setTimeout(() => stop.abort(), 20);
      return true;
    },
    abortSignal: stop.signal,
  });
  await collect(run);
  expect(heard.warnings).toEqual([expect.stringContaining('authorize gave a number, and must give true, false or')]);
});
