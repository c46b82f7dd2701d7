/** Whether a call is one of a turn that a human ended, where the loop has changed the messages. In doubt the human is asked. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, Gate } from '../../index.js';
import { createGate, gateTools } from '../../ts/index.js';
import { call, calls, major, resultsIn, says, scripted, sleep, stepCount, type ModelTurn } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const STOP = { type: 'reject', stop: true, reason: 'halt' } as const;
/** AI SDK 6 hands the calls its own messages, whatever the model gets: there the turn is over. */
const SEES_CHANGES = major === 7;
const ENDED = { type: 'execution-denied', reason: 'The human ended the turn.' };
const del = (path: string, id: string): ModelTurn => calls(call('del', { path }, id));
const read = (path: string, id: string): ModelTurn => calls(call('read', { path }, id));

type Messages = ai.ModelMessage[];
type Part = Record<string, unknown>;

/** Each part of these messages, changed. */
const mapped = (messages: Messages, change: (part: Part) => Part): Messages =>
  messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : ({ ...message, content: message.content.map((part) => change(part as unknown as Part)) } as never),
  );

const cleared = (messages: Messages): Messages =>
  mapped(messages, (part) =>
    part['type'] === 'tool-result' ? { ...part, output: { type: 'text', value: '-' } } : part,
  );

const interned = (messages: Messages): Messages => {
  let first: unknown;
  return mapped(messages, (part) =>
    part['type'] === 'tool-call' ? { ...part, input: (first ??= part['input']) } : part,
  );
};

const renamed = (messages: Messages, name: string, change: (text: string) => string): Messages =>
  mapped(structuredClone(messages), (part) =>
    typeof part[name] === 'string' ? { ...part, [name]: change(part[name]) } : part,
  );

const stamped = (messages: Messages, step: number): Messages =>
  structuredClone(messages).map((message) =>
    message.role === 'user' ? { role: 'user', content: `tidy at ${Math.min(step, 2)}` } : message,
  );

const ways: [string, (messages: Messages, step: number) => Messages][] = [
  ['copies with another text of the user', stamped],
  ['copies with other ids', (messages) => renamed(messages, 'toolCallId', (id) => `n-${id}`)],
  ['copies with other names of tools', (messages) => renamed(messages, 'toolName', (name) => name.toUpperCase())],
  ['one input in the place of all', interned],
  [
    'copies with other inputs',
    (messages) => mapped(structuredClone(messages), (part) => ('input' in part ? { ...part, input: {} } : part)),
  ],
];

const at = (): Gate =>
  createGate({
    policy: { version: 1, rule: [{ effect: 'allow', tools: 'free' }] },
    place: { cwd: '/project', project: '/project' },
  });

/** A loop that is granted a call, ends at the next one, and makes the first once more. */
async function ends(change: (messages: Messages, step: number) => Messages, isOneSet = true) {
  await using gate = at();
  const asked: string[] = [];
  const { ran, tools } = recordingTools();
  let answer = ({ path }: { path: string }): ApprovalAnswer =>
    path === '/x' ? STOP : { type: 'approve', remember: { scope: 'session' } };
  const own = answer;
  const onApprovalRequest = ({ args }: { args: { path: string } }): ApprovalAnswer => {
    asked.push(args.path);
    return asked.length > 3 ? false : answer(args);
  };
  const make = () => gateTools(tools, { interruptOn: ['del', 'read'], gate, onApprovalRequest } as never);
  const gated = make();
  const other = async (): Promise<void> => {
    answer = () => true;
    const turns = [del('/x', 'call_2'), says('Done.')];
    const { model } = scripted(turns);
    await ai.generateText({ model, tools: isOneSet ? gated : make(), prompt: 'tidy at 2', stopWhen: stepCount(3) });
    answer = own;
  };
  const { model, prompts } = scripted([read('/y', 'call_1'), del('/x', 'call_2'), read('/y', 'call_3'), says('Done.')]);
  await ai.generateText({
    model,
    tools: gated,
    prompt: 'tidy at 0',
    stopWhen: stepCount(5),
    prepareStep: async ({ messages, stepNumber }: { messages: Messages; stepNumber: number }) => {
      if (stepNumber === 2) await other();
      return { messages: change(messages, stepNumber) };
    },
  } as never);
  return { asked, ran, last: Object.values(resultsIn(prompts[3])).at(-1) };
}

describe.each([
  ['the same tools', true],
  ['tools of its own', false],
] as const)('another conversation, with %s, has made the call at which a turn ended', (_, isOneSet) => {
  it.each(ways)('the ended turn, which hands on %s, is over', async (_, change) => {
    const { asked, ran, last } = await ends(change, isOneSet);
    expect([asked, ran, last]).toMatchObject([['/y', '/x', '/x'], ['read /y', 'del /x'], ENDED]);
  });

  it.each(ways)('and with other results, too, it is asked about: nothing runs by a grant: %s', async (_, change) => {
    const { asked, ran } = await ends((messages, step) => cleared(change(messages, step)), isOneSet);
    expect([asked, ran]).toEqual([
      ['/y', '/x', '/x', ...(SEES_CHANGES ? ['/y'] : [])],
      ['read /y', 'del /x'],
    ]);
  });
});

