/** Every entry knows its options: a name that it does not know is an error, for it may have been meant to gate something. */
import { runInNewContext } from 'node:vm';
import type { ToolSet } from 'ai';
import type { InterruptOptions } from '../../index.js';
import { describe, expect, test } from 'vitest';
import { acpApprover } from '../../ts/protocols/acp.js';
import { mcpApprover, mcpQuestioner } from '../../ts/protocols/mcp.js';
import {
  createAskUserTool,
  createDeepAgent,
  createLocalBackend,
  createTaskTool,
  createTodosTool,
  describeApprovals,
} from '../../ts/agent/index.js';
import * as api from '../../ts/index.js';
import { takeOptions } from '../../ts/options/check.js';
import { ENTRIES, type EntryName } from '../../ts/options/entries.js';
import { agent, aRun, CALLS, gate, id, model, tools } from '../support/entry-calls.js';
import { major } from '../support/model.js';

/** Entries that hand on what they do not know refuse what is nearly one of theirs. */
const SLIPS: Partial<Record<EntryName, string>> = {
  streamWithEvents: 'interuptOn',
  resume: 'interuptOn',
  toUIMessageStream: 'sendReasonning',
  toUIMessageStreamResponse: 'hartbeat',
};

const failureOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
};

const refused = (message: string) => ({
  code: 'ERR_INVALID_CONFIG',
  message: expect.stringContaining(message) as unknown,
});

const refusedAs = (message: string) => expect.objectContaining(refused(message)) as Error;

const isRestricting = (what: true | string) => what === 'filter' || (what !== true && what.startsWith('restricts'));

describe.each(Object.keys(ENTRIES) as EntryName[])('%s', (name) => {
  test('an option that nobody knows is not passed over', async () => {
    const unknown = SLIPS[name] ?? 'quite_unknown';
    expect(await failureOf(() => CALLS[name]({ [unknown]: 1 }))).toMatchObject(
      refused(`has no option ${JSON.stringify(unknown)}`),
    );
  });

  test('an option that is a symbol, or hidden from a look at all of them, is not passed over', () => {
    for (const hidden of [Symbol('policy'), 'policy']) {
      const options = Object.defineProperty({}, hidden, { value: 1, enumerable: typeof hidden === 'symbol' });
      expect(() => takeOptions(name, options)).toThrow(`${name}: ${String(hidden)} is not an option`);
    }
  });

  const { names } = ENTRIES[name];
  test.skipIf(!Object.values(names).some(isRestricting))(
    'what restricts is not taken for left out where it is undefined, nor where it restricts nothing',
    async () => {
      for (const [each, what] of Object.entries(names)) {
        if (!isRestricting(what)) continue;
        // Without a gate there is nothing to resume, which it says.
        if (name === 'resume' && each === 'gate') continue;
        for (const nothing of what === 'restricts by parts' ? [undefined, [], {}] : [undefined]) {
          const call = () => CALLS[name]({ [each]: nothing });
          expect(await failureOf(call), each).toMatchObject(
            refused(`${each} is ${nothing === undefined ? nothing : 'empty'}`),
          );
        }
      }
    },
  );

  test.skipIf(name === 'streamWithEvents' || name === 'resume')('a slip is told with what was meant', async () => {
    const meant =
      Object.keys(ENTRIES[name].names).find((each) => each.length > 4) ?? Object.keys(ENTRIES[name].names)[0];
    const slip = meant!.length > 4 ? meant!.replace(/(.)(.)$/, '$2$1') + 's' : meant!.toUpperCase();
    expect(await failureOf(() => CALLS[name]({ [slip]: 1 }))).toMatchObject(refused(`did you mean "${meant}"?`));
  });
});

test('an option of which nothing depends may be undefined', async () => {
  const gate = api.createGate({ timeout: undefined, logger: undefined });
  expect(await gate.history({ limit: undefined })).toEqual([]);
  await gate.close();
});

describe('a logger that takes nothing', () => {
  const hears = 'must have functions, some of trace, debug, info, warn, error';
  test.each([null, {}, 'console', () => {}, { warning: () => {} }, { error: 'stderr' }, { info: () => {}, error: 1 }])(
    'is refused: %j',
    async (logger) => {
      for (const start of [
        () => api.createGate({ logger } as never),
        () => api.gateTools(tools, { interruptOn: 'all', logger } as never),
        () => api.streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', logger } as never),
      ])
        expect(await failureOf(start)).toMatchObject({
          code: 'ERR_INVALID_CONFIG',
          message: expect.stringContaining(hears) as string,
        });
    },
  );

  test('one of a class, and the console, are taken', async () => {
    class Counting {
      count = 0;
      info() {
        this.count++;
      }
    }
    for (const logger of [new Counting(), console]) await api.createGate({ logger }).close();
  });
});

