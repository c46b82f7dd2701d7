/** The SDK counts anew in each of its calls; a run counts once, over all approval stops. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  call,
  calls,
  collect,
  finish,
  major,
  resultsIn,
  says,
  scripted,
  stepCount,
  text,
  type ModelPart,
} from '../support/model.js';
import { play, start, types, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

/** Three model calls, the first two ending at a gated call. */
const threeSteps = () => [
  [...text('A'), ...calls(call('del', { path: '/1' }, 'c1'))],
  [...text('B'), ...calls(call('del', { path: '/2' }, 'c2'))],
  says('C'),
];
const gated = { interruptOn: { del: true }, onApprovalRequest: () => true };
/** The name that the callback has in the installed version, and the old one. */
const stepCallbacks = major === 7 ? ['onStepEnd', 'onStepFinish'] : ['onStepFinish'];
const finishCallbacks = major === 7 ? ['onEnd', 'onFinish'] : ['onFinish'];

interface StepLike {
  stepNumber: number;
  finishReason: string;
  toolCalls: { toolCallId: string }[];
  toolResults: { toolCallId: string; output: unknown }[];
  response: { messages: { role: string }[] };
}

describe('steps', () => {
  it('are numbered from 1 in the events and from 0 in the result', async () => {
    const { run, of } = await play({ turns: threeSteps(), tools: recordingTools().tools, ...gated });
    expect(of('step-start').map(({ stepNumber }) => stepNumber)).toEqual([1, 2, 3]);
    expect(of('step-finish').map(({ stepNumber }) => stepNumber)).toEqual([1, 2, 3]);
    expect(of('step-finish').map(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId))).toEqual([
      ['c1'],
      ['c2'],
      [],
    ]);
    const { steps } = await run.result;
    expect(steps.map(({ stepNumber }) => stepNumber)).toEqual([0, 1, 2]);
    expect(steps.map(({ text }) => text)).toEqual(['A', 'B', 'C']);
  });

  it('hold the results of approved calls, like those of calls that nobody had to approve', async () => {
    const { tools } = recordingTools();
    const { run } = await play({
      turns: [calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/1' }, 'c1')), says('.')],
      tools,
      ...gated,
    });
    const { steps } = await run.result;
    expect(steps[0]?.toolResults.map(({ toolCallId, output }) => [toolCallId, output])).toEqual([
      ['c0', 'content of /r'],
      ['c1', 'deleted /1'],
    ]);
    expect(steps[0]?.content.map(({ type }) => type)).toContain('tool-result');
  });

  it.each(stepCallbacks)('%s is called once for each, with what went before', async (name) => {
    const seen: StepLike[] = [];
    await play({
      turns: threeSteps(),
      tools: recordingTools().tools,
      ...gated,
      [name]: (step: StepLike) => void seen.push(step),
    });
    expect(seen.map(({ stepNumber }) => stepNumber)).toEqual([0, 1, 2]);
    // In 6 the messages are those of the run so far, in 7 those of the step.
    const roles = seen.map(({ response }) => response.messages.map(({ role }) => role));
    const ofRun = ['assistant', 'tool', 'tool', 'assistant', 'tool', 'tool', 'assistant'];
    expect(roles.at(-1)).toEqual(major === 6 ? ofRun : ofRun.slice(-roles.at(-1)!.length));
  });

  it.each(stepCallbacks)('%s has the results of approved calls, before the model is called again', async (name) => {
    const order: unknown[] = [];
    const turn = (parts: ModelPart[]) => () => {
      order.push('model');
      return parts;
    };
    await play({
      turns: [
        turn(
          calls(
            call('read', { path: '/r' }, 'c0'),
            call('del', { path: '/1' }, 'c1'),
            call('del', { path: '/2' }, 'c2'),
          ),
        ),
        turn(says('.')),
      ],
      tools: recordingTools().tools,
      interruptOn: { del: true },
      onApprovalRequest: ({ toolCallId }) => toolCallId === 'c1',
      [name]: ({ toolResults }: StepLike) =>
        void order.push(toolResults.map(({ toolCallId, output }) => `${toolCallId}: ${output as string}`)),
    });
    expect(order).toEqual(['model', ['c0: content of /r', 'c1: deleted /1'], 'model', []]);
  });

  it.each(stepCallbacks)('%s is called for a step whose approval never comes, with what there is', async (name) => {
    const seen: StepLike[] = [];
    const { run } = start({
      turns: threeSteps(),
      tools: recordingTools().tools,
      interruptOn: { del: true },
      onApprovalRequest: () => new Promise(() => {}),
      [name]: (step: StepLike) => void seen.push(step),
    });
    await until(run, 'step-finish');
    expect(seen).toEqual([]);
    await run.return();
    expect(seen.map(({ stepNumber, toolResults }) => [stepNumber, toolResults])).toEqual([[0, []]]);
  });

  it.each(finishCallbacks)('%s is called once, with all of them', async (name) => {
    const seen: { steps: StepLike[]; totalUsage: { totalTokens: number }; text: string }[] = [];
    await play({
      turns: threeSteps(),
      tools: recordingTools().tools,
      ...gated,
      [name]: (event: never) => void seen.push(event),
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.steps).toHaveLength(3);
    expect(seen[0]?.totalUsage.totalTokens).toBe(45);
    expect(seen[0]?.text).toBe('C');
  });

  it.runIf(major === 7)('onEnd knows the messages, calls and results of the whole run', async () => {
    let seen:
      | { responseMessages: { role: string }[]; toolResults: StepLike['toolResults']; usage: { totalTokens: number } }
      | undefined;
    const { run } = await play({
      turns: threeSteps(),
      tools: recordingTools().tools,
      ...gated,
      onEnd: (event: never) => void (seen = event),
    });
    expect(seen?.responseMessages).toEqual((await run.result).responseMessages);
    expect(seen?.toolResults.map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
    expect(seen?.usage.totalTokens).toBe(45);
  });

  it('a start callback is called once', async () => {
    let started = 0;
    const name = major === 7 ? 'onStart' : 'experimental_onStart';
    await play({ turns: threeSteps(), tools: recordingTools().tools, ...gated, [name]: () => void started++ });
    expect(started).toBe(1);
  });
});

it('adds up the usage, nested counts too', async () => {
  const { run, of } = await play({ turns: threeSteps(), tools: recordingTools().tools, ...gated });
  const { usage } = await run.result;
  expect(usage).toMatchObject({
    inputTokens: 30,
    outputTokens: 15,
    totalTokens: 45,
    inputTokenDetails: { noCacheTokens: 30 },
  });
  expect(of('done')[0]?.usage).toEqual(usage);
});

it('makes the ids of text and reasoning unique over the rounds', async () => {
  const reasoning = [
    { type: 'reasoning-start', id: '1' },
    { type: 'reasoning-delta', id: '1', delta: 'hm' },
    { type: 'reasoning-end', id: '1' },
  ];
  const turns = threeSteps().map((turn) => [...reasoning, ...turn]);
  const { of } = await play({ turns, tools: recordingTools().tools, ...gated });
  for (const type of ['text', 'reasoning'] as const) expect(new Set(of(type).map(({ id }) => id)).size).toBe(3);
  expect(of('reasoning').map(({ text }) => text)).toEqual(['hm', 'hm', 'hm']);
});

describe('stopWhen', () => {
  it('counts steps over all rounds', async () => {
    const { ran, tools } = recordingTools();
    const { run, prompts } = await play({ turns: threeSteps(), tools, ...gated, stopWhen: stepCount(2) });
    expect(prompts).toHaveLength(2);
    expect(ran).toEqual(['del /1', 'del /2']);
    expect((await run.result).finishReason).toBe('tool-calls');
  });

  it('sees the steps of all rounds with the results of approved calls', async () => {
    const seen: unknown[] = [];
    const stopWhen = ({ steps }: { steps: StepLike[] }) => {
      seen.push(steps.map(({ toolResults }) => toolResults.map(({ toolCallId }) => toolCallId)));
      return false;
    };
    const { tools } = recordingTools();
    await play({
      turns: [...threeSteps().slice(0, 2), calls(call('read', { path: '/r' }, 'c3')), says('.')],
      tools,
      ...gated,
      stopWhen: [stopWhen],
    });
    expect(seen.at(-1)).toEqual([['c1'], ['c2'], ['c3']]);
  });

  it('ends at hasToolCall of a gated tool: it runs when approved, and the model is not called again', async () => {
    const ran: unknown[] = [];
    const submit = ai.tool({
      inputSchema: z.object({ answer: z.number() }),
      execute: async (input) => {
        ran.push(input);
        return 'submitted';
      },
    });
    const { run, prompts, events, of } = await play({
      turns: [[...text('The answer:'), ...calls(call('submit', { answer: 42 }, 's1'))]],
      tools: { submit },
      interruptOn: { submit: true },
      onApprovalRequest: () => true,
      stopWhen: ai.hasToolCall('submit'),
    });
    expect(ran).toEqual([{ answer: 42 }]);
    expect(prompts).toHaveLength(1);
    expect(of('tool-result')).toMatchObject([{ toolCallId: 's1', result: 'submitted' }]);
    expect(types(events).filter((type) => type.startsWith('step-'))).toEqual(['step-start', 'step-finish']);
    const { messages, steps, text: said, finishReason } = await run.result;
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 's1' }] });
    expect(steps).toHaveLength(1);
    expect([said, finishReason]).toEqual(['The answer:', 'tool-calls']);
  });

  it('ends after a rejection as well, with the reason in the messages', async () => {
    const { tools } = recordingTools();
    const { run, prompts } = await play({
      turns: threeSteps(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'reject', reason: 'no' }),
      stopWhen: ai.hasToolCall('del'),
    });
    expect(prompts).toHaveLength(1);
    expect((await run.result).messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', output: { type: 'execution-denied', reason: 'no' } }],
    });
  });

  it('is 20 steps when nothing is said', async () => {
    const { tools } = recordingTools();
    const turns = Array.from({ length: 25 }, (_, index) =>
      calls(call(index % 2 ? 'read' : 'del', { path: `/${index}` }, `c${index}`)),
    );
    const { prompts, run } = await play({ turns, tools, ...gated });
    expect(prompts).toHaveLength(20);
    expect((await run.result).steps).toHaveLength(20);
  });
});

