/** What a human may answer, and what becomes of it: for the tool, for the model and in the events. */
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, Decision, DecisionOutcome } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { call, calls, resultsIn, says, sleep } from '../support/model.js';
import { play, start } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

async function answer(given: unknown, more: object = {}) {
  const { ran, tools } = recordingTools();
  const played = await play({
    turns: [calls(call('del', { path: '/a' }, 'c1')), says('Done.')],
    tools,
    interruptOn: { del: { ...more } } as never,
    onApprovalRequest: () => given as never,
  });
  const [response] = played.of('approval-response');
  return { ...played, ran, response, model: resultsIn(played.prompts[1])['c1'] };
}

describe('what runs', () => {
  it.each([
    ['true', true, ''],
    ['approve', { type: 'approve' }, ''],
    ['RadarOS', { approved: true, reason: 'fine' }, '\n\nNote: the human who approved this call said: fine'],
    ['combycode', { decision: 'approve', note: 'fine' }, '\n\nNote: the human who approved this call said: fine'],
    ['LangChain', { type: 'approve', message: 'fine' }, '\n\nNote: the human who approved this call said: fine'],
  ])('%s', async (_, given, note) => {
    const { ran, response, model, of } = await answer(given);
    expect(ran).toEqual(['del /a']);
    expect(model).toEqual({ type: 'text', value: `deleted /a${note}` });
    expect(response).toMatchObject({ approved: true, decision: { type: 'approve' }, decidedBy: 'callback' });
    expect(of('tool-result')).toMatchObject([{ toolCallId: 'c1', args: { path: '/a' }, result: 'deleted /a' }]);
  });

  it.each([
    ['edit', { type: 'edit', args: { path: '/b' } }],
    ['LangChain', { type: 'edit', editedAction: { name: 'del', args: { path: '/b' } } }],
  ])('%s, with other arguments', async (_, given) => {
    const { ran, response, prompts, of } = await answer(given);
    expect(ran).toEqual(['del /b']);
    expect(response).toMatchObject({ approved: true, decision: { type: 'edit', args: { path: '/b' } } });
    expect(prompts[1]?.find(({ role }) => role === 'assistant')?.content).toMatchObject([{ input: { path: '/b' } }]);
    expect(of('tool-result')).toMatchObject([{ args: { path: '/b' }, result: 'deleted /b' }]);
  });
});

describe('what does not run', () => {
  it.each([
    ['reject', { type: 'reject', reason: 'not now' }, 'not now'],
    ['RadarOS', { approved: false, reason: 'not now' }, 'not now'],
    ['combycode', { decision: 'reject', note: 'not now' }, 'not now'],
    ['LangChain', { type: 'reject', message: 'not now' }, 'not now'],
    ['a rejection without a reason', { type: 'reject' }, undefined],
    ['false', false, undefined],
    ['skip', { type: 'skip', reason: 'not needed' }, 'not needed'],
  ])('%s: the model is told the reason', async (_, given, reason) => {
    const { ran, response, model, of } = await answer(given);
    expect(ran).toEqual([]);
    expect(model).toEqual(reason === undefined ? { type: 'execution-denied' } : { type: 'execution-denied', reason });
    expect(response).toMatchObject({ approved: false });
    expect(response?.reason).toBe(reason);
    expect(of('tool-denied')).toEqual([
      { type: 'tool-denied', toolCallId: 'c1', toolName: 'del', args: { path: '/a' }, ...(reason ? { reason } : {}) },
    ]);
    expect(of('tool-result')).toEqual([]);
  });

  it('skip without a reason tells the model to go on', async () => {
    const { ran, model } = await answer({ type: 'skip' });
    expect(ran).toEqual([]);
    expect(model).toMatchObject({ type: 'execution-denied', reason: expect.stringMatching(/go on/i) as unknown });
  });

  it.each([
    ['respond', { type: 'respond', output: 'by hand' }, { type: 'text', value: 'by hand' }],
    ['respond with data', { type: 'respond', output: { rows: 3 } }, { type: 'json', value: { rows: 3 } }],
    ['combycode', { decision: 'override', overrideResult: 'by hand' }, { type: 'text', value: 'by hand' }],
    ['LangChain', { type: 'respond', message: 'by hand' }, { type: 'text', value: 'by hand' }],
  ])('%s: the model gets the answer as the result', async (_, given, result) => {
    const { ran, model, response, of } = await answer(given);
    expect(ran).toEqual([]);
    expect(model).toEqual(result);
    expect(response).toMatchObject({ approved: false, decision: { type: 'respond' } });
    expect(of('tool-result')).toMatchObject([{ toolCallId: 'c1', args: { path: '/a' }, result: result.value }]);
    expect(of('tool-denied')).toEqual([]);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['"yes"', 'yes'],
    ['an unknown type', { type: 'allow' }],
    ['an unknown name', { type: 'approve', allow: true }],
    ['an edit without arguments', { type: 'edit' }],
    ['an edit that does not fit the schema', { type: 'edit', args: { path: 7 } }],
    ['an edit of another tool', { type: 'edit', editedAction: { name: 'read', args: { path: '/b' } } }],
    ['approved: "false"', { approved: 'false' }],
    ['a function', () => true],
    [
      'a cycle',
      Object.assign(
        {},
        {
          type: 'approve',
          get self() {
            return this;
          },
        },
      ),
    ],
  ])('an answer that cannot be taken is a rejection with the cause: %s', async (_, given) => {
    const { ran, response, model, events } = await answer(given);
    expect(ran).toEqual([]);
    expect(response).toMatchObject({ approved: false, decision: { type: 'reject' } });
    expect(response?.reason).toMatch(/not taken/);
    // Not what a developer should have written.
    expect(response?.reason).not.toMatch(/expected true|it can have|"code"|Type validation/);
    expect(model).toEqual({ type: 'execution-denied', reason: response?.reason });
    expect(events.at(-1)?.type).toBe('done');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no terminal');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no terminal'))],
  ])('a callback that %s is a rejection with the cause; the run goes on', async (_, onApprovalRequest) => {
    const { ran, tools } = recordingTools();
    const { prompts, events } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('Done.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest,
    });
    expect(ran).toEqual([]);
    expect(resultsIn(prompts[1])['c1']).toMatchObject({ reason: expect.stringContaining('no terminal') as unknown });
    expect(events.at(-1)?.type).toBe('done');
  });
});