it('a turn of which the loop hands on nothing is asked about: nothing runs by a grant', async () => {
  await using gate = at();
  const asked: string[] = [];
  const { ran, tools } = recordingTools();
  const gated = gateTools(tools, {
    interruptOn: ['del', 'read'],
    gate,
    onApprovalRequest: ({ args }: { args: { path: string } }): ApprovalAnswer => {
      asked.push(args.path);
      if (asked.length === 3) return false;
      return args.path === '/x' ? STOP : { type: 'approve', remember: { scope: 'session' } };
    },
  } as never);
  const { model } = scripted([read('/y', 'c1'), del('/x', 'c2'), read('/y', 'c3'), read('/y', 'c4'), says('Done.')]);
  const messages: Messages = [{ role: 'user', content: 'go' }];
  const prepareStep = (step: { messages: Messages }) => ({ messages: step.messages.slice(0, 1) });
  await ai.generateText({ model, tools: gated, messages, stopWhen: stepCount(4), prepareStep } as never);
  expect([asked, ran]).toEqual([
    ['/y', '/x', ...(SEES_CHANGES ? ['/y', '/y'] : [])],
    ['read /y', ...(SEES_CHANGES ? ['read /y'] : [])],
  ]);
  // The next turn uses what is granted.
  messages.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: 'go' });
  await ai.generateText({
    model: scripted([read('/y', 'c1'), says('.')]).model,
    tools: gated,
    messages,
    stopWhen: stepCount(2),
  });
  expect([asked.length, ran.length]).toEqual(SEES_CHANGES ? [4, 3] : [2, 2]);
});

describe('the doubt lasts for the whole turn: nothing runs by a grant', () => {
  const withoutDel = (messages: Messages): Messages =>
    ai.pruneMessages({ messages, toolCalls: [{ type: 'all', tools: ['del'] }] });
  const compacted = (messages: Messages): Messages =>
    messages.some(({ role }) => role === 'assistant')
      ? [messages[0] as never, { role: 'assistant', content: 'So far some calls.' }, ...messages.slice(3)]
      : messages;
  const beside = calls(call('del', { path: '/x' }, 'c1'), call('read', { path: '/y' }, 'c2'));
  const turns: [string, (messages: Messages) => Messages, ModelTurn[], string[]][] = [
    ['a call beside the one at which it ended is left', withoutDel, [beside], []],
    ['a call of that turn was rejected since', withoutDel, [del('/x', 'c1'), read('/w', 'c2')], ['/w']],
    ['a summary has the place of its calls', compacted, [del('/x', 'c1'), read('/w', 'c2')], ['/w']],
    ['a call that needs no approval ran since', withoutDel, [del('/x', 'c1'), calls(call('free', {}, 'c2'))], []],
  ];

  it.each(turns)('where %s', async (_, change, first, between) => {
    await using gate = at();
    const asked: string[] = [];
    const { ran, tools } = recordingTools();
    const free = ai.tool({ inputSchema: z.object({}), execute: () => 'free' });
    const onApprovalRequest = async ({ args }: { args: { path: string } }): Promise<ApprovalAnswer> => {
      asked.push(args.path);
      if (args.path === '/x') return sleep(20).then(() => STOP);
      return asked.length > 1 ? false : { type: 'approve', remember: { scope: 'session' } };
    };
    const options = { interruptOn: { del: true, read: true, free: false }, gate, onApprovalRequest };
    const gated = gateTools({ ...tools, free }, options as never);
    const loop = (prompt: string, turns: ModelTurn[], more: object = {}) =>
      ai.generateText({ model: scripted(turns).model, tools: gated, prompt, stopWhen: stepCount(6), ...more } as never);
    await loop('first', [read('/y', 'c0'), says('Done.')]);
    const grants = ran.length;
    const second = [...first, read('/y', 'c3'), read('/y', 'c4'), says('Done.')];
    await loop('second', second, {
      prepareStep: ({ messages }: { messages: Messages }) => ({ messages: change(messages) }),
    });
    // What the model called beside the end was allowed by then.
    expect(ran.slice(grants)).toEqual(first[0] === beside ? ['read /y'] : []);
    expect(asked).toEqual(['/y', '/x', ...(SEES_CHANGES ? [...between, '/y', '/y'] : [])]);
  });

  it('and other conversations use what is granted, also one that began before', async () => {
    await using gate = at();
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const onApprovalRequest = ({ args }: { args: { path: string } }): ApprovalAnswer => {
      asked.push(args.path);
      return args.path === '/x' ? STOP : { type: 'approve', remember: { scope: 'session' } };
    };
    const gated = gateTools(tools, { interruptOn: ['del', 'read'], gate, onApprovalRequest } as never);
    const loop = (prompt: string, turns: ModelTurn[], more: object = {}) =>
      ai.generateText({ model: scripted(turns).model, tools: gated, prompt, stopWhen: stepCount(6), ...more } as never);
    await loop('one', [read('/y', 'c1'), read('/y', 'c2'), read('/y', 'c3'), says('Done.')], {
      prepareStep: async ({ stepNumber }: { stepNumber: number }) => {
        if (stepNumber === 1) await loop('two', [del('/x', 'c1'), says('Done.')]);
        return {};
      },
    });
    await loop('three', [read('/y', 'c1'), read('/y', 'c2'), says('Done.')]);
    expect([asked, ran.length]).toEqual([['/y', '/x'], 5]);
  });
});

