// @ts-check
// The one conversation that every contestant of P2 has: the model says something and calls a tool, a human approves,
// the tool runs, the model says something more. Each contestant gets the same words, the same call and the same answer.

import assert from 'node:assert/strict';

export const question = 'Please delete the report of 2019.';

export const toolName = 'delete_file';
export const toolDescription = 'Deletes one file.';
export const toolCallId = 'call_1';
export const toolArgs = { path: '/reports/2019.txt' };
export const toolResult = 'deleted /reports/2019.txt';

/** What the model says before the tool ran, and after, in the pieces it streams. */
export const turns = [
  { text: ['I ', 'will ', 'delete ', 'it.'], callsTool: true },
  { text: ['The ', 'report ', 'of ', '2019 ', 'is ', 'gone.'], callsTool: false },
];

export const finalText = turns[1].text.join('');

/** In how many parts the text of P1 comes, where nobody is asked. */
export const longTextParts = 20_000;

/** What a model that costs nothing reports as its usage. */
export const usage = { input: 10, output: 5 };

/**
 * Watches one conversation and fails it unless everything happened, in this order: the model was called, the human was
 * asked about the very call, nothing had run until then, the tool ran once, the model was called again and had its say.
 *
 * It is what makes a contestant that skips a step, and so looks fast, fail the benchmark instead of winning it.
 */
export class Witness {
  /** @type {string[]} */
  #happened = [];
  #gated;

  /** @param {{ gated?: boolean }} [options] `gated: false`: nobody is to be asked */
  constructor({ gated = true } = {}) {
    this.#gated = gated;
  }

  modelCalled() {
    this.#happened.push('model');
  }

  /**
   * @param {string} name
   * @param {unknown} args
   */
  asked(name, args) {
    assert.equal(name, toolName, 'the human was asked about another tool');
    assert.deepEqual(args, toolArgs, 'the human was shown other arguments');
    this.#happened.push('asked');
  }

  /** @param {unknown} args */
  toolRan(args) {
    assert.deepEqual(args, toolArgs, 'the tool ran with other arguments');
    this.#happened.push('tool');
    return toolResult;
  }

  /** @param {string} text what the contestant says the model said last */
  finished(text) {
    const expected = this.#gated ? ['model', 'asked', 'tool', 'model'] : ['model', 'tool', 'model'];
    assert.deepEqual(this.#happened, expected, 'a step of the conversation is missing');
    assert.equal(text, finalText, 'the model was not heard to the end');
  }
}
