/** A human ends the turn in a loop that is not ours. */
import { isDeepStrictEqual } from 'node:util';
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, GateToolsOptions } from '../../index.js';
import {
  createGate,
  gateTools,
  isExecutionDenied,
  streamWithEvents,
  turnEnded,
  verifyApprovals,
} from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted, sleep, stepCount, type ModelTurn } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

type Options = GateToolsOptions<ai.ToolSet>;

const STOP = { type: 'reject', stop: true, reason: 'halt' } as const;
const TWO = calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2'));
const MORE = calls(call('del', { path: '/c' }, 'c3'), call('read', { path: '/c' }, 'c4'));
const ENDED = { type: 'execution-denied', reason: 'The human ended the turn.' };

const endsAt =
  (ending: string, asked: string[], answer: ApprovalAnswer = STOP) =>
  ({ args }: { args: { path: string } }): ApprovalAnswer => {
    asked.push(args.path);
    return args.path === ending ? answer : true;
  };

async function generate(
  options: (asked: string[]) => Options,
  turns: ModelTurn[] = [TWO, MORE, says('Done.')],
  more: object = {},
) {
  const asked: string[] = [];
  const { ran, tools } = recordingTools();
  const { model, prompts } = scripted(turns);
  const gated = gateTools(tools, options(asked) as never);
  const result = await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(5), ...more } as never);
  return { asked, ran, gated, prompts, result };
}

describe('in a loop that does not know of it', () => {
  it.each(['in-turn', 'at-once'] as const)(
    'nothing that waits, or comes later, runs or is asked about (%s)',
    async (askOrder) => {
      const { asked, ran, prompts } = await generate((asked) => ({
        interruptOn: ['del'],
        askOrder,
        onApprovalRequest: endsAt('/a', asked),
      }));
      expect(asked).toEqual(askOrder === 'in-turn' ? ['/a'] : ['/a', '/b']);
      // It is not gated, and the loop made it.
      expect(ran).toEqual(['read /c']);
      expect(resultsIn(prompts[2])).toMatchObject({
        c1: { type: 'execution-denied', reason: 'halt' },
        c2: ENDED,
        c3: ENDED,
      });
    },
  );

  it('what runs by then goes on, and the long form says the same', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([TWO]);
    const answer = async ({ args }: { args: { path: string } }): Promise<ApprovalAnswer> => {
      if (args.path === '/a') return true;
      while (ran.length === 0) await sleep(1);
      return { type: 'rejectAndStop', reason: 'halt' };
    };
    const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest: answer });
    await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: [stepCount(5), turnEnded] });
    expect([ran, prompts.length]).toEqual([['del /a'], 1]);
  });

  it('at a gate, what waits is cancelled, and no tool of the turn runs', async () => {
    await using gate = createGate();
    const going = generate(() => ({ interruptOn: ['del'], gate, runId: 'r' }));
    let open = await gate.pending();
    while (open.length < 2) {
      await sleep(1);
      open = await gate.pending();
    }
    await gate.reject(open[0]?.approvalId as string, { stop: true, reason: 'halt' });
    const { ran } = await going;
    expect(ran).toEqual([]);
    expect((await gate.history()).map(({ status }) => status).toSorted()).toEqual(['cancelled', 'rejected']);
  });

  it('turnEnded ends the loop: the model is not called again', async () => {
    const { prompts, ran, result } = await generate(
      (asked) => ({ interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked) }),
      [TWO],
      { stopWhen: [stepCount(5), turnEnded] },
    );
    expect([prompts.length, ran]).toEqual([1, []]);
    const [one, two] = result.steps[0]?.toolResults ?? [];
    expect([one?.output, two?.output]).toMatchObject([
      { decision: 'reject', stop: true },
      { decision: 'cancelled', stop: true },
    ]);
  });

  it('turnEnded goes on with any other rejection', async () => {
    const { prompts, result } = await generate(
      () => ({ interruptOn: ['del'], onApprovalRequest: () => false }),
      [TWO, says('Done.')],
      { stopWhen: [stepCount(5), turnEnded] },
    );
    expect(prompts).toHaveLength(2);
    expect(result.steps[0]?.toolResults.map(({ output }) => isExecutionDenied(output) && output.stop)).toEqual([
      undefined,
      undefined,
    ]);
    expect(turnEnded({ steps: [] })).toBe(false);
  });

  it('in streamText likewise', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([TWO]);
    const asked: string[] = [];
    const { fullStream } = ai.streamText({
      model,
      tools: gateTools(tools, { interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked) }),
      prompt: 'go',
      stopWhen: [stepCount(5), turnEnded],
    });
    await collect(fullStream);
    expect([ran, asked, prompts.length]).toEqual([[], ['/a'], 1]);
  });

  it('one warning says that the loop went on, and what ends it', async () => {
    using heard = listenToWarnings();
    const options = (asked: string[]): Options => ({ interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked) });
    await generate(options, [TWO], { stopWhen: [stepCount(5), turnEnded] });
    expect(heard.warnings).toEqual([]);
    await generate(options);
    await generate(options);
    expect(heard.warnings).toEqual([expect.stringMatching(/turnEnded/)]);
  });
});

