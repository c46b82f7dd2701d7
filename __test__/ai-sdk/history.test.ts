/** The messages between two rounds: what the SDK makes of a stop, and how it is answered. */
import { createHash, createHmac } from 'node:crypto';
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, calls, finish, major, resultsIn, says, sleep } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

/** A tool with this schema that writes down what it was called with. */
function recorder(inputSchema: z.ZodType) {
  const ran: unknown[] = [];
  const execute = async (input: unknown) => {
    ran.push(input);
    return 'ok';
  };
  return { ran, tools: { act: ai.tool({ inputSchema, execute } as never) } as ai.ToolSet };
}

describe('all answers of a step', () => {
  it('go into one tool message, whatever their order and kind', async () => {
    const { tools } = recordingTools();
    const { run } = await play({
      turns: [
        calls(...['/1', '/2', '/3', '/4'].map((path, index) => call('del', { path }, `c${index + 1}`))),
        says('.'),
      ],
      tools,
      interruptOn: 'all',
      onApprovalRequest: async ({ toolCallId }) => {
        await sleep({ c1: 20, c2: 1, c3: 10, c4: 5 }[toolCallId] ?? 0);
        return (
          {
            c1: true,
            c2: { type: 'reject', reason: 'no' },
            c3: { type: 'edit', args: { path: '/e' } },
            c4: { type: 'respond', output: 'x' },
          } as never
        )[toolCallId];
      },
    });
    const { messages } = await run.result;
    const answers = messages.filter(
      ({ role, content }) =>
        role === 'tool' && content.some((part: { type: string }) => part.type === 'tool-approval-response'),
    );
    expect(answers).toHaveLength(1);
    expect(
      ((answers[0]?.content ?? []) as { type: string; approved?: boolean }[]).filter(
        ({ type }) => type === 'tool-approval-response',
      ),
    ).toMatchObject([{ approved: true }, { approved: false, reason: 'no' }, { approved: true }, { approved: true }]);
  });

  it('wait for the slowest: nothing approved runs before all are decided', async () => {
    const { ran, tools } = recordingTools();
    let release: (answer: boolean) => void = () => {};
    const { events } = await play({
      turns: [calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: ({ toolCallId }) => {
        if (toolCallId === 'c1') return true;
        setTimeout(() => {
          expect(ran).toEqual([]);
          release(true);
        }, 30);
        return new Promise<boolean>((resolve) => (release = resolve));
      },
    });
    expect(ran).toEqual(['del /1', 'del /2']);
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  });
});

describe('duplicate tool call ids', () => {
  it('in one step: neither runs, nobody is asked', async () => {
    const { ran, tools } = recordingTools();
    let asked = 0;
    const { prompts, of, events } = await play({
      turns: [
        calls(call('del', { path: '/a' }, 'd'), call('del', { path: '/b' }, 'd'), call('del', { path: '/c' }, 'c')),
        says('.'),
      ],
      tools,
      interruptOn: 'all',
      onApprovalRequest: ({ toolCallId }) => {
        if (toolCallId === 'd') asked++;
        return true;
      },
    });
    expect([asked, ran]).toEqual([0, ['del /c']]);
    expect(resultsIn(prompts[1])['d']).toMatchObject({ type: 'execution-denied' });
    expect(of('tool-denied').map(({ toolCallId }) => toolCallId)).toContain('d');
    expect(events.at(-1)?.type).toBe('done');
  });

  it('over two steps: the second does not run on the approval of the first', async () => {
    const { ran, tools } = recordingTools();
    const { events } = await play({
      turns: [calls(call('del', { path: '/a' }, 'd')), calls(call('del', { path: '/b' }, 'd')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(ran).toEqual(['del /a']);
    expect(events.at(-1)?.type).toBe('done');
  });

  it('of a gated and an ungated tool: the gated one does not run', async () => {
    const { ran, tools } = recordingTools();
    await play({
      turns: [calls(call('read', { path: '/a' }, 'd'), call('del', { path: '/b' }, 'd')), says('.')],
      tools,
      interruptOn: { del: true },
      onApprovalRequest: () => true,
    });
    expect(ran).not.toContain('del /b');
  });

  it('with a call that stands in the messages from before', async () => {
    const { ran, tools } = recordingTools();
    const first = await play({
      turns: [calls(call('del', { path: '/a' }, 'd')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    const { messages } = await first.run.result;
    const { events } = await play({
      turns: [calls(call('del', { path: '/b' }, 'd')), says('.')],
      tools,
      messages: [...messages, { role: 'user', content: 'again' }],
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(events.at(-1)?.type).toBe('done');
    expect(ran.filter((line) => line === 'del /a')).toHaveLength(1);
  });
});

describe('incomplete turns', () => {
  it.each(['length', 'content-filter', 'error', 'other'])(
    'finish reason %s: denied, nobody is asked',
    async (reason) => {
      const { ran, tools } = recordingTools();
      let asked = 0;
      const { prompts, of } = await play({
        turns: [[call('del', { path: '/a' }, 'c1'), finish(reason)], says('.')],
        tools,
        interruptOn: 'all',
        onApprovalRequest: () => ++asked > 0,
      });
      expect([asked, ran]).toEqual([0, []]);
      expect(resultsIn(prompts[1])['c1']).toMatchObject({
        type: 'execution-denied',
        reason: expect.stringContaining(reason) as unknown,
      });
      expect(of('approval-requested')).toMatchObject([{ isAutomatic: true }]);
    },
  );

  it.each(['length', 'content-filter', 'error', 'other'])(
    'finish reason %s: a call beside it that needs no approval has not run, and the run goes on',
    async (reason) => {
      const { ran, tools } = recordingTools();
      const { prompts, of, run } = await play({
        turns: [[call('read', { path: '/r' }, 'c0'), call('del', { path: '/a' }, 'c1'), finish(reason)], says('.')],
        tools,
        interruptOn: { del: true },
        onApprovalRequest: () => true,
      });
      expect(ran).toEqual([]);
      const denied = { type: 'execution-denied', reason: expect.stringContaining(reason) as unknown };
      expect(resultsIn(prompts[1])).toMatchObject({ c0: denied, c1: denied });
      expect(of('tool-denied').map(({ toolCallId }) => toolCallId)).toEqual(['c0', 'c1']);
      expect(await run.result).toMatchObject({ text: '.' });
    },
  );

  it('finish reason stop is a whole turn', async () => {
    const { ran, tools } = recordingTools();
    await play({
      turns: [[call('del', { path: '/a' }, 'c1'), finish('stop')], says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(ran).toEqual(['del /a']);
  });
});

describe('arguments that the schema changes', () => {
  const transforming = z.object({ path: z.string().transform((path) => `${path}!`), mode: z.string().default('soft') });
  const play1 = (given: object, answer: unknown, more: object = {}) => {
    const { ran, tools } = recorder(transforming);
    const asked: unknown[] = [];
    return play({
      turns: [calls(call('act', given, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: ({ args }) => {
        asked.push(args);
        return answer as never;
      },
      ...more,
    }).then((played) => ({ ...played, ran, asked }));
  };

  it('the human sees what runs; the transform is applied once', async () => {
    const { ran, asked, events } = await play1({ path: '/a', junk: 1 }, true);
    expect(asked).toEqual([{ path: '/a!', mode: 'soft' }]);
    expect(ran).toEqual(asked);
    expect(events.filter(({ type }) => type === 'tool-error')).toEqual([]);
  });

  it('an edit of which the schema makes other arguments does not run as nobody has seen it', async () => {
    const { ran, of } = await play1({ path: '/a' }, { type: 'edit', args: { path: '/b' } });
    expect(ran).toEqual([]);
    expect(of('tool-denied')).toMatchObject([
      { reason: expect.stringContaining('which nobody has seen, at "path", "mode"') as unknown },
    ]);
  });

  it('with a secret', async () => {
    const expected = { path: '/a!', mode: 'soft' };
    const { ran, events } = await play1({ path: '/a' }, true, { experimental_toolApprovalSecret: 's'.repeat(32) });
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    expect(ran).toEqual([expected]);
  });

  it('dates, sets and big numbers arrive as they are', async () => {
    const { ran, tools } = recorder(
      z.object({
        at: z.string().transform((text) => new Date(text)),
        tags: z.array(z.string()).transform((tags) => new Set(tags)),
        // AI SDK 6 cannot go on after a call with a big integer, gated or not.
        big: z.string().transform((text) => (major === 7 ? BigInt(text) : text)),
      }),
    );
    const asked: unknown[] = [];
    const { events } = await play({
      turns: [calls(call('act', { at: '2026-01-02', tags: ['a'], big: '9007199254740993' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: ({ args }) => asked.push(args) > 0,
    });
    const expected = {
      at: new Date('2026-01-02'),
      tags: new Set(['a']),
      big: major === 7 ? 9007199254740993n : '9007199254740993',
    };
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    expect(asked).toEqual([expected]);
    expect(ran).toEqual([expected]);
  });

  it.runIf(major === 7)(
    'experimental_refineToolInput is applied once, and an edit that it would change does not run',
    async () => {
      for (const [answer, expected] of [
        [true, '/box/a'],
        [{ type: 'edit', args: { path: '/b' } }, undefined],
      ] as const) {
        const { ran, tools } = recorder(z.object({ path: z.string() }));
        const { events } = await play({
          turns: [calls(call('act', { path: '/a' }, 'c1')), says('.')],
          tools,
          interruptOn: 'all',
          onApprovalRequest: () => answer as never,
          experimental_refineToolInput: { act: ({ path }: { path: string }) => ({ path: `/box${path}` }) },
        });
        expect(events.filter(({ type }) => type === 'error' || type === 'tool-error')).toEqual([]);
        expect(ran).toEqual(expected === undefined ? [] : [{ path: expected }]);
      }
    },
  );
});

describe('experimental_toolApprovalSecret', () => {
  const secret = 'k'.repeat(32);
  const awkward = { path: '/ä"\n\u2028𝒳', n: 1.5, '€': null, nested: { b: [1, 2e21], a: '' } };
  const anything = z.looseObject({});

  /** The signature as both SDK versions document it, made without the code under test. */
  const sign = (approvalId: string, toolCallId: string, toolName: string, input: unknown) => {
    const canonical = (value: unknown): string => {
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
      const record = value as Record<string, unknown>;
      return `{${Object.keys(record)
        .toSorted()
        .map((key) => `${JSON.stringify(key)}:${canonical(record[key])}`)
        .join(',')}}`;
    };
    const digest = createHash('sha256').update(canonical(input)).digest('base64url');
    const payload =
      major === 7
        ? JSON.stringify(['ai-sdk-tool-approval-v1', approvalId, toolCallId, toolName, digest])
        : [approvalId, toolCallId, toolName, digest].join('\n');
    return createHmac('sha256', secret).update(payload).digest('base64url');
  };

  it.each([
    ['as it is', true, { path: '/a' }],
    ['edited', { type: 'edit', args: awkward }, awkward],
  ])('a call that runs %s stands signed in the messages', async (_, answer, expected) => {
    const { ran, tools } = recorder(anything);
    const { run, events } = await play({
      turns: [calls(call('act', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => answer as never,
      experimental_toolApprovalSecret: secret,
    });
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    expect(ran).toEqual([expected]);
    const parts = (await run.result).messages.flatMap(({ content }) => content as unknown as Record<string, string>[]);
    const request = parts.find(({ type }) => type === 'tool-approval-request');
    expect(request?.['signature']).toBe(sign(request?.['approvalId'] ?? '', 'c1', 'act', expected));
  });

  it('takes bytes as well', async () => {
    const { ran, tools } = recorder(anything);
    await play({
      turns: [calls(call('act', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
      experimental_toolApprovalSecret: new TextEncoder().encode(secret),
    });
    expect(ran).toEqual([{ path: '/b' }]);
  });
});

describe('calls that are no calls', () => {
  it.each([
    ['arguments that do not fit', call('del', { path: 7 }, 'x')],
    ['broken JSON', call('del', '{"path": ', 'x')],
    ['an unknown tool', call('nope', { path: '/a' }, 'x')],
  ])('%s: told to the model, not to the human; a gated sibling waits', async (_, bad) => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const { prompts, of } = await play({
      turns: [calls(bad, call('del', { path: '/b' }, 'c2')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: ({ toolCallId }) => asked.push(toolCallId) > 0,
    });
    expect(asked).toEqual(['c2']);
    expect(ran).toEqual(['del /b']);
    expect(of('tool-call')).toMatchObject([{ toolCallId: 'x', invalid: true, dynamic: true }, { toolCallId: 'c2' }]);
    expect(of('tool-error')).toMatchObject([{ toolCallId: 'x', isError: true }]);
    expect(resultsIn(prompts[1])).toMatchObject({ x: { type: 'error-text' }, c2: { value: 'deleted /b' } });
  });

  it('alone: the loop goes on by itself', async () => {
    const { tools } = recordingTools();
    const { run, of } = await play({
      turns: [calls(call('del', { path: 7 }, 'x')), says('Sorry.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(of('approval-requested')).toEqual([]);
    expect((await run.result).text).toBe('Sorry.');
  });

  it('a repaired call is asked about as it was repaired', async () => {
    const { ran, tools } = recordingTools();
    const asked: unknown[] = [];
    await play({
      turns: [calls(call('del', { file: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: ({ args }) => asked.push(args) > 0,
      experimental_repairToolCall: async ({ toolCall }: { toolCall: object }) => ({
        ...toolCall,
        input: '{"path":"/a"}',
      }),
      repairToolCall: async ({ toolCall }: { toolCall: object }) => ({ ...toolCall, input: '{"path":"/a"}' }),
    });
    expect(asked).toEqual([{ path: '/a' }]);
    expect(ran).toEqual(['del /a']);
  });
});

describe('predicates', () => {
  it('an answer that changes while the human thinks does not turn the yes into a no', async () => {
    const { ran, tools } = recordingTools();
    let always = false;
    await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), calls(call('del', { path: '/b' }, 'c2')), says('.')],
      tools,
      interruptOn: { del: { shouldApprove: () => !always } } as never,
      onApprovalRequest: () => (always = true),
    });
    expect(ran).toEqual(['del /a', 'del /b']);
  });

  it('are asked once per call, with copies of the arguments', async () => {
    const { ran, tools } = recordingTools();
    const seen: unknown[] = [];
    await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: {
        del: {
          shouldApprove: (
            args: { path: string },
            { toolCallId, messages }: { toolCallId: string; messages: unknown[] },
          ) => {
            seen.push([args.path, toolCallId, messages.length]);
            args.path = '/etc';
            return true;
          },
        },
      } as never,
      onApprovalRequest: () => true,
    });
    expect(seen).toEqual([['/a', 'c1', 1]]);
    expect(ran).toEqual(['del /a']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('down'))],
    ['says nothing', () => undefined],
    ['says "no"', () => 'no'],
    ['says 0', () => 0],
  ])('one that %s asks', async (_, shouldApprove) => {
    const { ran, tools } = recordingTools();
    const { of, events } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: { del: { shouldApprove } } as never,
      onApprovalRequest: () => false,
    });
    expect(ran).toEqual([]);
    expect(of('approval-requested')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('done');
  });

  it("a tool's own needsApproval that throws asks as well", async () => {
    const { ran, tools } = recordingTools();
    const del = Object.assign(tools.del, {
      needsApproval: () => {
        throw new Error('down');
      },
    });
    const { of } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del },
      onApprovalRequest: () => true,
    });
    expect(of('approval-requested')[0]?.description).toContain('down');
    expect(ran).toEqual(['del /a']);
  });

  it('an edit is judged again: what asks is asked already, what was refused stays refused', async () => {
    const { ran, tools } = recordingTools();
    const judged: string[] = [];
    await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: {
        del: { shouldApprove: ({ path }: { path: string }) => judged.push(path) > 0 },
      } as never,
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
    });
    expect(judged).toEqual(['/a', '/b']);
    expect(ran).toEqual(['del /b']);
  });
});
