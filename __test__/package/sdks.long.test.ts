/** The first and the last release of each AI SDK, and the newest pre-release, as npm has them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { npmInstall, runtimes } from '../runtimes.js';
import { linkIn } from '../support/installed.js';
import { projectIn, runIn } from './sdks.js';

const root = join(import.meta.dirname, '../..');
const temp = mkdtempSync(join(tmpdir(), 'countersign-sdks-'));
afterAll(() => rmSync(temp, { recursive: true, force: true, maxRetries: 3 }));

/** The last of 6 and of 7 are those that all tests run on. */
const VERSIONS = {
  'first of 5': '5.0.0',
  'last of 5': '5.0.277',
  'first of 6': '6.0.0',
  'last of 6': '6.0.326',
  'newest pre-release': '7.0.0-canary.176',
  'first of 7': '7.0.0',
  'last of 7': '7.0.173',
};
const folderOf = (version: string) => join(temp, 'all', 'node_modules', `ai-${version}`);

beforeAll(async () => {
  const all = join(temp, 'all');
  mkdirSync(all);
  const dependencies = Object.fromEntries(Object.values(VERSIONS).map((each) => [`ai-${each}`, `npm:ai@${each}`]));
  const zod = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.zod as string;
  writeFileSync(join(all, 'package.json'), JSON.stringify({ private: true, dependencies: { ...dependencies, zod } }));
  await npmInstall(all);
});

function projectWith(version: string): string {
  const folder = projectIn(mkdtempSync(join(temp, 'project-')));
  linkIn(folder, 'ai', folderOf(version));
  return folder;
}

/** AI SDK 7 wants Node 22. */
const runtimeFor = (version: string) =>
  runtimes().find(({ name }) => name === (version.startsWith('7.') ? 'node22' : 'node20'))?.path;

const refused = ['first of 5', 'last of 5', 'newest pre-release'] as const;
const taken = ['first of 6', 'last of 6', 'first of 7', 'last of 7'] as const;

test('the last of 6 and of 7 are those of all other tests', () => {
  for (const major of ['6', '7'] as const) {
    const manifest = join(root, 'node_modules', `ai${major}`, 'package.json');
    expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toBe(VERSIONS[`last of ${major}`]);
  }
});

describe.each(refused)('%s', (which) => {
  const version = VERSIONS[which];

  test('every entry that uses it says that it is not supported, and nothing runs', async () => {
    const { code, stdout, stderr } = await runIn(projectWith(version), 'entries.mjs', runtimeFor(version));
    expect(code, stderr).toBe(0);
    const { told, ran } = JSON.parse(stdout) as { told: Record<string, string | null>; ran: unknown };
    const free = Object.keys(told).filter((name) => told[name] === null);
    expect(free).toEqual(['acpApprover', 'createGate']);
    for (const said of Object.values(told))
      if (said !== null) expect(said).toMatch(/^ERR_UNSUPPORTED_SDK: \w+: ai [\d.]+\S* is installed/);
    expect(ran).toEqual([]);
  });
});

test.for(runtimes())('version 5 is told on $name', async ({ path }) => {
  const { code, stdout, stderr } = await runIn(projectWith('5.0.277'), 'entries.mjs', path);
  expect(code, stderr).toBe(0);
  const { told } = JSON.parse(stdout) as { told: Record<string, string | null> };
  expect(Object.values(told).filter((said) => said?.startsWith('ERR_UNSUPPORTED_SDK'))).toHaveLength(7);
});

describe.each(taken)('%s', (which) => {
  const version = VERSIONS[which];

  test('is told apart, and a human who says no stops the tool on every way', async () => {
    const { code, stdout, stderr } = await runIn(projectWith(version), 'denies.mjs', runtimeFor(version));
    expect(code, stderr).toBe(0);
    const told = JSON.parse(stdout) as Record<
      string,
      { ran: string[]; said?: string; failed?: string; asked: string[] }
    >;
    expect(Object.values(told).flatMap(({ ran }) => ran)).toEqual([]);
    const denied = { ran: [], said: 'done', asked: ['wipe'] };
    expect(told).toMatchObject({
      streamWithEvents: denied,
      agent: denied,
      gateTools: denied,
      // The SDK's own stop: the turn ends.
      stop: { ran: [], said: '', asked: [] },
      applyInterruptConfig: { ran: [], said: '', asked: [] },
      toolApproval: version.startsWith('6.') ? { failed: 'ERR_UNSUPPORTED_SDK' } : denied,
    });
  });
});
