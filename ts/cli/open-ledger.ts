/** The ledger that a command speaks of. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CountersignError } from '../errors/index.js';
import { NativeLedger, projectDirectory } from '../native.js';
import { toldLedger } from '../values/told-ledger.js';
import { ExitError, Exit, UsageError } from './exit.js';
import type { OptionTypes } from './options.js';
import { isForeign, ownLedger } from './own-ledger.js';
import { settingsFolder } from './settings-folder.js';
import { oneLine } from './style.js';

/** Options of every command on a ledger. */
export const LEDGER = {
  ledger: { type: 'string', short: 'l' },
  'key-env': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies OptionTypes;

export interface LedgerValues {
  ledger?: string | undefined;
  'key-env'?: string | undefined;
  json?: boolean | undefined;
}

const SQLITE = 'sqlite:';
const POSTGRES = /^postgres(ql)?:\/\//;
const HERE = '.countersign/ledger.db';

/** Does something with the ledger, and lets go of it. To `look` writes nothing. */
export async function withLedger<T>(
  values: LedgerValues,
  use: 'look' | 'change',
  work: (ledger: NativeLedger) => Promise<T>,
): Promise<T> {
  const name = ledgerName(values.ledger);
  if (!isNamed(values.ledger)) await tellForeign(name);
  const ledger = new NativeLedger({
    ledger: name,
    key: keyOf(values['key-env']),
    readOnly: use === 'look',
  });
  try {
    await ledger.open();
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Of a ledger that was found and not named: one that was copied here may hold requests and approvals of others. */
async function tellForeign(name: string): Promise<void> {
  const file = name.slice(SQLITE.length);
  if (!(await isForeign(file, settingsFolder()))) return;
  process.stderr.write(
    `countersign: the ledger ${oneLine(file)} was not made here by you: it may hold requests and approvals of others.\n`,
  );
}

const isNamed = (option: string | undefined): boolean =>
  (option ?? (process.env.COUNTERSIGN_LEDGER || undefined)) !== undefined;

/** `--ledger`, else the environment's, else the nearest one upward. To look at a ledger or to decide in it must not make one. */
export function ledgerName(option: string | undefined): string {
  const { name, missing, place } = foundLedger(option);
  if (name === undefined)
    throw new UsageError(
      `which ledger? Pass --ledger sqlite:PATH or postgres://…, or set COUNTERSIGN_LEDGER, or run it where ${HERE} is`,
    );
  if (missing === undefined) return name;
  throw new ExitError(
    Exit.ledger,
    `there is no ledger at ${missing}: check the path in ${place}, or run the agent first`,
    'ERR_LEDGER_IO',
  );
}

/** Whether one is named, or found: without one, commands on a ledger do nothing. */
export const isLedgerKnown = (option: string | undefined): boolean => foundLedger(option).name !== undefined;

/**
 * As {@link ledgerName}, for what can begin before anybody has asked: a ledger that is missing is made, where its folder is there,
 * or where the project's usual one is.
 *
 * @returns `missing`: the file that is about to be made
 */
export async function ledgerToBegin(option: string | undefined): Promise<{ name: string; missing?: string }> {
  const { name, missing, place } = foundLedger(option);
  if (name === undefined) {
    // As the chat makes it, which then takes it for its own.
    const own = await ownLedger(projectDirectory(process.cwd()), settingsFolder());
    return { name: own, missing: own.slice(SQLITE.length) };
  }
  if (missing === undefined) {
    if (!isNamed(option)) await tellForeign(name);
    return { name };
  }
  if (existsSync(dirname(missing))) return { name, missing };
  throw new ExitError(
    Exit.ledger,
    `there is no folder for the ledger ${missing}: check the path in ${place}, or make the folder`,
    'ERR_LEDGER_IO',
  );
}

interface FoundLedger {
  /** `undefined`: none is named, and no folder above has one. */
  name: string | undefined;
  /** Its file, where that is not there. */
  missing?: string;
  /** Who names it. */
  place: string;
}

function foundLedger(option: string | undefined): FoundLedger {
  const named = option ?? (process.env.COUNTERSIGN_LEDGER || undefined);
  const place = option === undefined ? 'COUNTERSIGN_LEDGER' : '--ledger';
  if (named === undefined) return { name: nearest(), place };
  if (named === 'memory:')
    throw new UsageError(`${place} is 'memory:', which no other process can see: use sqlite:PATH in both`);
  if (POSTGRES.test(named)) return { name: named, place };
  if (!named.startsWith(SQLITE))
    throw new UsageError(`${place} must be sqlite:PATH or postgres://…, not ${toldLedger(named)}`);
  const path = named.slice(SQLITE.length);
  if (path === '' || path.includes('\0')) throw new UsageError(`${place} must name a file: sqlite:PATH`);
  const file = resolve(path);
  return { name: SQLITE + file, place, ...(existsSync(file) ? {} : { missing: file }) };
}

function nearest(): string | undefined {
  for (let directory = process.cwd(); ; directory = dirname(directory)) {
    const file = join(directory, HERE);
    if (existsSync(file)) return SQLITE + file;
    if (dirname(directory) === directory) return undefined;
  }
}

function keyOf(option: string | undefined): string | null {
  const key = process.env[option ?? 'COUNTERSIGN_LEDGER_KEY'];
  if (key !== undefined && key !== '') return key;
  if (option !== undefined) throw new UsageError(`--key-env: the environment has no ${option}: set it to the key`);
  return null;
}

/** How the command ends because of this error. */
export function exitOf(error: unknown): number {
  if (error instanceof UsageError) return Exit.usage;
  if (error instanceof ExitError) return error.exit;
  if (!CountersignError.isInstance(error)) return Exit.failure;
  if (error.code === 'ERR_CONFIG_FILE') return Exit.usage;
  if (error.code.startsWith('ERR_LEDGER_')) return Exit.ledger;
  if (error.code === 'ERR_UNKNOWN_APPROVAL' || error.code === 'ERR_UNKNOWN_RUN') return Exit.unknown;
  return REFUSED.includes(error.code) ? Exit.refused : Exit.failure;
}

const REFUSED: readonly string[] = [
  'ERR_ALREADY_DECIDED',
  'ERR_EXPIRED',
  'ERR_DECISION_NOT_ALLOWED',
  'ERR_NOT_APPROVER',
  'ERR_INVALID_DECISION',
];
