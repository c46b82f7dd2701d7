/** A run of a ToolLoopAgent instead of streamText's options. */
import * as ai from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTaskTool } from '../../ts/agent/index.js';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, major, resultsIn, says, scripted, stepCount, text } from '../support/model.js';
import { of, types } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';

type Settings = Record<string, unknown>;

/** An agent with a scripted model, and a run of it. */
function agentOf(settings: Settings = {}, turns = [calls(call('del', { path: '/a' }, 'c1')), says('Done.')]) {
  const { ran, tools } = recordingTools();
  const { model, prompts } = scripted(turns);
  const agent = new ai.ToolLoopAgent({ model, tools, ...settings } as never);
  const run = (options: Settings = {}) =>
    streamWithEvents(
      withoutUndefined({
        agent,
        prompt: 'go',
        interruptOn: { del: true },
        onApprovalRequest: () => true,
        ...options,
      }) as never,
    );
  return { agent, ran, tools, prompts, run };
}

/** Callbacks by their name in this version. */
const onStep = major === 7 ? 'onStepEnd' : 'onStepFinish';
const onFinish = major === 7 ? 'onEnd' : 'onFinish';
const onStart = major === 7 ? 'onStart' : 'experimental_onStart';

it('the same run as with streamText', async () => {
  const { ran, run, prompts } = agentOf();
  const one = run();
  const events = await collect(one);
  expect(types(events)).toEqual([
    'step-start',
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
  expect(ran).toEqual(['del /a']);
  expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /a' } });
  const { steps, usage, messages } = await one.result;
  expect([steps.length, usage.totalTokens]).toEqual([2, 30]);
  expect(messages[0]).toEqual({ role: 'user', content: 'go' });
});

it('with an edit, a rejection and a gate', async () => {
  const { ran, run, prompts } = agentOf({}, [
    calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
    says('.'),
  ]);
  const gate = createGate();
  const one = run({ gate, onApprovalRequest: undefined });
  const events = [];
  for await (const event of one) {
    events.push(event);
    if (event.type !== 'approval-requested') continue;
    if (event.toolCallId === 'c1') await gate.edit(event.approvalId, { path: '/e' });
    else await gate.reject(event.approvalId, 'no');
  }
  expect(ran).toEqual(['del /e']);
  expect(resultsIn(prompts[1])['c2']).toEqual({ type: 'execution-denied', reason: 'no' });
});

describe('its settings', () => {
  it('instructions reach the model in every round', async () => {
    const { run, prompts } = agentOf({ instructions: 'Be brief.' });
    await collect(run());
    expect(prompts.map((prompt) => prompt.filter(({ role }) => role === 'system').length)).toEqual([1, 1]);
    expect(prompts[1]?.[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
  });

  it('the prompt stays the start of the conversation', async () => {
    const { run, prompts } = agentOf();
    await collect(run());
    expect(prompts[1]?.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('stopWhen counts over all rounds', async () => {
    const { run, prompts } = agentOf({ stopWhen: ai.hasToolCall('del') });
    await collect(run());
    expect(prompts).toHaveLength(1);
  });

  it('stopWhen is 20 steps when nothing is said', async () => {
    const turns = Array.from({ length: 25 }, (_, index) =>
      calls(call(index % 2 ? 'read' : 'del', { path: `/${index}` }, `c${index}`)),
    );
    const { run, prompts } = agentOf({}, turns);
    await collect(run());
    expect(prompts).toHaveLength(20);
  });

  it('prepareStep counts over all rounds', async () => {
    const seen: number[] = [];
    const { run } = agentOf({ prepareStep: ({ stepNumber }: { stepNumber: number }) => void seen.push(stepNumber) });
    await collect(run());
    expect(seen).toEqual([0, 1]);
  });

  it('prepareCall is called once, and what it changes holds in every round', async () => {
    const seen: unknown[] = [];
    const { run, prompts, ran } = agentOf({
      callOptionsSchema: z.object({ user: z.string() }),
      prepareCall: ({ options, ...call }: { options: { user: string } }) => {
        seen.push(options);
        return { ...call, instructions: `You help ${options.user}.` };
      },
    });
    const events = await collect(run({ options: { user: 'ada' } }));
    expect(types(events)).not.toContain('error');
    expect(seen).toEqual([{ user: 'ada' }]);
    expect(prompts.map(([first]) => first)).toMatchObject([{ content: 'You help ada.' }, { content: 'You help ada.' }]);
    expect(ran).toEqual(['del /a']);
  });

  it('prepareCall may change the messages: once', async () => {
    const { run, prompts } = agentOf({
      prepareCall: ({ prompt: _prompt, ...call }: { prompt: unknown }) => ({
        ...call,
        messages: [{ role: 'user', content: 'prepared' }],
      }),
    });
    const one = run();
    await collect(one);
    expect(prompts[1]?.filter(({ role }) => role === 'user')).toMatchObject([{ content: [{ text: 'prepared' }] }]);
    expect((await one.result).messages[0]).toEqual({ role: 'user', content: 'prepared' });
  });

  it('callOptionsSchema is checked: an error event', async () => {
    const { run, prompts } = agentOf({ callOptionsSchema: z.object({ user: z.string() }) });
    const events = await collect(run({ options: { user: 7 } }));
    expect(types(events)).toEqual(['error']);
    expect(prompts).toHaveLength(0);
  });

  it('a structured output comes from the last round', async () => {
    const { run } = agentOf({ output: ai.Output.object({ schema: z.object({ files: z.number() }) }) }, [
      calls(call('del', { path: '/a' }, 'c1')),
      [...text('{"files":1}'), ...says('').slice(-1)],
    ]);
    const one = run();
    await collect(one);
    expect((await one.result).output).toEqual({ files: 1 });
  });

  it("tools' own needsApproval", async () => {
    const { tools } = recordingTools();
    const { run } = agentOf({ tools: { ...tools, del: { ...tools.del, needsApproval: true } } });
    const events = await collect(run({ interruptOn: undefined }));
    expect(of(events)('approval-requested')).toHaveLength(1);
  });
});

describe('callbacks of the constructor and of the call', () => {
  it('are each called exactly once per step, and once at the end', async () => {
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(name);
    const { run } = agentOf({ [onStep]: note('agent step'), [onFinish]: note('agent end') });
    await collect(run({ [onStep]: note('call step'), [onFinish]: note('call end') }));
    expect(seen).toEqual(['agent step', 'call step', 'agent step', 'call step', 'agent end', 'call end']);
  });

  it('the end sees all steps', async () => {
    let steps: unknown[] = [];
    const { run } = agentOf({ [onFinish]: (event: { steps: unknown[] }) => void (steps = event.steps) });
    await collect(run());
    expect(steps).toHaveLength(2);
  });

  it('a start callback is called once', async () => {
    let started = 0;
    const { run } = agentOf({ [onStart]: () => void started++ });
    await collect(run());
    expect(started).toBe(1);
  });

  it('onAbort and abort', async () => {
    const stop = new AbortController();
    let aborted = 0;
    const { run, ran } = agentOf({ onAbort: () => void aborted++ });
    const events = await collect(
      run({
        abortSignal: stop.signal,
        onApprovalRequest: () => {
          setTimeout(() => stop.abort(new Error('esc')), 20);
          return new Promise(() => {});
        },
      }),
    );
    expect(events.at(-1)?.type).toBe('abort');
    expect([aborted, ran]).toEqual([1, []]);
  });

  it('onError', async () => {
    let errors = 0;
    const fails = () => {
      throw new Error('down');
    };
    const { run } = agentOf({ onError: () => void errors++, maxRetries: 0 }, [fails as never]);
    const events = await collect(run());
    expect(of(events)('error')).toHaveLength(1);
    expect(errors).toBe(1);
  });
});

describe.runIf(major === 7)('experimental_steering (AI SDK 7)', () => {
  it.each(['agent', 'streamText'])('is refused: its messages would be lost after the first approval (%s)', (kind) => {
    const steering = (ai as unknown as { experimental_createSteering(): object }).experimental_createSteering();
    const { run, tools } = agentOf();
    const { model } = scripted([says('Done.')]);
    const more = kind === 'agent' ? {} : { agent: undefined, model, tools };
    expect(() => run({ ...more, experimental_steering: steering })).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringMatching(/has no option "experimental_steering": .* Abort the run/),
      }),
    );
    expect(() => run({ ...more, experimental_steering: undefined })).not.toThrow();
  });
});

describe('agents that somebody wrote', () => {
  class Careful extends ai.ToolLoopAgent<never, ai.ToolSet> {
    readonly log: string[] = [];
    override get id(): string {
      this.log.push('id');
      return 'careful';
    }
  }

  it('a subclass', async () => {
    const { ran, tools } = recordingTools();
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]);
    const agent = new Careful({ model, tools });
    const events = await collect(
      streamWithEvents({ agent, prompt: 'go', interruptOn: { del: true }, onApprovalRequest: () => true } as never),
    );
    expect(events.at(-1)).toMatchObject({ type: 'done', text: 'Done.' });
    expect(ran).toEqual(['del /a']);
  });

  type Made = { agent: ai.ToolLoopAgent<never, ai.ToolSet>; tools: ai.ToolSet; loop: () => Promise<never> };
  const ownWays: [string, (made: Made) => object][] = [
    [
      'a stream of its class',
      ({ agent, loop }) => Object.setPrototypeOf(agent, { __proto__: ai.ToolLoopAgent.prototype, stream: loop }),
    ],
    ['a stream of its own', ({ agent, loop }) => Object.assign(agent, { stream: loop })],
    [
      'a stream behind a proxy',
      ({ agent, loop }) =>
        new Proxy(agent, { get: (of, name) => (name === 'stream' ? loop : (Reflect.get(of, name) as unknown)) }),
    ],
    [
      'a stream that runs a tool and then calls that of its class',
      ({ agent, tools, loop }) =>
        Object.assign(agent, {
          stream: async (options: never) => {
            await loop();
            return ai.ToolLoopAgent.prototype.stream.call(Object.assign(agent, { tools }), options);
          },
        }),
    ],
    ['a prepareCall of its own', ({ agent, loop }) => Object.assign(agent, { prepareCall: loop })],
    [
      'a class of another make',
      ({ tools, loop }) =>
        new (class Made {
          readonly settings = {};
          readonly tools = tools;
          stream = loop;
          prepareCall = loop;
        })(),
    ],
    [
      'a class of another make with methods',
      ({ tools, loop }) =>
        new (class Made {
          readonly settings = {};
          readonly tools = tools;
          stream() {
            return loop();
          }
          prepareCall() {
            return loop();
          }
        })(),
    ],
  ];
  it.each(ownWays)('runs nothing of an agent with %s', async (_, make) => {
    const { ran, tools } = recordingTools();
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]);
    const loop = async () => {
      await (tools.del as { execute: (args: object, options: object) => unknown }).execute({ path: '/b' }, {});
      return undefined as never;
    };
    const sdks = new ai.ToolLoopAgent<never, ai.ToolSet>({ model, tools: tools as ai.ToolSet });
    const agent = make({ agent: sdks, tools, loop });
    const play = async () =>
      streamWithEvents({ agent, prompt: 'go', interruptOn: 'all', onApprovalRequest: () => false } as never).result;
    await expect(play()).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_AGENT' });
    expect(ran).toEqual([]);
  });

  /** What becomes of a call of `del` by an agent. */
  async function became(more: object, answer: boolean) {
    const { ran, tools } = recordingTools();
    const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];
    const agent = new ai.ToolLoopAgent({ model: scripted(turns).model, tools, ...more } as never);
    const onApprovalRequest = () => answer;
    const { result } = streamWithEvents({
      agent,
      prompt: 'go',
      interruptOn: { del: true },
      onApprovalRequest,
    } as never);
    const code = await result.then(
      () => undefined,
      (error: unknown) => (error as { code?: string }).code,
    );
    return { ran, code };
  }

  type Runnable = Record<string, { execute: (args: object, options: object) => unknown }>;

  it('a prepareCall runs no tool before anybody could be asked', async () => {
    const prepareCall = async (options: { tools: Runnable }) => {
      await options.tools['del']!.execute({ path: '/b' }, { toolCallId: 'z', messages: [] });
      return options;
    };
    expect(await became({ prepareCall }, true)).toEqual({ ran: [], code: 'ERR_INVALID_CONFIG' });
  });

  it('a tool that a prepareCall keeps runs nothing later, but for what a call of the agent comes to', async () => {
    let kept: Runnable = {};
    const prepareCall = (options: { tools: Runnable }) => {
      kept = options.tools;
      const look = { ...options.tools['read'], execute: async () => kept['del']!.execute({ path: '/b' }, {}) };
      return { ...options, tools: { ...options.tools, del: { ...kept['del'] }, read: look } };
    };
    const { ran, tools } = recordingTools();
    const { model } = scripted([
      calls(call('read', { path: '/a' }, 'c1'), call('del', { path: '/a' }, 'c2')),
      says('.'),
    ]);
    const agent = new ai.ToolLoopAgent({ model, tools, prepareCall } as never);
    const onApprovalRequest = () => true;
    const events = await collect(
      streamWithEvents({ agent, prompt: 'go', interruptOn: { del: true }, onApprovalRequest } as never),
    );
    await expect(kept['del']!.execute({ path: '/c' }, { toolCallId: 'c2', messages: [] })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
    });
    expect(ran).toEqual(['del /a']);
    expect(of(events as never)('tool-error')).toHaveLength(1);
  });

  it('what a prepareCall makes of a tool is asked about, and runs when it is approved', async () => {
    const around = (options: { tools: Runnable }) => {
      const { del } = options.tools;
      const execute = async (args: object, given: object) => del!.execute(args, given);
      return { ...options, tools: { ...options.tools, del: { ...del, execute } } };
    };
    const spread = (options: { tools: Runnable }) => ({ ...options, tools: { ...options.tools } });
    const copied = (options: { tools: Runnable }) => ({
      ...options,
      tools: { ...options.tools, del: { ...options.tools['del'] } },
    });
    for (const prepareCall of [around, spread, copied]) {
      expect(await became({ prepareCall }, false)).toEqual({ ran: [], code: undefined });
      expect(await became({ prepareCall }, true)).toEqual({ ran: ['del /a'], code: undefined });
    }
  });

  describe('what a prepareCall changes at the tools that it gets', () => {
    type Changed = { tools: Record<string, ai.Tool & { requiresApproval?: unknown }> };
    const del = (options: object) => (options as Changed).tools['del']!;
    /** Nothing else would ask: what becomes of the call, and whether anybody was asked. */
    async function changed(prepareCall: (options: object) => unknown, own: object = {}, more: object = {}) {
      const { ran, tools } = recordingTools();
      const { model } = scripted([calls(call('read', {}, 'c0')), calls(call('del', { path: '/a' }, 'c1')), says('.')]);
      const all = { read: tools.read, del: { ...tools.del, ...own } };
      const agent = new ai.ToolLoopAgent({ model, tools: all, prepareCall, ...more } as never);
      const asked: string[] = [];
      const onApprovalRequest = ({ toolName }: { toolName: string }) => asked.push(toolName) < 0;
      const { result } = streamWithEvents({ agent, prompt: 'go', interruptOn: 'none', onApprovalRequest } as never);
      const code = await result.then(
        () => undefined,
        (error: unknown) => (error as { code?: string }).code,
      );
      return { ran, asked, code };
    }

    let kept: object;
    const ways: [string, (options: object) => unknown, object?][] = [
      ['switched on', (options) => (Object.assign(del(options), { needsApproval: true }), options)],
      ['as a function', (options) => (Object.assign(del(options), { needsApproval: () => true }), options)],
      ['and nothing returned', (options) => void Object.assign(del(options), { needsApproval: true })],
      [
        'by a getter',
        (options) => (
          Object.defineProperty(del(options), 'needsApproval', { get: () => true, configurable: true }),
          options
        ),
      ],
      [
        'later, at the tool that it kept',
        (options) => ((kept = options), options),
        { prepareStep: () => void Object.assign(del(kept), { needsApproval: true }) },
      ],
    ];
    it.each(ways)('a needsApproval that is %s is no less asked about', async (_, prepareCall, more) => {
      for (const own of [{}, { needsApproval: false }])
        expect(await changed(prepareCall, own, more)).toEqual({ ran: [], asked: ['del'], code: undefined });
    });

    it('what only looks like needsApproval is told', async () => {
      const slip = (options: object) => (Object.assign(del(options), { requiresApproval: true }), options);
      expect(await changed(slip)).toEqual({ ran: [], asked: [], code: 'ERR_INVALID_CONFIG' });
    });

    it('what it runs, and what it takes', async () => {
      const dry = (options: object) => (Object.assign(del(options), { execute: () => 'nothing is deleted' }), options);
      expect((await changed(dry)).ran).toEqual([]);
      const inputSchema = z.object({ path: z.literal('/b') });
      const narrow = (options: object) => (Object.assign(del(options), { inputSchema }), options);
      expect((await changed(narrow)).ran).toEqual([]);
      expect((await changed((options) => options)).ran).toEqual(['del /a']);
    });
  });

  it('a tool of an agent whose execute is replaced while the human thinks runs as it was', async () => {
    const { ran, tools } = recordingTools();
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
    const agent = new ai.ToolLoopAgent({ model, tools, prepareCall: (options: object) => options } as never);
    const onApprovalRequest = () => Boolean(Object.assign(tools.del, { execute: () => ran.push('another') }));
    await streamWithEvents({ agent, prompt: 'go', interruptOn: 'all', onApprovalRequest } as never).result;
    expect(ran).toEqual(['del /a']);
  });

  it('a tool that gives its result in parts does so through a copy that a prepareCall makes', async () => {
    const del = ai.tool({
      inputSchema: z.looseObject({}),
      async *execute() {
        yield 'one';
        yield 'two';
      },
    });
    const prepareCall = (options: { tools: ai.ToolSet }) => ({
      ...options,
      tools: { del: { ...options.tools['del'] } },
    });
    const events = await collect(agentOf({ tools: { del }, prepareCall }).run());
    expect(of(events)('tool-result').map(({ result }) => result)).toEqual(['one', 'two', 'two']);
  });

  it('an entry that opens the tool of an agent opens the very tool of its subagent, too', async () => {
    let ran = 0;
    const get = ai.tool({ inputSchema: z.looseObject({}), needsApproval: true, execute: () => (ran += 1) });
    const { model } = scripted([calls(call('get', {}, 'c2')), says('.')]);
    const task = createTaskTool({ subagents: [{ name: 's', description: 'd', model, tools: { get } }] });
    const { run } = agentOf({ tools: { get, task } }, [
      calls(call('task', { description: 'x', subagent_type: 's' }, 'c1')),
      says('.'),
    ]);
    const events = await collect(run({ interruptOn: { get: false, task: false } }));
    expect([ran, of(events)('approval-requested')]).toEqual([1, []]);
  });

  describe('whose class was patched', () => {
    const prototype = ai.ToolLoopAgent.prototype as unknown as { stream: (options: object) => unknown };
    const { stream } = prototype;
    afterEach(() => {
      prototype.stream = stream;
    });

    it('runs no tool in a loop of somebody else, and says so', async () => {
      prototype.stream = async function patched(this: { tools: ai.ToolSet }) {
        const { model } = scripted([calls(call('del', { path: '/b' }, 'c1')), says('.')]);
        const other = ai.streamText({ model, tools: this.tools, prompt: 'x', stopWhen: stepCount(3) });
        await other.consumeStream();
        return other;
      };
      expect(await became({}, true)).toEqual({ ran: [], code: 'ERR_UNSUPPORTED_AGENT' });
    });

    it('runs where the patch calls the stream that it replaces', async () => {
      prototype.stream = async function traced(options: object) {
        return Reflect.apply(stream, this, [options]) as unknown;
      };
      expect(await became({}, false)).toEqual({ ran: [], code: undefined });
      expect(await became({}, true)).toEqual({ ran: ['del /a'], code: undefined });
    });
  });

  describe('what names tools is checked once more when prepareCall has made them', () => {
    const deny = { version: 1, default: 'allow', rule: [{ effect: 'deny', tools: 'delete_file' }] };
    const renamed = (options: { tools: ai.ToolSet }) => ({
      ...options,
      tools: { deleteFile: options.tools['delete_file'] },
    });
    async function renaming(more: object, prepareCall: object = renamed) {
      using heard = listenToWarnings();
      const { ran, tools } = recordingTools();
      const { model } = scripted([calls(call('deleteFile', { path: '/a' }, 'c1')), says('.')]);
      const agent = new ai.ToolLoopAgent({ model, tools: { delete_file: tools.del }, prepareCall } as never);
      const { result } = streamWithEvents({ agent, prompt: 'go', onApprovalRequest: () => false, ...more } as never);
      const code = await result.then(
        () => undefined,
        (error: unknown) => (error as { code?: string }).code,
      );
      return { ran, code, warned: heard.warnings.join('\n') };
    }

    it('in a policy of the run: an error', async () => {
      expect(await renaming({ policy: deny })).toMatchObject({ ran: [], code: 'ERR_UNKNOWN_TOOL' });
    });

    it('in the policy of a gate: a warning', async () => {
      const { warned } = await renaming({ gate: createGate({ policy: deny as never }), interruptOn: 'none' });
      expect(warned).toContain('did you mean "deleteFile"?');
    });

    it('that nothing is gated by then: a warning', async () => {
      const bare = (options: object) => ({ ...options, tools: { deleteFile: recordingTools().tools.del } });
      const { warned } = await renaming({ interruptOn: { delete_file: true }, unknownTools: 'ignore' }, bare);
      expect(warned).toContain('nothing is gated');
    });

    it('in a toolApproval that it returns: an error', async () => {
      const misspelt = (options: object) => ({ ...options, toolApproval: { delete_fil: 'denied' } });
      expect(await renaming({}, misspelt)).toMatchObject({ ran: [], code: 'ERR_UNKNOWN_TOOL' });
    });
  });

  it.each<[string, (misspelt: object) => object]>([
    ['agent.settings', (misspelt) => misspelt],
    ['prepareCall', (misspelt) => ({ prepareCall: (options: object) => ({ ...options, ...misspelt }) })],
    ['prepareStep', (misspelt) => ({ prepareStep: (step: object) => ({ ...step, ...misspelt }) })],
  ])('an option that nobody reads in %s is told, and none that is read', async (place, settings) => {
    using heard = listenToWarnings();
    await agentOf({ id: 'a', ...settings({ activTools: [], maxSteps: 1 }) }).run().result;
    expect(heard.warnings.join('\n')).toContain(
      `${place}: nobody reads "activTools" there: did you mean "activeTools"?`,
    );
    expect(heard.warnings.join('\n')).toContain(`${place}: nobody reads "maxSteps" there.`);
    expect(heard.warnings).toHaveLength(2);
    await agentOf({ id: 'b', ...settings({ activeTools: ['del', 'read'], toolChoice: 'auto' }) }).run().result;
    expect(heard.warnings).toHaveLength(2);
  });

  it('the agent itself is not changed, and may run twice at once', async () => {
    const { agent } = agentOf({}, [says('one'), says('two')]);
    const { settings } = agent as unknown as { settings: object };
    const before = { ...settings };
    const runs = [1, 2].map(() => streamWithEvents({ agent, prompt: 'go' } as never));
    const texts = await Promise.all(runs.map(async (run) => (await run.result).text));
    expect(texts.toSorted()).toEqual(['one', 'two']);
    expect((agent as unknown as { settings: object }).settings).toEqual(before);
  });

  it('a typo in interruptOn is told at the call', () => {
    const { run } = agentOf();
    expect(() => run({ interruptOn: { dell: true } })).toThrow(/del/);
  });
});
