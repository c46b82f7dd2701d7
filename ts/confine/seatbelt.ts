/**
 * A plan as a profile of `sandbox-exec`, the sandbox of macOS. Written from descriptions of its language, and never run.
 */
import type { LaunchPlan } from './plan.js';

/** What a program needs to start at all. */
const BASE = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/null") (literal "/dev/tty"))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)`;

const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/fd'];

/** The profile. Of rules that speak of the same, the last one counts. */
export function seatbeltProfile(plan: LaunchPlan): string {
  const { read, write, protect, hide, network } = plan;
  const written = [...write, ...(plan.temporary === null ? [] : [plan.temporary])];
  return [
    BASE,
    rule('allow file-read*', [...read, ...written, ...DEVICES, '/dev/dtracehelper']),
    rule('allow file-write*', [...written, ...DEVICES]),
    // A file that is made there would be read and written as others are: links to it as well.
    rule('deny file-write*', [...protect, ...hide]),
    rule('deny file-read*', hide),
    network === 'none' ? '(deny network*)' : networkOf(network),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function networkOf(network: Exclude<LaunchPlan['network'], 'none'>): string {
  const port = typeof network === 'string' ? '*' : String(network.proxy.port);
  return `(allow network-outbound (remote ip "localhost:${port}"))\n(allow network-bind network-inbound (local ip "localhost:*"))`;
}

function rule(what: string, paths: readonly string[]): string {
  if (paths.length === 0) return '';
  return `(${what}\n${paths.map((path) => `  (subpath ${quoted(path)})`).join('\n')})`;
}

/** A text of the profile's language. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
