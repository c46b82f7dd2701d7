/**
 * The packages as they ship, installed into an empty project and used from every runtime, with AI SDK 6 and 7.
 *
 * `COUNTERSIGN_TARBALLS=<folder>` tests tarballs that were packed elsewhere, as the release does.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { rolldown, type OutputOptions } from 'rolldown';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { environment, exec, npmInstall, runOn, runtimes } from '../runtimes.js';
import configs from '../../rolldown.config.mjs';
import { serve } from '../cli/chat-server.js';
import { Terminal } from '../terminal/terminal.js';
import { MAY_SHIP, mustShip } from './shipped.js';

const root = join(import.meta.dirname, '../..');
const MEGABYTE = 1_000_000;

/** As `countersign-<platform>` is called on this machine. */
const glibc = (process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }).header
  .glibcVersionRuntime;
const platform =
  { linux: `linux-${process.arch}-${glibc ? 'gnu' : 'musl'}`, win32: `win32-${process.arch}-msvc` }[
    process.platform as string
  ] ?? `${process.platform}-${process.arch}`;

const temp = mkdtempSync(join(tmpdir(), 'countersign-package-'));
afterAll(() => rmSync(temp, { recursive: true, force: true, maxRetries: 3 }));

const given = process.env.COUNTERSIGN_TARBALLS;
let mainTarball: string;
let platformTarball: string;

beforeAll(async () => {
  const folder = given === undefined ? join(temp, 'tarballs') : resolve(root, given);
  if (given === undefined) {
    const args = ['scripts/pack.mjs', '--addons', 'binding', '--out', folder, '--some'];
    const { code, stderr } = await exec(process.execPath, args, { cwd: root });
    expect(code, stderr).toBe(0);
  }
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string;
  mainTarball = join(folder, `countersign-${version}.tgz`);
  platformTarball = join(folder, `countersign-${platform}-${version}.tgz`);
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining([`countersign-${version}.tgz`, `countersign-${platform}-${version}.tgz`]),
  );
});

