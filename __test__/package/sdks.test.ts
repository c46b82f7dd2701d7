/** An AI SDK that is not known is refused at once: on it nothing would be asked about. `sdks.long.test.ts` has the real ones. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fakeAi, projectIn, runIn, withoutManifest } from './sdks.js';

const temp = mkdtempSync(join(tmpdir(), 'countersign-sdks-'));
afterAll(() => rmSync(temp, { recursive: true, force: true, maxRetries: 3 }));

const NAMES_5 = ['streamText', 'asSchema', 'stepCountIs'];
const NAMES_6 = [...NAMES_5, 'ToolLoopAgent'];
const NAMES_7 = [...NAMES_6, 'isStepCount'];

let projects = 0;

/** What each entry says at once in a project with such an `ai`. */
async function toldBeside(version: string, names: readonly string[], more?: object | 'no manifest') {
  const folder = projectIn(join(temp, `${projects++}`));
  fakeAi(folder, version, names, more === 'no manifest' ? {} : more);
  if (more === 'no manifest') withoutManifest(folder);
  const finished = await runIn(folder, 'entries.mjs');
  const { told, ran } = JSON.parse(finished.stdout || '{}') as { told?: Record<string, string | null>; ran?: unknown };
  return { ...finished, told, ran };
}

/** Those that need no AI SDK. */
const FREE = { acpApprover: null, createGate: null };

describe.each([
  ['5.0.277', NAMES_5],
  // It has all that tells version 7 from others.
  ['8.0.0', NAMES_7],
  ['4.3.19', NAMES_5],
  ['7.0.0-canary.176', NAMES_7],
  ['6.0.0-beta.169', NAMES_6],
  ['0.0.0-e27b4ed4-20240419203611', NAMES_5],
])('ai %s', (version, names) => {
  test('every entry that uses it says that it is not supported', async () => {
    const { told, ran, stderr } = await toldBeside(version, names);
    expect(told, stderr).toEqual({
      ...Object.fromEntries(
        Object.keys(told ?? {}).map((name) => [
          name,
          expect.stringContaining(`ERR_UNSUPPORTED_SDK: ${name}: ai ${version} is installed`) as unknown,
        ]),
      ),
      ...FREE,
    });
    expect(Object.keys(told ?? {})).toHaveLength(9);
    expect(ran).toEqual([]);
  });
});

test('ai 6: toolApproval alone is refused, which it would not ask', async () => {
  const { told, stderr } = await toldBeside('6.0.326', NAMES_6);
  expect(
    Object.entries(told ?? {}).filter(([, said]) => said !== null),
    stderr,
  ).toEqual([
    [
      'toolApproval',
      expect.stringMatching(/^ERR_UNSUPPORTED_SDK: toolApproval: ai 6\.0\.326 does not know the option/),
    ],
  ]);
});

test('ai 7: none is refused', async () => {
  const { told, stderr } = await toldBeside('7.0.173', NAMES_7);
  expect(Object.values(told ?? { none: 'told' }), stderr).toEqual(Array.from({ length: 9 }, () => null));
});

test('ai whose package.json has no version is unknown, and refused', async () => {
  const { told, ran, stderr } = await toldBeside('7.0.173', NAMES_7, { version: undefined });
  const { acpApprover: _, createGate: _free, ...others } = told ?? {};
  expect(Object.keys(others), stderr).toHaveLength(7);
  for (const [name, said] of Object.entries(others))
    expect(said).toContain(`ERR_UNSUPPORTED_SDK: ${name}: ai without a version is installed`);
  expect(ran).toEqual([]);
});

test.each([
  ['8.0.0', NAMES_7],
  ['7.0.0-canary.176', NAMES_7],
  ['5.0.277', NAMES_5],
])('ai %s whose exports hide its package.json is refused by its version', async (version, names) => {
  const { told, ran, stderr } = await toldBeside(version, names, { exports: { '.': './index.js' } });
  const { acpApprover: _, createGate: _free, ...others } = told ?? {};
  expect(Object.keys(others), stderr).toHaveLength(7);
  for (const [name, said] of Object.entries(others))
    expect(said).toContain(`ERR_UNSUPPORTED_SDK: ${name}: ai ${version} is installed`);
  expect(ran).toEqual([]);
});

describe('where the version cannot be read, as in a bundle', () => {
  const hidden = 'no manifest';

  test('what version 5 exports ends the process', async () => {
    const { code, stderr } = await toldBeside('5.0.277', NAMES_5, hidden);
    expect(code).toBe(1);
    expect(stderr).toContain('ERR_UNSUPPORTED_SDK');
  });

  test('what version 6 exports ends it when toolApproval is used', async () => {
    const { code, stderr } = await toldBeside('6.0.326', NAMES_6, hidden);
    expect(code).toBe(1);
    expect(stderr).toContain('toolApproval: AI SDK 6 does not know the option');
  });

  test('what version 7 exports is taken for it', async () => {
    const { code, told, stderr } = await toldBeside('7.0.173', NAMES_7, hidden);
    expect(code, stderr).toBe(0);
    expect(Object.values(told ?? { none: 'told' })).toEqual(Array.from({ length: 9 }, () => null));
  });
});

describe('a program below the project, that has another ai of its own', () => {
  const below = async (version: string, program: string) => {
    const folder = projectIn(join(temp, `${projects++}`));
    fakeAi(folder, '7.0.173', NAMES_7);
    const own = join(folder, 'below');
    mkdirSync(own);
    fakeAi(own, version, NAMES_5);
    for (const file of [program, 'told-by.mjs']) cpSync(join(folder, file), join(own, file));
    const finished = await runIn(own, program);
    return {
      ...finished,
      told: (JSON.parse(finished.stdout || '{}') as { told?: Record<string, string | null> }).told,
    };
  };

  test('of version 5: whatever goes into its own loop is refused, by any way of calling it', async () => {
    const { told, stderr } = await below('5.0.277', 'other-loop.mjs');
    expect(Object.keys(told ?? {}), stderr).toHaveLength(9);
    for (const [name, said] of Object.entries(told ?? {}))
      expect(said, name).toMatch(
        /^ERR_UNSUPPORTED_SDK: [\w.]+: ai 5\.0\.277, which .*other-loop\.mjs uses, is installed/,
      );
  });

  test('of version 6: only what version 6 passes over', async () => {
    const { told, stderr } = await below('6.0.326', 'other-loop.mjs');
    expect(
      Object.entries(told ?? { none: 'told' }).flatMap(([name, said]) => (said === null ? [] : [name])),
      stderr,
    ).toEqual(['toolApproval']);
  });
});

test('without any ai, every entry that uses it says so at the call', async () => {
  const folder = projectIn(join(temp, `${projects++}`));
  const { stdout, stderr } = await runIn(folder, 'entries.mjs');
  const { told } = JSON.parse(stdout || '{}') as { told?: Record<string, string | null> };
  expect(told, stderr).toEqual({
    ...Object.fromEntries(
      Object.keys(told ?? {}).map((name) => [
        name,
        expect.stringMatching(
          /^ERR_UNSUPPORTED_SDK: \w+: The package 'ai' is not installed.*npm install ai/,
        ) as unknown,
      ]),
    ),
    ...FREE,
  });
  expect(Object.keys(told ?? {})).toHaveLength(9);
});
