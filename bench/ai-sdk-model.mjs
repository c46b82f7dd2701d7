// @ts-check
// Scripted models for the AI SDK, made of the mocks that it publishes for tests. They answer without any delay: time
// spent in a model would be in both the numerator and the denominator, and hide what a wrapper costs.

import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { toolArgs, toolCallId, toolName, turns, usage } from './conversation.mjs';

const finish = (/** @type {'stop' | 'tool-calls'} */ reason) => ({
  type: 'finish',
  finishReason: { unified: reason, raw: reason },
  usage: {
    inputTokens: { total: usage.input, noCache: usage.input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: usage.output, text: usage.output, reasoning: undefined },
  },
});

const toolCall = { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(toolArgs) };

const streamedTurns = turns.map(({ text, callsTool }) => [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...text.map((delta) => ({ type: 'text-delta', id: '1', delta })),
  { type: 'text-end', id: '1' },
  ...(callsTool ? [toolCall] : []),
  finish(callsTool ? 'tool-calls' : 'stop'),
]);

const generatedTurns = turns.map(({ text, callsTool }) => ({
  content: [{ type: 'text', text: text.join('') }, ...(callsTool ? [toolCall] : [])],
  finishReason: finish(callsTool ? 'tool-calls' : 'stop').finishReason,
  usage: finish('stop').usage,
  warnings: [],
}));

/**
 * The model of the conversation: one turn per call.
 *
 * @param {import('./conversation.mjs').Witness} witness
 */
export function conversationModel(witness) {
  let turn = 0;
  return new MockLanguageModelV4({
    doStream: async () => {
      witness.modelCalled();
      return { stream: convertArrayToReadableStream(/** @type {any[]} */ (streamedTurns[turn++])) };
    },
    doGenerate: async () => {
      witness.modelCalled();
      return /** @type {any} */ (generatedTurns[turn++]);
    },
  });
}

/**
 * A model that streams one text in this many parts.
 *
 * @param {number} parts
 */
export function longTextModel(parts) {
  const chunks = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    ...Array.from({ length: parts }, () => ({ type: 'text-delta', id: '1', delta: 'word ' })),
    { type: 'text-end', id: '1' },
    finish('stop'),
  ];
  return () =>
    new MockLanguageModelV4({
      doStream: async () => ({ stream: convertArrayToReadableStream(/** @type {any[]} */ (chunks)) }),
    });
}
