/** The ledger that a command speaks of. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CountersignError } from '../errors/index.js';
import { NativeLedger } from '../native.js';
import { toldLedger } from '../values/told-ledger.js';
import { ExitError, Exit, UsageError } from './exit.js';
import type { OptionTypes } from './options.js';

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
  const ledger = new NativeLedger({
    ledger: ledgerName(values.ledger),
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

/** `--ledger`, else the environment's, else the nearest one upward. */
export function ledgerName(option: string | undefined): string {
  const named = option ?? (process.env.COUNTERSIGN_LEDGER || undefined);
  if (named === undefined) return nearest();
  const place = option === undefined ? 'COUNTERSIGN_LEDGER' : '--ledger';
  if (named === 'memory:')
    throw new UsageError(`${place} is 'memory:', which no other process can see: use sqlite:PATH in both`);
  if (POSTGRES.test(named)) return named;
  if (!named.startsWith(SQLITE))
    throw new UsageError(`${place} must be sqlite:PATH or postgres://…, not ${toldLedger(named)}`);
  const path = named.slice(SQLITE.length);
  if (path === '' || path.includes('\0')) throw new UsageError(`${place} must name a file: sqlite:PATH`);
  const file = resolve(path);
  // To look at a ledger or to decide in it must not make one.
  if (!existsSync(file)) {
    throw new ExitError(Exit.ledger, `there is no ledger at ${file}: look at ${place}`, 'ERR_LEDGER_IO');
  }
  return SQLITE + file;
}

function nearest(): string {
  for (let directory = process.cwd(); ; directory = dirname(directory)) {
    const file = join(directory, HERE);
    if (existsSync(file)) return SQLITE + file;
    if (dirname(directory) === directory) break;
  }
  throw new UsageError(
    `which ledger? Pass --ledger sqlite:PATH or postgres://…, or set COUNTERSIGN_LEDGER, or run it where ${HERE} is`,
  );
}

function keyOf(option: string | undefined): string | null {
  const key = process.env[option ?? 'COUNTERSIGN_LEDGER_KEY'];
  if (key !== undefined && key !== '') return key;
  if (option !== undefined) throw new UsageError(`--key-env: the environment has no ${option}`);
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
