/** What keeps a call from running is told to the developer, too, where the AI SDK tells the model alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, tool } from 'ai';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest } from '../../index.js';
import { createGate, gateTools, streamWithEvents, toolApproval } from '../../ts/index.js';
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