describe('prepareStep', () => {
  it('counts over all rounds and sees all steps', async () => {
    const seen: unknown[] = [];
    await play({
      turns: threeSteps(),
      tools: recordingTools().tools,
      ...gated,
      prepareStep: ({ stepNumber, steps }: { stepNumber: number; steps: StepLike[] }) => {
        seen.push([stepNumber, steps.length, steps.at(-1)?.toolResults.length]);
        return {};
      },
    });
    expect(seen).toEqual([
      [0, 0, undefined],
      [1, 1, 1],
      [2, 2, 1],
    ]);
  });

  it('a rule for step 0 does not fire again after an approval', async () => {
    const choices: unknown[] = [];
    const { model } = scripted(
      threeSteps().map((turn) => (options: object) => {
        choices.push((options as { toolChoice?: { type: string } }).toolChoice?.type);
        return turn;
      }),
    );
    await play({
      turns: [],
      model,
      tools: recordingTools().tools,
      ...gated,
      prepareStep: ({ stepNumber }: { stepNumber: number }) => (stepNumber === 0 ? { toolChoice: 'required' } : {}),
    });
    expect(choices).toEqual(['required', 'auto', 'auto']);
  });

  it('may choose another model, which is asked about like the first', async () => {
    const { ran, tools } = recordingTools();
    const other = scripted([calls(call('del', { path: '/x' }, 'x1')), says('other')]);
    const { run } = await play({
      turns: [calls(call('read', { path: '/r' }, 'c1'))],
      tools,
      ...gated,
      prepareStep: ({ stepNumber }: { stepNumber: number }) => (stepNumber > 0 ? { model: other.model } : {}),
    });
    expect(ran).toEqual(['read /r', 'del /x']);
    expect((await run.result).text).toBe('other');
  });

  it('may change the messages: the history stays what it was', async () => {
    const { run, prompts } = await play({
      turns: threeSteps(),
      tools: recordingTools().tools,
      ...gated,
      prepareStep: ({ messages }: { messages: unknown[] }) => ({
        messages: [...messages, { role: 'user', content: 'be brief' }],
      }),
    });
    expect(prompts[2]?.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'be brief' }] });
    const { messages } = await run.result;
    expect(messages.filter(({ role }) => role === 'user')).toEqual([{ role: 'user', content: 'go' }]);
  });

  it('may narrow activeTools: what was approved runs all the same', async () => {
    const { ran, tools } = recordingTools();
    await play({
      turns: [calls(call('del', { path: '/1' }, 'c1')), says('.')],
      tools,
      ...gated,
      prepareStep: ({ stepNumber }: { stepNumber: number }) =>
        stepNumber > 0 ? { activeTools: [], toolChoice: 'none' } : {},
    });
    expect(ran).toEqual(['del /1']);
  });
});

