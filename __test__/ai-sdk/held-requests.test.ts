/** What a callback gets, frozen, sealed, copied, derived from or behind a proxy before it is read. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, RunOptions } from '../../index.js';
import { gateTools, toolApproval } from '../../ts/index.js';
import { call, calls, major, says, scripted, stepCount } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

type ApprovalCallback = NonNullable<RunOptions<ai.ToolSet>['onApprovalRequest']>;

const ROWS = [{ name: 'path', value: '/a' }];

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const each of Object.values(value)) freezeDeep(each);
  return value;
}

const HELD: [string, <T extends object>(value: T) => T][] = [
  ['frozen', (value) => Object.freeze(value)],
  ['frozen to its ground', freezeDeep],
  ['sealed', (value) => Object.seal(value)],
  ['not extensible', (value) => Object.preventExtensions(value)],
  ['behind a proxy', (value) => new Proxy(value, {})],
  ['behind a proxy, frozen', (value) => Object.freeze(new Proxy(value, {}))],
  ['derived from', (value) => Object.create(value) as typeof value],
  ['derived from, frozen', (value) => Object.create(Object.freeze(value)) as typeof value],
  [
    'with its properties taken over',
    (value) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)) as typeof value,
  ],
];

const READ: [string, (request: ApprovalRequest) => unknown][] = [
  ['read', ({ rows }) => rows],
  ['read twice', (request) => (void request.rows, request.rows)],
  ['as JSON', (request) => (JSON.parse(JSON.stringify(request)) as ApprovalRequest).rows],
  ['spread', (request) => ({ ...request }).rows],
  ['copied', (request) => structuredClone(request).rows],
  ['assigned', (request) => Object.assign({}, request).rows],
];

/** Each loop, with one gated call. */
const LOOPS: [string, (onApprovalRequest: ApprovalCallback) => Promise<string[]>][] = [
  [
    'streamWithEvents',
    async (onApprovalRequest) => {
      const { ran, tools } = recordingTools();
      const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];
      await play({ turns, tools, interruptOn: ['del'], onApprovalRequest });
      return ran;
    },
  ],
  ['gateTools', (onApprovalRequest) => generate(onApprovalRequest, 'tools')],
  ...(major === 7
    ? ([['toolApproval', (onApprovalRequest) => generate(onApprovalRequest, 'toolApproval')]] as typeof LOOPS)
    : []),
];

async function generate(onApprovalRequest: ApprovalCallback, by: 'tools' | 'toolApproval'): Promise<string[]> {
  const { ran, tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  const options = { interruptOn: ['del'], onApprovalRequest } as const;
  await ai.generateText({
    model,
    prompt: 'go',
    stopWhen: stepCount(5),
    ...(by === 'tools' ? { tools: gateTools(tools, options) } : { tools, toolApproval: toolApproval(options) }),
  } as never);
  return ran;
}

/** What is derived shows nothing of its own. */
const ownAll = (how: string, read: string): boolean => !how.startsWith('derived') || read.startsWith('read');

describe.each(HELD)('a request %s before it is read', (how, hold) => {
  it.each(READ.filter(([name]) => ownAll(how, name)).filter(([name]) => !how.includes('proxy') || name !== 'copied'))(
    'has its rows, %s',
    async (_, read) => {
      const seen: unknown[] = [];
      const { ran, tools } = recordingTools();
      const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];
      const onApprovalRequest = (request: ApprovalRequest) => {
        seen.push(read(hold(request)));
        return true;
      };
      await play({ turns, tools, interruptOn: ['del'], onApprovalRequest });
      expect({ ran, seen }).toEqual({ ran: ['del /a'], seen: [ROWS] });
    },
  );
});

describe.each(LOOPS)('%s', (_, loop) => {
  it.each(HELD)('the request and the options %s lose no call', async (_how, hold) => {
    const seen: unknown[] = [];
    const ran = await loop((request, options) => {
      const { rows } = hold(request);
      const { abortSignal, objectionTo } = hold(options!);
      seen.push(rows, abortSignal instanceof AbortSignal, typeof objectionTo);
      return true;
    });
    expect({ ran, seen }).toEqual({ ran: ['del /a'], seen: [ROWS, true, 'function'] });
  });
});

it('a value of the callback takes the place of one that was not made yet, and a frozen request takes none', async () => {
  const { tools, ran } = recordingTools();
  const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];
  const seen: unknown[] = [];
  const onApprovalRequest = (given: ApprovalRequest) => {
    const sealed = Object.seal(given) as { rows: unknown };
    sealed.rows = [];
    seen.push(sealed.rows);
    expect(() => {
      (Object.freeze(sealed) as { rows: unknown }).rows = ROWS;
    }).toThrow(TypeError);
    seen.push(sealed.rows);
    return true;
  };
  await play({ turns, tools, interruptOn: ['del'], onApprovalRequest });
  expect({ ran, seen }).toEqual({ ran: ['del /a'], seen: [[], []] });
});