describe('a function that makes callbacks, given in the place of one', () => {
  test.each([
    ['terminalApprover', api.terminalApprover, 'terminalApprover()'],
    ['acpApprover', acpApprover, 'acpApprover(connection, sessionId)'],
    ['mcpApprover', mcpApprover, 'mcpApprover(server)'],
    ['mcpQuestioner', mcpQuestioner, 'mcpQuestioner(server)'],
  ])('%s is refused at the call, which says to call it', async (_, maker, call) => {
    for (const name of ['onApprovalRequest', 'onQuestion'])
      for (const start of [
        () => api.streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', [name]: maker } as never),
        () => api.gateTools(tools, { interruptOn: 'all', [name]: maker } as never),
        () => agent().streamWithEvents({ prompt: 'go', [name]: maker } as never),
      ])
        expect(await failureOf(start)).toMatchObject(refused(`write ${name}: ${call}`));
  });
});

describe('what is no object of options', () => {
  test.each([null, 'all', ['del'], 5, () => true])('%j', async (options) => {
    const message = refused('pass an object of options');
    expect(await failureOf(() => api.gateTools(tools, options as never))).toMatchObject(message);
    expect(await failureOf(() => api.streamWithEvents(options as never))).toMatchObject(message);
    expect(await failureOf(() => api.createGate(options as never))).toMatchObject(message);
    expect(await failureOf(() => createDeepAgent(options as never))).toMatchObject(message);
  });

  test('nothing at all, where something must be said', async () => {
    const message = refused('pass an object of options');
    for (const entry of [
      api.gateTools,
      api.toolApproval,
      api.streamWithEvents,
      createDeepAgent,
      createTaskTool,
    ] as never[]) {
      const given = entry === (api.gateTools as never) ? [tools] : [];
      expect(await failureOf(() => (entry as (...given: unknown[]) => unknown)(...given))).toMatchObject(message);
    }
  });
});

test('what is written on Object.prototype is no option', async () => {
  const prototype = Object.prototype as unknown as Record<string, unknown>;
  Object.defineProperty(prototype, 'polcy', { value: 1, enumerable: true, configurable: true, writable: true });
  try {
    await using _gate = api.createGate({});
    expect(api.gateTools(tools, { interruptOn: 'all' })).toHaveProperty('del');
  } finally {
    delete prototype['polcy'];
  }
});

test('the entry of a tool knows the options of InterruptOptions, and no others', async () => {
  const names: Record<keyof InterruptOptions, true> = {
    shouldApprove: true,
    allowedDecisions: true,
    description: true,
    timeout: true,
    remind: true,
    approvers: true,
    quorum: true,
    excludeRequester: true,
    escalate: true,
  };
  const error = await failureOf(() => api.gateTools(tools, { interruptOn: { del: { quite_unknown: 1 } } } as never));
  const [, listed = ''] = /the options are (.*)$/.exec((error as Error).message) ?? [];
  expect(listed.split(', ').toSorted()).toEqual(Object.keys(names).toSorted());
  expect(
    await failureOf(() => api.gateTools(tools, { interruptOn: { del: { shouldAprove: () => true } } } as never)),
  ).toMatchObject(refused('did you mean "shouldApprove"?'));
});

test.runIf(major === 6)('the names that messages list are sorted, so that they can be looked through', async () => {
  const error = (await failureOf(() => api.verifyApprovals([], gate(), { zzz: 1 } as never))) as Error;
  expect(error.message).toBe(
    'verifyApprovals has no option "zzz": the options are by, onRefused, runId, toolApprovalSecret, unanswered.',
  );
});

