/** What the tarball would hold. `pack.long.test.ts` installs it, and uses it on every runtime. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { partOf } from '../../scripts/notices.mjs';
import { npm } from '../runtimes.js';
import { MAY_SHIP, mustShip } from './shipped.js';

const root = join(import.meta.dirname, '../..');

test('nothing would be shipped that should not be, and all that should', async () => {
  const { stdout } = await npm(['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], { cwd: root });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !MAY_SHIP.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(mustShip()));
});

test('a package without a licence text is not packed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-part-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'LICENSE-APACHE'), 'Apache License\nTERMS AND CONDITIONS');
  writeFileSync(join(folder, 'LICENSE-MIT'), 'MIT License\n\nCopyright (c) Ada\n\nPermission is hereby granted');
  const from = { name: 'somebody', version: '1.2.3', licence: 'MIT OR Apache-2.0', folder };
  expect(() => partOf({ ...from, files: [] })).toThrow(/^somebody 1\.2\.3 has no licence text in .*WITHOUT_TEXT/);
  expect(() => partOf({ ...from, licence: undefined as never, files: ['LICENSE-MIT'] })).toThrow(/names no licence/);
  expect(partOf({ ...from, files: ['LICENSE-APACHE', 'LICENSE-MIT'] }).texts).toEqual([
    expect.stringContaining('Copyright (c) Ada'),
  ]);
});
