// @ts-check
// P1: what the iterator costs when nobody has to be asked. One long text, `streamWithEvents` against `fullStream`.

import assert from 'node:assert/strict';
import { streamText, tool } from 'ai';
import { z } from 'zod';
import { longTextModel } from './ai-sdk-model.mjs';
import { countersign } from './app.mjs';
import { interleave, machine, medians, print, ratio } from './harness.mjs';

const { streamWithEvents } = countersign;

const PARTS = 20_000;
const GOAL = 1.05;

const newModel = longTextModel(PARTS);
/** @type {import('ai').ModelMessage[]} */
const messages = [{ role: 'user', content: 'Tell me a long story.' }];
const neverCalled = {
  description: 'Deletes one file.',
  inputSchema: z.object({ path: z.string() }),
  execute: async () => 'deleted',
};
const tools = { delete_file: tool(neverCalled) };
const gatedTools = { delete_file: tool({ ...neverCalled, needsApproval: true }) };

/** @param {AsyncIterable<{ type: string, text?: string }>} stream @param {string} type */
async function read(stream, type) {
  let parts = 0;
  let length = 0;
  for await (const part of stream) {
    if (part.type === type) {
      parts++;
      length += /** @type {string} */ (part.text).length;
    }
  }
  assert.equal(parts, PARTS, 'parts of the text were lost or joined');
  assert.equal(length, PARTS * 'word '.length);
}

const raw = () => read(streamText({ model: newModel(), messages }).fullStream, 'text-delta');

const subjects = [
  { name: 'fullStream', run: raw },
  { name: 'streamWithEvents', run: () => read(streamWithEvents({ model: newModel(), messages }), 'text') },
  { name: 'fullStream again', run: raw },
  {
    name: 'fullStream, tool with needsApproval',
    run: () => read(streamText({ model: newModel(), messages, tools: gatedTools }).fullStream, 'text-delta'),
  },
  {
    name: 'streamWithEvents, interruptOn',
    run: () =>
      read(
        streamWithEvents({
          model: newModel(),
          messages,
          tools,
          interruptOn: { delete_file: true },
          onApprovalRequest: () => assert.fail('nobody is to be asked'),
        }),
        'text',
      ),
  },
];

await print(async ({ quick }) => {
  const rounds = quick ? 5 : 40;
  const samples = await interleave(subjects, { rounds, warmUp: quick ? 1 : 3 });
  const ungated = ratio(samples.streamWithEvents, samples.fullStream);
  const withInterruptOn = ratio(
    samples['streamWithEvents, interruptOn'],
    samples['fullStream, tool with needsApproval'],
  );
  return {
    ...ungated,
    goal: GOAL,
    met: ungated.value <= GOAL && withInterruptOn.value <= GOAL,
    withInterruptOn,
    /** What a difference of nothing looks like here. */
    noise: ratio(samples['fullStream again'], samples.fullStream),
    milliseconds: medians(samples),
    parts: PARTS,
    rounds,
    machine: machine(),
  };
});
