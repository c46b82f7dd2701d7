/** An addon that cannot be loaded says so in our words: the cause, the platform, and the cure. And a browser gets one sentence. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVER_ENTRIES } from '../../scripts/browser.mjs';
import { addonError, PLATFORMS } from '../../ts/errors/addon-error.js';
import { exec, environment } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const missing = (name: string) =>
  Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- x`), { code: 'MODULE_NOT_FOUND' });
const thisPlatform = /on ([\w-]+):/.exec(addonError([]).message)?.[1] ?? '';

describe('the message', () => {
  test('names the package of the platform where it is not installed', () => {
    const { message, code } = addonError([missing('./countersign.x.node'), missing(`countersign-${thisPlatform}`)]);
    expect(code).toBe('ERR_ADDON');
    expect(message).toContain(`Cannot find module 'countersign-${thisPlatform}'. Install countersign-${thisPlatform}`);
    expect(message).toMatch(/leave countersign out \(external\).*NAPI_RS_NATIVE_LIBRARY_PATH/);
    expect(message).not.toMatch(/npm has a bug|Require stack/);
  });

  test('has the innermost cause, not the file that was looked for after it', () => {
    const denied = Object.assign(new Error('Cannot load native addon because loading addons is disabled.'), {
      code: 'ERR_DLOPEN_DISABLED',
    });
    const failure = new Error('Failed to load', { cause: denied });
    const { message, cause } = addonError([missing('./countersign.x.node'), failure, missing('countersign-x')]);
    expect(message).toMatch(/addons is disabled\. Node's --permission forbids addons: start it with --allow-addons\./);
    expect(cause).toBe(denied);
  });

  test.each([
    ['Deno', new Error('Requires ffi access to "/x.node", run again with the --allow-ffi flag'), /--allow-ffi/],
    ['a library that is too old', new Error("/lib/libc.so.6: version `GLIBC_2.35' not found"), /cannot load it/],
    ['nothing that is an error', 'no', /: no\. /],
  ])('%s', (_, failure, cure) => {
    expect(addonError([missing('x'), failure]).message).toMatch(cure);
  });

  test('lists the platforms where there is none for this one', () => {
    const { platform, arch } = process;
    Object.defineProperty(process, 'platform', { value: 'sunos' });
    Object.defineProperty(process, 'arch', { value: 'mips' });
    try {
      const { message } = addonError([missing('countersign-sunos-mips')]);
      expect(message).toContain('on sunos-mips:');
      expect(message).toContain(`There is none for it. There are: ${PLATFORMS.join(', ')}.`);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
      Object.defineProperty(process, 'arch', { value: arch });
    }
  });

  test('knows the platforms that are packed', () => {
    const { napi } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { napi: { targets: string[] } };
    const packed = readFileSync(join(root, 'scripts/pack.mjs'), 'utf8');
    const names = napi.targets.map((target) => packed.match(new RegExp(`'${target}': '([\\w-]+)'`))?.[1]);
    expect(names.toSorted()).toEqual([...PLATFORMS].toSorted());
  });
});

test('docs/hosts.md names the package of each platform, and each in the line for Next.js', () => {
  const page = readFileSync(join(root, 'docs/hosts.md'), 'utf8');
  const line = page.match(/serverExternalPackages: \[([^\]]*)\]/)?.[1] ?? '';
  const named = [...line.matchAll(/'countersign-([\w-]+)'/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual([...PLATFORMS].toSorted());
  for (const platform of PLATFORMS) expect(page).toContain(`\`countersign-${platform}\``);
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

  test('without the package of the platform', async () => {
    const { stdout } = await run(bare);
    expect(stdout).toMatch(
      /^CountersignError ERR_ADDON countersign's addon could not be loaded on \S+: Cannot find module/,
    );
    expect(stdout).toContain(`Install countersign-${thisPlatform}`);
  });

  test('under --permission without --allow-addons', async () => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
    const { stdout } = await run(whole, flag, '--allow-fs-read=*', '--preserve-symlinks');
    expect(stdout).toMatch(/^CountersignError ERR_ADDON .*start it with --allow-addons/);
  });

  test('with the file named in the environment, and none beside it', async () => {
    const [addon] = readdirSync(join(root, 'binding')).filter((name) => name.endsWith('.node'));
    const env = environment({ NAPI_RS_NATIVE_LIBRARY_PATH: join(root, 'binding', addon ?? '') });
    const { stdout } = await exec(process.execPath, ['use.mjs'], { cwd: bare, env });
    expect(stdout).toBe('function\n');
  });

  test.each(['browser', 'edge-light', 'workerd'])(
    'under the condition %s each entry is one sentence',
    async (condition) => {
      for (const entry of SERVER_ENTRIES) {
        const name = entry === 'index' ? 'countersign' : `countersign/${entry}`;
        const { stderr, code } = await exec(
          process.execPath,
          ['--conditions', condition, '--input-type=module', '--eval', `import * as all from '${name}'; void all;`],
          { cwd: whole },
        );
        expect(code).toBe(1);
        expect(stderr).toMatch(/Error: countersign runs where your tools run: .* countersign\/react\./);
      }
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
