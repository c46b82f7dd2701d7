/** The executable that confines, and what it says of this machine. */
import type { ConfinementReport } from '../../index.js';
import { ConfinementError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { confineProgram } from '../native.js';
import { exists } from './files.js';
import type { SupportReport } from './plan.js';

/** What confines on macOS; it is part of the system. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** How long it may take to say what there is, in ms. */
const PATIENCE = 30_000;

let found: ConfinementReport | undefined;

/** See `types/confine.d.ts`. */
export function confinementReport(): ConfinementReport {
  found ??= look();
  return { ...found, open: [...found.open] };
}

/** What the executable was when it was first asked, before any command ran; `when` it was last changed saves reading it again. */
let looked: { digest: string | undefined; when: string } | undefined;

/** No command has replaced it since. @throws {ConfinementError} */
export function checkProgram(): void {
  if (confineProgram === undefined || looked === undefined) return;
  const when = changeOf(confineProgram);
  if (when === looked.when) return;
  // Another name for it, or another mode, is a change as well. A file that cannot be read cannot be known to be the same.
  if (looked.digest !== undefined && digestOf(confineProgram) === looked.digest) {
    looked.when = when;
    return;
  }
  throw new ConfinementError({
    message: `${confineProgram}, which confines commands, was changed since it was first used: nothing is run by it. Install countersign again, and start this process again.`,
  });
}

/** Only the system sets the time of the last change. */
function changeOf(path: string): string {
  const about = process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false, bigint: true });
  return about === undefined ? '' : [about.dev, about.ino, about.size, about.ctimeNs].join(' ');
}

function digestOf(path: string): string | undefined {
  try {
    const contents = process.getBuiltinModule('node:fs').readFileSync(path);
    return process.getBuiltinModule('node:crypto').createHash('sha256').update(contents).digest('hex');
  } catch {
    return undefined;
  }
}

const NOTHING: ConfinementReport = {
  supported: false,
  reason: null,
  by: null,
  landlock: 0,
  seccomp: false,
  namespaces: false,
  noNamespaces: null,
  open: [],
};

function look(): ConfinementReport {
  if (process.platform === 'darwin') return ofSeatbelt();
  if (process.platform !== 'linux') return unsupported(`nothing confines commands on ${process.platform}`);
  const program = confineProgram;
  if (program === undefined) {
    return unsupported(
      'the executable countersign-confine is not beside the addon: install the package of this platform whole',
    );
  }
  const when = changeOf(program);
  looked = { digest: digestOf(program), when };
  const { status, stdout, stderr, error } = process
    .getBuiltinModule('node:child_process')
    .spawnSync(program, ['report'], {
      encoding: 'utf8',
      env: {},
      timeout: PATIENCE,
    });
  if (status !== 0)
    return unsupported(`${program} does not run: ${error === undefined ? stderr.trim() : messageOf(error)}`);
  const { supported, landlock, seccomp, namespaces, noNamespaces, open } = JSON.parse(stdout) as SupportReport;
  const lacks = [...(landlock === 0 ? ['Landlock'] : []), ...(seccomp ? [] : ['seccomp'])].join(' and no ');
  return {
    supported,
    reason: supported ? null : `this kernel has no ${lacks}, or it is switched off`,
    by: supported ? 'landlock' : null,
    landlock,
    seccomp,
    namespaces,
    noNamespaces,
    open,
  };
}

const unsupported = (reason: string): ConfinementReport => ({ ...NOTHING, reason });

function ofSeatbelt(): ConfinementReport {
  if (!exists(SANDBOX_EXEC)) return unsupported(`there is no ${SANDBOX_EXEC}`);
  return { ...NOTHING, supported: true, by: 'seatbelt', open: ['private-folders', 'names', 'processes', 'orphans'] };
}
