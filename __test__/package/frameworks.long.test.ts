/** Other frameworks as npm has them: one that runs tools of the AI SDK, and two that do not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npmInstall, runtimes } from '../runtimes.js';
import { VERSIONS } from './hosts/support.js';
import { projectIn, runIn } from './sdks.js';

const temp = mkdtempSync(join(tmpdir(), 'countersign-frameworks-'));
afterAll(() => rmSync(temp, { recursive: true, force: true, maxRetries: 3 }));

const PACKAGES = {
  '@langchain/core': '1.4.0',
  '@mastra/core': '1.71.0',
  '@openai/agents-core': '0.20.0',
  ai: VERSIONS.ai,
  zod: VERSIONS.zod,
};
const node22 = runtimes().find(({ name }) => name === 'node22')?.path;

beforeAll(async () => {
  writeFileSync(join(temp, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await npmInstall(temp, '--legacy-peer-deps');
  projectIn(temp);
});

test('an agent of Mastra: each call is asked about, and the model gets its results and its denials', async () => {
  const { code, stdout, stderr } = await runIn(temp, 'mastra.mjs', node22);
  expect(code, stderr + stdout).toBe(0);
  const denied = { type: 'execution-denied', reason: 'keep it' };
  expect(JSON.parse(stdout)).toEqual({
    asked: ['own /a: own /a', 'own /b: own /b', 'theirs /a: theirs /a', 'theirs /b: theirs /b'],
    ran: ['own /a', 'theirs /a'],
    told: {
      'own /a': { type: 'text', value: 'own /a done' },
      'theirs /a': { type: 'text', value: 'theirs /a done' },
      'own /b': denied,
      'theirs /b': denied,
    },
    text: 'done',
  });
});

test('tools of LangChain and of OpenAI Agents are refused, and not handed back ungated', async () => {
  const { code, stdout, stderr } = await runIn(temp, 'foreign.mjs', node22);
  expect(code, stderr + stdout).toBe(0);
  const { told, ran } = JSON.parse(stdout) as { told: Record<string, string | null>; ran: unknown };
  expect(Object.keys(told)).toHaveLength(10);
  expect(new Set(Object.values(told))).toEqual(new Set(['ERR_INVALID_CONFIG']));
  expect(ran).toEqual([]);
});