describe('options that are no plain object are refused: of them only a part would be read, or nothing', () => {
  class Options {
    get policy() {
      return 'preset:read-only';
    }
  }
  const shapes: [string, object, RegExp][] = [
    ['a promise', Promise.resolve({ policy: 'preset:read-only' }), /not a promise: await it/],
    ['a map', new Map([['policy', 'preset:read-only']]), /not a Map/],
    ['an instance of a class', new Options(), /an object that inherits some/],
    [
      'what inherits its options',
      Object.create({ policy: 'preset:read-only' }) as object,
      /an object that inherits some/,
    ],
  ];

  test.each(shapes)('%s, by every entry', (_, shape, message) => {
    const refused = expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringMatching(message) });
    for (const name of Object.keys(ENTRIES) as EntryName[]) expect(() => takeOptions(name, shape)).toThrow(refused);
  });

  const entries: [string, (shape: never) => unknown][] = [
    ['createGate', (shape) => api.createGate(shape)],
    ['redact of createGate', (redact) => api.createGate({ redact })],
    ['gateTools', (shape) => api.gateTools(tools, shape)],
    ['streamWithEvents', (shape) => api.streamWithEvents(shape)],
    ['verifyApprovals', (shape) => api.verifyApprovals([], gate(), shape)],
    ['gate.approve', (shape) => gate().approve(id, shape)],
    ['createDeepAgent', (shape) => createDeepAgent(shape)],
    ['a subagent', (shape) => agent({ subagents: [shape] })],
    ['a subagent of createTaskTool', (shape) => createTaskTool({ subagents: [shape] })],
    ['createLocalBackend', (shape) => createLocalBackend(shape)],
  ];
  test.each(entries)('%s', async (_, entry) => {
    for (const [, shape] of shapes)
      await expect((async () => entry(shape as never))()).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  });

  test('but what another realm has made is taken', () => {
    expect(() => api.createGate(runInNewContext('({ timeout: 5 })') as object)).not.toThrow();
  });

  test.each([null, 'ls', new Set(['ls'])])('builtinTools: %s is refused, and not all of them', (builtinTools) => {
    const refused = expect.objectContaining({ code: 'ERR_INVALID_CONFIG' });
    expect(() => agent({ builtinTools })).toThrow(refused);
    expect(() => agent({ subagents: [{ name: 'a', description: 'a', builtinTools }] })).toThrow(refused);
  });

  test.each(['policy', 'interruptOn', 'gate', 'mode'])(
    '%s that is null is refused, as one that is undefined is',
    (name) => {
      for (const value of [null, undefined])
        expect(() => api.gateTools(tools, { interruptOn: 'all', [name]: value } as never)).toThrow(
          expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }),
        );
    },
  );
});

test.each([
  [
    'streamWithEvents',
    (interruptOn: object) => api.streamWithEvents({ model, tools, prompt: 'go', interruptOn } as never),
  ],
  ['gateTools', (interruptOn: object) => api.gateTools(tools, { interruptOn } as never)],
  ['applyInterruptConfig', (interruptOn: object) => api.applyInterruptConfig(tools, interruptOn as never)],
  ['hasApprovalTools', (interruptOn: object) => api.hasApprovalTools(interruptOn as never)],
  ['createDeepAgent', (interruptOn: object) => agent({ tools, interruptOn })],
  ['describeApprovals', (interruptOn: object) => describeApprovals(tools as ToolSet, { interruptOn } as never)],
])('%s: a symbol in interruptOn, or in one of its entries, is not passed over', (place, give) => {
  const approvers = Symbol('approvers');
  for (const interruptOn of [{ [approvers]: true, del: true }, { del: { [approvers]: ['ada'] } }])
    expect(() => give(interruptOn)).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringMatching(/^\w+: interruptOn(\.del)? has Symbol\(approvers\)/) as unknown,
      }),
    );
  expect(() => give({ del: { approvers: ['ada'] } }), place).not.toThrow();
});

test.each<[string, (...options: never[]) => unknown]>([
  ['createTodosTool', createTodosTool],
  ['createAskUserTool', createAskUserTool],
  ['mcpQuestioner', (...options) => mcpQuestioner({ elicitInput: async () => null }, ...(options as []))],
])('%s has no options, and says so to whoever gives some', (place, make) => {
  expect(() => make({ maxSteps: 3 } as never)).toThrow(refusedAs(`${place} has no options`));
  expect(() => make()).not.toThrow();
});

test('what is for the response of the AI SDK alone is refused, and what a later version may know is handed on', async () => {
  expect(() => aRun().toUIMessageStreamResponse({ consumeSseStream: () => {} } as never)).toThrow(
    refusedAs('has no option "consumeSseStream": read a branch'),
  );
  expect(aRun().toUIMessageStreamResponse({ ofTomorrow: 1, status: 201 } as never).status).toBe(201);
});
