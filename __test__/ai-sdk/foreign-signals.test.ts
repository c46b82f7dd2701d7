/** A signal from a package, whose abort this runtime does not hear: no call waits under it, so that no later yes runs the tool. */
import { generateText, stepCountIs, streamText, ToolLoopAgent, type Tool, type ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import type { GateToolsOptions } from '../../index.js';
import { createGate, gateTools, streamWithEvents, terminalApprover } from '../../ts/index.js';
import { call, calls, says, scripted } from '../support/model.js';
import { askUserTool, COLOUR } from '../support/questions.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

/** As a polyfill has it. */
class PolyfilledSignal extends EventTarget {
  aborted = false;
  reason: unknown;
  onabort = null;
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}
const foreign = (): AbortSignal => new PolyfilledSignal();
const REFUSED = 'gateTools: abortSignal must be an AbortSignal of this runtime, not an imitation of one';

const options = (tools: ToolSet) => ({
  model: scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model,
  tools,
  stopWhen: stepCountIs(3),
});

const LOOPS: Record<string, (tools: ToolSet, abortSignal: AbortSignal) => PromiseLike<unknown>> = {
  generateText: async (tools, abortSignal) => {
    const { steps } = await generateText({ ...options(tools), prompt: 'go', abortSignal });
    return steps;
  },
  streamText: async (tools, abortSignal) =>
    streamText({ ...options(tools), prompt: 'go', abortSignal, onError: () => {} }).steps,
  ToolLoopAgent: async (tools, abortSignal) => {
    const { steps } = await new ToolLoopAgent(options(tools)).generate({ prompt: 'go', abortSignal });
    return steps;
  },
};

const MODES: Record<string, Partial<GateToolsOptions<ToolSet>>> = {
  asked: { interruptOn: 'all' },
  'asked by a callback': { interruptOn: 'all', onApprovalRequest: () => true },
  'of a generator': { interruptOn: 'all' },
};

describe.each(Object.keys(LOOPS))('%s', (loop) => {
  test.each(Object.keys(MODES))('a call that is %s under a foreign signal is refused, and not asked', async (mode) => {
    using _ = listenToWarnings();
    const { ran, tools } = recordingTools();
    await using gate = createGate();
    const streaming = async function* (input: { path: string }) {
      ran.push(`del ${input.path}`);
      yield 1;
    };
    const del = mode === 'of a generator' ? { ...tools.del, execute: streaming } : tools.del;
    const gated = gateTools({ ...tools, del } as ToolSet, { gate, ...MODES[mode] } as GateToolsOptions<ToolSet>);
    const steps = await LOOPS[loop]!(gated, foreign());
    expect(JSON.stringify(steps, (_, value: unknown) => (value instanceof Error ? value.message : value))).toContain(
      REFUSED,
    );
    expect(await gate.history()).toEqual([]);
    expect(ran).toEqual([]);
  });
});

type Execute = (input: unknown, options: object) => unknown;
const executeOf = (tool: unknown) => (tool as Tool).execute as unknown as Execute;
const called = () => ({ toolCallId: 'c1', messages: [], abortSignal: foreign() });

test('a call that goes unasked under a foreign signal does not run either', async () => {
  const { ran, tools } = recordingTools();
  const gate = createGate();
  const { read } = gateTools(tools, { gate, interruptOn: { del: true, read: { shouldApprove: () => false } } });
  await expect((async () => executeOf(read)({ path: '/a' }, called()))()).rejects.toThrow(REFUSED);
  expect(ran).toEqual([]);
});

test('in mode stop an approved call does not run under a foreign signal', async () => {
  const { ran, tools } = recordingTools();
  await using gate = createGate();
  const { del } = gateTools(tools, { gate, mode: 'stop', runId: 'r', interruptOn: 'all' });
  await expect((async () => executeOf(del)({ path: '/a' }, called()))()).rejects.toThrow(REFUSED);
  expect(ran).toEqual([]);
});

test('no question is asked under a foreign signal', async () => {
  await using gate = createGate();
  const { ask_user } = gateTools({ ask_user: askUserTool() } as ToolSet, { gate });
  await expect((async () => executeOf(ask_user)({ questions: [COLOUR] }, called()))()).rejects.toThrow(REFUSED);
  expect(await gate.history()).toEqual([]);
});

test('the developer is told of it, and not only the model', async () => {
  using heard = listenToWarnings();
  const { tools } = recordingTools();
  const { del } = gateTools(tools, { interruptOn: 'all', onApprovalRequest: () => true });
  await expect((async () => executeOf(del)({ path: '/a' }, called()))()).rejects.toThrow(REFUSED);
  expect(heard.warnings).toEqual([expect.stringContaining(`a call of "del" did not run`)]);
  expect(heard.warnings[0]).toContain(REFUSED);
});

test.each([
  ['as it is', new AbortController().signal],
  ['with a deadline', AbortSignal.timeout(600_000)],
  ['of several', AbortSignal.any([new AbortController().signal])],
  ['behind a Proxy', new Proxy(new AbortController().signal, {})],
])('a signal of this runtime is taken: %s', async (_, abortSignal) => {
  const { ran, tools } = recordingTools();
  const { del } = gateTools(tools, { interruptOn: 'all', onApprovalRequest: () => true });
  await executeOf(del)({ path: '/a' }, { ...called(), abortSignal });
  expect(ran).toEqual(['del /a']);
});

/** Objects that inherit from a signal. */
const INHERITING: Record<string, (signal: AbortSignal) => AbortSignal> = {
  'an object whose prototype is a signal': (signal) => Object.create(signal) as AbortSignal,
  'an object at the end of such a chain': (signal) => Object.create(Object.create(signal) as object) as AbortSignal,
  'one with the class alone': () => Object.create(AbortSignal.prototype) as AbortSignal,
};

test.each(Object.entries(INHERITING))('%s is an imitation, since its abort stops nothing', async (_, inherit) => {
  const { ran, tools } = recordingTools();
  const { signal } = new AbortController();
  const abortSignal = inherit(signal);
  using _warned = listenToWarnings();
  const { del } = gateTools(tools, { interruptOn: 'all', onApprovalRequest: () => true });
  await expect((async () => executeOf(del)({ path: '/a' }, { ...called(), abortSignal }))()).rejects.toThrow(REFUSED);
  expect(() =>
    streamWithEvents({ ...options(tools as ToolSet), prompt: 'go', interruptOn: 'all', abortSignal }),
  ).toThrow('not an imitation of one');
  expect(ran).toEqual([]);
});

test('a terminal refuses a foreign signal', async () => {
  const ask = terminalApprover() as unknown as (request: object, given: object) => Promise<unknown>;
  await expect(ask({ approvalId: 'a', preview: [] }, { abortSignal: foreign() })).rejects.toThrow(
    'terminalApprover: abortSignal must be an AbortSignal of this runtime',
  );
});
