/** `npm ci` in an empty folder, as each platform that a package ships for would do it. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exec } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as unknown;

interface Locked {
  os?: string[];
  optionalDependencies?: Record<string, string>;
}

const { napi } = read('package.json') as { napi: { targets: string[] } };
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const ofSomePlatform = new Set(Object.entries(packages).flatMap(([path, { os }]) => (os ? [nameOf(path)] : [])));

/** What comes as one package for each platform, by the tool. */
const families = Object.entries(packages)
  .map(([path, { optionalDependencies = {} }]) => ({
    tool: nameOf(path),
    programs: Object.keys(optionalDependencies).filter((name) => ofSomePlatform.has(name)),
  }))
  .filter(({ programs }) => programs.length >= 3);

/** As npm calls `aarch64-unknown-linux-musl`. */
function platformOf(target: string): string[] {
  const [cpu = '', , os = '', libc] = target.split('-');
  const names: Record<string, string> = { x86_64: 'x64', aarch64: 'arm64', windows: 'win32' };
  const of = [`--cpu=${names[cpu] ?? cpu}`, `--os=${names[os] ?? os}`];
  return os === 'linux' ? [...of, `--libc=${libc === 'musl' ? 'musl' : 'glibc'}`] : of;
}

/** What `npm ci` would add to an empty folder. */
async function added(...platform: string[]): Promise<Set<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-npm-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(root, file), join(folder, file));
  const options = ['--dry-run', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, stdout, stderr } = await exec('npm', ['ci', ...options, ...platform], { cwd: folder });
  expect(code, stderr).toBe(0);
  return new Set([...stdout.matchAll(/^add (\S+) /gm)].map(([, name = '']) => name));
}

/** The tools with an added program. */
const toolsOf = (names: Set<string>) =>
  families.filter(({ programs }) => programs.some((name) => names.has(name))).map(({ tool }) => tool);

test.each(napi.targets)(
  '%s: the lock file fits package.json, and each tool that runs here runs there',
  async (target) => {
    const here = toolsOf(await added());
    expect(here.length).toBeGreaterThan(5);
    expect(toolsOf(await added(...platformOf(target)))).toEqual(here);
  },
);
