/** Why the addon cannot be loaded, in words that name the cause and its cure. */
import { CountersignError } from './countersign-error.js';

/** Those that there is an addon for. A test keeps it equal to what is packed. */
export const PLATFORMS = [
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
] as const;

/** @param failures all that was tried */
export function addonError(failures: readonly unknown[]): CountersignError {
  const platform = thisPlatform();
  const cause = tellingOf(failures.flatMap(withCauses));
  const message = `countersign's addon could not be loaded on ${platform}: ${textOf(cause)}. ${cureOf(cause, platform)}`;
  return new CountersignError({ code: 'ERR_ADDON', message, cause });
}

function cureOf(cause: unknown, platform: string): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code === 'ERR_DLOPEN_DISABLED') return "Node's --permission forbids addons: start it with --allow-addons.";
  if (/requires ffi access|NotCapable/i.test(textOf(cause))) return 'Start Deno with --allow-ffi (or -A).';
  if (!(PLATFORMS as readonly string[]).includes(platform))
    return `There is none for it. There are: ${PLATFORMS.join(', ')}.`;
  if (!isMissing(cause))
    return `It is there, and this system cannot load it. Is countersign-${platform} the right one?`;
  return (
    `Install countersign-${platform} (npm leaves it out with --omit=optional, and in a folder that was installed on another platform). ` +
    'In a bundle, leave countersign out (external), or name the .node file in NAPI_RS_NATIVE_LIBRARY_PATH.'
  );
}

/** The first failure that is more than a file that is not there; else the last, which names the package. */
function tellingOf(failures: readonly unknown[]): unknown {
  return failures.find((failure) => !isMissing(failure)) ?? failures.at(-1);
}

/** What was thrown, and what that came of. */
function withCauses(failure: unknown): unknown[] {
  const all: unknown[] = [];
  for (let each = failure; each !== undefined && each !== null && all.length < 10; each = (each as Error).cause)
    all.unshift(each);
  return all;
}

function isMissing(failure: unknown): boolean {
  const { code } = (failure ?? {}) as { code?: unknown };
  return (
    code === 'MODULE_NOT_FOUND' ||
    code === 'ERR_MODULE_NOT_FOUND' ||
    /Cannot find (?:module|package)/.test(textOf(failure))
  );
}

/** Its first line, without a full stop: the rest is where it was looked for. */
function textOf(failure: unknown): string {
  const text = failure instanceof Error ? failure.message : String(failure);
  return (text.split('\n')[0] ?? '').replace(/\.$/, '');
}

/** As its package is called. */
function thisPlatform(): string {
  const { platform, arch } = process;
  if (platform === 'win32') return `${platform}-${arch}-msvc`;
  return platform === 'linux' ? `${platform}-${arch}-${isGlibc() ? 'gnu' : 'musl'}` : `${platform}-${arch}`;
}

function isGlibc(): boolean {
  try {
    const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
    return header.glibcVersionRuntime !== undefined;
  } catch {
    // A runtime without reports: most systems have it.
    return true;
  }
}
