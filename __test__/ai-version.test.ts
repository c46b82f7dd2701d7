/** Every test beside this one runs twice, on AI SDK 6 and on 7. This one proves that it does. */
import { createRequire } from 'node:module';
import * as ai from 'ai';
import * as aiTest from 'ai/test';
import { expect, test } from 'vitest';
import { loadSdk } from '../ts/ai-sdk/sdk/sdk.js';

const require = createRequire(import.meta.url);

test('`ai` is the version that the project is named after', async () => {
  const major = process.env.AI_MAJOR;
  expect(['6', '7']).toContain(major);
  expect('isStepCount' in ai).toBe(major === '7');
  expect('MockLanguageModelV4' in aiTest).toBe(major === '7');
  expect(await import('ai')).toBe(ai);
});

test('`ts/` loads that version too', async () => {
  const sdk = await loadSdk();
  expect(sdk.version.major).toBe(Number(process.env.AI_MAJOR));
  expect(sdk.ai).toBe(ai);
});

test('the two are the installed versions', () => {
  expect(require('ai6/package.json').version).toMatch(/^6\./);
  expect(require('ai7/package.json').version).toMatch(/^7\./);
});
