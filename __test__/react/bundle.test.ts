/** `countersign/react` is for browsers: what it loads, what it expects to be there, and how large it is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const code = readFileSync(join(import.meta.dirname, '../../dist/react.js'), 'utf8');

test('it loads React and nothing else', () => {
  const loaded = [...code.matchAll(/(?:\bfrom|\bimport|\brequire\s*\()\s*(["'])(.*?)\1/g)].map(([, , name]) => name);
  expect(loaded.toSorted()).toEqual(['react', 'react/jsx-runtime']);
  expect(code).not.toMatch(/\bimport\s*\(/);
});

test('it needs nothing of Node', () => {
  expect(code).not.toMatch(/\b(?:process|Buffer|global|__dirname|setImmediate)\b(?!:)|node:/);
});

test('it evaluates no code and writes no markup or style', () => {
  expect(code).not.toMatch(/\beval\b|new Function|innerHTML|dangerouslySetInnerHTML|\bstyle\s*:/);
});

test('servers that draw pages send it to the browser', () => {
  expect(code).toMatch(/^["']use client["'];/);
});

test('it is small', () => {
  const size = gzipSync(code).length;
  console.info(`countersign/react: ${code.length} bytes, ${size} compressed`);
  expect(size).toBeLessThan(9_500);
});