describe('a call is asked about in a conversation that ended nowhere', () => {
  const history = (text: string, id: string, input: object): Messages => [
    { role: 'user', content: text },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'del', input }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'del', output: { type: 'text', value: 'gone' } }],
    },
  ];

  it.each(['its own tools', 'the same tools'])('and which began in another process, with %s', async (set) => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    let answer: ApprovalAnswer = STOP;
    const onApprovalRequest = ({ args }: { args: { path: string } }): ApprovalAnswer => (asked.push(args.path), answer);
    const make = () => gateTools(tools, { interruptOn: ['del'], onApprovalRequest } as never);
    const gated = make();
    await ai.generateText({ model: scripted([del('/x', 'call_1')]).model, tools: gated, prompt: 'go' });
    answer = true;
    const other = set === 'the same tools';
    for (const [text, input] of [
      ['tidy', { path: '/x' }],
      [other ? 'go' : 'tidy', { path: '/z' }],
    ] as const)
      await ai.generateText({
        model: scripted([del('/y', 'call_2'), says('Done.')]).model,
        tools: other ? gated : make(),
        messages: history(text, 'call_1', input),
        stopWhen: stepCount(2),
      });
    expect([asked, ran]).toEqual([
      ['/x', '/y', '/y'],
      ['del /y', 'del /y'],
    ]);
  });

  it('and whose first call is forgotten among many others', async () => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const one = async (text: string, messages: Messages, path: string, id: string): Promise<Messages> => {
      const onApprovalRequest = (): ApprovalAnswer => (asked.push(text), text === 'ends' ? STOP : true);
      const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest } as never);
      const { model } = scripted([del(path, id), says('Done.')]);
      const { response } = await ai.generateText({ model, tools: gated, messages, stopWhen: stepCount(1) });
      return [...messages, ...response.messages];
    };
    const begins = (text: string) => one(text, [{ role: 'user', content: text }], '/x', 'call_1');
    await begins('ends');
    const said = await begins('goes on');
    for (let count = 0; count < 101; count += 1) await begins(`other ${count}`);
    await one('goes on', structuredClone(said), '/y', 'call_2');
    expect([asked.at(-1), ran.at(-1)]).toEqual(['goes on', 'del /y']);
  });
});

it('a turn that ended in another process is over, by what its messages say', async () => {
  const { ran, tools } = recordingTools();
  const turn = async (messages: Messages, answer: ApprovalAnswer, path: string, id: string) => {
    const gated = gateTools(tools, { interruptOn: ['del'], onApprovalRequest: () => answer } as never);
    const { model } = scripted([del(path, id), says('Done.')]);
    const { response } = await ai.generateText({ model, tools: gated, messages, stopWhen: stepCount(1) });
    return [...messages, ...response.messages];
  };
  const said = await turn([{ role: 'user', content: 'go' }], STOP, '/x', 'a1');
  const elsewhere = JSON.parse(JSON.stringify(said).replaceAll('a1', 'b7').replaceAll('/x', '/w')) as Messages;
  const after = await turn(elsewhere, true, '/y', 'b8');
  expect([ran, resultsIn(after as never)['b8']]).toMatchObject([[], ENDED]);
});

it('once a turn has ended, an input is not read once more for each other call of its id', async () => {
  const { tools } = recordingTools();
  const gated = gateTools(tools, {
    interruptOn: ['del'],
    onApprovalRequest: ({ args }: { args: { path: string } }) => (args.path === '/x' ? STOP : true),
  } as never);
  const loop = (turns: ModelTurn[], more: object = {}) =>
    ai.generateText({
      model: scripted(turns).model,
      tools: gated,
      prompt: 'go',
      stopWhen: stepCount(6),
      ...more,
    } as never);
  await loop([del('/x', 'c0'), says('Done.')]);
  let reads = 0;
  const counted = ({ messages }: { messages: Messages }) => ({
    messages: mapped(messages, (part) =>
      part['type'] !== 'tool-call'
        ? part
        : {
            ...part,
            input: {
              ...(part['input'] as object),
              get of() {
                reads += 1;
                return 0;
              },
            },
          },
    ),
  });
  const readsOf = async (): Promise<number> => {
    reads = 0;
    await loop([del('/y', 'c1'), del('/y', 'c2'), says('Done.')], { prepareStep: counted });
    return reads;
  };
  const before = await readsOf();
  for (let count = 0; count < 20; count += 1) await loop([del(`/${count}`, 'c1'), says('Done.')]);
  expect(await readsOf()).toBe(before);
});
