/**
 * Brings the working tree up to date: dependencies, the addon, the compiled TypeScript and, for tests, the runtimes.
 * Each is done only when what it is made from has changed. Has no dependency, since it installs them.
 *
 *     node scripts/prepare.mjs [--tests] [--runtimes] [--force addon|dist] [--only install|addon|dist]
 *
 * There are two builds of the addon. The one that ships takes minutes to link (`profile.release` of Cargo.toml). The one for
 * tests comes out of the build that the Rust tests and the lints need anyway (`profile.dev`); where a shipped one of the same
 * sources is there already, it serves as well.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { confineProgram, ownBinding } from './binding.mjs';
import { writeBrowserEntries } from './browser.mjs';
import { withLock } from './lock.mjs';
import { cargoForTests, findCargo, hostTarget, targetFolder } from './cargo.mjs';
import { Failure, bin, endChildren, endChildrenOnSignals, npm, root, run, say, seconds } from './run.mjs';
import { installRuntimes, missingRuntimes } from './runtimes.mjs';

const at = (...parts) => join(root, ...parts);
const work = at('.build');

/** Every file under these paths, sorted; paths that do not exist are left out. */
function files(paths, skip = () => false) {
  const found = [];
  const visit = (path) => {
    if (!existsSync(path) || skip(path)) return;
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name));
    else found.push(path);
  };
  for (const path of paths) visit(path);
  return found;
}

function hash(paths, ...more) {
  const sum = createHash('sha256').update(JSON.stringify(more));
  for (const file of paths) {
    const content = readFileSync(file);
    sum.update(`\0${relative(root, file).split(sep).join('/')}\0${content.length}\0`).update(content);
  }
  return sum.digest('hex');
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** What is installed follows from the lock file and from the dependencies of package.json. */
function wantedInstall() {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } = JSON.parse(
    readFileSync(at('package.json'), 'utf8'),
  );
  return hash(
    files([at('package-lock.json')]),
    [dependencies, devDependencies, optionalDependencies, peerDependencies, overrides],
    [process.platform, process.arch],
  );
}

