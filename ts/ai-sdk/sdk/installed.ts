/**
 * Which AI SDK is installed, told before anything of it is used: on another version nothing would be asked about, and its tools
 * would run.
 */
import { UnsupportedSdkError } from '../../errors/index.js';
import { loadSdk } from './sdk.js';

/** `null`: it cannot be read, as in a bundle. `undefined`: not looked up yet. */
let installed: string | null | undefined;

/**
 * For what goes into a loop of the AI SDK that its caller has: both copies of the SDK must support it, the one found here and the
 * caller's own.
 *
 * @param place who needs it
 * @param entry the function that the caller has called
 * @param only the one version that knows what `place` is for
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function requireSdk(place: string, entry: Function, only?: 7): void {
  if (!checkInstalled(place, only)) void requireLoaded(place, only);
  // Where that cannot be told, what the program was started with.
  const file = callerOf(entry) ?? process.argv[1];
  const version = file === undefined ? null : versionFrom(file);
  if (version !== null) refuseOthers(place, version, only, `ai ${version}, which ${file} uses,`);
}

/**
 * The same for what loads the SDK itself, and tells then what cannot be told now.
 *
 * @returns whether it is known to be a release that can be used
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function checkInstalled(place: string, only?: 7): boolean {
  if (installed === undefined) {
    const found = readVersion(import.meta.url);
    if (found === null && isMissing()) throw missing(place);
    installed = found;
  }
  if (installed === null) return false;
  refuseOthers(place, installed, only, `ai ${installed}`);
  return true;
}

/** @param what the copy of the SDK that has this version */
function refuseOthers(place: string, version: string, only: 7 | undefined, what: string): void {
  const [major] = version.split('.');
  const isKnown = (major === '6' || major === '7') && !version.includes('-');
  if (!isKnown) throw unsupported(place, `${what} is installed`);
  if (only !== undefined && major !== String(only)) throw tooOld(place, what);
}

/** How many functions of the runtime may stand between an entry and the file that has called it, as `map` of an array does. */
const NEAR = 10;

/** The file that has called it, where that can be told. */
function callerOf(entry: Function): string | undefined {
  try {
    // Nearly always it is the next one, and each that is looked at takes its time.
    return filesAbove(entry, 1).find(isFile) ?? filesAbove(entry, NEAR).find(isFile);
  } catch {
    // The program has frozen what tells it.
    return undefined;
  }
}

const isFile = (name: string): boolean => /^(?:file:|[/]|[A-Za-z]:[\\/])/.test(name);

/** @param most how many of them */
function filesAbove(entry: Function, most: number): string[] {
  // The program may have set both for itself.
  const { prepareStackTrace, stackTraceLimit } = Error;
  const at: { stack?: unknown } = {};
  try {
    Error.stackTraceLimit = most;
    Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '');
    Error.captureStackTrace(at, entry);
    return Array.isArray(at.stack) ? (at.stack as string[]) : [];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** What each file that has called an entry finds: it calls one for each request of its own, perhaps. */
const versions = new Map<string, string | null>();

function versionFrom(file: string): string | null {
  const known = versions.get(file);
  if (known !== undefined) return known;
  const version = readVersion(file);
  versions.set(file, version);
  return version;
}

/** @param from the file that it is seen from */
function readVersion(from: string): string | null {
  try {
    const require = requireFrom(from);
    const manifest = required(require) ?? found(require);
    if (manifest === undefined) return null;
    const { version } = manifest as { version?: unknown };
    // Without a version it is unknown, even if its exports look right.
    return typeof version === 'string' && version !== '' ? version : 'without a version';
  } catch {
    return null;
  }
}

function required(require: NodeJS.Require): object | undefined {
  try {
    return (require('ai/package.json') as object | null) ?? {};
  } catch {
    return undefined;
  }
}

/** Of a package that hides it: where it lies. */
function found(require: NodeJS.Require): object | undefined {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const folder = (require.resolve.paths('ai') ?? []).map((each) => join(each, 'ai')).find((each) => existsSync(each));
  if (folder === undefined) return undefined;
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object | null) ?? {};
}

const requireFrom = (file: string): NodeJS.Require => process.getBuiltinModule('node:module').createRequire(file);

/** Whether the SDK is missing beside this package. A bundle with this package may contain it. */
function isMissing(): boolean {
  try {
    const require = requireFrom(import.meta.url);
    const { dirname, sep } = process.getBuiltinModule('node:path');
    const { fileURLToPath } = process.getBuiltinModule('node:url');
    const own = dirname(require.resolve('countersign/package.json'));
    if (!fileURLToPath(import.meta.url).startsWith(own + sep)) return false;
    return !isThere(() => require.resolve('ai')) && !isThere(() => require.resolve('ai/package.json'));
  } catch {
    return false;
  }
}

function isThere(look: () => unknown): boolean {
  try {
    look();
    return true;
  } catch (error) {
    // What hides its parts is there.
    return (error as { code?: unknown } | null)?.code !== 'MODULE_NOT_FOUND';
  }
}

/** Too late to be thrown by `place`: the rejection stays unhandled, so that it ends the process instead of being overlooked. */
async function requireLoaded(place: string, only: 7 | undefined): Promise<void> {
  const sdk = await loadSdk().catch((error: unknown) => {
    // Without the package there is nothing that could run past us.
    if (UnsupportedSdkError.isInstance(error) && error.cause !== undefined) return undefined;
    throw unsupported(place, 'the package ai is another version');
  });
  if (only !== undefined && sdk !== undefined && sdk.version.major !== only)
    throw tooOld(place, `AI SDK ${sdk.version.major}`);
}

const unsupported = (place: string, what: string): UnsupportedSdkError =>
  new UnsupportedSdkError({
    message: `${place}: ${what}, and only releases of version 6 and 7 are supported: npm install ai@7 (with Node 22 or later), or ai@6.`,
  });

const missing = (place: string): UnsupportedSdkError =>
  new UnsupportedSdkError({
    message: `${place}: The package 'ai' is not installed beside countersign. Install version 6 or 7 of it: npm install ai`,
  });

const tooOld = (place: string, what: string): UnsupportedSdkError =>
  new UnsupportedSdkError({
    message: `${place}: ${what} does not know the option, and would run every tool unasked: use streamWithEvents or gateTools, or npm install ai@7 (with Node 22 or later).`,
  });
