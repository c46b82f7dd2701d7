/** Arguments that a person types run as what they say, or not at all. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edited } from '../../ts/terminal/answers.js';
import { typedJson } from '../../ts/values/typed-json.js';

const REFUSED = [
  ['{"id":9007199254740993}', /9007199254740993/],
  ['{"id":-9007199254740993}', /-9007199254740993/],
  ['[0.1000000000000000055511151231257827]', /more digits/],
  ['{"n":1e999}', /1e999/],
  ['{"id":7,"note":"a","note":"b"}', /"note" stands there twice/],
  ['{"a":{"x":1,"\\u0078":2}}', /stands there twice/],
  ['[{"a":1},{"b":[{"a":1,"a":1}]}]', /stands there twice/],
  ['{"a":1', /JSON/],
] as const;

describe('another value than was written', () => {
  test.each(REFUSED)('%s', (text, why) => {
    expect(() => typedJson(text)).toThrow(why);
    const answer = edited(text, { args: {} });
    expect(answer).toMatchObject({ type: 'say', broken: expect.stringMatching(why) as unknown });
  });
});

test.each([
  '{"a":1.50,"b":-0.0,"c":1e3,"d":1E-2,"e":123456789012345680000,"f":0.1}',
  '{"a":{"a":"a"},"b":["a","a",{"a":1}],"c":"a\\":1,\\"c","d":""}',
  '[9007199254740991,-9007199254740991,1e21,5e-324,1.7976931348623157e308]',
  '"x"',
  ' [ ] ',
])('what JavaScript reads as it is written: %s', (text) => {
  expect(typedJson(text)).toEqual(JSON.parse(text));
});

test('what is printed is read again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 1);
      expect(typedJson(text)).toEqual(JSON.parse(text));
    }),
    { seed: 7, numRuns: 500 },
  );
});