/** Whether npm's own record of node_modules says all that the lock file does: then `npm install` was run by hand. */
function isInstalledByHand() {
  const lock = JSON.parse(read(at('package-lock.json')) ?? 'null')?.packages;
  const there = JSON.parse(read(at('node_modules', '.package-lock.json')) ?? 'null')?.packages;
  if (!lock || !there) return false;
  const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const sameWish = ['dependencies', 'devDependencies', 'optionalDependencies'].every(
    (kind) =>
      JSON.stringify(Object.entries(lock['']?.[kind] ?? {}).toSorted()) ===
      JSON.stringify(Object.entries(manifest[kind] ?? {}).toSorted()),
  );
  const isForUs = ({ os, cpu }) => (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
  // Also what only a package for another platform needs, which names none itself.
  const mayLack = ({ optional, libc, os, cpu }) => optional && (libc || !(os || cpu) || !isForUs({ os, cpu }));
  const isThere = ([path, wanted]) =>
    path === '' || (there[path] === undefined ? mayLack(wanted) : there[path].version === wanted.version);
  return sameWish && Object.entries(lock).every(isThere);
}

const install = {
  name: 'install',
  // In node_modules, so that it goes when that goes.
  stamp: at('node_modules', '.countersign-install'),
  wanted: wantedInstall,
  isFresh() {
    if (read(this.stamp) === this.wanted()) return true;
    if (!isInstalledByHand()) return false;
    writeFileSync(this.stamp, this.wanted());
    return true;
  },
  async make() {
    // `--include=dev`: also under NODE_ENV=production, which would leave out all that builds and tests.
    say('installing dependencies (npm ci)');
    const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await npm(['ci', ...options], { quiet: true });
    if (code === 0) return;
    endChildren();
    throw new Failure(`npm ci failed:\n${output.trimEnd()}`);
  },
};

/** What the addon is made from, as one hash. */
function wantedAddon() {
  const sources = [
    'Cargo.toml',
    'Cargo.lock',
    'build.rs',
    'rust-toolchain.toml',
    '.cargo',
    'src',
    'crates',
    'scripts/binding.mjs',
    'scripts/loader.mjs',
  ].map((path) => at(path));
  const { version, napi, devDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  return hash(
    files(sources, (path) => path.endsWith(`${sep}target`)),
    [version, napi, devDependencies['@napi-rs/cli']],
    [process.platform, process.arch],
  );
}

/** @param {'tests' | 'shipped'} build */
const addonFor = (build) => ({
  name: 'addon',
  /**
   * What needs nothing of node_modules, which is nearly all of it: napi compiles the addon's own crate anew and finds the rest made. What
   * fails here fails there once more.
   */
  async begin() {
    if (build !== 'tests') return;
    const { cargo, env, everything } = cargoForTests();
    await run(cargo, ['build', ...everything], { env });
  },
  stamp: join(work, 'addon.stamp'),
  wanted: () => `${build} ${wantedAddon()}`,
  isFresh() {
    const [made, sources, content] = read(this.stamp)?.split(' ') ?? [];
    if (sources !== wantedAddon() || (made !== build && made !== 'shipped')) return false;
    if (content !== hash(files([at('binding')]))) return false;
    const names = existsSync(at('binding')) ? readdirSync(at('binding')) : [];
    return (
      ['binding.js', 'loader.js', 'binding.d.ts'].every((name) => names.includes(name)) &&
      names.some((name) => name.endsWith('.node')) &&
      (process.platform !== 'linux' || names.some((name) => name.startsWith('countersign-confine.')))
    );
  },
  stampFor: (wanted) => `${wanted} ${hash(files([at('binding')]))}`,
  async make() {
    say(
      `building the addon, as ${build === 'tests' ? 'tests use it' : 'it ships'} (the first time takes some minutes)`,
    );
    // Made aside and renamed into place: a process that has the old addon loaded keeps it whole.
    const aside = join(work, 'binding');
    rmSync(aside, { recursive: true, force: true });
    const args = ['--platform', '--esm', '--js', 'binding.js', '--dts', 'binding.d.ts', '--output-dir', aside];
    const { env, everything } = build === 'tests' ? cargoForTests() : { ...findCargo(), everything: [] };
    const what = build === 'tests' ? ['--', ...everything] : ['--release', '--', '--locked'];
    const { code } = await run(process.execPath, [bin('@napi-rs/cli', 'napi'), 'build', ...args, ...what], { env });
    if (code !== 0) throw new Failure(`the addon could not be built (napi build ended with ${code})`);
    ownBinding(aside);
    await addConfine(build, aside);
    moveOver(aside, at('binding'));
  },
});

/** Puts the executable that confines commands beside the addon, on Linux. */
async function addConfine(build, folder) {
  const target = hostTarget();
  const name = confineProgram(target);
  if (name === undefined) return;
  const profile = build === 'tests' ? 'debug' : 'release';
  if (build === 'shipped') await buildConfine(target);
  copyFileSync(join(targetFolder(), target, profile, 'countersign-confine'), join(folder, name));
}

/** As it ships: in one piece, which starts faster than one that looks for its libraries first. */
async function buildConfine(target) {
  const { cargo, env } = findCargo();
  const what = ['rustc', '--release', '--locked', '--package', 'countersign-confine', '--target', target];
  const { code } = await run(cargo, [...what, '--', '-C', 'target-feature=+crt-static'], { env, cwd: root });
  if (code !== 0)
    throw new Failure(`the executable that confines commands could not be built (cargo ended with ${code})`);
}

const dist = {
  name: 'dist',
  stamp: join(work, 'dist.stamp'),
  wanted() {
    const sources = [
      'ts',
      'examples/start',
      'index.d.ts',
      'types',
      'agent.d.ts',
      'inbox.d.ts',
      'tsconfig.json',
      'rolldown.config.mjs',
      'scripts/browser.mjs',
      'binding/binding.d.ts',
    ].map((path) => at(path));
    return hash(files(sources), read(install.stamp));
  },
  /** What was made is still there, as it was made. */
  isFresh() {
    return read(this.stamp) === this.stampFor(this.wanted());
  },
  stampFor: (wanted) => `${wanted} ${hash(files([at('dist')]))}`,
  async make() {
    say('bundling TypeScript');
    const aside = join(work, 'dist');
    rmSync(aside, { recursive: true, force: true });
    // The types are checked by the tests.
    const { code } = await run(process.execPath, [
      bin('rolldown', 'rolldown'),
      '-c',
      'rolldown.config.mjs',
      '--log-level',
      'warn',
      '--dir',
      aside,
    ]);
    if (code !== 0) throw new Failure('the TypeScript could not be bundled');
    const page = ['build', '--config', at('ts/inbox/page/vite.config.mjs'), '--outDir', join(aside, 'inbox')];
    const built = await run(process.execPath, [bin('vite'), ...page]);
    if (built.code !== 0) throw new Failure('the page of the inbox could not be built');
    writeBrowserEntries(aside);
    moveOver(aside, at('dist'));
  },
};

/** Makes `to` the same as `from`: each file is there whole at every moment, and what `from` lacks goes. */
function moveOver(from, to) {
  const names = new Set(files([from]).map((file) => relative(from, file)));
  for (const name of names) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    try {
      renameSync(join(from, name), join(to, name));
    } catch (error) {
      if (error.code !== 'EPERM' && error.code !== 'EBUSY') throw error;
      throw new Failure(`${join(to, name)} is in use: end the processes that run it and try again`);
    }
  }
  for (const file of files([to])) {
    if (!names.has(relative(to, file))) rmSync(file);
    let folder = dirname(file);
    while (folder !== to && readdirSync(folder).length === 0) {
      rmdirSync(folder);
      folder = dirname(folder);
    }
  }
  rmSync(from, { recursive: true, force: true });
}

/**
 * @param {{ build?: 'tests' | 'shipped', runtimes?: boolean, force?: readonly string[], only?: readonly string[] }} [options]
 */
export async function prepare({ build = 'shipped', runtimes = false, force = [], only = [] } = {}) {
  const all = [install, addonFor(build), dist];
  const steps = only.length > 0 ? all.filter((step) => only.includes(step.name)) : all;
  const isStale = (step) => force.includes(step.name) || !step.isFresh();
  if (!steps.some(isStale) && !(runtimes && missingRuntimes())) return;
  const undo = endChildrenOnSignals();
  try {
    await withLock(
      join(work, 'lock'),
      async () => {
        // Asked again: another process may have done it while this one waited.
        for (const [index, step] of steps.entries()) {
          if (!isStale(step)) continue;
          const since = performance.now();
          const wanted = step.wanted();
          rmSync(step.stamp, { force: true });
          // To install waits for the network most of the time.
          const next = step === install ? steps.slice(index + 1).find(isStale) : undefined;
          const begun = next?.begin?.().catch(() => {});
          await step.make();
          // Sources edited during a build must count as not built.
          writeFileSync(step.stamp, step.stampFor?.(wanted) ?? wanted);
          say(`${step.name}: done in ${seconds(since)}`);
          await begun;
        }
        if (runtimes && missingRuntimes()) await installRuntimes();
      },
      say,
    );
  } finally {
    undo();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  const args = process.argv.slice(2);
  const named = (option) => args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []));
  await prepare({
    build: args.includes('--tests') ? 'tests' : 'shipped',
    runtimes: args.includes('--runtimes'),
    force: named('--force'),
    only: named('--only'),
  }).catch(fail);
}

/** A {@link Failure} is told in its own words; anything else is a bug of ours and keeps its stack. */
export function fail(error) {
  say(error instanceof Failure ? error.message : error.stack);
  process.exit(1);
}