describe('the end of the turn', () => {
  it.each([
    ['reject with stop', { type: 'reject', stop: true, reason: 'enough' }],
    ['rejectAndStop', { type: 'rejectAndStop', reason: 'enough' }],
  ])('%s: nothing else runs and the model is not called again', async (_, given) => {
    const { ran, tools } = recordingTools();
    const { run, events, prompts, of } = await play({
      turns: [
        calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2'), call('del', { path: '/3' }, 'c3')),
      ],
      tools,
      interruptOn: 'all',
      onApprovalRequest: async (request) => {
        const { path } = request.args as { path: string };
        if (path === '/1') return true;
        await sleep(10);
        if (path === '/2') return given as never;
        return new Promise<never>(() => {});
      },
    });
    expect(ran).toEqual([]);
    expect(prompts).toHaveLength(1);
    expect(of('approval-response').map(({ decision }) => decision.type)).toEqual(['approve', 'reject', 'cancelled']);
    expect(
      of('tool-denied')
        .map(({ toolCallId }) => toolCallId)
        .toSorted(),
    ).toEqual(['c1', 'c2', 'c3']);
    expect(events.at(-1)?.type).toBe('done');
    const { messages } = await run.result;
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'c1', output: { type: 'execution-denied' } },
        { toolCallId: 'c2', output: { type: 'execution-denied', reason: 'enough' } },
        { toolCallId: 'c3', output: { type: 'execution-denied' } },
      ],
    });
  });

  it('the conversation can go on afterwards', async () => {
    const { ran, tools } = recordingTools();
    const first = await play({
      turns: [calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/1' }, 'c1'))],
      tools,
      interruptOn: { del: true },
      onApprovalRequest: () => ({ type: 'rejectAndStop' }),
    });
    const { messages } = await first.run.result;
    const second = await play({
      turns: [says('All right.')],
      tools,
      messages: [...messages, { role: 'user', content: 'say something' }],
    });
    expect(second.events.at(-1)).toMatchObject({ type: 'done', text: 'All right.' });
    expect(Object.keys(resultsIn(second.prompts[0]))).toEqual(['c0', 'c1']);
    expect(ran).toEqual(['read /r']);
  });
});