describe.each([
  { sdk: 'AI SDK 6', ai: '6.0.326' },
  { sdk: 'AI SDK 7', ai: '7.0.173' },
])('with $sdk', ({ ai }) => {
  const project = join(temp, `ai-${ai}`);
  const installed = join(project, 'node_modules', 'countersign');
  const addon = join(project, 'node_modules', `countersign-${platform}`);

  beforeAll(async () => {
    mkdirSync(project);
    cpSync(join(import.meta.dirname, 'project'), project, { recursive: true });
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
    const exact = ['zod@4.6.7', 'typescript@7.0.2', '@types/node@20.19.0', '@types/json-schema@7.0.15'];
    await npmInstall(project, mainTarball, platformTarball, `ai@${ai}`, ...exact);
  });

  test('the installed version is the one that was asked for', () => {
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules', 'ai', 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(version).toBe(ai);
  });

  test('nothing is shipped that should not be, and all that should', () => {
    const files = filesOf(installed);
    expect(files.filter((file) => !MAY_SHIP.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining([...mustShip(), 'LICENSE', 'THIRD-PARTY-NOTICES.txt']));
    expect(filesOf(addon).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'countersign-confine',
      `countersign.${platform}.node`,
      'package.json',
    ]);
  });

  test('the platform packages are optional dependencies of the same version', () => {
    const { version, optionalDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      version: string;
      optionalDependencies: Record<string, string>;
    };
    expect(optionalDependencies).toMatchObject({ [`countersign-${platform}`]: version });
    expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([version]));
  });

  // P7 is 12 MB; the executable that confines came after it, and takes it past that. Documents and examples are 1.1 MB more.
  test('one platform unpacks to 15.9 MB at most, without documents and examples', () => {
    const read = ['docs', 'examples', 'man', 'registry', 'skills'].map((name) => sizeOf(join(installed, name)));
    const sum = read.reduce((all, size) => all + size);
    expect(sizeOf(installed) + sizeOf(addon) - sum).toBeLessThanOrEqual(15.9 * MEGABYTE);
    expect(sum).toBeLessThanOrEqual(1.5 * MEGABYTE);
  });

  test('every npm package that is bundled is named, with its licence', async () => {
    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const bundled = await bundledPackages();
    expect(bundled).toEqual(
      expect.arrayContaining([expect.stringMatching(/^@cfworker\//), expect.stringMatching(/^zod /)]),
    );
    expect(bundled.filter((name) => !notices.includes(`\n${name} (`))).toEqual([]);
    expect(notices).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
    expect(notices).toContain('The above copyright notice and this permission notice shall be included');
    expect(notices).toContain('Copyright (c) 2020 Jeremy Danyow');
  });

  test('every crate that the addon shows traces of is named, with its licence', () => {
    const notices = readFileSync(join(addon, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const { crates, standard } = cratesIn(readFileSync(join(addon, `countersign.${platform}.node`), 'latin1'));
    expect(crates.length).toBeGreaterThan(20);
    expect(crates.filter((name) => !notices.includes(`\n${name} (`))).toEqual([]);
    expect(standard.filter((name) => !new RegExp(`\\b${name}[:,]`).test(notices))).toEqual([]);
    for (const part of ['zstd-sys', 'napi', 'SQLite', 'The Rust standard library'])
      expect(notices).toContain(`\n${part}`);
    expect(notices).toContain('Copyright (c) Meta Platforms, Inc. and affiliates.');
    expect(notices).not.toContain('GNU GENERAL PUBLIC LICENSE');
  });

  test.skipIf(given !== undefined)('every crate that cargo links is named', async () => {
    const notices = readFileSync(join(addon, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const options = ['--locked', '-e', 'normal,no-proc-macro', '--prefix', 'none', '--format', '{p}'];
    const { code, stdout, stderr } = await exec('cargo', ['tree', ...options], { cwd: root });
    expect(code, stderr).toBe(0);
    const crates = stdout
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('countersign'))
      .map((line) => line.replace(/^(\S+) v(\S+).*$/, '$1 $2'));
    expect(crates.length).toBeGreaterThan(100);
    expect(crates.filter((name) => !notices.includes(`\n${name} (`))).toEqual([]);
  });

  const expected = {
    requested: ['send', 'wipe'],
    answered: [
      ['send', true, null],
      ['wipe', false, 'too much'],
    ],
    ran: [['send', { to: 'ada' }]],
    text: 'done',
  };

  test.for(
    runtimes().flatMap((runtime) => ['use.mjs', 'use.cjs'].map((script) => ({ name: runtime.name, runtime, script }))),
  )('$script on $name', async ({ runtime, script }) => {
    const { code, signal, stdout, stderr } = await runOn(runtime, [script], { cwd: project });
    expect({ code, signal }, stderr + stdout).toEqual({ code: 0, signal: null });
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test.for(runtimes())('the deep agent on $name', async (runtime) => {
    const { code, stdout, stderr } = await runOn(runtime, ['agent.mjs'], { cwd: project });
    expect(code, stderr + stdout).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      asked: [
        ['execute', 0],
        ['write_file', 1],
      ],
      told: ['file-written', 'tool-denied'],
      file: 'hello\n',
      outside: [true, false, 'ERR_OUTSIDE_ROOT'],
    });
  });

  test.for(runtimes())('the chat on $name', async (runtime) => {
    const writes = { calls: [['write_file', { file_path: 'hello.txt', content: 'hi\n' }]] as [string, object][] };
    const { url } = await serve([writes, 'Written.']);
    const folder = mkdtempSync(join(temp, 'chat-'));
    const cli = join(installed, 'dist', 'cli.js');
    const options = ['--model', 'scripted', '--base-url', url, '--cwd', folder, '--ledger', 'memory:'];
    const { code, stdout, stderr } = await runOn(runtime, [cli, ...options], {
      cwd: project,
      input: 'write hello.txt\ny\n',
    });
    expect(code, stderr + stdout).toBe(0);
    expect(stdout).toContain('Safe mode');
    expect(readFileSync(join(folder, 'hello.txt'), 'utf8')).toBe('hi\n');
  });

  test.for(runtimes())('the demo on $name, on pipes', async (runtime) => {
    const home = mkdtempSync(join(temp, 'home-'));
    const { code, stdout, stderr } = await runOn(runtime, [join(installed, 'dist', 'cli.js'), 'demo'], {
      cwd: project,
      env: { HOME: home, TMPDIR: home },
      input: 'create hello.txt with hi\ny\nrun git push\n',
    });
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('created hello.txt (2 bytes)');
    expect(stdout).toContain('releases are made by people');
    expect(stdout).toContain('npx countersign init');
    expect(readdirSync(home).filter((name) => name.startsWith('countersign-'))).toEqual([]);
  });

  // A pseudo-terminal of node-pty is one of Unix here.
  test.skipIf(process.platform === 'win32').for(runtimes())('the demo on $name, on a terminal', async (runtime) => {
    const home = mkdtempSync(join(temp, 'home-'));
    const args = [join(installed, 'dist', 'cli.js'), 'demo'];
    const env = { ...environment(), HOME: home, TMPDIR: home };
    const terminal = new Terminal(runtime.path, args, { columns: 100, rows: 40, cwd: project, env });
    onTestFinished(() => terminal.close());
    await terminal.waitFor('what should I do?');
    terminal.type('create hello.txt with hi');
    terminal.press('enter');
    await terminal.waitFor('? help');
    await terminal.take('y');
    await terminal.waitFor('Created hello.txt.');
    await terminal.waitFor('what should I do?');
    terminal.press('ctrlC');
    terminal.press('ctrlC');
    await terminal.ended();
    expect(terminal.all()).toContain('created hello.txt (2 bytes)');
    expect(readdirSync(home).filter((name) => name.startsWith('countersign-'))).toEqual([]);
  });

  /** Those that need nothing but the package, `ai` and `zod`, and end by themselves. */
  const examples = filesOf(join(import.meta.dirname, '../../examples'))
    .filter((file) => /^(?:agents\/)?[\w.-]+\.mjs$/.test(file))
    .filter((file) => !/(?:^|\/)(?:ask|listen|model|mailbox|pretend-slack|folder|email|use-chat-\w+)\.mjs$/.test(file))
    .filter((file) => !(ai.startsWith('6') && file === 'tool-approval.mjs'));

  test.each(examples)('the example %s runs where it is installed', async (file) => {
    const path = join(installed, 'examples', file);
    const { code, stdout, stderr } = await exec(process.execPath, [path], {
      cwd: project,
      env: { COUNTERSIGN_AUTO: 'approve' },
    });
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });

  test('documents link to what is installed, or to the repository', () => {
    const documents = filesOf(installed).filter((file) => /\.md$|^llms\.txt$/.test(file));
    expect(documents.length).toBeGreaterThan(40);
    const broken = documents.flatMap((file) => {
      const text = readFileSync(join(installed, file), 'utf8').replace(/^(`{3,})[^]*?^\1[ \t]*$/gm, '');
      return [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(installed, dirname(file), link)))
        .map((link) => `${file}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  test('tsc --strict accepts it, declarations included, and infers the arguments', async () => {
    const tsc = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = [
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      'false',
      '--types',
      'node',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ];
    const { code, stdout, stderr } = await exec(
      process.execPath,
      [existsSync(tsc) ? tsc : `${tsc}.js`, ...options, 'types.mts'],
      {
        cwd: project,
      },
    );
    expect(stdout + stderr).toBe('');
    expect(code).toBe(0);
  });
});

/** `name version` of each npm package that rolldown bundles from. */
async function bundledPackages(): Promise<string[]> {
  const folders = new Set<string>();
  for (const { output, ...input } of configs) {
    await using bundle = await rolldown({ ...input, cwd: root });
    const { output: files } = await bundle.generate(output as OutputOptions);
    for (const id of files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))) {
      const parts = id.split(/[\\/]/);
      const at = parts.lastIndexOf('node_modules') + 1;
      if (at > 0) folders.add(parts.slice(0, at + (parts[at]?.startsWith('@') ? 2 : 1)).join('/'));
    }
  }
  return [...folders].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<string, string>;
    return `${name} ${version}`;
  });
}

/** The crates whose sources an addon tells of in its panics: `name version`, and the names of those in the standard library. */
function cratesIn(addon: string): { crates: string[]; standard: string[] } {
  const found = (path: RegExp) => [...addon.matchAll(path)].map(([, name, version]) => `${name} ${version}`);
  const crate = String.raw`([\w-]+?)-(\d+\.\d+\.\d+[\w.+-]*)[\\/]`;
  return {
    crates: [...new Set(found(new RegExp(String.raw`registry[\\/]src[\\/][^\\/]+[\\/]${crate}`, 'g')))],
    standard: [
      ...new Set(found(new RegExp(String.raw`rust[\\/]deps[\\/]${crate}`, 'g')).map((name) => name.split(' ')[0]!)),
    ],
  };
}

/** Paths of all files under a folder, relative to it, with `/`. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}

function sizeOf(folder: string): number {
  return filesOf(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
