/**
 * Loads the addon of this machine. `scripts/binding.mjs` copies this file beside `binding/binding.js`, which calls it.
 *
 * There is one addon for a platform: the file beside that one, as in a checkout, else the package of the platform. No other
 * name is looked for, since the owner of that name would own the core. And it is loaded in the version that the JavaScript was
 * made for, or not at all.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The one variable that is read: the addon's file, for a program without a `node_modules`. */
const NAMED = 'COUNTERSIGN_ADDON';

/**
 * @typedef {{ load(): object, where(): string }} Place
 * @typedef {{ beside: Place, installed: Place }} Addon
 *
 * @param {string} version which the addon must have
 * @param {Record<string, Addon>} addons by platform
 * @param {NodeJS.Require} require
 * @returns {{ core: object, platform: string, confineProgram?: string, failure?: unknown }} `failure`: why it is missing; it may
 * have a `cure`. `confineProgram`: the executable that confines commands, beside the addon where there is one
 */
export function loadAddon(version, addons, require) {
  const platform = platformHere();
  try {
    const named = process.env[NAMED];
    const { core, file } = named
      ? { core: fileNamed(resolve(named), version, require), file: resolve(named) }
      : ofPlatform(platform, version, addons);
    return { core, platform, confineProgram: programBeside(file, platform) };
  } catch (failure) {
    return { core: {}, platform, failure: failure ?? new Error('nothing was said') };
  }
}

function fileNamed(file, version, require) {
  const cure = `Name the .node file of countersign ${version} in ${NAMED}, or leave the variable out.`;
  if (!file.endsWith('.node')) throw fault(`${NAMED} names ${file}, which is no .node file`, cure);
  checkWhole(file, cure);
  try {
    return checked(require(file), version, cure);
  } catch (error) {
    throw isMissing(error) ? fault(`${NAMED} names ${file}, which is not there`, cure) : error;
  }
}

function ofPlatform(platform, version, addons) {
  if (!Object.hasOwn(addons, platform)) throw new Error('no addon is made for it');
  const { beside, installed } = addons[platform];
  const cure = `Install countersign ${version} again, and with it countersign-${platform} ${version}.`;
  try {
    return { core: checked(whole(beside, cure).load(), version, cure), file: fileOf(beside) };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return { core: checked(whole(installed, cure).load(), version, cure), file: fileOf(installed) };
}

/** Nothing where a bundler has put it. */
function fileOf(place) {
  try {
    return place.where();
  } catch {
    return undefined;
  }
}

/** In a checkout it says in its name what it is for; in the package of a platform it need not. */
function programBeside(file, platform) {
  if (typeof file !== 'string') return undefined;
  const names = [`countersign-confine.${platform}`, 'countersign-confine'];
  return names.map((name) => join(dirname(file), name)).find((program) => existsSync(program));
}

/** Only the core of this very version knows what the JavaScript beside it asks. */
function checked(core, version, cure) {
  const its = typeof core?.coreVersion === 'function' ? core.coreVersion() : undefined;
  if (its === version) return core;
  const what = its === undefined ? 'it is another addon, or one of another version' : `it is of version ${its}`;
  throw fault(`${what}, where countersign is of version ${version}`, cure);
}

function whole(place, cure) {
  let file;
  try {
    file = place.where();
  } catch {
    // Not there, or a bundler has put it where only it knows: to load it says so.
    return place;
  }
  checkWhole(file, cure);
  return place;
}

/**
 * On Linux a file that ends too early kills the process that loads it. The head of the file says how long it must be. Other
 * systems refuse it by themselves.
 */
function checkWhole(file, cure) {
  if (process.platform !== 'linux' || typeof file !== 'string') return;
  const head = Buffer.alloc(64);
  let size = 0;
  try {
    const opened = openSync(file, 'r');
    try {
      readSync(opened, head, 0, head.length, 0);
      ({ size } = fstatSync(opened));
    } finally {
      closeSync(opened);
    }
  } catch {
    // It may not be read: to load it says why.
    return;
  }
  const isAddon = head.readUInt32BE(0) === 0x7f_45_4c_46 && head[4] === 2 && head[5] === 1;
  if (!isAddon) throw fault(`${file} is no addon`, cure);
  const tableEnd = (start, entry, count) =>
    Number(head.readBigUInt64LE(start)) + head.readUInt16LE(entry) * head.readUInt16LE(count);
  if (size < Math.max(tableEnd(32, 54, 56), tableEnd(40, 58, 60)))
    throw fault(`${file} ends too early, at ${size} bytes`, cure);
}

const isMissing = (error) =>
  ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(error?.code) ||
  /Cannot find (?:module|package)/.test(String(error?.message ?? error));

const fault = (message, cure) => Object.assign(new Error(message), { cure });

/** As its package is called. */
function platformHere() {
  const { platform, arch } = process;
  if (platform === 'win32') return `${platform}-${arch}-msvc`;
  return platform === 'linux' ? `${platform}-${arch}-${isMusl() ? 'musl' : 'gnu'}` : `${platform}-${arch}`;
}

function isMusl() {
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl');
  } catch {
    // An image without it, or one that may not be read.
  }
  const { report } = process;
  if (typeof report?.getReport !== 'function') return false;
  const { excludeNetwork } = report;
  try {
    // It would look up names of hosts, which takes seconds.
    report.excludeNetwork = true;
    return report.getReport().header.glibcVersionRuntime === undefined;
  } catch {
    return false;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}
