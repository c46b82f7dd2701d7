/** Every way in which the installed AI SDK runs a tool was reviewed: a new version that adds one fails here. */
import { expect, test } from 'vitest';
import { REVIEWED } from './sdk-ways.reviewed.js';
import { find, waysOfTheSdk } from './sdk-ways.js';

const ways = waysOfTheSdk();

test('each package of the SDK that runs, binds or copies anything is reviewed', () => {
  expect(Object.keys(ways).toSorted()).toEqual(Object.keys(REVIEWED).toSorted());
});

test.each(Object.keys(REVIEWED))('what %s does with tools is what was reviewed', (name) => {
  const reviewed = Object.entries(REVIEWED[name] ?? {}).map(([place, [, ...hits]]) => [place, hits]);
  expect(ways[name]).toEqual(Object.fromEntries(reviewed));
});

test('each entry says why it leaves tools gated', () => {
  const reasons = Object.values(REVIEWED).flatMap((places) => Object.values(places).map(([why]) => why ?? ''));
  expect(reasons.filter((why) => why.length < 20)).toEqual([]);
});

test.each([
  ['a call', 'function later(tool) { return tool.execute(1); }', 'tool.execute(…)'],
  ['a call by a name in quotes', 'function later(tool) { return tool["execute"](1); }', 'tool["execute"](…)'],
  ['a function that is taken out', 'function later({ execute }) {}', '{ execute } ='],
  ['a function under another name', 'function later({ execute: run }) {}', '{ execute } ='],
  ['a new object', 'function later(tool) { return { execute: tool.run }; }', 'execute: …'],
  ['a copy', 'function later(tool) { return { ...tool }; }', '{ ...tool }'],
  ['a copy of a set', 'function later(tools) { return Object.assign({}, tools); }', 'Object.assign(…)'],
  ['a bind', 'function later(x) { return x.bind({}); }', 'x.bind(…)'],
  ['a caller', 'function later(x) { return x.experimental_toolCaller; }', 'x.experimental_toolCaller'],
  ['a mark', 'function later() { return Symbol.for("vercel.ai.toolRemote"); }', 'Symbol.for("vercel.ai.toolRemote")'],
])('%s is found', (_, source, hit) => {
  const found = new Map<string, Map<string, number>>();
  find(source, found);
  expect([...(found.get('later')?.keys() ?? [])]).toEqual([hit]);
});