describe('messages', () => {
  it('are the whole conversation, and what was added', async () => {
    const { run, of } = await play({ turns: threeSteps(), tools: recordingTools().tools, ...gated });
    const { messages, responseMessages } = await run.result;
    expect(messages[0]).toEqual({ role: 'user', content: 'go' });
    expect(messages.slice(1)).toEqual(responseMessages);
    const results = responseMessages
      .flatMap(({ role, content }) => (role === 'tool' ? content : []))
      .filter(({ type }) => type === 'tool-result');
    expect(results).toMatchObject([
      { toolCallId: 'c1', output: { value: 'deleted /1' } },
      { toolCallId: 'c2', output: { value: 'deleted /2' } },
    ]);
    expect(of('done')[0]?.messages).toEqual(messages);
  });

  it('begin with what was passed as a prompt', async () => {
    const { run } = await play({ turns: [says('.')], messages: undefined, prompt: 'hello' });
    expect((await run.result).messages).toMatchObject([{ role: 'user', content: 'hello' }, { role: 'assistant' }]);
  });

  it('continue in a second run', async () => {
    const { ran, tools } = recordingTools();
    const first = await play({ turns: threeSteps(), tools, ...gated });
    const { messages } = await first.run.result;
    const second = await play({
      turns: [calls(call('del', { path: '/3' }, 'c3')), says('D')],
      tools,
      ...gated,
      messages: JSON.parse(JSON.stringify([...messages, { role: 'user', content: 'and /3' }])) as never,
    });
    expect(ran).toEqual(['del /1', 'del /2', 'del /3']);
    expect(Object.keys(resultsIn(second.prompts[1]))).toEqual(['c1', 'c2', 'c3']);
    const { messages: all, steps, usage } = await second.run.result;
    expect(all.slice(0, messages.length)).toEqual(messages);
    expect([steps.length, usage.totalTokens]).toEqual([2, 30]);
  });

  it('the input is not changed', async () => {
    const messages = Object.freeze([Object.freeze({ role: 'user', content: 'go' })]);
    const { run } = await play({ turns: threeSteps(), tools: recordingTools().tools, ...gated, messages });
    expect((await run.result).messages.length).toBeGreaterThan(1);
    expect(messages).toEqual([{ role: 'user', content: 'go' }]);
  });
});

