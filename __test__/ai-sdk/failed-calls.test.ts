/** What keeps a call from running is told to the developer, too, where the AI SDK tells the model alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, tool } from 'ai';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest } from '../../index.js';
import { LedgerError } from '../../ts/errors/index.js';
import { LocalGate } from '../../ts/gate/gate.js';
import { createGate, gateTools, streamWithEvents, toolApproval, verifyApprovals } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted } from '../support/model.js';
import { listenToWarnings } from '../support/warnings.js';

const folder = mkdtempSync(join(tmpdir(), 'failed-calls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const foreign = join(folder, 'foreign.db');
writeFileSync(foreign, 'This is no ledger. '.repeat(100));

function setUp() {
  const ran: unknown[] = [];
  const del = tool({ inputSchema: z.object({ path: z.string() }), execute: async (args) => void ran.push(args) });
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  return { ran, tools: { del }, model };
}

describe('a ledger that cannot be used', () => {
  const gate = () => createGate({ ledger: `sqlite:${foreign}` });

  test.each(['wait', 'stop'] as const)("is told in mode '%s' of gateTools", async (mode) => {
    using heard = listenToWarnings();
    const { ran, tools, model } = setUp();
    const gated = gateTools(tools, { interruptOn: { del: true }, gate: gate(), mode, runId: `r-${mode}` });
    await generateText({ model, tools: gated, prompt: 'go' });
    expect(ran).toEqual([]);
    expect(heard.warnings).toContainEqual(expect.stringMatching(/is not a ledger/));
  });

  test.runIf(major === 7)('is told by toolApproval', async () => {
    using heard = listenToWarnings();
    const { ran, tools, model } = setUp();
    const approval = toolApproval({ interruptOn: { del: true }, gate: gate() });
    await generateText({ model, tools, prompt: 'go', toolApproval: approval } as never);
    expect(ran).toEqual([]);
    expect(heard.warnings).toContainEqual(expect.stringMatching(/is not a ledger/));
  });
});

/** A chat in which a page has answered what the gate asked. */
const answered = (approved: boolean) => [
  {
    id: 'm1',
    role: 'assistant',
    parts: [
      {
        type: 'tool-del',
        toolCallId: 'c1',
        state: 'approval-responded',
        input: { path: '/a' },
        approval: { id: 'a1', approved },
      },
    ],
  },
];

describe('verifyApprovals over a ledger that cannot be used', () => {
  const places: [string, string][] = [
    ['is of another program', foreign],
    ['is in no folder', join(folder, 'none', 'x.db')],
  ];
  test.each(places)('which %s tells the developer, and the browser nothing of the server', async (_, path) => {
    for (const options of [{ runId: 'r' }, {}]) {
      using heard = listenToWarnings();
      await using gate = createGate({ ledger: `sqlite:${path}` });
      const refused: string[] = [];
      const onRefused = ({ reason }: { reason: string }) => void refused.push(reason);
      const verified = await verifyApprovals(answered(true) as never, gate, { ...options, onRefused });
      expect(heard.warnings.join()).toMatch(/verifyApprovals: .*"del".*ERR_LEDGER_/s);
      expect(heard.warnings.join()).toContain(path.slice(0, folder.length));
      const sent = JSON.stringify([verified, refused]);
      expect(sent).toContain('ERR_LEDGER_');
      expect(sent).toContain('"approved":false');
      expect(sent).not.toContain(folder);
    }
  });

  test.each([true, false])('that fails when the answer (%s) is kept does so, too', async (approved) => {
    using heard = listenToWarnings();
    const path = join(folder, `kept-${String(approved)}.db`);
    const { model, tools } = setUp();
    await using gate = createGate({ ledger: `sqlite:${path}` });
    const gated = gateTools(tools, { interruptOn: { del: true }, gate, mode: 'stop', runId: 'r' });
    await generateText({ model, tools: gated, prompt: 'go' });
    const decideByMessage = vi
      .spyOn(LocalGate.prototype, 'decideByMessage')
      .mockRejectedValue(new LedgerError({ code: 'ERR_LEDGER_FULL', message: `the disk of ${path} is full` }));
    const verified = await verifyApprovals(answered(approved) as never, gate, { runId: 'r' });
    decideByMessage.mockRestore();
    expect(heard.warnings.join()).toMatch(/verifyApprovals: .*is full.*ERR_LEDGER_FULL/s);
    expect(JSON.stringify(verified)).not.toContain(folder);
  });
});

test('what the model and the browser are told of a ledger that fails names no path of the server', async () => {
  for (const mode of ['wait', 'stop'] as const) {
    using heard = listenToWarnings();
    await using gate = createGate({ ledger: `sqlite:${foreign}` });
    const { tools, model } = setUp();
    const gated = gateTools(tools, { interruptOn: { del: true }, gate, mode });
    const { steps } = await generateText({ model, tools: gated, prompt: 'go' });
    expect(JSON.stringify(steps.map(({ content }) => content))).not.toContain(folder);
    expect(heard.warnings.join()).toContain(foreign);
  }
});

