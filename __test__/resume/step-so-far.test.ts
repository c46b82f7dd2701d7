/** What stands in for a step's messages while it goes on is what the SDK itself makes of it at its end. */
import * as ai from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { loadSdk, type StreamPart } from '../../ts/ai-sdk/sdk/sdk.js';
import { StepSoFar } from '../../ts/ai-sdk/saved/step-so-far.js';
import { snapshot } from '../../ts/values/snapshot.js';
import { isWhole } from '../support/effort.js';
import { call, calls, major, scripted, sleep, text, type ModelPart } from '../support/model.js';

const path = z.object({ path: z.string() });
const tools = {
  sync: ai.tool({ inputSchema: path, execute: ({ path }) => `sync ${path}` }),
  later: ai.tool({
    inputSchema: path,
    execute: async ({ path }) => {
      await sleep(path.length);
      return { path, at: [1, null] };
    },
  }),
  fails: ai.tool({
    inputSchema: path,
    execute: (): string => {
      throw new Error('it broke');
    },
  }),
  throwsData: ai.tool({ inputSchema: path, execute: () => Promise.reject<string>({ code: 7 }) }),
  stream: ai.tool({
    inputSchema: path,
    async *execute({ path }) {
      yield `first ${path}`;
      yield `last ${path}`;
    },
  }),
  shown: ai.tool({
    inputSchema: path,
    execute: () => 'raw',
    toModelOutput: async () => ({ type: 'content', value: [{ type: 'text', text: 'for the model' }] }),
  }),
  gated: ai.tool({ inputSchema: path, needsApproval: true, execute: () => 'never' }),
  changed: ai.tool({
    inputSchema: z.object({ path: z.string().transform((path) => `${path}!`), mode: z.string().default('soft') }),
    needsApproval: true,
    execute: () => 'never',
  }),
  client: ai.tool({ inputSchema: path }),
  search: ai.tool({ inputSchema: z.object({ q: z.string() }) }),
} as ai.ToolSet;

const metadata = { providerMetadata: { some: { signature: 'abc', n: 1 } } };

/** Pieces that a turn is made of; `id` makes their ids their own. */
const PIECES: ((id: string) => ModelPart[])[] = [
  (id) => text(`said ${id}`, id),
  (id) => [
    { type: 'text-start', id, ...metadata },
    { type: 'text-delta', id, delta: 'with ' },
    { type: 'text-delta', id, delta: 'metadata' },
    { type: 'text-end', id, providerMetadata: { some: { last: true } } },
  ],
  (id) => [
    { type: 'text-start', id },
    { type: 'text-end', id },
  ],
  (id) => [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: 'hm' },
    { type: 'reasoning-end', id, ...metadata },
  ],
  (id) => [{ type: 'source', sourceType: 'url', id, url: 'https://example.com' }],
  () => [{ type: 'file', mediaType: 'image/png', data: major === 6 ? 'AAAA' : { type: 'data', data: 'AAAA' } }],
  ...['sync', 'later', 'fails', 'throwsData', 'stream', 'shown', 'gated', 'changed', 'client'].map(
    (name) => (id: string) => [call(name, { path: `/${id}` }, id)],
  ),
  (id) => [call('gated', { path: '/x', extra: 1 }, id)],
  (id) => [call('later', { path: '/with' }, id, metadata)],
  (id) => [call('sync', { path: 7 }, id)],
  (id) => [call('sync', 'no json', id)],
  (id) => [call('nobody', { a: 1 }, id)],
  (id) => [
    call('search', { q: id }, id, { providerExecuted: true }),
    { type: 'tool-result', toolCallId: id, toolName: 'search', result: { hits: 3 } },
  ],
  (id) => [
    call('search', { q: id }, id, { providerExecuted: true }),
    { type: 'tool-result', toolCallId: id, toolName: 'search', result: 'no', isError: true },
  ],
];

/** Always the same numbers. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

const TURNS = isWhole ? 120 : 50;

it.each([undefined, 'a secret of the application'])(`${TURNS} turns, with the secret %s`, async (secret) => {
  const random = numbers(7);
  const pick = (most: number): number => Math.floor(random.next().value * most);
  const { version } = await loadSdk();
  let compared = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    // Each piece once by itself, then any of them.
    const pieces =
      turn < PIECES.length ? [PIECES[turn]!] : Array.from({ length: 1 + pick(6) }, () => PIECES[pick(PIECES.length)]!);
    const parts = pieces.flatMap((piece, index) => piece(`p${turn}-${index}`));
    const { model } = scripted([calls(...parts)]);
    const soFar = new StepSoFar();
    const steps: ai.StepResult<ai.ToolSet>[] = [];
    let before: unknown;
    const result = ai.streamText({
      model,
      tools,
      prompt: 'go',
      onError: () => {},
      stopWhen: () => true,
      experimental_toolApprovalSecret: secret,
      onStepFinish: (step: never) => void steps.push(step),
    } as never);
    for await (const part of result.fullStream as AsyncIterable<StreamPart>) {
      if (part.type === 'finish-step') before = await soFar.messages(tools, version);
      soFar.add(part);
    }
    const exact = steps[0]!.response.messages;
    const json = (value: unknown) => JSON.parse(JSON.stringify(snapshot(value).json)) as unknown;
    expect(json(before), JSON.stringify(parts)).toEqual(json(exact));
    compared += exact.length;
  }
  expect(compared).toBeGreaterThan(TURNS);
});