describe('the turn is over, and no more than that', () => {
  it('the next turn of a conversation is asked about again, and so is another answer to the same question', async () => {
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked) });
    const messages: ai.ModelMessage[] = [{ role: 'user', content: 'go' }];
    const turn = async (turns: ModelTurn[]) => {
      const { model } = scripted(turns);
      const { response } = await ai.generateText({ model, tools: gated, messages, stopWhen: stepCount(5) });
      return response.messages;
    };
    const again = () => [calls(call('del', { path: '/b' }, 'c1')), says('Done.')];
    const said = await turn([TWO, says('Done.')]);
    await turn(again());
    messages.push(...said, { role: 'user', content: 'go on' });
    await turn(again());
    expect(asked).toEqual(['/a', '/b', '/b']);
    expect(ran).toEqual(['del /b', 'del /b']);
  });

  it('other conversations over the same tools go on', async () => {
    await using gate = createGate();
    const { ran, tools } = recordingTools();
    const gated = gateTools(tools, { interruptOn: ['del'], gate });
    const one = (path: string) =>
      ai.generateText({
        model: scripted([calls(call('del', { path }, 'c1')), says('Done.')]).model,
        tools: gated,
        prompt: 'go',
        stopWhen: stepCount(5),
      });
    const both = Promise.all([one('/a'), one('/b')]);
    let open = await gate.pending();
    while (open.length < 2) {
      await sleep(1);
      open = await gate.pending();
    }
    const [ends, goes] = open;
    await gate.reject(ends?.approvalId as string, { stop: true });
    await gate.approve(goes?.approvalId as string);
    await both;
    expect(ran).toEqual(
      ['/a', '/b'].flatMap((path) => (isDeepStrictEqual(goes?.args, { path }) ? [`del ${path}`] : [])),
    );
    expect(ran).toHaveLength(1);
  });
});