describe('what one request allows', () => {
  it('says so, and takes nothing else', async () => {
    const { ran, of, response } = await answer(
      { type: 'edit', args: { path: '/b' } },
      { allowedDecisions: ['approve', 'reject'] },
    );
    expect(of('approval-requested')[0]?.allowedDecisions).toEqual(['approve', 'reject']);
    expect(ran).toEqual([]);
    expect(response).toMatchObject({ approved: false, decision: { type: 'reject' } });
  });

  it('all five by default', async () => {
    const { of } = await answer(true);
    expect(of('approval-requested')[0]?.allowedDecisions.toSorted()).toEqual([
      'approve',
      'edit',
      'reject',
      'respond',
      'skip',
    ]);
  });

  it('describes itself: a text, a function, an asynchronous function, one that fails', async () => {
    const described = async (description: unknown) => {
      const { of } = await answer(true, { description });
      return of('approval-requested')[0]?.description;
    };
    expect(await described('Deletes for ever.')).toBe('Deletes for ever.');
    const seen: unknown[] = [];
    const text = await described((info: { args: { path: string } }) => {
      seen.push(info);
      return `Deletes ${info.args.path}`;
    });
    expect(text).toBe('Deletes /a');
    expect(seen).toEqual([{ toolCallId: 'c1', toolName: 'del', args: { path: '/a' } }]);
    expect(await described(async () => 'later')).toBe('later');
    // An argument in it begins no line of its own, with any line ending.
    for (const end of ['\n', '\r\n', '\u2028', '\u0085', '\v'])
      expect(await described(() => `Deletes a${end}✔ harmless`)).toBe('Deletes a ⏎ ✔ harmless');
    expect(
      await described(() => {
        throw new Error('no');
      }),
    ).toContain('/a');
    expect(await described(undefined)).toContain('/a');
  });

  it('has its own deadline', async () => {
    const before = Date.now();
    const { ran, response, model, of } = await answer(new Promise(() => {}), { timeout: 30 });
    expect(ran).toEqual([]);
    expect(response).toMatchObject({ approved: false, decision: { type: 'expired' }, decidedBy: 'deadline' });
    expect(model).toMatchObject({ type: 'execution-denied', reason: expect.any(String) as unknown });
    const { createdAt, expiresAt } = of('approval-requested')[0] as Extract<AgentEvent, { type: 'approval-requested' }>;
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(expiresAt).toBe(createdAt + 30);
  });
});

