/** An addon that cannot be loaded says so in our words: the cause, the platform, and the cure. And a browser gets one sentence. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as binding from '../../binding/binding.js';
import { SERVER_ENTRIES } from '../../scripts/browser.mjs';
import { addonError, PLATFORMS } from '../../ts/errors/addon-error.js';
import { exec, environment } from '../runtimes.js';
import { isThorough, sample } from '../support/effort.js';

const root = join(import.meta.dirname, '../..');
const missing = (name: string) =>
  Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- x`), { code: 'MODULE_NOT_FOUND' });
const { platform: thisPlatform } = binding as { platform: string };
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const [addonFile = ''] = readdirSync(join(root, 'binding')).filter((name) => name.endsWith('.node'));
const addon = join(root, 'binding', addonFile);

describe('the message', () => {
  test('names the package of the platform where it is not installed', () => {
    const { message, code } = addonError(missing(`countersign-${thisPlatform}`), thisPlatform);
    expect(code).toBe('ERR_ADDON');
    expect(message).toContain(`Cannot find module 'countersign-${thisPlatform}'. Install countersign-${thisPlatform}`);
    expect(message).toMatch(/leave countersign out \(external\).*COUNTERSIGN_ADDON/);
    expect(message).not.toMatch(/npm has a bug|Require stack/);
  });

  test('has the innermost cause', () => {
    const denied = Object.assign(new Error('Cannot load native addon because loading addons is disabled.'), {
      code: 'ERR_DLOPEN_DISABLED',
    });
    const { message, cause } = addonError(new Error('Failed to load', { cause: denied }), 'linux-x64-gnu');
    expect(message).toMatch(/addons is disabled\. /);
    expect(cause).toBe(denied);
  });

  test('has the cure that the loader knows', () => {
    const failure = Object.assign(new Error('it is of version 0.0.9'), { cure: 'Install it again.' });
    expect(addonError(failure, 'linux-x64-gnu').message).toMatch(/: it is of version 0\.0\.9\. Install it again\.$/);
  });

  test.each([
    ['Deno', new Error('Requires ffi access to "/x.node", run again with the --allow-ffi flag'), /--allow-ffi/],
    ['a library that is too old', new Error("/lib/libc.so.6: version `GLIBC_2.35' not found"), /cannot load it/],
    ['nothing that is an error', 'no', /: no\. /],
  ])('%s', (_, failure, cure) => {
    expect(addonError(failure, 'linux-x64-gnu').message).toMatch(cure);
  });

  test('lists the platforms where there is none for this one', () => {
    const { message } = addonError(new Error('no addon is made for it'), 'sunos-mips');
    expect(message).toContain(
      `on sunos-mips: no addon is made for it. These platforms have one: ${PLATFORMS.join(', ')}.`,
    );
    const other = addonError(missing('countersign-sunos-mips'), 'sunos-mips').message;
    expect(other).toContain(`It has no addon. These platforms have one: ${PLATFORMS.join(', ')}.`);
  });

  test('knows the platforms that are packed', () => {
    const { napi } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { napi: { targets: string[] } };
    const packed = readFileSync(join(root, 'scripts/binding.mjs'), 'utf8');
    const names = napi.targets.map((target) => packed.match(new RegExp(`'${target}': '([\\w-]+)'`))?.[1]);
    expect(names.toSorted()).toEqual([...PLATFORMS].toSorted());
  });
});

test('docs/hosts.md names the package of each platform, and no other', () => {
  const page = readFileSync(join(root, 'docs/hosts.md'), 'utf8');
  for (const platform of PLATFORMS) expect(page).toContain(`\`countersign-${platform}\``);
  const named = [...page.matchAll(/['`]countersign-([\w-]+)['`]/g)].map(([, name]) => name);
  expect(named.filter((name) => !PLATFORMS.some((platform) => platform === name))).toEqual([]);
});

describe('in a process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-addon-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const bare = join(folder, 'bare');
  const whole = join(folder, 'whole');
  const script =
    "import('countersign').then((all) => console.log(typeof all.createGate), (error) => console.log(error.name, error.code, error.message))";

  beforeAll(() => {
    for (const project of [bare, whole]) mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(root, join(whole, 'node_modules', 'countersign'), 'junction');
    const installed = join(bare, 'node_modules', 'countersign');
    for (const name of ['dist', 'binding', 'package.json'])
      cpSync(join(root, name), join(installed, name), { recursive: true, filter: (file) => !file.endsWith('.node') });
    for (const project of [bare, whole]) writeFileSync(join(project, 'use.mjs'), script);
  });

  const run = (cwd: string, ...args: string[]) => exec(process.execPath, [...args, 'use.mjs'], { cwd });

  /** Another package among those of `bare`, while the test runs. */
  const installing = (name: string, files: Record<string, string | Buffer>) => {
    const own = join(bare, 'node_modules', name);
    mkdirSync(own);
    onTestFinished(() => rmSync(own, { recursive: true }));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(own, file), content);
    return own;
  };
  const platformPackage = `countersign-${thisPlatform}`;
  const manifest = JSON.stringify({ name: platformPackage, version, main: 'core.node' });

  test('a minified bundle says it all on a pipe, and shows nothing of itself', async () => {
    const { rolldown } = await import('rolldown');
    const input = join(root, 'dist/index.js');
    const bundle = await rolldown({ input, platform: 'node', external: /^[^./]/, logLevel: 'silent' });
    const file = join(folder, 'min.mjs');
    await bundle.write({ file, format: 'esm', minify: true, codeSplitting: false });
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeGreaterThan(50_000);
    const { code, stderr } = await exec('bash', ['-c', 'set -o pipefail; node "$0" 2>&1 >&2 | cat >&2', file]);
    expect([code, stderr.length < 5_000], stderr.slice(0, 500)).toEqual([1, true]);
    expect(stderr).toContain('ERR_ADDON');
    expect(stderr).toContain('COUNTERSIGN_ADDON');
  });

  test('without the package of the platform', async () => {
    const { stdout } = await run(bare);
    expect(stdout).toMatch(
      /^CountersignError ERR_ADDON countersign's addon could not be loaded on \S+: Cannot find module/,
    );
    expect(stdout).toContain(`Cannot find module '${platformPackage}'`);
    expect(stdout).toContain(`Install ${platformPackage}`);
  });

  test('no package is loaded whose name is not ours', async () => {
    const evil = { 'package.json': '{"main":"index.js"}', 'index.js': "console.log('LOADED'); module.exports = {};" };
    const others = ['countersign-wasm32-wasi', 'countersign-linux-x64', 'countersign-wasm32-wasip1'];
    for (const name of others) installing(name, evil);
    for (const more of [{}, { NAPI_RS_FORCE_WASI: 'true' }, { NAPI_RS_FORCE_WASI: 'error' }]) {
      for (const cwd of [bare, whole]) {
        const { stdout } = await exec(process.execPath, ['use.mjs'], { cwd, env: environment(more) });
        expect(stdout).not.toMatch(/LOADED|wasm/);
        expect(stdout).toMatch(cwd === bare ? /ERR_ADDON/ : /^function$/m);
      }
    }
    const loader = ['binding.js', 'loader.js'].map((name) => readFileSync(join(root, 'binding', name), 'utf8')).join();
    const named = [...loader.matchAll(/require(?:\.resolve)?\('([^.][^']*)'\)/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(PLATFORMS.map((name) => `countersign-${name}`)));
    expect(loader).not.toMatch(/NAPI_RS|wasi/);
  });

  test('a core of another version is not taken', async () => {
    installing(platformPackage, { 'package.json': manifest, 'core.node': readFileSync(addon) });
    expect((await run(bare)).stdout).toBe('function\n');
    const script = join(bare, 'node_modules', 'countersign', 'binding', 'binding.js');
    const text = readFileSync(script, 'utf8');
    onTestFinished(() => writeFileSync(script, text));
    writeFileSync(script, text.replace(`'${version}'`, "'99.0.0'"));
    const { stdout } = await run(bare);
    expect(stdout).toMatch(
      /^CountersignError ERR_ADDON .*it is of version \S+, where countersign is of version 99\.0\.0/,
    );
    expect(stdout).toContain(`and with it ${platformPackage} 99.0.0.`);
  });

  test('another addon in its place is not taken', async () => {
    const other = readdirSync(join(root, 'node_modules', '@rolldown')).find((name) => name.startsWith('binding-'));
    const folder = join(root, 'node_modules', '@rolldown', other ?? '');
    const file = readdirSync(folder).find((name) => name.endsWith('.node')) ?? '';
    installing(platformPackage, { 'package.json': manifest, 'core.node': readFileSync(join(folder, file)) });
    expect((await run(bare)).stdout).toMatch(
      /^CountersignError ERR_ADDON .*it is another addon, or one of another version/,
    );
  });

  const cut: [string, number][] = [
    ['empty', 0],
    ['cut off in its head', 40],
    ['cut off', 0.5],
    ['without its last byte', -1],
  ];
  test.each(sample(cut, 1))('a file that is %s does not kill the process', async (_, kept) => {
    const content = readFileSync(addon);
    const end = kept < 0 ? content.length + kept : kept < 1 ? content.length * kept : kept;
    installing(platformPackage, { 'package.json': manifest, 'core.node': content.subarray(0, end) });
    const { stdout, code } = await run(bare);
    expect(stdout).toMatch(/^CountersignError ERR_ADDON /);
    expect(code).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')('a file that is no addon says so', async () => {
    installing(platformPackage, { 'package.json': manifest, 'core.node': 'not found\n'.repeat(100) });
    expect((await run(bare)).stdout).toMatch(/^CountersignError ERR_ADDON .* is no addon\. Install countersign/);
  });

  test('under --permission without --allow-addons', async () => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
    const { stdout } = await run(whole, flag, '--allow-fs-read=*', '--preserve-symlinks');
    expect(stdout).toMatch(/^CountersignError ERR_ADDON .*start it with --allow-addons/);
  });

  test('under --no-addons', async () => {
    expect((await run(whole, '--no-addons')).stdout).toMatch(
      /ERR_ADDON .*Node was started with --no-addons: leave that out/,
    );
  });

  test('with the file named in the environment, and none beside it', async () => {
    const env = environment({ COUNTERSIGN_ADDON: addon });
    expect((await exec(process.execPath, ['use.mjs'], { cwd: bare, env })).stdout).toBe('function\n');
  });

  test.each([
    [
      'that is not there',
      'nope.node',
      /COUNTERSIGN_ADDON names \S+nope\.node, which is not there\. Name the \.node file/,
    ],
    ['that is no addon', 'use.mjs', /COUNTERSIGN_ADDON names \S+use\.mjs, which is no \.node file/],
  ])('with a file named %s, nothing else is loaded', async (_, file, told) => {
    const env = environment({ COUNTERSIGN_ADDON: join(whole, file) });
    const { stdout } = await exec(process.execPath, ['use.mjs'], { cwd: whole, env });
    expect(stdout).toMatch(/^CountersignError ERR_ADDON /);
    expect(stdout).toMatch(told);
  });

  test('a variable of other packages names no core', async () => {
    const env = environment({ NAPI_RS_NATIVE_LIBRARY_PATH: '/nope.node', NAPI_RS_ENFORCE_VERSION_CHECK: '1' });
    expect((await exec(process.execPath, ['use.mjs'], { cwd: whole, env })).stdout).toBe('function\n');
  });

  test.each(sample([['--version'], ['--help'], ['pending']], 1))(
    'the command tells it in a line: %s',
    async (...args) => {
      const cli = join(bare, 'node_modules', 'countersign', 'dist', 'cli.js');
      const { stdout, stderr, code } = await exec(process.execPath, [cli, ...args], { cwd: bare });
      expect([stdout, code]).toEqual(['', 1]);
      expect(stderr).toMatch(/^countersign: ERR_ADDON: countersign's addon could not be loaded on [^\n]*\n$/);
    },
  );

  test.each(sample(['browser', 'edge-light', 'workerd'], 1))(
    'under the condition %s each entry is one sentence',
    async (condition) => {
      const names = SERVER_ENTRIES.map((entry) => (entry === 'index' ? 'countersign' : `countersign/${entry}`));
      const said = /Error: countersign runs where your tools run: .* countersign\/react\./;
      const evaluate = (script: string) =>
        exec(process.execPath, ['--conditions', condition, '--input-type=module', '--eval', script], { cwd: whole });
      const imported = (name: string) => `import * as all from '${name}'; void all;`;
      // What ends the process is thrown while it is imported, by each of them.
      for (const name of isThorough ? names : names.slice(0, 1)) {
        const { stderr, code } = await evaluate(imported(name));
        expect(code).toBe(1);
        expect(stderr).toMatch(said);
      }
      const told = `(name) => import(name).then(() => 'it was loaded', String)`;
      const { stdout } = await evaluate(
        `console.log(JSON.stringify(await Promise.all(${JSON.stringify(names)}.map(${told}))))`,
      );
      expect(JSON.parse(stdout)).toEqual(names.map(() => expect.stringMatching(said) as string));
    },
  );

  test('what a browser gets has the names of the real one, so that a bundler finds them', async () => {
    for (const entry of SERVER_ENTRIES) {
      const code = readFileSync(join(root, 'dist', 'browser', `${entry}.js`), 'utf8');
      const real = Object.keys((await import(join(root, 'dist', `${entry}.js`))) as object);
      const names = code.match(/export let (.*);/)?.[1]?.split(', ') ?? [];
      expect(names.toSorted()).toEqual(real.toSorted());
    }
  });
});