describe('a turn is known by what its messages hold', () => {
  const del = (path: string, id: string): ModelTurn => calls(call('del', { path }, id));
  const read = (path: string, id: string): ModelTurn => calls(call('read', { path }, id));
  const changes: [string, (messages: ai.ModelMessage[]) => ai.ModelMessage[]][] = [
    ['copies of its messages', (messages) => structuredClone(messages)],
    ['the last two of its messages', (messages) => ai.pruneMessages({ messages, toolCalls: 'before-last-2-messages' })],
    [
      'other results',
      (messages) =>
        messages.map((message) =>
          message.role === 'tool'
            ? {
                ...message,
                content: message.content.map((part) =>
                  part.type === 'tool-result' ? { ...part, output: { type: 'text', value: '(cleared)' } } : part,
                ),
              }
            : message,
        ) as ai.ModelMessage[],
    ],
  ];

  it.each(changes)('a loop that hands on %s is over: even what was remembered does not run', async (_, change) => {
    await using gate = createGate({ policy: { version: 1 }, place: { cwd: '/project', project: '/project' } });
    const { asked, ran, prompts } = await generate(
      (asked) => ({
        interruptOn: ['del', 'read'],
        gate,
        onApprovalRequest: ({ args }: { args: { path: string } }) => {
          asked.push(args.path);
          return args.path === '/b' ? STOP : { type: 'approve', remember: { scope: 'session' } };
        },
      }),
      [
        read('/a', 'c1'),
        del('/b', 'c2'),
        read('/a', 'c3'),
        calls(call('del', { path: '/d' }, 'c4'), call('read', { path: '/a' }, 'c5')),
        says('Done.'),
      ],
      { prepareStep: ({ messages }: { messages: ai.ModelMessage[] }) => ({ messages: change(messages) }) },
    );
    expect([ran, asked, prompts.length]).toEqual([['read /a'], ['/a', '/b'], 5]);
  });

  it('another loop over the same messages is asked in each of its steps, even if its model makes the same call', async () => {
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const messages: ai.ModelMessage[] = [{ role: 'user', content: 'go' }];
    const answer = async (turns: ModelTurn[], first: ApprovalAnswer): Promise<void> => {
      let isFirst = true;
      const onApprovalRequest = ({ args }: { args: { path: string } }): ApprovalAnswer => {
        asked.push(args.path);
        return isFirst ? ((isFirst = false), first) : true;
      };
      const { model } = scripted(turns);
      const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest } as never);
      await ai.generateText({ model, tools: gated, messages, stopWhen: [stepCount(5), turnEnded] });
    };
    await answer([del('/a', 'c1')], STOP);
    await answer([calls(call('read', { path: '/r' }, 'd1')), del('/b', 'd2'), says('Done.')], true);
    await answer([del('/a', 'c1'), del('/c', 'c2'), says('Done.')], true);
    await answer([del('/a', 'c1'), del('/d', 'c2'), says('Done.')], { type: 'reject', reason: 'not now' });
    expect(asked).toEqual(['/a', '/b', '/a', '/c', '/a', '/d']);
    expect(ran).toEqual(['read /r', 'del /b', 'del /a', 'del /c', 'del /d']);
  });

  it('a turn that ended is over when another one has made the same call', async () => {
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const messages: ai.ModelMessage[] = [{ role: 'user', content: 'go' }];
    const one = (turns: ModelTurn[], answer: ApprovalAnswer, more: object = {}) =>
      ai.generateText({
        model: scripted(turns).model,
        tools: gateTools(tools, { interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked, answer) }),
        messages,
        stopWhen: stepCount(5),
        ...more,
      } as never);
    const again = (): Promise<unknown> => one([del('/a', 'c1'), says('Done.')], true);
    await one([del('/a', 'c1'), del('/a', 'c2'), says('Done.')], STOP, {
      prepareStep: async ({ stepNumber }: { stepNumber: number }) => {
        if (stepNumber === 1) await again();
        return {};
      },
    });
    expect([ran, asked]).toEqual([['del /a'], ['/a', '/a']]);
  });

  it('a call of another conversation is asked about, though one with its id, input and answer ended a turn', async () => {
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const talk = (prompt: string, turns: ModelTurn[], answer: ApprovalAnswer) =>
      ai.generateText({
        model: scripted(turns).model,
        tools: gateTools(tools, { interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked, answer) } as never),
        prompt,
        stopWhen: [stepCount(5), turnEnded],
      });
    await talk('one', [del('/a', 'call_1')], STOP);
    const no = { type: 'reject', reason: STOP.reason } as const;
    await talk('two', [del('/a', 'call_1'), del('/b', 'call_2'), says('Done.')], no);
    expect([ran, asked]).toEqual([['del /b'], ['/a', '/a', '/b']]);
  });

  it.each(changes)(
    'a turn that hands on %s is over when other conversations end at the same call',
    async (_, change) => {
      const asked: string[] = [];
      const { ran, tools } = recordingTools();
      const talk = (prompt: string, turns: ModelTurn[], answer: ApprovalAnswer, more: object = {}) =>
        ai.generateText({
          model: scripted(turns).model,
          tools: gateTools(tools, { interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked, answer) } as never),
          prompt,
          stopWhen: stepCount(5),
          ...more,
        } as never);
      const prepareStep = async ({ stepNumber, messages }: { stepNumber: number; messages: ai.ModelMessage[] }) => {
        if (stepNumber === 1) await talk('two', [del('/a', 'c1'), del('/z', 'c2'), says('Done.')], STOP);
        return { messages: change(messages) };
      };
      await talk('one', [del('/a', 'c1'), del('/b', 'c2'), says('Done.')], STOP, { prepareStep });
      expect([ran, asked]).toEqual([[], ['/a', '/a']]);
    },
  );

  describe('two conversations make the same call, and one of them ends at it', () => {
    const same = (): ModelTurn[] => [del('/a', 'call_1'), del('/b', 'call_2'), says('Done.')];

    it.each([
      ['with tools of its own', 'waits', false],
      ['with tools of its own', 'runs', false],
      ['with the same tools', 'waits', true],
      ['with the same tools', 'runs', true],
    ] as const)('the other one, %s, is asked on, though its call %s by then', async (_, begun, isOneSet) => {
      const asked: string[] = [];
      const ran: string[] = [];
      const met = new Set<string>();
      const meet = async (phase: string): Promise<void> => {
        met.add(phase);
        if (phase === begun) await until('ended');
      };
      const until = async (phase: string): Promise<void> => {
        while (!met.has(phase)) await sleep(1);
      };
      const tools = {
        del: ai.tool({
          inputSchema: z.object({ path: z.string() }),
          execute: async ({ path }) => {
            ran.push(`del ${path}`);
            if (path === '/a') await meet('runs');
            return 'gone';
          },
        }),
      };
      let isFirst = true;
      const onApprovalRequest = async ({ args }: { args: { path: string } }): Promise<ApprovalAnswer> => {
        asked.push(args.path);
        if (args.path !== '/a') return true;
        if (!isFirst) return STOP;
        isFirst = false;
        await meet('waits');
        return true;
      };
      const make = () => gateTools(tools, { interruptOn: ['del'], askOrder: 'at-once', onApprovalRequest } as never);
      const shared = make();
      const talk = (prompt: string) =>
        ai.generateText({
          model: scripted(same()).model,
          tools: isOneSet ? shared : make(),
          prompt,
          stopWhen: [stepCount(5), turnEnded],
        });
      const other = talk('tidy b');
      await until(begun);
      await talk('tidy a');
      met.add('ended');
      await other;
      expect([asked, ran]).toEqual([
        ['/a', '/a', '/b'],
        ['del /a', 'del /b'],
      ]);
    });

    it('so is a new answer with the same tools to the same text', async () => {
      const asked: string[] = [];
      const { ran, tools } = recordingTools();
      const messages: ai.ModelMessage[] = [{ role: 'user', content: 'go' }];
      const answers: ApprovalAnswer[] = [STOP, { type: 'reject', reason: STOP.reason }, true];
      const onApprovalRequest = ({ args }: { args: { path: string } }): ApprovalAnswer => {
        asked.push(args.path);
        return answers.shift() ?? false;
      };
      const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest } as never);
      for (let round = 0; round < 2; round += 1)
        await ai.generateText({
          model: scripted(same()).model,
          tools: gated,
          messages,
          stopWhen: [stepCount(5), turnEnded],
        });
      expect([asked, ran]).toEqual([['/a', '/a', '/b'], ['del /b']]);
    });

    const edited = (messages: ai.ModelMessage[], type: string, change: object): ai.ModelMessage[] =>
      messages.map((message) =>
        typeof message.content === 'string'
          ? message
          : ({
              ...message,
              content: message.content.map((part) => (part.type === type ? { ...part, ...change } : part)),
            } as never),
      );
    const stamped = (messages: ai.ModelMessage[], step: number): ai.ModelMessage[] =>
      messages.map((message) => (message.role === 'user' ? { role: 'user', content: `step ${step}` } : message));
    const ways: [string, (messages: ai.ModelMessage[], step: number) => ai.ModelMessage[]][] = [
      ['another text of the user', stamped],
      ['copies, and another text of the user', (messages, step) => stamped(structuredClone(messages), step)],
      [
        'copies with other results',
        (messages) => edited(structuredClone(messages), 'tool-result', { output: { type: 'text', value: 'x' } }),
      ],
      ['other inputs', (messages) => edited(messages, 'tool-call', { input: {} })],
    ];

    it.each(ways)('the one that hands on %s is over: what was remembered does not run', async (_, change) => {
      await using gate = createGate({ policy: { version: 1 }, place: { cwd: '/project', project: '/project' } });
      const other = () =>
        generate(
          () => ({ interruptOn: ['del'], onApprovalRequest: () => false }) as never,
          [del('/b', 'call_2'), says('Done.')],
        );
      const { asked, ran } = await generate(
        (asked) => ({
          interruptOn: ['del', 'read'],
          gate,
          onApprovalRequest: ({ args }: { args: { path: string } }) => {
            asked.push(args.path);
            return args.path === '/b' ? STOP : { type: 'approve', remember: { scope: 'session' } };
          },
        }),
        [read('/a', 'call_1'), del('/b', 'call_2'), read('/a', 'call_3'), says('Done.')],
        {
          prepareStep: async (step: { stepNumber: number; messages: ai.ModelMessage[] }) => {
            if (step.stepNumber === 2) await other();
            return { messages: change(step.messages, step.stepNumber) };
          },
        },
      );
      expect([asked, ran]).toEqual([['/a', '/b'], ['read /a']]);
    });

    it('the one that makes its call again under the same id is over', async () => {
      const { asked, ran } = await generate(
        (asked) => ({ interruptOn: ['del'], onApprovalRequest: endsAt('/a', asked) }),
        [del('/a', 'call_1'), del('/a', 'call_1'), says('Done.')],
      );
      expect([asked, ran]).toEqual([['/a'], []]);
    });
  });

  it('an agent in a tool ended it: so it is over for the loop around it that hands on copies', async () => {
    const { ran, tools } = recordingTools();
    const agent = ai.tool({
      inputSchema: z.object({ of: z.string() }),
      execute: async (_, parent) => {
        const gated = gateTools(tools, { interruptOn: ['del'], parent: parent as never });
        const { model } = scripted([del('/a', 'c1'), says('Inner.')]);
        const { text } = await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(5) });
        return text;
      },
    });
    const gated = gateTools(
      { ...tools, agent },
      {
        interruptOn: ['del', 'agent'],
        onApprovalRequest: ({ toolName }) =>
          toolName === 'del' ? STOP : ({ type: 'edit', args: { of: 'edited' } } as never),
      },
    );
    const { model, prompts } = scripted([calls(call('agent', { of: 'x' }, 'c1')), del('/d', 'c9'), says('Done.')]);
    await ai.generateText({
      model,
      tools: gated,
      prompt: 'go',
      stopWhen: stepCount(5),
      prepareStep: ({ messages }) => ({ messages: structuredClone(messages) }),
    });
    expect(ran).toEqual([]);
    expect(resultsIn(prompts[2])['c9']).toMatchObject(ENDED);
  });

  it('messages that are none are those of no turn', async () => {
    const { ran, tools } = recordingTools();
    const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest: () => true });
    for (const messages of [
      [null],
      [undefined, 1],
      [{ role: 'tool', content: [null] }, null],
      [null, { role: 'tool' }],
    ])
      await gated.del.execute?.({ path: '/a' }, { toolCallId: crypto.randomUUID(), messages } as never);
    expect(ran).toEqual(Array.from({ length: 4 }, () => 'del /a'));
  });
});

