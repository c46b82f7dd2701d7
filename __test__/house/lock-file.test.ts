/** The lock file holds what every platform needs: `npm ci` refuses a lock file written while a registry lacked some of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** Where Node looks for what the package at `path` imports, the nearest folder first. */
function* places(path: string, name: string): Generator<string> {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    yield at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (at === '') return;
  }
}

test('each dependency of each package in it is in it, those of other platforms too', () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name]) => ![...places(path, name)].some((place) => packages[place]?.version !== undefined))
      .map(([name, range]) => `${path} needs ${name}@${range}`),
  );
  expect(missing).toEqual([]);
});

test('each platform that a package ships for has the tools that build and check it', () => {
  for (const platform of ['linux-x64-gnu', 'linux-arm64-musl', 'darwin-x64', 'darwin-arm64', 'win32-x64-msvc']) {
    expect(packages).toHaveProperty([`node_modules/@oxlint/binding-${platform}`]);
  }
});