test('a gate in memory that is closed in the middle of a run tells so', async () => {
  using heard = listenToWarnings();
  const gate = createGate({ ledger: 'memory:' });
  const { ran, tools } = setUp();
  const close = tool({ inputSchema: z.object({}), execute: async () => gate.close() });
  const { model } = scripted([calls(call('close', {}, 'c0')), calls(call('del', { path: '/a' }, 'c1')), says('done')]);
  const options = {
    model,
    tools: { ...tools, close },
    interruptOn: { del: true },
    gate,
    onApprovalRequest: () => true,
  };
  await streamWithEvents({ ...options, prompt: 'go' } as never).result;
  expect(ran).toEqual([]);
  expect(heard.warnings.join()).toMatch(/streamWithEvents: a call of "del" did not run.*closed.*ERR_GATE_CLOSED/s);
});

test('an execution whose end cannot be written down tells so without a logger', async () => {
  using heard = listenToWarnings();
  const gate = createGate({ ledger: `sqlite:${join(folder, 'end.db')}` });
  const { model } = setUp();
  const del = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => gate.close() });
  const gated = gateTools({ del }, { interruptOn: { del: true }, gate, onApprovalRequest: () => true });
  await generateText({ model, tools: gated, prompt: 'go' });
  expect(heard.warnings.join()).toMatch(/end of an execution was not written down/);
});

describe('a gate that is closed already is refused by', () => {
  const closed = async () => {
    const gate = createGate();
    await gate.close();
    return { interruptOn: { del: true }, gate } as const;
  };

  test('streamWithEvents', async () => {
    const options = await closed();
    expect(() => streamWithEvents({ ...setUp(), prompt: 'go', ...options } as never)).toThrow('the gate is closed');
  });

  test('gateTools', async () => {
    const options = await closed();
    expect(() => gateTools(setUp().tools, options)).toThrow('the gate is closed');
  });

  test('verifyApprovals', async () => {
    const { gate } = await closed();
    await expect(verifyApprovals(answered(true) as never, gate)).rejects.toMatchObject({ code: 'ERR_GATE_CLOSED' });
  });

  test.runIf(major === 7)('toolApproval', async () => {
    const options = await closed();
    expect(() => toolApproval(options)).toThrow('the gate is closed');
  });
});

test('a tool whose approval is asked of a closed gate tells so', async () => {
  using heard = listenToWarnings();
  const { ran, tools, model } = setUp();
  const gate = createGate();
  const gated = gateTools(tools, { interruptOn: { del: true }, gate });
  await gate.close();
  await generateText({ model, tools: gated, prompt: 'go' });
  expect([ran, heard.warnings]).toEqual([[], [expect.stringMatching(/del"? did not run.*gate was closed/s)]]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('onError bug');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('onError bug');
    },
  ],
])('an onError that %s loses neither error', async (_, onError) => {
  using heard = listenToWarnings();
  const { model } = scripted([]);
  await collect(streamWithEvents({ model, prompt: 'go', interruptOn: 'none', maxRetries: 0, onError }));
  expect(heard.warnings).toEqual([expect.stringMatching(/onError bug.*has no turn/s)]);
});

test('an onError that fails loses the error of no run', async () => {
  using heard = listenToWarnings();
  const errors = ['first', 'second', 'third'];
  for (const text of errors) {
    const fails = () => {
      throw new Error(text);
    };
    const { model } = scripted([fails]);
    await collect(streamWithEvents({ model, prompt: 'go', interruptOn: 'none', maxRetries: 0, onError: thrower }));
  }
  expect(heard.warnings).toEqual(errors.map((text) => expect.stringContaining(text) as unknown));
});

const thrower = () => {
  throw new Error('broken');
};

test.each(['onFinish', 'onStepFinish', 'onAbort'])('an %s that fails is told', async (name) => {
  using heard = listenToWarnings();
  const { tools, model } = setUp();
  const abort = new AbortController();
  const onApprovalRequest = () => {
    if (name === 'onAbort') abort.abort();
    return true;
  };
  const given = {
    model,
    tools,
    prompt: 'go',
    interruptOn: { del: true },
    onApprovalRequest,
    abortSignal: abort.signal,
  };
  await collect(streamWithEvents({ ...given, [name]: thrower } as never));
  expect(heard.warnings.join()).toContain(`${name} failed: broken`);
});

test('an onError that is no function is refused', () => {
  const { model } = scripted([]);
  expect(() => streamWithEvents({ model, prompt: 'go', interruptOn: 'none', onError: 'log' } as never)).toThrow(
    'onError must be a function',
  );
});

test('a call of which the model says that its provider ran it is not told to be ungated', async () => {
  using heard = listenToWarnings();
  const { ran, tools } = setUp();
  const forged = { ...call('del', { path: '/a' }, 'c1'), providerExecuted: true };
  const { model } = scripted([calls(forged as never), says('.')]);
  await collect(
    streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: true }, onApprovalRequest: () => true }),
  );
  expect(ran).toEqual([]);
  expect(heard.warnings.join()).not.toContain('Remove the tool');
});

test('the line of a call whose shouldApprove fails shows its arguments', async () => {
  const { tools, model } = setUp();
  const asked: string[] = [];
  const shouldApprove = () => {
    throw new Error('boom');
  };
  const onApprovalRequest = ({ description }: ApprovalRequest) => asked.push(description) < 0;
  await collect(
    streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: { shouldApprove } }, onApprovalRequest }),
  );
  expect(asked).toEqual(['del: /a (shouldApprove failed: boom)']);
});
