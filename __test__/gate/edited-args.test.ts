/** What a human edits is data: what says another thing at each look, or would be left out, is refused, and nothing is decided. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Decision } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { call, calls, says } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

class WithGetter {
  get path(): string {
    return '/other';
  }
}

const WRONG: Record<string, () => unknown> = {
  'a Map': () => new Map([['path', '/b']]),
  'a Set': () => new Set(['/b']),
  'a Proxy': () => new Proxy({ path: '/b' }, { get: () => '/other' }),
  'a Proxy in a list': () => ({ path: '/b', list: [new Proxy({}, {})] }),
  'a getter': () => ({
    get path() {
      return '/other';
    },
  }),
  'a getter in a Map': () => ({ path: new Map([['a', new WithGetter()]]) }),
  'a getter deep inside': () => ({
    path: {
      get of() {
        return '/other';
      },
    },
  }),
  'a getter of a class': () => new WithGetter(),
  'an inherited property': () => Object.create({ path: '/b' }) as object,
  'a promise': () => Promise.resolve({ path: '/b' }),
  'a function': () => () => ({ path: '/b' }),
  'an error': () => new Error('/b'),
  'an error inside': () => ({ path: '/b', cause: new Error('/b') }),
  'what writes itself': () => ({ path: '/b', toJSON: () => ({ path: '/other' }) }),
};

async function asking() {
  const gate = createGate();
  onTestFinished(() => gate.close());
  const resolved = gate.request({ toolName: 'del', args: { path: '/a' } });
  const [request] = await gate.pending();
  return { gate, resolved, approvalId: request!.approvalId };
}

describe.each(Object.keys(WRONG))('%s as edited arguments', (what) => {
  test.each(['edit', 'decide'] as const)('gate.%s refuses it, and the request goes on waiting', async (method) => {
    const { gate, approvalId, resolved } = await asking();
    const args = WRONG[what]!();
    const decided =
      method === 'edit' ? gate.edit(approvalId, args) : gate.decide(approvalId, { type: 'edit', args } as never);
    await expect(decided).rejects.toMatchObject({ code: 'ERR_INVALID_DECISION' });
    expect(await gate.pending()).toHaveLength(1);
    await gate.reject(approvalId);
    expect((await resolved).approved).toBe(false);
  });

  test('of a callback is a rejection', async () => {
    using _ = listenToWarnings();
    const { ran, tools } = recordingTools();
    const answer = { type: 'edit', args: WRONG[what]!() } as Decision;
    await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => answer,
    });
    expect(ran).toEqual([]);
  });
});

test('an instance of a class is what its properties say, and a date stays one', async () => {
  const { gate, approvalId, resolved } = await asking();
  class Place {
    readonly path = '/b';
    readonly at = new Date(0);
    toString(): string {
      return this.path;
    }
  }
  await gate.edit(approvalId, new Place());
  expect((await resolved).args).toEqual({ path: '/b', at: new Date(0) });
});
