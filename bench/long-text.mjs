// @ts-check
// The contestants of P1: a text of 20,000 parts, and nobody to ask.

import assert from 'node:assert/strict';
import { streamText, tool } from 'ai';
import { z } from 'zod';
import { longTextModel } from './ai-sdk-model.mjs';
import { countersign } from './app.mjs';
import { longTextParts } from './conversation.mjs';

const { streamWithEvents } = countersign;

const newModel = longTextModel(longTextParts);
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
  assert.equal(parts, longTextParts, 'parts of the text were lost or joined');
  assert.equal(length, longTextParts * 'word '.length);
}

export const fullStream = () => read(streamText({ model: newModel(), messages }).fullStream, 'text-delta');

export const withEvents = () => read(streamWithEvents({ model: newModel(), messages }), 'text');

export const fullStreamWithTool = () =>
  read(streamText({ model: newModel(), messages, tools: gatedTools }).fullStream, 'text-delta');

export const withEventsAndInterruptOn = () =>
  read(
    streamWithEvents({
      model: newModel(),
      messages,
      tools,
      interruptOn: { delete_file: true },
      onApprovalRequest: () => assert.fail('nobody is to be asked'),
    }),
    'text',
  );