describe('in tools that are a part of something', () => {
  it('the run that they are a part of ends', async () => {
    const { ran, tools } = recordingTools();
    const inner = scripted([calls(call('del', { path: '/a' }, 'i1')), MORE, says('Inner.')]);
    const { model, prompts } = scripted([calls(call('agent', {}, 'c1')), says('Done.')]);
    const agent = ai.tool({
      inputSchema: z.object({}),
      execute: async (_, parent) => {
        const gated = gateTools(tools, { interruptOn: ['del'], parent: parent as never });
        const { text } = await ai.generateText({
          model: inner.model,
          tools: gated,
          prompt: 'go',
          stopWhen: stepCount(5),
        });
        return text;
      },
    });
    const run = streamWithEvents({
      model,
      tools: { agent },
      prompt: 'go',
      interruptOn: 'none',
      onApprovalRequest: () => STOP,
    });
    await run.result;
    expect(ran.filter((each) => each.startsWith('del'))).toEqual([]);
    expect(prompts).toHaveLength(1);
  });

  it('the loop that they are a part of asks no more', async () => {
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const agent = ai.tool({
      inputSchema: z.object({}),
      execute: async (_, parent) => {
        const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), MORE, says('Inner.')]);
        const gated = gateTools(tools, { interruptOn: ['del'], parent: parent as never });
        const { text } = await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(5) });
        return text;
      },
    });
    const { model, prompts } = scripted([
      calls(call('agent', {}, 'c1')),
      calls(call('del', { path: '/d' }, 'c9')),
      says('Done.'),
    ]);
    const gated = gateTools(
      { ...tools, agent },
      { interruptOn: ['del', 'agent'], onApprovalRequest: endsAt('/a', asked) as never },
    );
    await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(5) });
    expect(asked).toEqual([undefined, '/a']);
    expect(ran.filter((each) => each.startsWith('del'))).toEqual([]);
    expect(resultsIn(prompts[2])['c9']).toMatchObject(ENDED);
  });
});

describe('where the answer comes back in the messages', () => {
  it('no other call of the step runs, even one that was approved', async () => {
    await using gate = createGate();
    const { ran, tools } = recordingTools();
    const gated = gateTools(tools, { interruptOn: ['del'], gate, mode: 'stop', runId: 'r' });
    const first = await ai.generateText({ model: scripted([TWO]).model, tools: gated, prompt: 'go' });
    for (const { approvalId, args } of await gate.pending())
      await gate.decide(approvalId, (args as { path: string }).path === '/a' ? STOP : { type: 'approve' });
    const answers = first.content.flatMap((part) =>
      part.type === 'tool-approval-request'
        ? [{ type: 'tool-approval-response' as const, approvalId: part.approvalId, approved: true }]
        : [],
    );
    const messages = await verifyApprovals<ai.ModelMessage>(
      [{ role: 'user', content: 'go' }, ...first.response.messages, { role: 'tool', content: answers }],
      gate,
      { runId: 'r' },
    );
    const { model, prompts } = scripted([says('Done.')]);
    await ai.generateText({ model, tools: gated, messages });
    expect(ran).toEqual([]);
    expect(resultsIn(prompts[0])['c2']).toEqual(ENDED);
  });
});
