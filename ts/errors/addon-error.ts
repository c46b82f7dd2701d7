/** Why the addon cannot be loaded, in words that name the cause and its cure. */
import { CountersignError } from './countersign-error.js';

/** Those with an addon. A test keeps it equal to what is packed. */
export const PLATFORMS = [
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
] as const;

/**
 * @param failure why it was not loaded; where the loader knows what to do about it, it says so in `cure`
 * @param platform as its package is called
 */
export function addonError(failure: unknown, platform: string): CountersignError {
  const cause = innermost(failure);
  const message = `countersign's addon could not be loaded on ${platform}: ${textOf(cause)}. ${cureOf(cause, platform)}`;
  return withoutPlace(() => new CountersignError({ code: 'ERR_ADDON', message, cause }));
}

/**
 * Throws it where no line of this file stands. An error during loading is not caught, and Node shows the line of the `throw`
 * before the message: in a minified bundle that is the whole bundle, and a pipe is closed before the message is through.
 */
export function throwAtNoLine(error: Error): never {
  AbortSignal.abort(error).throwIfAborted();
  throw error;
}

/** An error that does not know where it was made, for the same reason. */
function withoutPlace(make: () => CountersignError): CountersignError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function cureOf(cause: unknown, platform: string): string {
  const { code, cure } = (cause ?? {}) as { code?: unknown; cure?: unknown };
  if (typeof cure === 'string') return cure;
  if (code === 'ERR_DLOPEN_DISABLED') return mayLoad();
  if (code === 'ERR_ACCESS_DENIED')
    return "Node's permission model forbids it: start it with --allow-addons and an --allow-fs-read of the folder.";
  if (/requires ffi access|NotCapable/i.test(textOf(cause))) return 'Start Deno with --allow-ffi (or -A).';
  if (!(PLATFORMS as readonly string[]).includes(platform))
    return `${textOf(cause).startsWith('no addon is made') ? '' : 'It has no addon. '}These platforms have one: ${PLATFORMS.join(', ')}.`;
  if (!isMissing(cause))
    return `It is there, and this system cannot load it. Is countersign-${platform} the right one?`;
  return (
    `Install countersign-${platform} (npm leaves it out with --omit=optional, and in a folder that was installed on another platform). ` +
    'In a bundle, leave countersign out (external), or name the .node file in COUNTERSIGN_ADDON.'
  );
}

/** Node says the same of both. */
function mayLoad(): string {
  const { permission } = process as { permission?: unknown };
  return permission === undefined
    ? 'Node was started with --no-addons: leave that out.'
    : "Node's permission model forbids addons: start it with --allow-addons.";
}

/** What that which was thrown came of. */
function innermost(failure: unknown): unknown {
  let cause = failure;
  for (let depth = 0; depth < 10; depth++) {
    const { cause: next } = (cause ?? {}) as { cause?: unknown };
    if (next === undefined || next === null) break;
    cause = next;
  }
  return cause;
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
  const { message } = (failure ?? {}) as { message?: unknown };
  return (String(message ?? failure).split('\n')[0] ?? '').replace(/\.$/, '');
}
