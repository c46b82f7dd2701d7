/** What a project is: its files, its scripts, its package manager. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ExitError, Exit } from '../exit.js';

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface Project {
  folder: string;
  manager: PackageManager;
  /** Whether countersign is among its dependencies. */
  isInstalled: boolean;
  isNext: boolean;
  /** By their names. */
  scripts: Readonly<Record<string, string>>;
  /** Files in its folder, by name. */
  has(name: string): boolean;
}

const MANIFEST = 'package.json';

const LOCKS: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

/** @throws {ExitError} where there is no package */
export function readPackage(folder: string): Project {
  if (!existsSync(join(folder, MANIFEST)))
    throw new ExitError(
      Exit.failure,
      `there is no ${MANIFEST} in ${folder}: name the folder of your project`,
      'ERR_NO_PROJECT',
    );
  return readProject(folder);
}

/**
 * A project in any language.
 *
 * @throws {ExitError} where its package.json cannot be read
 */
export function readProject(folder: string): Project {
  const has = (name: string): boolean => existsSync(join(folder, name));
  const manifest = has(MANIFEST) ? manifestOf(join(folder, MANIFEST)) : {};
  const all = { ...record(manifest['dependencies']), ...record(manifest['devDependencies']) };
  const named = /^(npm|pnpm|yarn|bun)@/.exec(String(manifest['packageManager'] ?? ''))?.[1] as
    | PackageManager
    | undefined;
  return {
    folder,
    manager: named ?? LOCKS.find(([lock]) => has(lock))?.[1] ?? 'npm',
    isInstalled: all['countersign'] !== undefined,
    isNext: all['next'] !== undefined,
    scripts: record(manifest['scripts']),
    has,
  };
}

function manifestOf(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as Record<string, unknown>;
  } catch (error) {
    throw new ExitError(Exit.failure, `${file} is not JSON: ${(error as Error).message}`, 'ERR_NO_PROJECT');
  }
}

const record = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};

const NOT_THERE = /^(?:node_modules|dist|build|out|coverage|vendor|target)$|^\./;
const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;
const NO_SOURCE = /\.d\.[cm]?ts$|\.(?:test|spec)\.[cm]?[jt]sx?$|\.min\.js$|\.config\.[cm]?[jt]s$/;
/** Of a file, in bytes: what is longer was not written by hand. */
const MOST = 400_000;
const MOST_FILES = 20_000;

/** Whether a file has more in it than JavaScript. */
export const isFrameworkFile = (file: string): boolean => /\.(?:vue|svelte|astro)$/.test(file);

/** Its source files, by their paths in it. Symbolic links are not followed. */
export function sourcesOf(folder: string): string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    const entries = readdirSync(join(folder, path), { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      if (NOT_THERE.test(entry.name)) continue;
      const file = posix.join(path, entry.name);
      if (found.length >= MOST_FILES) return;
      if (entry.isDirectory()) visit(file);
      else if (
        entry.isFile() &&
        SOURCE.test(file) &&
        !NO_SOURCE.test(file) &&
        statSync(join(folder, file)).size <= MOST
      )
        found.push(file);
    }
  };
  visit('');
  return found;
}
