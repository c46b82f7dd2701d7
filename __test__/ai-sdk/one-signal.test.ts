/** One abort for many calls that wait: all of them hear it, and Node sees no leak of listeners. */
import { getEventListeners } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { Gate } from '../../index.js';
import { createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, scripted, sleep } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const CALLS = Array.from({ length: 50 }, (_, n) => ({ id: `c${n}`, args: { path: `/${n}` } }));

/** What is asked takes a moment to be described and judged: each wait has its turn. */
const interruptOn = {
  del: {
    shouldApprove: async () => {
      await sleep(1);
      return true;
    },
    description: async () => {
      await sleep(1);
      return 'Deletes a file';
    },
  },
};

type Tools = ReturnType<typeof recordingTools>['tools'];
type Ways = Record<string, (gate: Gate, tools: Tools, signal: AbortSignal) => Promise<unknown>[]>;

/** Each returns what comes to its end with the calls. */
const WAYS: Ways = {
  'gate.request': (gate, _, abortSignal) =>
    CALLS.map(({ args }) => gate.request({ toolName: 'del', args }, { abortSignal })),
  gateTools: (gate, tools, abortSignal) => {
    const { execute } = gateTools(tools, { gate, interruptOn }).del as never as {
      execute: (args: unknown, options: object) => Promise<unknown>;
    };
    return CALLS.map(({ id, args }) => execute(args, { toolCallId: id, messages: [], abortSignal }));
  },
  streamWithEvents: (gate, tools, abortSignal) => {
    const { model } = scripted([calls(...CALLS.map(({ id, args }) => call('del', args, id)))]);
    const options = { model, prompt: 'go', tools, gate, interruptOn, abortSignal };
    return [streamWithEvents(options as never).result];
  },
};

it.each(Object.keys(WAYS))('%s: fifty calls', async (way) => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => void warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const { ran, tools } = recordingTools();
  await using gate = createGate();
  const stop = new AbortController();
  const listeners = () => getEventListeners(stop.signal, 'abort').length;
  const begin = () => Promise.allSettled(WAYS[way]!(gate, tools, stop.signal));
  const waiting = async () => {
    await expect.poll(async () => (await gate.pending()).length, PATIENTLY).toBe(CALLS.length);
    return gate.pending();
  };

  // Decided: nobody listens any more.
  const decided = begin();
  for (const { approvalId } of await waiting()) await gate.reject(approvalId, { stop: true }).catch(() => {});
  await decided;
  expect(listeners()).toBe(0);

  const aborted = begin();
  const requests = await waiting();
  expect(listeners()).toBeLessThanOrEqual(1);
  stop.abort(new Error('enough'));
  await aborted;
  await expect.poll(async () => (await gate.pending()).length, PATIENTLY).toBe(0);
  for (const { approvalId } of requests) expect((await gate.get(approvalId))?.status).toBe('cancelled');
  expect(listeners()).toBe(0);
  expect(ran).toEqual([]);
  // Node tells of it in a turn of its own.
  await sleep(0);
  expect(warnings).toEqual([]);
});
