import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../src/greet.js';

test('greets in the language asked for', () => {
  assert.equal(greet('Ada', 'fr'), 'Bonjour, Ada!');
});

test('an unknown language gets English', () => {
  assert.equal(greet('Ada', 'xx'), 'Hello, Ada!');
});