describe('a structured output', () => {
  const output = ai.Output.object({ schema: z.object({ files: z.number() }) });
  const json = [...text('{"files":'), ...text('1}', '2')];

  it('comes from the last round', async () => {
    const { ran, tools } = recordingTools();
    const { run, of } = await play({
      turns: [calls(call('del', { path: '/1' }, 'c1')), [...text('{"files":1}'), finish()]],
      tools,
      ...gated,
      output,
    });
    expect(ran).toEqual(['del /1']);
    expect((await run.result).output).toEqual({ files: 1 });
    expect(of('done')[0]?.output).toEqual({ files: 1 });
  });

  it('is undefined when none was asked for, or none came', async () => {
    expect((await (await play({ turns: [says('x')] })).run.result).output).toBeUndefined();
    const { run } = await play({ turns: [says('no json')], output });
    expect((await run.result).output).toBeUndefined();
  });

  it('works without tools', async () => {
    const { run } = await play({ turns: [[...json, finish()]], output });
    expect((await run.result).output).toEqual({ files: 1 });
  });
});

it('keeps telemetry: each SDK call of the run is one operation', async () => {
  const { tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/1' }, 'c1')), says('.')]);
  const seen: string[] = [];
  const integration = new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' && name.startsWith('on') ? () => void seen.push(name) : undefined) },
  );
  const { streamWithEvents } = await import('../../ts/index.js');
  const telemetry = { isEnabled: true, integrations: [integration], functionId: 'test' };
  await collect(
    streamWithEvents({
      model,
      tools,
      prompt: 'go',
      ...gated,
      ...(major === 7 ? { telemetry } : { experimental_telemetry: telemetry }),
    } as never),
  );
  expect(seen.filter((name) => name === 'onStart')).toHaveLength(2);
  expect(seen.filter((name) => /onToolCallStart|onToolExecutionStart/.test(name))).toHaveLength(1);
  expect(seen.filter((name) => /^on(Finish|End)$/.test(name))).toHaveLength(2);
});
