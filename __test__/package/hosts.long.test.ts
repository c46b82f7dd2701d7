/**
 * Bundlers and hosts, as docs/hosts.md has them: what works out of the box, what works with the line that the page gives, and what
 * fails with our words. Each is installed from the registry into a folder of its own.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedRuntimes } from '../../scripts/runtimes.mjs';
import { exec } from '../runtimes.js';
import { packed, program, project, tool, unreachable, VERSIONS, WORKS, write, type Packed } from './hosts/support.js';

const why = await unreachable();
const runtime = (name: string) => installedRuntimes().find((each) => each.name === name)?.path;

describe.skipIf(why !== undefined)(`hosts${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let from: Packed;
  /** The package, the SDK, and the bundlers. */
  let base: string;
  beforeAll(async () => {
    from = await packed();
    base = await project(from, 'base', [
      'esbuild',
      'webpack',
      'rollup',
      '@rollup/plugin-node-resolve',
      '@rollup/plugin-commonjs',
      '@rollup/plugin-json',
      'vite',
    ]);
  });
  afterAll(() => from?.done());

  /** Runs a file of the project; `moved`: elsewhere, where no node_modules is. */
  const node = async (file: string, moved = false) => {
    const folder = moved ? join(from.folder, `moved-${file.replaceAll(/\W/g, '-')}`) : base;
    const target = join(folder, moved ? file.replace(/^.*\//, '') : file);
    if (moved) mkdirSync(folder, { recursive: true });
    if (moved) cpSync(join(base, file), target);
    return exec(process.execPath, [target], { cwd: dirname(target) });
  };
  const succeeds = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
    expect(stdout.trim(), `${stdout}\n${stderr}`).toBe(WORKS);

  test('what is published says nothing of how it is built', () => {
    const manifest = JSON.parse(readFileSync(join(base, 'node_modules/countersign/package.json'), 'utf8')) as object;
    for (const name of ['scripts', 'devDependencies', 'overrides', 'napi']) expect(manifest).not.toHaveProperty(name);
    expect(manifest).toMatchObject({ optionalDependencies: { [from.platform.name]: expect.any(String) as string } });
  });

  describe('esbuild', () => {
    const esbuild = (out: string, ...args: string[]) =>
      program(base, 'esbuild', ['app.mjs', '--bundle', '--platform=node', `--outfile=${out}`, ...args]);
    const BANNER =
      "--banner:js=import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

    test.each([
      ['an ES module', 'out/esm.mjs', ['--format=esm', BANNER]],
      ['CommonJS, as Lambda tools make it', 'out/cjs.cjs', ['--format=cjs']],
      ['with the package left out', 'out/left-out.mjs', ['--format=esm', '--external:countersign', BANNER]],
      ['with all packages left out', 'out/packages.mjs', ['--format=esm', '--packages=external']],
    ])('%s works where node_modules is above', async (_, out, args) => {
      const built = await esbuild(out, ...args);
      expect(built.code, built.stderr).toBe(0);
      succeeds(await node(out));
    });

    test.each([
      ['out/alone.mjs', ['--format=esm', BANNER]],
      ['out/alone.cjs', ['--format=cjs']],
    ])('%s, moved to where no package is: our words, not that npm has a bug', async (out, args) => {
      await esbuild(out, ...args);
      const { stderr, code } = await node(out, true);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/countersign's addon could not be loaded on .*leave countersign out \(external\)/);
      expect(stderr).not.toMatch(/npm has a bug/);
    });

    test('moved, with the addon beside it and named in the environment, works', async () => {
      await esbuild('out/named.cjs', '--format=cjs');
      const folder = join(from.folder, 'named');
      mkdirSync(folder);
      cpSync(join(base, 'out/named.cjs'), join(folder, 'app.cjs'));
      const addons = join(base, 'node_modules', from.platform.name);
      const file = readdirSync(addons).find((name) => name.endsWith('.node')) ?? '';
      cpSync(join(addons, file), join(folder, file));
      const env = { COUNTERSIGN_ADDON: join(folder, file) };
      succeeds(await exec(process.execPath, ['app.cjs'], { cwd: folder, env }));
    });

    test('as AWS Lambda runs it: the bundle, and beside it the two packages that are left out', async () => {
      await esbuild('out/lambda.cjs', '--format=cjs', '--external:countersign', '--external:ai');
      const task = await project(from, 'task', []);
      cpSync(join(base, 'out/lambda.cjs'), join(task, 'index.cjs'));
      succeeds(await exec(process.execPath, ['index.cjs'], { cwd: task }));
    });

    test('without ai beside it, a run says what is missing', async () => {
      await esbuild('out/alone-left.cjs', '--format=cjs', '--external:countersign');
      const task = join(from.folder, 'lacking');
      mkdirSync(task);
      cpSync(join(base, 'out/alone-left.cjs'), join(task, 'index.cjs'));
      const { name } = from.platform;
      for (const each of ['countersign', name])
        cpSync(join(base, 'node_modules', each), join(task, 'node_modules', each), { recursive: true });
      expect((await exec(process.execPath, ['index.cjs'], { cwd: task })).stderr).toMatch(
        /The package 'ai' is not installed beside countersign.*npm install ai/,
      );
      cpSync(join(base, 'node_modules', 'ai'), join(task, 'node_modules', 'ai'), { recursive: true });
      expect((await exec(process.execPath, ['index.cjs'], { cwd: task })).stderr).toMatch(
        /The package 'ai' could not be loaded: Cannot find package '(?!ai').*with all that it needs/,
      );
    });

    test('for a browser: it is built, and says one sentence', async () => {
      const built = await program(base, 'esbuild', [
        'page.mjs',
        '--bundle',
        '--platform=browser',
        '--format=esm',
        '--outfile=out/page.mjs',
      ]);
      expect(built.code, built.stderr).toBe(0);
      expect(readFileSync(join(base, 'out/page.mjs')).length).toBeLessThan(5_000);
      expect((await node('out/page.mjs')).stderr).toContain('countersign runs where your tools run');
    });
    beforeAll(() => write(base, { 'page.mjs': "import { createGate } from 'countersign';\ncreateGate();\n" }));
  });

  describe('webpack', () => {
    const webpack = (name: string, more: string) => {
      write(base, {
        [`${name}.config.cjs`]: `module.exports = { mode: 'production', target: 'node', entry: './app.mjs',
          output: { path: __dirname + '/out', filename: '${name}.mjs', module: true, library: { type: 'module' } },
          experiments: { outputModule: true }, ${more} };`,
        [`build-${name}.cjs`]: `require('webpack')(require('./${name}.config.cjs'), (error, stats) => {
          const { errors = [] } = stats?.toJson() ?? {};
          console.log(String(error ?? errors.map(({ message }) => message).join('\\n')));
          process.exitCode = error || errors.length ? 1 : 0; });`,
      });
      return exec(process.execPath, [`build-${name}.cjs`], { cwd: base });
    };

    test('with the package left out it works', async () => {
      const built = await webpack('left', "externals: { countersign: 'module countersign' }");
      expect(built.code, built.stdout).toBe(0);
      succeeds(await node('out/left.mjs'));
    });

    test('without that line it stops at the addon, when it builds', async () => {
      const { code, stdout } = await webpack('bare', '');
      expect(code).toBe(1);
      expect(stdout).toMatch(/Module parse failed|binding/);
    });
  });

  test('Rollup works', async () => {
    write(base, {
      'rollup.mjs': `import { rollup } from 'rollup';
        import resolve from '@rollup/plugin-node-resolve';
        import commonjs from '@rollup/plugin-commonjs';
        import json from '@rollup/plugin-json';
        const bundle = await rollup({ input: 'app.mjs', onwarn() {}, plugins: [resolve({ preferBuiltins: true }), commonjs(), json()] });
        await bundle.write({ file: 'out/rollup.mjs', format: 'esm', inlineDynamicImports: true });`,
    });
    const built = await exec(process.execPath, ['rollup.mjs'], { cwd: base });
    expect(built.code, built.stderr).toBe(0);
    succeeds(await node('out/rollup.mjs'));
  });

  test.each(['external', 'noExternal'])('Vite SSR works: %s', async (kind) => {
    write(base, {
      [`vite-${kind}.mjs`]: `import { build } from 'vite';
        await build({ logLevel: 'error', ssr: ${kind === 'noExternal' ? '{ noExternal: true }' : '{}'},
          build: { ssr: 'app.mjs', outDir: 'out/${kind}', rollupOptions: { output: { entryFileNames: 'app.mjs' } } } });`,
    });
    const built = await exec(process.execPath, [`vite-${kind}.mjs`], { cwd: base });
    expect(built.code, built.stderr).toBe(0);
    succeeds(await node(`out/${kind}/app.mjs`));
  });

  describe.skipIf(runtime('bun') === undefined)('Bun', () => {
    const bun = (...args: string[]) => exec(runtime('bun') ?? '', args, { cwd: base });

    test('runs it, and builds it for Bun', async () => {
      succeeds(await bun('app.mjs'));
      const built = await bun('build', 'app.mjs', '--target=bun', '--outfile=out/bun.mjs');
      expect(built.code, built.stderr).toBe(0);
      succeeds(await bun('out/bun.mjs'));
    });

    test('--compile: the addon goes into the program by the two lines of the page', async () => {
      const addons = join(base, 'node_modules', from.platform.name);
      const file = readdirSync(addons).find((name) => name.endsWith('.node')) ?? '';
      write(base, {
        'compiled.mjs': `import addon from './node_modules/${from.platform.name}/${file}' with { type: 'file' };
          process.env.COUNTERSIGN_ADDON = addon;
          await import('./app.mjs');`,
      });
      const built = await bun('build', 'compiled.mjs', '--compile', '--outfile=out/compiled');
      expect(built.code, built.stderr).toBe(0);
      const elsewhere = join(from.folder, 'compiled');
      renameSync(join(base, 'out/compiled'), elsewhere);
      succeeds(await exec(elsewhere, [], { cwd: from.folder }));
    });

    test('--compile without them says which', async () => {
      await bun('build', 'app.mjs', '--compile', '--outfile=out/uncompiled');
      const elsewhere = join(from.folder, 'uncompiled');
      renameSync(join(base, 'out/uncompiled'), elsewhere);
      const { stderr } = await exec(elsewhere, [], { cwd: from.folder });
      expect(stderr).toMatch(/countersign's addon could not be loaded|COUNTERSIGN_ADDON/);
    });

    // `Bun.serve` closes a response that has been silent for ten seconds.
    test('Bun.serve with its defaults keeps a response open while a human thinks', async () => {
      write(base, { 'slow.mjs': SLOW });
      const { stdout, stderr } = await bun('slow.mjs');
      expect(stdout.trim(), stderr).toBe('open after 15 s, ran /a');
    });
  });

  describe.each(['node22', 'node24', 'node26'])('--permission on %s', (name) => {
    const path = runtime(name);
    const run = (...flags: string[]) =>
      exec(path ?? '', ['--permission', '--allow-fs-read=*', ...flags, 'app.mjs'], { cwd: base });

    test.skipIf(path === undefined)('works with --allow-addons, and says so without', async () => {
      succeeds(await run('--allow-addons'));
      expect((await run()).stderr).toContain('start it with --allow-addons');
    });
  });

  test('worker threads work', async () => {
    write(base, {
      'workers.mjs': `import { Worker } from 'node:worker_threads';
        await Promise.all([1, 2, 3].map(() => new Promise((done, failed) =>
          new Worker(new URL('./app.mjs', import.meta.url)).on('exit', done).on('error', failed))));`,
    });
    const { stdout, stderr } = await exec(process.execPath, ['workers.mjs'], { cwd: base });
    expect(stdout.trim().split('\n'), stderr).toEqual([WORKS, WORKS, WORKS]);
  });

  test('Deno works with -A, and names the flag without it', async () => {
    const folder = await project(from, 'deno', ['deno'], { 'deno.json': '{ "nodeModulesDir": "manual" }' });
    const deno = (...flags: string[]) => tool(folder, 'deno/bin.cjs', ['run', ...flags, 'app.mjs']);
    succeeds(await deno('-A'));
    expect((await deno('--allow-read', '--allow-env', '--allow-sys')).stderr).toMatch(/allow-ffi/);
  });

  test('Jest works as it runs ES modules', async () => {
    const folder = await project(from, 'jest', ['jest'], {
      'gate.test.mjs': `import { createGate } from 'countersign';
        test('it is there', async () => { const gate = createGate(); expect(await gate.pending()).toEqual([]); await gate.close(); });`,
      'jest.config.json': '{ "testMatch": ["**/*.test.mjs"], "transform": {} }',
    });
    const args = ['--experimental-vm-modules', join(folder, 'node_modules/jest/bin/jest.js')];
    const { code, stderr } = await exec(process.execPath, args, { cwd: folder });
    expect(code, stderr).toBe(0);
  });

  describe('package managers', () => {
    const manifest = (more: object) =>
      JSON.stringify({
        name: 'app',
        private: true,
        type: 'module',
        dependencies: { countersign: `file:${from.main}`, ai: VERSIONS.ai, zod: VERSIONS.zod },
        ...more,
      });

    test('pnpm, whose packages see only what they name', async () => {
      const tools = await project(from, 'pnpm-itself', ['pnpm']);
      const folder = join(from.folder, 'pnpm');
      write(folder, {
        'package.json': manifest({}),
        'pnpm-workspace.yaml': `overrides:\n  ${from.platform.name}: file:${from.platform.file}\n`,
      });
      for (const file of ['app.mjs', 'scenario.mjs']) cpSync(join(base, file), join(folder, file));
      const args = ['install', '--no-frozen-lockfile', '--ignore-scripts'];
      const installed = await program(tools, 'pnpm', args, { cwd: folder });
      expect(installed.code, installed.stdout + installed.stderr).toBe(0);
      succeeds(await exec(process.execPath, ['app.mjs'], { cwd: folder }));
    });

    test('Yarn with PnP, without a node_modules', async () => {
      const tools = await project(from, 'yarn-itself', ['@yarnpkg/cli-dist']);
      const folder = join(from.folder, 'yarn');
      write(folder, {
        'package.json': manifest({ resolutions: { [from.platform.name]: `file:${from.platform.file}` } }),
        '.yarnrc.yml': 'enableTelemetry: false\nenableGlobalCache: false\ncompressionLevel: 0\n',
        'yarn.lock': '',
      });
      for (const file of ['app.mjs', 'scenario.mjs']) cpSync(join(base, file), join(folder, file));
      const yarn = join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
      const installed = await exec(process.execPath, [yarn, 'install', '--no-immutable'], { cwd: folder });
      expect(installed.code, installed.stdout).toBe(0);
      succeeds(await exec(process.execPath, [yarn, 'node', 'app.mjs'], { cwd: folder }));
    });
  });
});

/** A response whose human takes fifteen seconds. */
const SLOW = `
import { createGate, streamWithEvents } from 'countersign';
import { tool } from 'ai';
import { z } from 'zod';
import { call, modelOf, says } from './scenario.mjs';

const gate = createGate();
const ran = [];
const server = Bun.serve({
  port: 0,
  fetch: (request) =>
    streamWithEvents({
      model: modelOf([[call('del', { path: '/a' })], says('done')]),
      prompt: 'go',
      tools: { del: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => void ran.push(path) }) },
      interruptOn: { del: true },
      gate,
      abortSignal: request.signal,
    }).toUIMessageStreamResponse(),
});
const response = await fetch(server.url);
const text = response.text();
let isOpen = true;
text.catch(() => (isOpen = false));
await new Promise((done) => setTimeout(done, 15_000));
for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
await text.catch(() => (isOpen = false));
console.log(isOpen ? 'open after 15 s, ran ' + ran.join() : 'closed, ran ' + ran.join());
server.stop(true);
await gate.close();
`;
