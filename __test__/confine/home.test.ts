/** A command that is given the home of the user: its author is told. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { confine, confinementReport } from '../../ts/index.js';
import { ownPlace } from '../support/own-place.js';
import { listenToWarnings } from '../support/warnings.js';

const place = ownPlace('home');
afterAll(() => rmSync(place, { recursive: true }));

/** What is told where a command starts in `project` of a new home, or may write where `write` says. */
function told(cwd: string, write?: string[]): string[] {
  using heard = listenToWarnings();
  const home = realpathSync(mkdtempSync(join(place, 'h-')));
  mkdirSync(join(home, 'project'));
  process.env.HOME = home;
  confine('true', {
    cwd: join(home, cwd),
    ...(write === undefined ? {} : { write: write.map((path) => join(home, path)) }),
  });
  return heard.warnings.filter((warning) => warning.includes('home of the user'));
}

describe.runIf(confinementReport().supported)('a home that a command may use', () => {
  test.each<[string, string, string[]?]>([
    ['as its folder', '.'],
    ['to write in it', 'project', ['.']],
    ['with a folder above it', 'project', ['..']],
    ['beside its project', '.', ['project']],
  ])('is told: %s', (_, cwd, write) => {
    expect(told(cwd, write)).toEqual([expect.stringContaining('such as those in .ssh')]);
  });

  test('is not where its project is a folder in it', () => {
    expect([told('project'), told('project', ['project'])]).toEqual([[], []]);
  });
});
