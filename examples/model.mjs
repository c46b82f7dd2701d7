// @ts-check
/**
 * A model that says what it is told to, so that the examples need no key and always do the same.
 *
 * It is a language model like any other to the AI SDK. Put a real one in its place, e.g. `'anthropic/claude-sonnet-4.5'`.
 */
import * as ai from 'ai';

/** @import { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider' */

/**
 * What the model does in one turn: says a text, or calls tools. A function gets the results of all calls so far, as the
 * model sees them, and what the user said last.
 *
 * @typedef {string | { tool: string, args: object }[]} Said
 * @typedef {Said | ((results: string[], prompt: string) => Said)} ModelTurn
 */

/**
 * @param {ModelTurn[]} turns One for each answer that the conversation holds already, and the last one for all that follow.
 * @returns {LanguageModelV4}
 */
export function scriptedModel(...turns) {
  /** Depends on the conversation only: one model serves any number of them. @param {LanguageModelV4Prompt} prompt @returns {LanguageModelV4Content[]} */
  function next(prompt) {
    const answers = prompt.filter(({ role }) => role === 'assistant').length;
    const turn = turns[Math.min(answers, turns.length - 1)] ?? '';
    const said = typeof turn === 'function' ? turn(resultsIn(prompt), promptIn(prompt)) : turn;
    if (typeof said === 'string') return [{ type: 'text', text: said }];
    const calls = callsIn(prompt);
    return said.map(({ tool, args }, index) => ({
      type: 'tool-call',
      toolCallId: `call_${calls + index + 1}`,
      toolName: tool,
      input: JSON.stringify(args),
    }));
  }

  return {
    // AI SDK 6 calls the same thing v3.
    specificationVersion: /** @type {'v4'} */ ('isStepCount' in ai ? 'v4' : 'v3'),
    provider: 'examples',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const content = next(prompt);
      return { content, finishReason: finishReason(content), usage: USAGE, warnings: [] };
    },
    async doStream({ prompt }) {
      const content = next(prompt);
      /** @type {LanguageModelV4StreamPart[]} */
      const parts = [{ type: 'stream-start', warnings: [] }];
      for (const part of content) {
        if (part.type === 'text') {
          parts.push({ type: 'text-start', id: '1' });
          // In pieces, as a real model does.
          for (const delta of part.text.split(/(?<= )/)) parts.push({ type: 'text-delta', id: '1', delta });
          parts.push({ type: 'text-end', id: '1' });
        } else if (part.type === 'tool-call') {
          parts.push(part);
        }
      }
      parts.push({ type: 'finish', finishReason: finishReason(content), usage: USAGE });
      return { stream: ai.simulateReadableStream({ chunks: parts, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  };
}

/** @param {LanguageModelV4Prompt} prompt @returns {number} */
function callsIn(prompt) {
  return prompt.flatMap(({ role, content }) =>
    role === 'assistant' ? content.filter(({ type }) => type === 'tool-call') : [],
  ).length;
}

/** What the tools gave back, in words. @param {LanguageModelV4Prompt} prompt @returns {string[]} */
function resultsIn(prompt) {
  return prompt.flatMap(({ role, content }) => {
    if (role !== 'tool') return [];
    return content.flatMap((part) => {
      if (part.type !== 'tool-result') return [];
      const { output } = part;
      if (output.type === 'execution-denied') return [`not run (${output.reason ?? 'no reason given'})`];
      return [typeof output.value === 'string' ? output.value : JSON.stringify(output.value)];
    });
  });
}

/** @param {LanguageModelV4Prompt} prompt @returns {string} */
function promptIn(prompt) {
  const last = prompt.findLast(({ role }) => role === 'user');
  if (last?.role !== 'user') return '';
  return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** @param {LanguageModelV4Content[]} content @returns {{ unified: 'stop' | 'tool-calls', raw: undefined }} */
function finishReason(content) {
  return { unified: content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop', raw: undefined };
}

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
