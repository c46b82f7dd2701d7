/**
 * Which AI SDK is installed, told before anything of it is used: on another version nothing would be asked about, and its tools
 * would run.
 */
import { UnsupportedSdkError } from '../../errors/index.js';
import { loadSdk } from './sdk.js';

/** `null`: it cannot be read, as in a bundle. `undefined`: nobody has looked. */
let installed: string | null | undefined;

/**
 * @param place who needs it
 * @param only the one version that knows what `place` is for
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function requireSdk(place: string, only?: 7): void {
  if (!checkInstalled(place, only)) void requireLoaded(place, only);
}

/**
 * The same for what loads the SDK itself, and tells then what cannot be told now.
 *
 * @returns whether it is known to be a release that can be used
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function checkInstalled(place: string, only?: 7): boolean {
  if (installed === undefined) installed = readVersion();
  if (installed === null) return false;
  const [major] = installed.split('.');
  const isKnown = (major === '6' || major === '7') && !installed.includes('-');
  if (!isKnown) throw unsupported(place, `ai ${installed} is installed`);
  if (only !== undefined && major !== String(only)) throw tooOld(place, `ai ${installed}`);
  return true;
}

/**
 * That the caller of `entry` has no other copy of the SDK, of another version: that one would pass over what `entry` returns.
 *
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function requireSameSdk(place: string, only: 7, entry: Function): void {
  const file = callerOf(entry);
  const version = file === undefined ? null : readVersion(file);
  if (version === null || version.split('.')[0] === String(only)) return;
  throw tooOld(place, `ai ${version}, which ${file} uses,`);
}

/** The file that has called it, where that can be told. */
function callerOf(entry: Function): string | undefined {
  const at: { stack?: unknown } = {};
  Error.captureStackTrace(at, entry);
  const [, first = ''] = String(at.stack).split('\n');
  return /((?:file:\/\/|\/|[A-Za-z]:[\\/]).*):\d+:\d+\)?$/.exec(first)?.[1];
}

/** @param from the file that it is seen from */
function readVersion(from: string = import.meta.url): string | null {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const { version } = createRequire(from)('ai/package.json') as { version?: unknown };
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

/** Too late to be thrown by `place`: nobody handles what comes of it, so that it ends the process instead of being overlooked. */
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

const tooOld = (place: string, what: string): UnsupportedSdkError =>
  new UnsupportedSdkError({
    message: `${place}: ${what} does not know the option, and would run every tool unasked: use streamWithEvents or gateTools, or npm install ai@7 (with Node 22 or later).`,
  });
