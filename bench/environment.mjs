// @ts-check
// What a measurement needs around it: the peers, a Node 24, and countersign as a user would have it.

import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Failure, npm } from '../scripts/run.mjs';
import * as shared from '../scripts/runtimes.mjs';
import { progress } from './harness.mjs';

const bench = import.meta.dirname;
const root = dirname(bench);
const NODE_24 = '24.21.0';

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** @param {string[]} args @param {string} cwd */
async function runNpm(args, cwd) {
  const { code, output } = await npm([...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, quiet: true });
  if (code !== 0) throw new Error(`npm ${args[0]} in ${cwd} failed:\n${output}`);
  return output;
}

/** Installs the peers, unless what is there came from this very lock file. */
export async function installPeers() {
  const lock = createHash('sha256')
    .update(readFileSync(join(bench, 'package-lock.json')))
    .digest('hex');
  const stamp = join(bench, 'node_modules', '.installed-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  progress('installing the peers');
  await runNpm(['ci', '--ignore-scripts'], bench);
  writeFileSync(stamp, lock);
}

/**
 * The program of Node 24, which everything is measured on: the AI SDK 7 and one peer ask for Node 22 or later.
 *
 * @returns {Promise<string>}
 */
export async function node24() {
  const isThere = !shared.missingRuntimes() && shared.installedRuntimes().find(({ name }) => name === 'node24');
  if (isThere) return isThere.path;
  // The tests' runtimes are not installed. This one alone, then.
  const folder = join(bench, '.runtimes');
  const os = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${os}-${process.arch}`;
  const path = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(path)) {
    progress(`installing Node ${NODE_24}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    await runNpm(['install', '--no-bin-links', '--ignore-scripts', '--no-package-lock', `${name}@${NODE_24}`], folder);
  }
  return path;
}

/**
 * Puts what would be published into the `node_modules` of an application of its own: the files that `npm pack` takes, and
 * the addon as the package of this platform. So it is what ships that is measured, and nothing that lies about in the
 * working tree. Its `ai` is a link to the one that `bench/` imports: both sides run the very same copy.
 *
 * @returns {Promise<{ folder: string, bytes: Record<string, number>, remove: () => void }>}
 */
export async function stageApp() {
  const manifest = readJson(join(root, 'package.json'));
  const addon = hostAddon();
  const apps = join(bench, '.app');
  mkdirSync(apps, { recursive: true });
  const folder = mkdtempSync(join(apps, 'app-'));
  const modules = join(folder, 'node_modules');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(
    join(folder, 'index.mjs'),
    "export * as countersign from 'countersign';\nexport const ai = import.meta.resolve('ai');\n",
  );
  // What an import of nothing costs, and how one is timed.
  mkdirSync(join(modules, 'empty'), { recursive: true });
  writeFileSync(
    join(modules, 'empty', 'package.json'),
    '{ "name": "empty", "type": "module", "exports": "./index.js" }\n',
  );
  writeFileSync(join(modules, 'empty', 'index.js'), 'export {};\n');
  writeFileSync(
    join(folder, 'time-import.mjs'),
    'const start = performance.now();\nawait import(process.argv[2]);\nprocess.stdout.write(String(performance.now() - start));\n',
  );

  /** @type {Record<string, number>} */
  const bytes = {};
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: root, shell: process.platform === 'win32' });
  // A list in some versions of npm, an object in others.
  const [{ files }] = Object.values(JSON.parse(stdout));
  for (const { path, size } of files) {
    bytes[path] = size;
    cpSync(join(root, path), join(modules, 'countersign', path));
  }
  if (!bytes['dist/index.js'] || !bytes['binding/binding.js']) {
    throw new Error('npm pack leaves out dist/ or binding/: run `npm run build` first');
  }

  const platformPackage = join(modules, `countersign-${addon.platform}`);
  mkdirSync(platformPackage);
  cpSync(addon.path, join(platformPackage, addon.file));
  bytes[addon.file] = statSync(addon.path).size;
  writeFileSync(
    join(platformPackage, 'package.json'),
    JSON.stringify({ name: `countersign-${addon.platform}`, version: manifest.version, main: addon.file }),
  );
  symlinkSync(join(root, 'node_modules', 'ai'), join(modules, 'ai'), 'junction');
  return { folder, bytes, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The addon that this machine loads. */
function hostAddon() {
  const binding = join(root, 'binding');
  const files = existsSync(binding) ? readdirSync(binding).filter((file) => file.endsWith('.node')) : [];
  if (files.length !== 1) {
    throw new Error(`expected one .node file in binding/, found ${files.length || 'none'}: run \`npm run build\``);
  }
  const path = join(binding, files[0]);
  if (hasSymbols(readFileSync(path))) {
    throw new Failure('the addon in binding/ is not the one that ships: run `npm run build:native`');
  }
  return { file: files[0], path, platform: files[0].replace(/^countersign\./, '').replace(/\.node$/, '') };
}

/** What ships is stripped of its table of symbols, other builds are not. Looks at ELF files only. @param {Buffer} file */
function hasSymbols(file) {
  if (!file.subarray(0, 4).equals(Buffer.from('\x7fELF'))) return false;
  const start = Number(file.readBigUInt64LE(0x28));
  const [size, count] = [file.readUInt16LE(0x3a), file.readUInt16LE(0x3c)];
  const types = Array.from({ length: count }, (_, section) => file.readUInt32LE(start + section * size + 4));
  return types.includes(2);
}

/** The versions that are compared. @param {string} node */
export async function versions(node) {
  const requireFrom = createRequire(join(bench, 'package.json'));
  const { dependencies } = requireFrom('./package.json');
  const { stdout } = await promisify(execFile)(node, ['-p', 'process.versions.node']);
  return { node: stdout.trim(), ai: requireFrom('ai/package.json').version, ...dependencies };
}

/**
 * The environment of all that is measured: without what would switch on tracing in a peer, or change how Node runs.
 *
 * @param {string} app the folder of {@link stageApp}
 */
export function plainEnvironment(app) {
  const ours = /^(NODE_|LANGSMITH_|LANGCHAIN_|OPENAI_|AI_SDK_|NAPI_RS_|COUNTERSIGN_ADDON)/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(kept), NODE_ENV: 'production', COUNTERSIGN_BENCH_APP: app };
}