describe('arguments', () => {
  const turns = () => [calls(call('del', { path: '/a' }, 'c1')), says('.')];

  it.each<[string, (args: { path: string }) => unknown]>([
    ['at once', (args) => ({ type: 'edit', args })],
    ['in a promise', (args) => Promise.resolve({ type: 'edit', args })],
  ])('of an edit (%s) that change after the answer are not what runs', async (_, answer) => {
    const { ran, tools } = recordingTools();
    const args = { path: '/safe' };
    const onApprovalRequest = () => {
      const given = answer(args);
      queueMicrotask(() => {
        queueMicrotask(() => {
          args.path = '/evil';
        });
      });
      return given;
    };
    await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest: onApprovalRequest as never });
    expect(args.path).toBe('/evil');
    expect(ran).toEqual(['del /safe']);
  });

  it.each<[string, object]>([
    ['of its own', { path: '/safe', toJSON: () => ({ path: '/evil' }) }],
    ['of what is in it', { path: { toJSON: () => '/evil' } }],
    ['of a date', { path: Object.assign(new Date(0), { toJSON: () => '/evil' }) }],
    [
      'of its class',
      new (class {
        path = '/safe';
        toJSON() {
          return { path: '/evil' };
        }
      })(),
    ],
  ])('of an edit with a toJSON %s run nothing: it says something else than what is there', async (_, args) => {
    const { ran, tools } = recordingTools();
    const onApprovalRequest = () => ({ type: 'edit' as const, args });
    const { of } = await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest });
    expect(ran).toEqual([]);
    expect(of('approval-response')).toMatchObject([
      { approved: false, reason: expect.stringMatching(/toJSON/) as unknown },
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a toJSON of its own', { type: 'approve', toJSON: () => ({ type: 'approve' }) }, /toJSON/],
    ['a reason that writes itself', { type: 'reject', reason: { toJSON: () => 'fine' } }, /toJSON/],
    ['a reason that is a function', { type: 'approve', reason: () => 'fine' }, /"reason" is a function/],
    ['a reason that is a symbol', { type: 'approve', reason: Symbol('fine') }, /"reason" is a symbol/],
    ['an edit with a Map', { type: 'edit', args: { path: '/a', more: new Map([['a', 1]]) } }, /"more" is a Map/],
    ['an edit with a Set', { type: 'edit', args: { path: '/a', more: [new Set(['a'])] } }, /"0" is a Set/],
    ['an edit with bytes', { type: 'edit', args: { path: '/a', more: new Uint16Array(2) } }, /"more" is a Uint16Array/],
    ['an edit with a regular expression', { type: 'edit', args: { path: '/a', more: /a/ } }, /"more" is a RegExp/],
    ['an edit with no number', { type: 'edit', args: { path: '/a', more: Number.NaN } }, /"more" is NaN/],
    ['an edit with a negative zero', { type: 'edit', args: { path: '/a', more: -0 } }, /"more" is -0/],
    ['a result that is a Map', { type: 'respond', output: new Map([['a', 1]]) }, /is a Map/],
  ])('with %s is no decision: JSON would lose it without a word', async (_, given, why) => {
    const { ran, tools } = recordingTools();
    const onApprovalRequest = () => given as never;
    const { of } = await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest });
    expect(ran).toEqual([]);
    expect(of('approval-response')).toMatchObject([{ approved: false, reason: expect.stringMatching(why) as unknown }]);
  });

  it('what is given in the place of a result may write itself', async () => {
    const { tools } = recordingTools();
    const output = { price: { toJSON: () => '9.99' }, at: new Date(0) };
    const onApprovalRequest = () => ({ type: 'respond' as const, output });
    const { of } = await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest });
    expect(of('tool-result')).toMatchObject([{ result: { price: '9.99', at: '1970-01-01T00:00:00.000Z' } }]);
  });

  it('a callback that changes its copy changes nothing', async () => {
    const { ran, tools } = recordingTools();
    const { of } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: (request) => {
        (request.args as { path: string }).path = '/etc';
        return true;
      },
    });
    expect(ran).toEqual(['del /a']);
    expect(of('tool-result')[0]?.args).toEqual({ path: '/a' });
  });

  it('a reader of the events that changes them changes nothing', async () => {
    const { ran, tools } = recordingTools();
    const { run, prompts } = start({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => sleep(5).then(() => true),
    });
    for await (const event of run) {
      if (event.type === 'tool-call' || event.type === 'approval-requested')
        (event.args as { path: string }).path = '/etc';
    }
    expect(ran).toEqual(['del /a']);
    expect(prompts[1]?.find(({ role }) => role === 'assistant')?.content).toMatchObject([{ input: { path: '/a' } }]);
  });

  it('an edit runs with the URL, the date and the number that the schema makes of its texts, and is told with them', async () => {
    const made = { at: new URL('https://example.com/b'), on: new Date(0), big: 7n };
    const inputSchema = z.object({
      at: z.string().transform((text) => new URL(text)),
      on: z.string().transform((text) => new Date(text)),
      big: z.string().transform((text) => (text === '7' ? 7n : text)),
    });
    const got: unknown[] = [];
    const look = tool({ inputSchema, execute: (input: unknown) => void got.push(input) });
    const turns = [calls(call('look', { at: 'https://example.com/a', on: '2020-01-02', big: '9' }, 'c1')), says('.')];
    const onApprovalRequest = () => ({
      type: 'edit' as const,
      args: { at: made.at.href, on: made.on.toISOString(), big: '7' },
    });
    const { of } = await play({ turns, tools: { look }, interruptOn: 'all', onApprovalRequest });
    expect(got).toEqual([made]);
    expect(of('approval-response').map(({ decision }) => decision)).toEqual([{ type: 'edit', args: made }]);
  });

  describe.each(['the run', 'the gate'])(
    'a reader of the events of %s that changes a decision changes nothing',
    (reader) => {
      /** As a page masks what it does not show. */
      function masked({ decision }: { decision: DecisionOutcome }): void {
        decision.reason = 'another reason';
        if (decision.type === 'edit') (decision.args as { path: string }).path = '***';
      }

      async function read(given: Decision) {
        const { ran, tools } = recordingTools();
        const gate = createGate();
        const { run, prompts } = start({
          turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
          tools,
          gate,
          interruptOn: 'all',
          onApprovalRequest: () => given,
        });
        const reading = (async () => {
          for await (const event of gate.events()) if (reader === 'the gate' && event.type === 'decided') masked(event);
        })();
        for await (const event of run) if (reader === 'the run' && event.type === 'approval-response') masked(event);
        await gate.close();
        await reading;
        return { ran, prompt: JSON.stringify(prompts[1]) };
      }

      it('to edit', async () => {
        const { ran, prompt } = await read({ type: 'edit', args: { path: '/b' }, reason: 'the other one' });
        expect(ran).toEqual(['del /b']);
        expect(prompt).toContain('the other one');
        expect(prompt).not.toContain('another reason');
      });

      it('to reject', async () => {
        const { ran, prompt } = await read({ type: 'reject', reason: 'the backup is missing' });
        expect(ran).toEqual([]);
        expect(prompt).toContain('the backup is missing');
        expect(prompt).not.toContain('another reason');
      });
    },
  );
});
